// SEC23: permissions hang on the endpoint that was found, so another spelling of its address finds it with its guard,
// or finds nothing. More: test/core/urls/encoding.test.ts, test/behaviour/18-urls.test.ts.
import { expect, test } from 'vitest'
import { lines, raw } from '../core/serving/sockets.ts'
import { attacked, onSocket } from './service.ts'

const { app, request } = await attacked()
const { url } = await onSocket(app)

/** Of `/notes/1/` and of `/by/token/`; the second shows something to whoever gets past its permissions. */
const SPELLINGS = [
  '/notes/1/',
  '/n%6ftes/1/',
  '/%6e%6f%74%65%73/%31/',
  '/by/token/',
  '/b%79/token/',
  '/%62%79/%74%6f%6b%65%6e/',
  '/by/token',
  '/by//token/',
  '//by/token/',
  '/./by/token/',
  '/by/./token/',
  '/open/../by/token/',
  '/open/%2e%2e/by/token/',
  '/open%2f..%2fby/token/',
  '/by%2Ftoken%2F',
  '/by/token/%2e',
  '/by/token/.',
  '/by/token/;x',
  '/by;x/token/',
  '/by/token%00/',
  '/BY/TOKEN/',
  '/by/%2574oken/',
  '/by/token/?_method=GET',
  '/by/token/#x',
  '/by/token.json',
  '/by\\token\\',
  '/notes/01/',
  '/notes/1%20/',
  '/notes/+1/',
]

test.each(SPELLINGS)('GET %s shows nothing to nobody', async (path) => {
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
