// SEC23: permissions hang on the endpoint that was found, so another spelling of its address finds it with its guard,
// or finds nothing. More: test/urls/encoding.test.ts, test/behaviour/18-urls.test.ts.
import { expect, test } from 'vitest'
import { lines, raw } from '../doors/sockets.ts'
import { attacked, onSocket } from './service.ts'

const { app, request } = await attacked()
const { url } = await onSocket(app)

const SPELLINGS = [
  '/notes/1/',
  '/n%6ftes/1/',
  '/%6e%6f%74%65%73/%31/',
  '/notes/1',
  '/notes//1/',
  '//notes/1/',
  '/./notes/1/',
  '/notes/./1/',
  '/open/../notes/1/',
  '/open/%2e%2e/notes/1/',
  '/open%2f..%2fnotes/1/',
  '/notes%2F1%2F',
  '/notes/1/%2e',
  '/notes/1/.',
  '/notes/1/;x',
  '/notes;x/1/',
  '/notes/1%00/',
  '/NOTES/1/',
  '/notes/%2531/',
  '/notes/1/?_method=GET',
  '/notes/1/#x',
  '/notes/1.json',
  '/notes\\1\\',
  '/notes/01/',
  '/notes/1%20/',
  '/notes/+1/',
]

test.each(SPELLINGS)('GET %s shows a note to nobody', async (path) => {
  const { status, text } = await request('GET', path)
  expect([400, 401, 404]).toContain(status)
  expect(text).not.toContain('"text"')
})

test.each(['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'get', 'PROPFIND'])(
  '%s changes nothing about that',
  async (method) => {
    expect((await request(method, '/notes/1/')).status).toBe(401)
  },
)

test.each([
  'X-HTTP-Method-Override',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Middleware-Subrequest',
  'X-Forwarded-Prefix',
])('%s says nothing', async (name) => {
  for (const value of ['GET', '/notes/1/', 'middleware']) {
    const all = [`${name}: ${value}`, 'Host: localhost', 'Connection: close']
    expect(await raw(url, lines('GET /notes/1/ HTTP/1.1', ...all))).toMatch(/^HTTP\/1\.1 401 /)
    expect(await raw(url, lines('GET /nothing/ HTTP/1.1', ...all))).toMatch(/^HTTP\/1\.1 404 /)
  }
})
