// SEC17: nothing in a setting or a value can add an attribute, a cookie or a header.
// More: test/core/settings/cookies.test.ts, test/core/std/http/cookie.test.ts.
import { describe, expect, test } from 'vitest'
import { attacked } from './service.ts'
import { configurationOf, defineApi, reply } from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const INJECTED = [
  'x\r\nSet-Cookie: a=b',
  'x\nX: y',
  'x\rX',
  'x; Domain=evil.example',
  'x\u0000',
  'é',
]

describe.each([
  'SESSION_COOKIE_NAME',
  'CSRF_COOKIE_NAME',
  'SESSION_COOKIE_PATH',
  'CSRF_COOKIE_PATH',
  'SESSION_COOKIE_DOMAIN',
  'CSRF_COOKIE_DOMAIN',
  'SESSION_COOKIE_SAMESITE',
  'CSRF_HEADER_NAME',
])('%s', (key) => {
  test.each(INJECTED)('%j refuses to start', async (value) => {
    await expect(attacked({ [key]: value })).rejects.toThrow(key)
  })
})

test.each(INJECTED.slice(0, 3))('an application cannot send %j in a header', async (value) => {
  const api = defineApi({ urls: { a: '/' }, logger: { error: () => {} } })
  const endpoint = api
    .endpoint('a')
    .get(() => reply('x', { headers: { 'Set-Cookie': `sessionid=${value}` } }))
  const app = api.serve([endpoint], { configuration: configurationOf() })
  const answer = await client(app).get('/')
  expect([answer.status, answer.header('set-cookie')]).toEqual([500, null])
})
