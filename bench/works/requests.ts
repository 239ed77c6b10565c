// The requests of each work, and the check that both servers answer them alike.
import { randomBytes } from 'node:crypto'
import { Agent, type IncomingMessage, request as ask } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ServerProcess } from '../http/server-process.ts'
import { HOST, TENANTS } from './world.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly body?: string | undefined
}

/** The requests of a work, and whether they are refused. */
export interface Work {
  readonly refused: boolean
  readonly requests: readonly Asked[]
}

/** The requests of each work; a work that writes changes rows of a database that each server has for itself. */
const SIZE = 8000
/** The tenants whose pages are all read: each page has a cursor that no other request has. */
const WALKERS = 400

/** The works by their names; `walk` has the requests of walks over each server's own cursors. */
export function worksOf(
  keys: readonly string[],
  rows: number,
  walk: readonly Asked[],
): Readonly<Record<string, Work>> {
  const perTenant = Math.floor(rows / TENANTS)
  // The row of a tenant at the turn `n`: the numbers of a tenant leave the same remainder.
  const own = (n: number): number => (n % TENANTS) + TENANTS * ((n * 7) % perTenant) || TENANTS
  const keyAt = (n: number): string => keys[n % TENANTS]!
  const work = (requestAt: (n: number) => Asked, refused = false): Work => ({
    refused,
    requests: Array.from({ length: SIZE }, (_, n) => requestAt(n)),
  })
  const get = (path: string, token?: string): Asked => ({ method: 'GET', path, token })
  const detail = (n: number): string => `/orders/${own(n)}/`
  return {
    hello: work(() => get('/hello/')),
    identify: work((n) => get('/me/', keyAt(n))),
    list: work((n) => get('/orders/', keyAt(n))),
    search: work((n) => get(`/orders/?search=${TERMS[n % TERMS.length]}`, keyAt(n))),
    walk: { refused: false, requests: walk },
    detail: work((n) => get(detail(n), keyAt(n))),
    create: work((n) => ({ method: 'POST', path: '/orders/', token: keyAt(n), body: bodyAt(n) })),
    patch: work((n) => {
      return { method: 'PATCH', path: detail(n), token: keyAt(n), body: changeAt(n) }
    }),
    'unknown-token': work((n) => get(detail(n), randomBytes(20).toString('hex')), true),
    'other-tenant': work((n) => get(detail(n), keyAt(n + 1)), true),
    'invalid-body': work((n) => {
      return { method: 'POST', path: '/orders/', token: keyAt(n), body: invalidAt(n) }
    }, true),
  }
}

const TERMS = ['amber', 'BLUE', 'copper', 'customer%201', '77']

function bodyAt(n: number): string {
  return JSON.stringify({
    customer: `  Customer number ${n} – é `,
    state: ['open', 'paid', 'sent'][n % 3],
    amount: (n * 37.5).toFixed(n % 3),
    items: (n % 20) + 1,
    placed: new Date(1_760_000_000_000 + n * 61_007).toISOString(),
    ...(n % 2 === 0 ? { note: `Ring twice, "${n}"` } : {}),
  })
}

function changeAt(n: number): string {
  const note = n % 5 === 0 ? null : `Changed ${n}`
  return JSON.stringify(n % 2 === 0 ? { state: 'paid', note } : { amount: n.toFixed(1), items: 7 })
}

/** Orders with one, several or only wrong members. */
const INVALID: readonly object[] = [
  { state: 'lost' },
  { amount: '12.345' },
  { customer: '', items: 0 },
  { placed: 'yesterday', state: null },
  { customer: ' ', state: 4, amount: 'much', items: 1000, placed: '2026-01-02' },
  { customer: 'x'.repeat(101), amount: '-1', items: 'two', note: 'y'.repeat(1001) },
]

function invalidAt(n: number): string {
  const body: object = JSON.parse(bodyAt(n))
  return JSON.stringify({ ...body, ...INVALID[n % INVALID.length] })
}

/** The requests as lines for `replay.lua`. */
export function linesOf(requests: readonly Asked[]): string {
  return requests
    .map(({ method, path, token = '', body = '' }) => `${method}\t${path}\t${token}\t${body}\n`)
    .join('')
}

/** The requests for all pages of some tenants but the first. */
export async function walked(server: ServerProcess, keys: readonly string[]): Promise<Asked[]> {
  const found: Asked[] = []
  for (const token of keys.slice(0, WALKERS)) {
    let path: string | null = '/orders/'
    while (path !== null) {
      const { body } = await answered(server, { method: 'GET', path, token })
      const { next } = JSON.parse(body) as { readonly next: string | null }
      path = next === null ? null : next.slice(`http://${HOST}`.length)
      if (path !== null) found.push({ method: 'GET', path, token })
    }
  }
  return found
}

const TRIED = 24

/** @throws Error the answers differ, apart from cursors, which each server writes in its own way */
export async function checkAlike(
  raw: ServerProcess,
  ours: ServerProcess,
  of: (server: ServerProcess) => Readonly<Record<string, Work>>,
): Promise<void> {
  const [theirs, own] = [of(raw), of(ours)]
  for (const [name, { requests }] of Object.entries(own)) {
    for (let at = 0; at < TRIED; at++) {
      const place = Math.floor((at * requests.length) / TRIED)
      const one = shown(await answered(raw, theirs[name]!.requests[place]!))
      const other = shown(await answered(ours, requests[place]!))
      if (one !== other) {
        throw new Error(
          `${name}: ${JSON.stringify(requests[place])} is answered\n${one}\nby hand, and\n${other}\nby Colophon.`,
        )
      }
    }
  }
}

interface Answered {
  readonly status: number
  readonly headers: readonly (string | undefined)[]
  readonly body: string
}

function shown({ status, headers, body }: Answered): string {
  return `${status} ${headers.join(', ')}\n${body.replaceAll(/cursor=[^"&]+/g, 'cursor=C')}`
}

const agent = new Agent({ keepAlive: true })

async function answered({ port }: ServerProcess, asked: Asked): Promise<Answered> {
  const { method, path, token, body } = asked
  const headers = {
    host: HOST,
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Token ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    ask({ agent, host: '127.0.0.1', port, method, path, headers }, resolve)
      .on('error', reject)
      .end(body)
  })
  const { 'content-type': type, 'www-authenticate': challenge, location } = response.headers
  return {
    status: response.statusCode!,
    headers: [type, challenge, location],
    body: await text(response),
  }
}
