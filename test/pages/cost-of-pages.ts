// Prints what a list costs as JSON and as a page, in microseconds of CPU time: `node test/pages/cost-of-pages.ts`.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { serve } from '../../src/node.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { cities } from './cities.ts'

const REQUESTS = 100
const ROUNDS = 20

/** Asks one after the other, on a thread whose CPU time is its own. */
const CLIENT = `
const { parentPort } = require('node:worker_threads')
const { Agent, get } = require('node:http')
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const ask = (url, accept) =>
  new Promise((done) => get(url, { agent, headers: { accept } }, (answer) => answer.resume().on('end', done)))
parentPort.on('message', async ({ url, accept, count }) => {
  for (let page = 1; page <= count; page++) await ask(new URL('/?page=' + ((page % 49) + 1), url), accept)
  parentPort.postMessage(null)
})`

const folder = mkdtempSync(join(tmpdir(), 'colophon-cost-'))
const database = openSqlite({ path: join(folder, 'cities.sqlite') })
const server = await serve((await cities(database)).app, { port: 0 })
const worker = new Worker(CLIENT, { eval: true })

async function costOf(accept: string): Promise<number> {
  const before = process.threadCpuUsage()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
  worker.postMessage({ url: server.url, accept, count: REQUESTS })
  await once(worker, 'message')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / REQUESTS
}

let [json, page] = [Infinity, Infinity]
for (let round = 0; round < ROUNDS; round++) {
  json = Math.min(json, await costOf('application/json'))
  page = Math.min(page, await costOf('text/html'))
}
await worker.terminate()
await server.close()
database.close()
rmSync(folder, { recursive: true })
console.log(JSON.stringify({ json, page }))
