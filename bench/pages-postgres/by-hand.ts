// What a careful developer would write without a framework: a pool, prepared statements, a count and a page
// per request, one writeHead, nothing wasted.
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { tellParent } from '../http/server-process.ts'
import { PAGE_SIZE, POOL } from './world.ts'

const [url = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, max: POOL })
const count = { name: 'count', rowMode: 'array', text: 'select count(*) from item' } as const
const page = {
  name: 'page',
  text: 'select id, name, price, stock, created from item order by id limit $1 offset $2',
} as const

const server = createServer((request, response) => {
  const target = new URL(request.url!, `http://${request.headers.host}`)
  if (target.pathname === '/items/') items(target, response).catch(() => response.destroy())
  else send(response, 404, { detail: 'Not found.' })
})

async function items({ origin, searchParams }: URL, response: ServerResponse): Promise<void> {
  const counted = await pool.query<[string]>({ ...count })
  const total = Number(counted.rows[0]![0])
  const number = Number(searchParams.get('page') ?? '1')
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  if (!Number.isInteger(number) || number < 1 || number > last)
    return send(response, 404, { detail: 'Invalid page.' })
  const { rows } = await pool.query({ ...page, values: [PAGE_SIZE, (number - 1) * PAGE_SIZE] })
  const base = `${origin}/items/`
  send(response, 200, {
    count: total,
    next: number < last ? `${base}?page=${number + 1}` : null,
    previous: number === 1 ? null : number === 2 ? base : `${base}?page=${number - 1}`,
    results: rows,
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

server.listen(0, '127.0.0.1', () => tellParent((server.address() as AddressInfo).port))
