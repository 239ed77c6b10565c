import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { rate, redis, tellParent } from './common.mjs'

const connection = await redis()
const store = connection && (await redisStore())
const app = express().disable('x-powered-by').disable('etag')
const hello = (_request, response) => response.json({ hello: 'world' })
const limiter = rateLimit({
  windowMs: rate.seconds * 1000,
  limit: rate.limit,
  keyGenerator: (request) => request.headers['x-forwarded-for'],
  standardHeaders: false,
  legacyHeaders: false,
  ...(store && { store }),
})
app.get('/hello/plain/', hello)
app.get('/hello/throttled/', limiter, hello)
const server = app.listen(0, '127.0.0.1', () => tellParent(server.address().port))

async function redisStore() {
  const { RedisStore } = await import('rate-limit-redis')
  return new RedisStore({ sendCommand: (command, ...args) => connection.call(command, ...args) })
}
