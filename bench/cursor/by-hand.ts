// What a careful developer would write without a framework: prepared statements, one row more than a page,
// one writeHead, nothing wasted.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { tellParent } from '../http/server-process.ts'
import { type Edge, readCursor, writeCursor } from './signed-cursor.ts'
import { type Dialect, PAGE_SIZE, POOL, type Tables } from './world.ts'

const [dialect, address] = process.argv.slice(2) as [Dialect, string]

type Entry = Omit<Tables['entry'], 'created'> & { created: Date | string }
/** `exact`: the moment as the database has it, which a `Date` of JavaScript would round. */
type Found = Entry & { exact?: string }

const COLUMNS = 'id, created, title, author, words'
const ORDER = { forward: 'created, id', back: 'created desc, id desc' }
const LIMIT = PAGE_SIZE + 1

const read = dialect === 'sqlite' ? sqlite(address) : postgres(address)

function sqlite(path: string) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384')
  const text = (where: string, order: string): string =>
    `select ${COLUMNS} from entry ${where} order by ${order} limit ${LIMIT}`
  const first = database.prepare(text('', ORDER.forward))
  const forward = database.prepare(text('where (created, id) > (?, ?)', ORDER.forward))
  const back = database.prepare(text('where (created, id) < (?, ?)', ORDER.back))
  return (edge: Edge | null): Found[] => {
    const found =
      edge === null ? first.all() : (edge.back ? back : forward).all(edge.created, edge.id)
    return found as unknown as Found[]
  }
}

function postgres(url: string) {
  const pool = new Pool({ connectionString: url, max: POOL })
  const text = (where: string, order: string): string =>
    `select ${COLUMNS}, created::text as exact from entry ${where} order by ${order} limit ${LIMIT}`
  const first = { name: 'first', text: text('', ORDER.forward) }
  const forward = {
    name: 'forward',
    text: text('where (created, id) > ($1, $2)', ORDER.forward),
  }
  const back = { name: 'back', text: text('where (created, id) < ($1, $2)', ORDER.back) }
  return async (edge: Edge | null): Promise<Found[]> => {
    const statement =
      edge === null ? first : { ...(edge.back ? back : forward), values: [edge.created, edge.id] }
    return (await pool.query<Found>(statement)).rows
  }
}

const server = createServer((request, response) => {
  const target = new URL(request.url!, `http://${request.headers.host}`)
  if (target.pathname === '/entries/') entries(target, response).catch(() => response.destroy())
  else send(response, 404, { detail: 'Not found.' })
})

async function entries({ origin, searchParams }: URL, response: ServerResponse): Promise<void> {
  const cursor = searchParams.get('cursor')
  const edge = cursor === null ? null : readCursor(cursor)
  if (cursor !== null && edge === null) return send(response, 404, { detail: 'Invalid cursor.' })
  const pending = read(edge)
  const found = pending instanceof Promise ? await pending : pending
  const more = found.length === LIMIT
  if (more) found.pop()
  if (edge?.back === true) found.reverse()
  const [hasNext, hasPrevious] = edge?.back === true ? [true, more] : [more, edge !== null]
  const link = (row: Found, back: boolean): string =>
    `${origin}/entries/?cursor=${writeCursor({ created: exactOf(row), id: row.id, back })}`
  const next = hasNext && found.length > 0 ? link(found.at(-1)!, false) : null
  const previous = hasPrevious && found.length > 0 ? link(found[0]!, true) : null
  for (const row of found) delete row.exact
  send(response, 200, { next, previous, results: found })
}

function exactOf({ exact, created }: Found): string {
  return exact ?? String(created)
}

function send(response: ServerResponse, status: number, data: object): void {
  const body = JSON.stringify(data)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
