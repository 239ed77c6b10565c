// The service by hand, as a good engineer writes it: rows as arrays, objects, JSON.stringify. With `best` as its third
// argument: texts of JSON by hand, count and page in one round trip, and, on SQLite, pages of the second half read from the
// end.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OPTIONS, linksOf, listBody, quoted, send } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { type Edge, type Values, cutEntries, instant, open, price, readEdge } from './data.ts'
import { PAGE_SIZE } from './world.ts'

const [dialect = '', address = '', kind = 'raw'] = process.argv.slice(2)
const best = kind === 'best'
const data = open(dialect, address)

const server = createServer(OPTIONS, (request, response) => {
  const url = request.url!
  const cut = url.indexOf('?')
  const path = cut < 0 ? url : url.slice(0, cut)
  const query = new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1))
  if (path === '/tickets/') answer(tickets(request, query, response), response)
  else if (path === '/entries/') answer(entries(request, query, response), response)
  else send(response, 404, '{"detail":"Not found."}')
})

function answer(work: void | Promise<void>, response: ServerResponse): void {
  if (work === undefined) return
  work.catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
}

function tickets(
  request: IncomingMessage,
  query: URLSearchParams,
  response: ServerResponse,
): void | Promise<void> {
  const page = Number(query.get('page') ?? '1')
  if (!Number.isInteger(page) || page < 1) return send(response, 404, INVALID_PAGE)
  const offset = (page - 1) * PAGE_SIZE
  const give = (total: number, rows: Values[]): void => {
    const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
    if (page > last) return send(response, 404, INVALID_PAGE)
    const origin = `http://${request.headers.host}`
    const envelope = { count: total, ...linksOf(`${origin}/tickets/`, page, last) }
    send(response, 200, bodyOf(envelope, rows, origin))
  }
  if (best) {
    const both = data.both(offset)
    if (both instanceof Promise) return both.then(({ total, rows }) => give(total, rows))
    return give(both.total, both.rows)
  }
  const [total, rows] = [data.count(), data.page(offset)]
  if (total instanceof Promise)
    return Promise.all([total, rows]).then(([count, found]) => give(count, found))
  return give(total, rows as Values[])
}

const INVALID_PAGE = '{"detail":"Invalid page."}'

function entries(
  request: IncomingMessage,
  query: URLSearchParams,
  response: ServerResponse,
): void | Promise<void> {
  const cursor = query.get('cursor')
  const edge: Edge | null = cursor === null ? null : readEdge(cursor)
  if (cursor !== null && edge === null) return send(response, 404, '{"detail":"Invalid cursor."}')
  const give = (found: Values[]): void => {
    const { rows, next, previous } = cutEntries(found, edge)
    const origin = `http://${request.headers.host}`
    const link = (to: string | null) => (to === null ? null : `${origin}/entries/?cursor=${to}`)
    const envelope = { next: link(next), previous: link(previous) }
    send(response, 200, bodyOf(envelope, rows, origin))
  }
  const found = data.entries(edge)
  return found instanceof Promise ? found.then(give) : give(found)
}

function bodyOf(envelope: object, rows: readonly Values[], origin: string): string | Buffer {
  return best
    ? listBody(envelope, rows, (row) => textOf(row, origin))
    : JSON.stringify({ ...envelope, results: rows.map((row) => itemOf(row, origin)) })
}

function itemOf(row: Values, origin: string): object {
  return {
    id: row[0],
    title: row[1],
    note: row[2],
    status: row[3],
    is_public: Boolean(row[4]),
    is_pinned: Boolean(row[5]),
    serial: row[6],
    score: row[7],
    price: price(row[8] as string),
    due: row[9],
    created: instant(row[10] as string),
    updated: instant(row[11] as string),
    author: { id: row[12], name: row[13] },
    project: `${origin}/projects/${String(row[14])}/`,
  }
}

function textOf(row: Values, origin: string): string {
  const note = row[2] === null ? 'null' : quoted(row[2] as string)
  const due = row[9] === null ? 'null' : `"${row[9]}"`
  return (
    `{"id":${row[0]},"title":${quoted(row[1] as string)},"note":${note},"status":"${row[3]}"` +
    `,"is_public":${row[4] ? 'true' : 'false'},"is_pinned":${row[5] ? 'true' : 'false'},"serial":"${row[6]}"` +
    `,"score":${row[7]},"price":"${price(row[8] as string)}","due":${due}` +
    `,"created":"${instant(row[10] as string)}","updated":"${instant(row[11] as string)}"` +
    `,"author":{"id":${row[12]},"name":${quoted(row[13] as string)}},"project":"${origin}/projects/${row[14]}/"}`
  )
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
