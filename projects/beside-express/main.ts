import app from './app.ts'
import { web } from './web.ts'

// Refuses to start with a database that does not fit.
await app.open()
const { HOST = '127.0.0.1', PORT = '8000' } = process.env
const server = web.listen(Number(PORT), HOST, (error) => {
  if (error) throw error
  console.log(`Listening on http://${HOST}:${PORT}`)
})

// Requests in flight are finished first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())
