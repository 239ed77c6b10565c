// One endpoint without a framework, which tells the owner of a token.
import { createHmac, createSecretKey } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tell } from './tell.ts'

const { DATABASE_URL = '', SECRET_KEY = '' } = process.env
const db = new DatabaseSync(DATABASE_URL.slice('sqlite:'.length))
const owner = db.prepare(
  `select u.id, u.username, u.is_active
   from hand_token t inner join colophon_user u on u.id = t.user_id where t.digest = ?`,
)

const secret = createSecretKey(SECRET_KEY, 'utf8')

const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  if (request.url === '/') me(request, response)
  else send(response, 404, { detail: 'Not found.' })
})

function me(request: IncomingMessage, response: ServerResponse): void {
  const [keyword, key] = (request.headers.authorization ?? '').split(' ')
  const user = keyword === 'Token' && key !== undefined ? owner.get(digestOf(key)) : undefined
  if (user === undefined || user['is_active'] === 0) {
    response.setHeader('WWW-Authenticate', 'Token')
    return send(response, 401, { detail: 'Unauthorized.' })
  }
  send(response, 200, { id: user['id'], username: user['username'] })
}

function digestOf(key: string): string {
  return createHmac('sha256', secret).update(key).digest('hex')
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
