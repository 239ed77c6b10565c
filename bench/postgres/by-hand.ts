// What a careful developer would write without a framework: a pool, a prepared statement, one query per
// request, one writeHead, nothing wasted.
import { createHmac } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { tellParent } from '../http/server-process.ts'
import { HAND_KEY, POOL } from './world.ts'

const [url = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString: url, max: POOL })
const owner = {
  name: 'owner',
  rowMode: 'array',
  text: `select u.id, u.username, u.email, u.is_active, u.is_staff, u.is_superuser, u.date_joined, u.last_login, t.created
    from hand_token t inner join colophon_user u on u.id = t.user_id where t.digest = $1`,
} as const

const server = createServer((request, response) => {
  if (request.url === '/me/') me(request, response).catch(() => response.destroy())
  else send(response, 404, { detail: 'Not found.' })
})

async function me(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [keyword, key] = (request.headers.authorization ?? '').split(' ')
  if (keyword?.toLowerCase() !== 'token' || key === undefined) return refuse(response)
  const digest = createHmac('sha256', HAND_KEY).update(key).digest('hex')
  const { rows } = await pool.query({ ...owner, values: [digest] })
  const user = rows[0] as readonly unknown[] | undefined
  if (user === undefined || user[3] !== true) return refuse(response)
  send(response, 200, { id: Number(user[0]), username: user[1] })
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
