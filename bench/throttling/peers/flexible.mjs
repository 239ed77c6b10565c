// rate-limiter-flexible needs no framework: this server of node:http has nothing else.
import { createServer } from 'node:http'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { rate, redis, tellParent } from './common.mjs'

const options = { points: rate.limit, duration: rate.seconds }
const connection = await redis()
const limiter = connection
  ? new RateLimiterRedis({ ...options, storeClient: connection })
  : new RateLimiterMemory(options)
const body = () => JSON.stringify({ hello: 'world' })
const server = createServer(
  { optimizeEmptyRequests: true },
  (request, response) => void answer(request, response),
)

async function answer(request, response) {
  if (request.url === '/hello/throttled/') {
    try {
      await limiter.consume(request.headers['x-forwarded-for'])
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal
      response.writeHead(429, {
        'Retry-After': Math.ceil(refusal.msBeforeNext / 1000),
        'Content-Length': 0,
      })
      return response.end()
    }
  }
  const text = body()
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length })
  return response.end(text)
}
server.listen(0, '127.0.0.1', () => tellParent(server.address().port))
