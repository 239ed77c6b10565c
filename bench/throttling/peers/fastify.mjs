import rateLimit from '@fastify/rate-limit'
import fastify from 'fastify'
import { rate, redis, tellParent } from './common.mjs'

const connection = await redis()
const app = fastify()
const none = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
}
await app.register(rateLimit, {
  global: false,
  max: rate.limit,
  timeWindow: rate.seconds * 1000,
  // The same number of clients as the other peers keep.
  cache: 10_000,
  keyGenerator: (request) => request.headers['x-forwarded-for'],
  addHeaders: { ...none, 'retry-after': true },
  addHeadersOnExceeding: none,
  ...(connection && { redis: connection }),
})
const hello = async () => ({ hello: 'world' })
app.get('/hello/plain/', hello)
app.get('/hello/throttled/', { config: { rateLimit: {} } }, hello)
await app.listen({ port: 0, host: '127.0.0.1' })
tellParent(app.server.address().port)
