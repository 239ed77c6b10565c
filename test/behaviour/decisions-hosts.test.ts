import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'

const log = notebook()
const api = defineApi({ urls: { here: '/here/' }, logger: { error() {}, info: log.error } })
const here = api.endpoint('here').get(({ reverse }) => reverse('here'))
const serveWith = (keys: Readonly<Record<string, unknown>>) =>
  api.serve([here], { configuration: configurationOf(keys) })

const standard = serveWith({})
const own = serveWith({ ALLOWED_HOSTS: ['api.example.com', '.example.org', '[2001:db8::1]'] })
const all = serveWith({ ALLOWED_HOSTS: ['*'] })
const fixed = serveWith({ ALLOWED_HOSTS: ['inside'], PUBLIC_URL: 'https://api.example.com' })
const slashed = serveWith({ PUBLIC_URL: 'https://api.example.com/' })

const at = (origin: string) => ({ status: 200, text: `"${origin}/here/"` })
const refused = {
  status: 400,
  data: DETAIL,
  headers: { 'content-type': 'application/json', 'x-request-id': /./ },
}
const asks = (host: string) => ({ headers: { host } })
const only = (host: string, because: string) => ({
  headers: { host },
  cannot: ['fetch door', because] as const,
})

const defaults: Row[] = [
  ['localhost', 'GET /here/', at('http://localhost'), asks('localhost')],
  ['with any port', 'GET /here/', at('http://localhost:9999'), asks('localhost:9999')],
  ['below localhost', 'GET /here/', at('http://a.b.localhost'), asks('a.b.localhost')],
  ['the loopback address', 'GET /here/', at('http://127.0.0.1:8000'), asks('127.0.0.1:8000')],
  ['the loopback address of IPv6', 'GET /here/', at('http://[::1]:8000'), asks('[::1]:8000')],
  [
    'in capitals, as sent',
    'GET /here/',
    at('http://LOCALHOST'),
    only('LOCALHOST', 'a URL is in lower case'),
  ],
  ['any other', 'GET /here/', refused, asks('example.com')],
  ['one that only ends alike', 'GET /here/', refused, asks('notlocalhost')],
  ['one that only begins alike', 'GET /here/', refused, asks('localhost.evil.com')],
  ['another address', 'GET /here/', refused, asks('127.0.0.2')],
]
const malformed: Row[] = [
  ['a port that is none', 'GET /here/', refused, only('localhost:x', 'a URL has a number there')],
  ['a user', 'GET /here/', refused, only('me@localhost', 'a Request has no user')],
  ['a path', 'GET /here/', refused, only('localhost/evil', 'it is part of the path there')],
  ['a space', 'GET /here/', refused, only('local host', 'a URL has no spaces')],
  ['two hosts', 'GET /here/', refused, only('localhost, evil.com', 'a URL has one')],
  ['a bracket left open', 'GET /here/', refused, only('[::1', 'a URL closes it')],
  ['quotes', 'GET /here/', refused, asks('"localhost"')],
  ['a name that never ends', 'GET /here/', refused, asks(`${'a'.repeat(300)}.localhost`)],
  [
    'letters beyond ASCII',
    'GET /here/',
    refused,
    only('löcalhost', 'a URL writes them as Punycode'),
  ],
]
const listed: Row[] = [
  ['a listed host', 'GET /here/', at('http://api.example.com'), asks('api.example.com')],
  ['not another one', 'GET /here/', refused, asks('www.example.com')],
  ['not below it', 'GET /here/', refused, asks('x.api.example.com')],
  ['a domain by its dot', 'GET /here/', at('http://example.org'), asks('example.org')],
  [
    'and everything below',
    'GET /here/',
    at('http://a.b.example.org:81'),
    asks('a.b.example.org:81'),
  ],
  ['but not what ends alike', 'GET /here/', refused, asks('evilexample.org')],
  ['an address of IPv6', 'GET /here/', at('http://[2001:db8::1]'), asks('[2001:db8::1]')],
  ['the list replaces the default', 'GET /here/', refused, asks('localhost')],
  ['a refused host on a path that is not there: no hint', 'GET /nope/', refused, asks('localhost')],
]

describe('I10 the default hosts', () => {
  throughDoors(standard, defaults)
})
describe('I10 malformed hosts', () => {
  throughDoors(standard, malformed)
})
describe('I10 ALLOWED_HOSTS', () => {
  throughDoors(own, listed)
})
describe('I10 ALLOWED_HOSTS *', () => {
  throughDoors(all, [
    ['admits all', 'GET /here/', at('http://any.example'), asks('any.example')],
    ['that are well-formed', 'GET /here/', refused, only('any example', 'a URL has no spaces')],
  ])
})
describe('I10 PUBLIC_URL', () => {
  throughDoors(fixed, [
    ['is what links begin with', 'GET /here/', at('https://api.example.com'), asks('inside:8080')],
    ['and the host is checked all the same', 'GET /here/', refused, asks('api.example.com')],
  ])
  throughDoors(slashed, [
    ['may end in a slash, which is not doubled', 'GET /here/', at('https://api.example.com')],
  ])
})

test('I10 the log names the key, and not more of the host than is good', async () => {
  const fresh = serveWith({})
  log.records.length = 0
  await client(fresh).get('/here/', { headers: { host: 'x'.repeat(1000) } })
  expect(log.records).toEqual([
    { event: 'host.refused', key: 'ALLOWED_HOSTS', host: 'x'.repeat(255), count: 1 },
  ])
})
