// What every answer says to browsers beside its content: who may embed it, and that the host speaks https.
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi, defineUrls, reply } from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { type Row, throughDoors } from '../../behaviour/doors.ts'

const api = defineApi({
  urls: defineUrls({ data: '/data/', empty: '/empty/', any: '/any/', own: '/own/' }),
})
const endpoints = [
  api.endpoint('data').get(() => 'data'),
  api.endpoint('empty', { cors: { origins: ['https://app.example.com'] } }).get(() => null),
  api.endpoint('any', { cors: { origins: ['*'] } }).get(() => 'any'),
  api.endpoint('own').get(() =>
    reply('own', {
      headers: {
        'cross-origin-resource-policy': 'same-origin',
        'strict-transport-security': 'max-age=1; includeSubDomains',
      },
    }),
  ),
]
const serveWith = (keys: Readonly<Record<string, unknown>>) =>
  api.serve(endpoints, { configuration: configurationOf(keys) })

const policy = (value: string | null, status = 200) => ({
  status,
  headers: { 'cross-origin-resource-policy': value },
})
const page = { headers: { accept: 'text/html' } }

describe('Cross-Origin-Resource-Policy', () => {
  throughDoors(serveWith({}), [
    ['data', 'GET /data/', policy('same-site')],
    ['pages', 'GET /data/', policy('same-site'), page],
    ['errors', 'DELETE /data/', policy('same-site', 405)],
    ['addresses that there are not', 'GET /none/', policy('same-site', 404)],
    ['nothing to embed', 'GET /empty/', policy(null)],
    ['what every origin may read', 'GET /any/', policy('cross-origin')],
    ['what a handler says itself', 'GET /own/', policy('same-origin')],
  ] satisfies Row[])

  test('is for browsers, and not shown to the reader of a page', async () => {
    const { text } = await client(serveWith({})).get('/data/', page)
    expect(text).not.toMatch(/resource-policy/i)
  })
})

describe('Strict-Transport-Security', () => {
  const security = (value: string | null, status = 200) => ({
    status,
    headers: { 'strict-transport-security': value },
  })
  const YEAR = 'max-age=31536000'
  const preflight = {
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
  }

  describe('where PUBLIC_URL is https', () => {
    throughDoors(serveWith({ PUBLIC_URL: 'https://api.example.com' }), [
      ['data', 'GET /data/', security(YEAR)],
      ['no content', 'GET /empty/', security(YEAR)],
      ['a preflight', 'OPTIONS /empty/', security(YEAR, 204), preflight],
      ['an error', 'GET /none/', security(YEAR, 404)],
      ['another host', 'GET /data/', security(YEAR, 400), { headers: { host: 'evil.net' } }],
      ['what a handler says itself', 'GET /own/', security('max-age=1; includeSubDomains')],
    ] satisfies Row[])
  })

  test.each([null, 'http://api.example.com', 'https://localhost:8443', 'https://api.localhost'])(
    'is not sent where it is %s',
    async (PUBLIC_URL) => {
      const asks = ['/data/', '/empty/'].map((path) => client(serveWith({ PUBLIC_URL })).get(path))
      const answers = await Promise.all(asks)
      expect(answers.map(({ header }) => header('strict-transport-security'))).toEqual([null, null])
    },
  )

  test('is sent for a name that only ends like one of this machine', async () => {
    const app = serveWith({ PUBLIC_URL: 'https://notlocalhost' })
    expect((await client(app).get('/data/')).header('strict-transport-security')).toBe(YEAR)
  })
})
