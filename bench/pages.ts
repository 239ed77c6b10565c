// `npm run bench -- pages`: CPU time for a list of 100 rows as JSON and as a page. Fails if the page takes more than three
// times as long as its JSON.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  defineApi,
  field,
  list,
  serializer,
} from 'colophon'
import { serve } from 'colophon/node'
import { type SqlDatabase, sqlSource } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'

const MOST = 3
const REQUESTS = 100
const ROUNDS = 20

/** Sends one request after the other, on a thread whose CPU time is separate. */
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
const server = await serve(await cities(database), { port: 0 })
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
console.log(
  `JSON ${json.toFixed(0)} µs, page ${page.toFixed(0)} µs: ${(page / json).toFixed(2)} times`,
)
process.exitCode = page <= MOST * json ? 0 : 1

async function cities(cityDatabase: SqlDatabase) {
  const run = (sql: string) => cityDatabase.write({ sql, parameters: [] })
  await run(
    'create table city (id integer primary key, name text, country text, population integer)',
  )
  await run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into city select i, 'City ' || i, 'Country ' || (i % 50), i * 1000 from n`,
  )
  const query = cityDatabase
    .kysely<{ city: { id: number; name: string; country: string; population: number } }>()
    .selectFrom('city')
    .selectAll()
  const api = defineApi({
    urls: { cities: '/' },
    pagination: new PageNumberPagination({ pageSize: 100 }),
    filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  })
  const city = serializer({
    id: field.integer(),
    name: field.text(),
    country: field.text(),
    population: field.integer(),
  })
  return api.serve([
    api.endpoint('cities').get(
      list({
        source: sqlSource({ database: cityDatabase, query, key: 'id' }),
        serializer: city,
        searchFields: ['name'],
        orderingFields: ['name', 'population'],
        filterFields: ['country', 'population__gte'],
      }),
    ),
  ])
}
