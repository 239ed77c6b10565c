// One endpoint without a framework: a page of a list.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tell } from './tell.ts'

const PAGE_SIZE = 100

const db = new DatabaseSync((process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length))
const count = db.prepare('select count(*) as count from item')
const page = db.prepare('select id, name from item order by id limit ? offset ?')

const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url!, `http://${request.headers.host}`)
  if (pathname === '/') items(Number(searchParams.get('page') ?? '1'), response)
  else send(response, 404, { detail: 'Not found.' })
})

function items(number: number, response: ServerResponse): void {
  const total = Number(count.get()!['count'])
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (!Number.isInteger(number) || number < 1 || number > last)
    return send(response, 404, { detail: 'Invalid page.' })
  send(response, 200, {
    count: total,
    next: number < last ? `/?page=${number + 1}` : null,
    previous: number > 1 ? `/?page=${number - 1}` : null,
    results: page.all(PAGE_SIZE, (number - 1) * PAGE_SIZE),
  })
}

function send(response: ServerResponse, status: number, data: object): void {
  const body = JSON.stringify(data)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
