// The comparable service by hand, with signed cursors. `raw` is as a good engineer writes it: prepared statements, rows as
// arrays, one row more than a page, JSON.stringify. `best` writes text of JSON by hand.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { OPTIONS, PRAGMAS, listBody, quoted, send } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { type Edge, readCursor, writeCursor } from './signed-cursor.ts'
import { type Dialect, PAGE_SIZE, POOL } from './world.ts'

const [dialect, address, kind = 'raw'] = process.argv.slice(2) as [Dialect, string, string?]
const best = kind === 'best'

/** `created` is the text of the database, so that no microsecond is lost. */
type Entry = readonly [id: number, created: string, title: string, author: string, words: number]

const COLUMNS = 'id, created, title, author, words'
const ORDER = { forward: 'created, id', back: 'created desc, id desc' }
const LIMIT = PAGE_SIZE + 1

const read = dialect === 'sqlite' ? sqlite(address) : postgres(address)

function textOf(where: string, order: string): string {
  return `select ${COLUMNS} from entry ${where} order by ${order} limit ${LIMIT}`
}

function sqlite(path: string) {
  const database = new DatabaseSync(path)
  database.exec(PRAGMAS)
  const prepare = (where: string, order: string) => {
    const statement = database.prepare(textOf(where, order))
    statement.setReturnArrays(true)
    return statement
  }
  const first = prepare('', ORDER.forward)
  const forward = prepare('where (created, id) > (?, ?)', ORDER.forward)
  const back = prepare('where (created, id) < (?, ?)', ORDER.back)
  return (edge: Edge | null): Entry[] => {
    const found =
      edge === null ? first.all() : (edge.back ? back : forward).all(edge.created, edge.id)
    return found as unknown as Entry[]
  }
}

function postgres(url: string) {
  const pool = new Pool({ connectionString: url, max: POOL, options: '-c timezone=UTC' })
  const types = { getTypeParser: (id: number) => (id === 23 ? Number : asItIs) }
  const prepare = (name: string, where: string, order: string) => {
    const text = textOf(where, order)
    return async (values: unknown[]): Promise<Entry[]> =>
      (await pool.query<never>({ name, text, rowMode: 'array', types, values })).rows
  }
  const first = prepare('first', '', ORDER.forward)
  const forward = prepare('forward', 'where (created, id) > ($1, $2)', ORDER.forward)
  const back = prepare('back', 'where (created, id) < ($1, $2)', ORDER.back)
  return (edge: Edge | null): Promise<Entry[]> =>
    edge === null ? first([]) : (edge.back ? back : forward)([edge.created, edge.id])
}

function asItIs(text: string): string {
  return text
}

const NOT_FOUND = JSON.stringify({ detail: 'Not found.' })
const INVALID = JSON.stringify({ detail: 'Invalid cursor.' })

const server = createServer(OPTIONS, (request, response) => {
  const cut = request.url!.indexOf('?')
  const path = cut < 0 ? request.url! : request.url!.slice(0, cut)
  const query = new URLSearchParams(cut < 0 ? '' : request.url!.slice(cut + 1))
  if (path === '/entries/')
    entries(`http://${request.headers.host}`, query, response).catch(() => response.destroy())
  else send(response, 404, NOT_FOUND)
})

async function entries(
  origin: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const cursor = query.get('cursor')
  const edge = cursor === null ? null : readCursor(cursor)
  if (cursor !== null && edge === null) return send(response, 404, INVALID)
  const pending = read(edge)
  const found = pending instanceof Promise ? await pending : pending
  const more = found.length === LIMIT
  if (more) found.pop()
  if (edge?.back === true) found.reverse()
  const [hasNext, hasPrevious] = edge?.back === true ? [true, more] : [more, edge !== null]
  const link = ([id, created]: Entry, back: boolean): string =>
    `${origin}/entries/?cursor=${writeCursor({ created, id, back })}`
  const next = hasNext && found.length > 0 ? link(found.at(-1)!, false) : null
  const previous = hasPrevious && found.length > 0 ? link(found[0]!, true) : null
  const body = best
    ? listBody({ next, previous }, found, entryText)
    : JSON.stringify({ next, previous, results: found.map(entryOf) })
  send(response, 200, body)
}

function entryOf([id, created, title, author, words]: Entry): object {
  return { id, created: shown(created), title, author, words }
}

function entryText([id, created, title, author, words]: Entry): string {
  return `{"id":${id},"created":"${shown(created)}","title":${quoted(title)},"author":${quoted(author)},"words":${words}}`
}

/** PostgreSQL's `2026-01-01 00:00:00.123456+00` in the form for clients: that of a `Date`, to the millisecond. */
function shown(created: string): string {
  return dialect === 'sqlite' ? created : `${created.slice(0, 10)}T${created.slice(11, 23)}Z`
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
