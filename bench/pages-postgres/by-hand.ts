// The comparable service by hand. `raw` is as a good engineer writes it: a pool, prepared statements, count and page at the
// same time. `best` reads both in one round trip, and writes text of JSON by hand.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { type Item, OPTIONS, itemOf, itemText, linksOf, listBody, send } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { PAGE_SIZE, POOL } from './world.ts'

const [url = '', kind = 'raw'] = process.argv.slice(2)
const best = kind === 'best'
const pool = new Pool({ connectionString: url, max: POOL })
const list = 'id, name, price, stock, created'
const PAGE = `from (select ${list} from item order by id limit $1 offset $2) page`

function statement(name: string, text: string) {
  return async (...values: number[]): Promise<readonly unknown[][]> =>
    (await pool.query<never>({ name, text, rowMode: 'array', values })).rows
}

const count = statement('count', 'select count(*) from item')
const page = statement('page', `select ${list} ${PAGE}`)
const both = statement('both', `select ${list}, (select count(*) from item) ${PAGE}`)

const NOT_FOUND = JSON.stringify({ detail: 'Not found.' })
const INVALID_PAGE = JSON.stringify({ detail: 'Invalid page.' })

const server = createServer(OPTIONS, (request, response) => {
  const cut = request.url!.indexOf('?')
  const path = cut < 0 ? request.url! : request.url!.slice(0, cut)
  const query = new URLSearchParams(cut < 0 ? '' : request.url!.slice(cut + 1))
  if (path === '/items/') items(request, query, response).catch(() => response.destroy())
  else send(response, 404, NOT_FOUND)
})

async function items(
  request: IncomingMessage,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const number = Number(query.get('page') ?? '1')
  if (!Number.isInteger(number) || number < 1) return send(response, 404, INVALID_PAGE)
  const { total, rows } = await read((number - 1) * PAGE_SIZE)
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (number > last) return send(response, 404, INVALID_PAGE)
  const links = linksOf(`http://${request.headers.host}/items/`, number, last)
  const body = best
    ? listBody({ count: total, ...links }, rows, itemText)
    : JSON.stringify({ count: total, ...links, results: rows.map(itemOf) })
  send(response, 200, body)
}

async function read(offset: number): Promise<{ total: number; rows: readonly Item[] }> {
  if (!best) {
    const [counted, rows] = await Promise.all([count(), page(PAGE_SIZE, offset)])
    return { total: Number(counted[0]![0]), rows: rows as never }
  }
  const rows = await both(PAGE_SIZE, offset)
  const total = rows[0]?.[5] ?? (await count())[0]![0]
  return { total: Number(total), rows: rows as never }
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
