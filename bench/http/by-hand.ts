// The comparable service by hand. `raw` is as a good engineer writes it: prepared statements with only the needed columns, rows
// as arrays, JSON.stringify. `best` has every trick that keeps the work the same: remembered digests, text of JSON by hand, and
// pages of the second half read from the end.
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import {
  type Item,
  OPTIONS,
  PRAGMAS,
  digestWith,
  itemOf,
  itemText,
  linksOf,
  listBody,
  quoted,
  refuse,
  remembering,
  send,
  tokenIn,
} from './hand.ts'
import { tellParent } from './server-process.ts'
import { HAND_KEY, PAGE_SIZE } from './world.ts'

const [path = '', kind = 'raw'] = process.argv.slice(2)
const best = kind === 'best'
const db = new DatabaseSync(path)
db.exec(PRAGMAS)
const prepare = (sql: string) => {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}
const owner = prepare(
  `select u.id, u.username, u.is_active
   from hand_token t inner join colophon_user u on u.id = t.user_id where t.digest = ?`,
)
const count = prepare('select count(*) from item')
const columns = 'id, name, price, stock, created'
const page = prepare(`select ${columns} from item order by id limit ? offset ?`)
const fromEnd = prepare(`select ${columns} from item order by id desc limit ? offset ?`)
const digestOf = best ? remembering(digestWith(HAND_KEY)) : digestWith(HAND_KEY)

const HELLO = JSON.stringify({ hello: 'world' })
const NOT_FOUND = JSON.stringify({ detail: 'Not found.' })
const INVALID_PAGE = JSON.stringify({ detail: 'Invalid page.' })

const server = createServer(OPTIONS, (request, response) => {
  const url = request.url!
  const cut = url.indexOf('?')
  const target = cut < 0 ? url : url.slice(0, cut)
  if (target === '/hello/') return send(response, 200, HELLO)
  if (target === '/me/') return me(request, response)
  if (target === '/items/') return items(request, response, cut)
  return send(response, 404, NOT_FOUND)
})

function me(request: IncomingMessage, response: ServerResponse): void {
  const key = tokenIn(request)
  if (key === null) return refuse(response)
  const found = owner.get(digestOf(key)) as unknown as readonly [number, string, number] | undefined
  if (found === undefined || found[2] === 0) return refuse(response)
  const [id, username] = found
  const text = `{"id":${id},"username":${quoted(username)}}`
  send(response, 200, best ? text : JSON.stringify({ id, username }))
}

function items(request: IncomingMessage, response: ServerResponse, cut: number): void {
  const query = new URLSearchParams(cut < 0 ? '' : request.url!.slice(cut + 1))
  const number = Number(query.get('page') ?? '1')
  const total = (count.get() as unknown as [number])[0]
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (!Number.isInteger(number) || number < 1 || number > last)
    return send(response, 404, INVALID_PAGE)
  const links = linksOf(`http://${request.headers.host}/items/`, number, last)
  const rows = best ? nearest(number, total) : rowsOf(page.all(PAGE_SIZE, (number - 1) * PAGE_SIZE))
  const body = best
    ? listBody({ count: total, ...links }, rows, itemText)
    : JSON.stringify({ count: total, ...links, results: rows.map(itemOf) })
  send(response, 200, body)
}

/** A page of the second half is read from the end, which is nearer. */
function nearest(number: number, total: number): readonly Item[] {
  const offset = (number - 1) * PAGE_SIZE
  const size = Math.min(PAGE_SIZE, total - offset)
  const behind = total - offset - size
  return behind < offset
    ? rowsOf(fromEnd.all(size, behind)).toReversed()
    : rowsOf(page.all(size, offset))
}

function rowsOf(found: unknown): readonly Item[] {
  return found as readonly Item[]
}

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
