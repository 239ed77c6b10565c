// What a careful developer would write without a framework: prepared statements, one writeHead,
// nothing wasted. It reads the same rows with the same statements and answers the same bodies.
import { createHmac, hash } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tellParent } from './server-process.ts'
import { HAND_KEY, PAGE_SIZE } from './world.ts'

const [path = ''] = process.argv.slice(2)
const db = new DatabaseSync(path)
// The same cache as the other server has.
db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384')
const owner = db.prepare(
  `select u.id, u.username, u.email, u.is_active, u.is_staff, u.is_superuser, u.date_joined, u.last_login, t.created
   from hand_token t inner join colophon_user u on u.id = t.user_id where t.digest = ?`,
)
const count = db.prepare('select count(*) as count from item')
const page = db.prepare(
  'select id, name, price, stock, created from item order by id limit ? offset ?',
)

const server = createServer((request, response) => {
  const cut = request.url!.indexOf('?')
  const target = cut < 0 ? request.url! : request.url!.slice(0, cut)
  if (target === '/hello/') return send(response, 200, { hello: 'world' })
  if (target === '/me/') return me(request, response, keyed)
  if (target === '/me/unkeyed/') return me(request, response, unkeyed)
  if (target === '/items/') return items(request, response, cut)
  return send(response, 404, { detail: 'Not found.' })
})

/** What Colophon keeps too: of no use to whoever has the database alone, and no key to be tried out. */
const keyed = (key: string): string => createHmac('sha256', HAND_KEY).update(key).digest('hex')
/** The cheapest digest there is, for comparison. */
const unkeyed = (key: string): string => hash('sha256', key)

function me(
  request: IncomingMessage,
  response: ServerResponse,
  digestOf: (key: string) => string,
): void {
  const [keyword, key] = (request.headers.authorization ?? '').split(' ')
  if (keyword?.toLowerCase() !== 'token' || key === undefined) return refuse(response)
  const user = owner.get(digestOf(key)) as
    | { id: number; username: string; is_active: number }
    | undefined
  if (user === undefined || user.is_active === 0) return refuse(response)
  send(response, 200, { id: user.id, username: user.username })
}

function items(request: IncomingMessage, response: ServerResponse, cut: number): void {
  const query = new URLSearchParams(cut < 0 ? '' : request.url!.slice(cut + 1))
  const number = Number(query.get('page') ?? '1')
  const total = (count.get() as { count: number }).count
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (!Number.isInteger(number) || number < 1 || number > last)
    return send(response, 404, { detail: 'Invalid page.' })
  const base = `http://${request.headers.host}/items/`
  send(response, 200, {
    count: total,
    next: number < last ? `${base}?page=${number + 1}` : null,
    previous: number === 1 ? null : number === 2 ? base : `${base}?page=${number - 1}`,
    results: page.all(PAGE_SIZE, (number - 1) * PAGE_SIZE),
  })
}

function refuse(response: ServerResponse): void {
  const body = '{"detail":"Unauthorized."}'
  response.writeHead(401, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'WWW-Authenticate': 'Token',
  })
  response.end(body)
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
