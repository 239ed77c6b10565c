// The service by hand, as a good engineer writes it for one database: prepared statements with rows as arrays, an OpenSSL key
// that is made once, one statement and thus one transaction for each write, constant answers as texts. Status, body,
// `Content-Type`, `WWW-Authenticate` and `Location` are those of Colophon, which sends seven more headers.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OPTIONS, digestWith, send, tokenIn } from '../http/hand.ts'
import { tellParent } from '../http/server-process.ts'
import { type Edge, type Row, open } from './hand-data.ts'
import { orderIn } from './hand-orders.ts'
import { HAND_KEY, PAGE_SIZE } from './world.ts'

const [dialect = '', address = ''] = process.argv.slice(2)
const data = open(dialect, address)
const digestOf = digestWith(HAND_KEY)

const HELLO = '{"hello":"world"}'
const CHALLENGE = ['WWW-Authenticate', 'Token']
const NO_CREDENTIALS = '{"detail":"This endpoint requires authentication."}'
const WRONG_CREDENTIALS = '{"detail":"The credentials are not valid."}'
const NOT_FOUND = '{"detail":"There is nothing at this address."}'
const NO_CURSOR = '{"detail":"This cursor is not valid for this list."}'
const NO_JSON = '{"detail":"The body is not valid JSON."}'
const TOO_LARGE = '{"detail":"The body is too large."}'
const LARGEST = 2.5 * 2 ** 20

const server = createServer(OPTIONS, (request, response) => {
  const url = request.url!
  if (url === '/hello/') return send(response, 200, HELLO)
  const key = tokenIn(request)
  if (key === null) return send(response, 401, NO_CREDENTIALS, CHALLENGE)
  after(response, data.owner(digestOf(key)), (owner) => {
    if (owner === undefined || !owner[2]) send(response, 401, WRONG_CREDENTIALS, CHALLENGE)
    else route(request, response, url, owner)
  })
})

type Owner = readonly [id: number, username: string, isActive: number | boolean]

function route(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  [tenant, username]: Owner,
): void {
  const { method } = request
  if (url === '/me/') return send(response, 200, JSON.stringify({ id: tenant, username }))
  if (url.startsWith('/orders/')) {
    const cut = url.indexOf('?')
    const rest = cut < 0 ? url.slice(8) : url.slice(8, cut)
    if (rest === '' && method === 'POST') return create(request, response, tenant)
    if (rest === '') return list(request, response, cut < 0 ? '' : url.slice(cut + 1), tenant)
    const [, id] = /^(\d{1,15})\/$/.exec(rest) ?? []
    if (id !== undefined && method === 'PATCH') return change(request, response, Number(id), tenant)
    if (id !== undefined) return detail(request, response, Number(id), tenant)
  }
  send(response, 404, NOT_FOUND)
}

/** Continues without a promise if the value is none. */
function after<T>(response: ServerResponse, value: T | Promise<T>, next: (value: T) => void): void {
  if (value instanceof Promise) value.then(next).catch((error: unknown) => fail(response, error))
  else next(value)
}

function fail(response: ServerResponse, error: unknown): void {
  console.error(error)
  if (response.headersSent) response.destroy()
  else send(response, 500, '{"detail":"A server error occurred."}')
}

function detail(
  request: IncomingMessage,
  response: ServerResponse,
  id: number,
  tenant: number,
): void {
  after(response, data.one(id, tenant), (row) => {
    if (row === undefined) send(response, 404, NOT_FOUND)
    else send(response, 200, JSON.stringify(shown(row, originOf(request))))
  })
}

function list(
  request: IncomingMessage,
  response: ServerResponse,
  search: string,
  tenant: number,
): void {
  const query = new URLSearchParams(search)
  const cursor = query.get('cursor')
  const edge = cursor === null ? null : readEdge(cursor)
  if (cursor !== null && edge === null) return send(response, 404, NO_CURSOR)
  after(response, data.page(tenant, edge, termsIn(query.get('search'))), (rows) => {
    const more = rows.length > PAGE_SIZE
    if (more) rows.pop()
    const back = edge !== null && edge.back
    if (back) rows.reverse()
    const origin = originOf(request)
    const link = (row: Row | undefined, there: boolean, isThere: boolean): string | null => {
      if (!isThere || row === undefined) return null
      query.set('cursor', writeEdge({ placed: row[5], id: row[0], back: there }))
      query.sort()
      return `${origin}/orders/?${query.toString()}`
    }
    const body = {
      next: link(rows.at(-1), false, back || more),
      previous: link(rows[0], true, back ? more : edge !== null),
      results: rows.map((row) => shown(row, origin)),
    }
    send(response, 200, JSON.stringify(body))
  })
}

function termsIn(search: string | null): readonly string[] {
  return search === null ? [] : search.split(/[\s,]+/).filter(Boolean)
}

function create(request: IncomingMessage, response: ServerResponse, tenant: number): void {
  read(request, response, (body) => {
    const { order, errors } = orderIn(body, false)
    if (errors !== null) return send(response, 400, errors)
    after(response, data.insert(tenant, order), (row) => {
      const { url, ...rest } = shown(row, originOf(request))
      send(response, 201, JSON.stringify({ url, ...rest }), ['Location', url])
    })
  })
}

function change(
  request: IncomingMessage,
  response: ServerResponse,
  id: number,
  tenant: number,
): void {
  read(request, response, (body) => {
    const { order, errors } = orderIn(body, true)
    const isEmpty = errors === null && Object.keys(order).length === 0
    // A row of another tenant is a 404, whatever the body is.
    const found = errors !== null || isEmpty ? data.one(id, tenant) : data.update(id, tenant, order)
    after(response, found, (row) => {
      if (row === undefined) return send(response, 404, NOT_FOUND)
      if (errors !== null) return send(response, 400, errors)
      send(response, 200, JSON.stringify(shown(row, originOf(request))))
    })
  })
}

function read(
  request: IncomingMessage,
  response: ServerResponse,
  next: (body: unknown) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= LARGEST) chunks.push(chunk)
  })
  request.on('end', () => {
    if (length > LARGEST) return send(response, 413, TOO_LARGE)
    let body: unknown
    try {
      body = JSON.parse((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString())
    } catch {
      return send(response, 400, NO_JSON)
    }
    try {
      next(body)
    } catch (error) {
      fail(response, error)
    }
  })
}

function originOf({ headers }: IncomingMessage): string {
  return `http://${headers.host}`
}

function shown([id, customer, state, amount, items, placed, note]: Row, origin: string) {
  const url = `${origin}/orders/${id}/`
  const price = typeof amount === 'number' ? amount.toFixed(2) : amount
  return { url, id, customer, state, amount: price, items, placed: instant(placed), note }
}

/** Milliseconds, or a text of PostgreSQL such as `2020-09-13 12:26:40.00098+00`; whole seconds have no fraction. */
function instant(value: number | string): string {
  if (typeof value === 'string') {
    const digits = value.length > 22 ? `.${value.slice(20, -3).padEnd(6, '0')}` : ''
    return `${value.slice(0, 10)}T${value.slice(11, 19)}${digits}Z`
  }
  const text = new Date(value).toISOString()
  return value % 1000 === 0 ? `${text.slice(0, 19)}Z` : `${text.slice(0, -1)}000Z`
}

function writeEdge({ placed, id, back }: Edge): string {
  return Buffer.from(`${back ? 1 : 0}|${id}|${placed}`).toString('base64url')
}

/** `null`: the cursor is invalid. */
function readEdge(cursor: string): Edge | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, back, id = '', placed = ''] = /^([01])\|(\d+)\|(.+)$/.exec(text) ?? []
  if (back === undefined) return null
  const moment = /^\d+$/.test(placed) ? Number(placed) : placed
  return { back: back === '1', id: Number(id), placed: moment }
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
