// The common parts of the servers by hand, as a good engineer writes them: an OpenSSL key that is made once, headers in one
// list, and the options that Colophon gives its server.
import { type KeyObject, createHmac } from 'node:crypto'
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'

/** Requests without a body need no stream; connections live as long as Colophon's. */
export const OPTIONS: ServerOptions = { optimizeEmptyRequests: true, keepAliveTimeout: 65_000 }

/** The settings with which Colophon opens SQLite. */
export const PRAGMAS =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384'

/** The stored form of a token, which is useless to a thief of the database. */
export function digestWith(secret: KeyObject): (key: string) => string {
  return (key) => createHmac('sha256', secret).update(key).digest('hex')
}

/** Remembers the digests of the last 4,096 keys, more than a bench uses, and drops the oldest first. */
export function remembering(digestOf: (key: string) => string): (key: string) => string {
  const known = new Map<string, string>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const digest = digestOf(key)
    if (known.size === REMEMBERED) known.delete(known.keys().next().value!)
    known.set(key, digest)
    return digest
  }
}

const REMEMBERED = 4096

/** The key in `Authorization: Token KEY`; `null`: the header is missing. */
export function tokenIn({ headers: { authorization = '' } }: IncomingMessage): string | null {
  return authorization.slice(0, 6).toLowerCase() === 'token ' ? authorization.slice(6) : null
}

export function refuse(response: ServerResponse): void {
  send(response, 401, '{"detail":"Unauthorized."}', ['WWW-Authenticate', 'Token'])
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: readonly string[] = [],
): void {
  const length = String(Buffer.byteLength(body))
  const own = ['Content-Type', 'application/json', 'Content-Length', length]
  response.writeHead(status, [...own, ...headers])
  response.end(body)
}

/** Characters that a text of JSON must escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const SPECIAL = /[\u0000-\u001f"\\\ud800-\udfff]/

/** A text as JSON. */
export function quoted(text: string): string {
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`
}

const scratch = { bytes: Buffer.allocUnsafe(1 << 18) }

/**
 * A list as bytes: members of an object, then `results` with a text of JSON for each row. Only a row with wide characters costs
 * more, because no text of the whole list is made.
 */
export function listBody<Row>(
  members: object,
  rows: readonly Row[],
  textOf: (row: Row) => string,
): Buffer {
  let end = put(`${JSON.stringify(members).slice(0, -1)},"results":[`, 0)
  for (let at = 0; at < rows.length; at++)
    end = put(at === 0 ? textOf(rows[at]!) : `,${textOf(rows[at]!)}`, end)
  return Buffer.from(scratch.bytes.subarray(0, put(']}', end)))
}

/** Writes a text, and returns the position of its end. */
function put(text: string, at: number): number {
  // A unit of UTF-16 takes at most three bytes.
  const needed = at + text.length * 3
  if (needed > scratch.bytes.length) {
    const larger = Buffer.allocUnsafe(needed * 2)
    scratch.bytes.copy(larger, 0, 0, at)
    scratch.bytes = larger
  }
  return at + scratch.bytes.write(text, at)
}

export interface Links {
  readonly next: string | null
  readonly previous: string | null
}

/** The links of a page; page 1 has an address without its number. */
export function linksOf(self: string, page: number, last: number): Links {
  return {
    next: page < last ? `${self}?page=${page + 1}` : null,
    previous: page === 1 ? null : page === 2 ? self : `${self}?page=${page - 1}`,
  }
}

/** A row of the lists of `bench/http` and `bench/pages-postgres`. */
export type Item = readonly [
  id: number,
  name: string,
  price: number,
  stock: number,
  created: string,
]

export function itemOf([id, name, price, stock, created]: Item): object {
  return { id, name, price, stock, created }
}

/** A row as text of JSON. */
export function itemText([id, name, price, stock, created]: Item): string {
  return `{"id":${id},"name":${quoted(name)},"price":${price},"stock":${stock},"created":"${created}"}`
}
