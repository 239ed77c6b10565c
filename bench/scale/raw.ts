// `node:http` in a cluster, by hand: `node raw.ts WORKERS`. It answers like the measured endpoint.
import cluster from 'node:cluster'
import { createServer } from 'node:http'

const BODY = JSON.stringify({ hello: 'world' })

if (cluster.isPrimary) {
  for (let worker = 0; worker < Number(process.argv[2]); worker++) cluster.fork()
  let listening = 0
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === Number(process.argv[2]))
      console.log(`Listening on http://127.0.0.1:${port}`)
  })
} else {
  createServer((_request, response) => {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': BODY.length,
    })
    response.end(BODY)
  }).listen(0, '127.0.0.1')
}
