// SEC19: host and protocol are believed of those whose address is believed, and of nobody else.
// More: test/core/serving/forwarded-headers.test.ts.
import { describe, expect, test } from 'vitest'
import { ask, trustingApp } from '../core/serving/trust.ts'

const SAID = [
  'X-Forwarded-Host: api.example.com',
  'X-Forwarded-Proto: https',
  'X-Forwarded-For: 198.51.100.7',
]

describe.each([
  ['nobody is trusted', []],
  ['another server is trusted', ['192.0.2.1']],
])('where %s', (_, TRUSTED_PROXIES) => {
  test.each([
    SAID,
    ['Forwarded: for=198.51.100.7;host=api.example.com;proto=https'],
    ['X-Forwarded-Host: evil.example'],
    ['X-Forwarded-Proto: https', 'X-Forwarded-Port: 443', 'X-Forwarded-Ssl: on'],
    ['X-Host: evil.example', 'X-Original-Host: evil.example', 'X-Rewrite-URL: /evil'],
  ])('%s', async (...headers) => {
    const { status, facts } = await ask(trustingApp({ TRUSTED_PROXIES }), headers)
    expect([status, facts.link, facts.address]).toEqual([
      200,
      'http://localhost/facts/',
      '127.0.0.1',
    ])
  })
})

describe('where this peer is trusted', () => {
  const app = trustingApp({ TRUSTED_PROXIES: ['127.0.0.1'] })

  test('address, host and protocol count together', async () => {
    const { facts } = await ask(app, SAID)
    expect([facts.link, facts.address]).toEqual(['https://api.example.com/facts/', '198.51.100.7'])
  })

  test.each([
    ['a host that is not ours', ['X-Forwarded-Host: evil.example']],
    ['a host with a user', ['X-Forwarded-Host: api.example.com@evil.example']],
    ['a protocol that is none', ['X-Forwarded-Proto: javascript']],
  ])('%s makes no link', async (_, headers) => {
    const { status, facts } = await ask(app, headers)
    expect(status === 400 || facts.link === 'http://localhost/facts/').toBe(true)
  })
})
