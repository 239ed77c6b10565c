// SEC14: the type of the body has no say in whether a CSRF token is wanted. More: test/behaviour/06-csrf-grid.test.ts.
import { expect, test } from 'vitest'
import { attacked, onSocket } from './service.ts'
import { lines, raw } from '../core/serving/sockets.ts'

const { accounts, app, post } = await attacked()
const sessionid = await accounts.sessions.start((await accounts.users.byUsername('alice'))!)
const { url } = await onSocket(app)

const TYPES = [
  '',
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json',
  'APPLICATION/JSON',
  'application/json, text/plain',
  'application/octet-stream',
  'x',
  'text/html; application/json',
]

test.each(TYPES)('a body of the type "%s"', async (type) => {
  const headers = { 'content-type': type }
  const answer = await post('/open/', { cookies: { sessionid }, headers, body: 'text=x' })
  expect(answer.status).toBe(403)
})

test.each([
  ['no type at all', ['Content-Length: 1'], 'x'],
  ['no body', [], ''],
  [
    'two types',
    ['Content-Type: text/plain', 'Content-Type: application/json', 'Content-Length: 2'],
    '{}',
  ],
  ['a beacon', ['Content-Type: text/plain', 'Sec-Fetch-Mode: no-cors', 'Content-Length: 1'], 'x'],
])('%s, on a socket', async (_, headers, body) => {
  const all = ['Host: localhost', `Cookie: sessionid=${sessionid}`, 'Connection: close', ...headers]
  expect(await raw(url, lines('POST /open/ HTTP/1.1', ...all) + body)).toMatch(/^HTTP\/1\.1 403 /)
})
