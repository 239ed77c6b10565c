// SEC20, I9: no link, no header and no body says a host that is not ours. More: test/behaviour/decisions-hosts.test.ts,
// test/security/finding-12-hosts.test.ts.
import { describe, expect, test } from 'vitest'
import {
  PageNumberPagination,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { lines, raw } from '../core/serving/sockets.ts'
import { onSocket } from './service.ts'

const api = defineApi({
  urls: { numbers: '/numbers/' },
  pagination: new PageNumberPagination({ pageSize: 1 }),
  logger: { error: () => {} },
})
const numbers = api.endpoint('numbers').get(list({ source: arraySource([1, 2, 3]) }))
const { url } = await onSocket(api.serve([numbers], { configuration: configurationOf() }))

const ask = (target: string, hosts: readonly string[]): Promise<string> =>
  raw(
    url,
    lines(`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close'),
  )

test('our own host is in the links', async () => {
  const text = await ask('/numbers/?page=2', ['localhost:8000'])
  expect(text).toContain('"next":"http://localhost:8000/numbers/?page=3"')
})

test.each([
  'evil.example',
  'evil.example:80',
  'a@evil.example',
  'localhost@evil.example',
  'localhost:80@evil.example',
  'evil.example/localhost',
  'evil.example#localhost',
  'localhost.evil.example',
  'evil.example\\localhost',
  'localhost,evil.example',
  'localhost evil.example',
  'localhost:99999',
  'localhost:evil',
  '[::1]evil.example',
  '[::ffff:127.0.0.1]',
  '[::2]',
  '',
])('Host: %s is 400', async (host) => {
  const text = await ask('/numbers/?page=2', [host])
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(text).not.toContain('evil')
})

describe('two answers to where', () => {
  test.each([
    ['two Hosts', '/numbers/', ['localhost', 'evil.example']],
    ['two Hosts, ours last', '/numbers/', ['evil.example', 'localhost']],
    ['an address with another host', 'http://evil.example/numbers/?page=2', ['localhost']],
    ['an address with a user', 'http://localhost@evil.example/numbers/?page=2', ['localhost']],
    ['a path that begins with two slashes', '//evil.example/numbers/', ['localhost']],
    ['no Host', '/numbers/', []],
  ])('%s', async (_, target, hosts) => {
    const text = await ask(target, hosts)
    expect(text).not.toContain('evil.example')
    expect(text).not.toMatch(/^HTTP\/1\.1 5/)
  })
})
