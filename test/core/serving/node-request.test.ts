import { type IncomingMessage, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../../src/index.ts'
import type { Environ } from '../../../src/types.ts'
import { serve, toListener } from '../../../src/node.ts'
import { schemeOf } from '../../../src/core/serving/exchange.ts'
import { type Facts, ask, exchange, toTold, trustingApp } from './trust.ts'

const SOURCE = { header: 'X-Remote-User', proxies: ['127.0.0.1'] }
const LOCAL = { TRUSTED_PROXIES: ['127.0.0.1'] }
const FAR = { TRUSTED_PROXIES: ['192.0.2.0/24'] }
const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

describe('I8 who asks, and where', () => {
  test.each<[title: string, keys: object, lines: readonly string[], facts: Partial<Facts>]>([
    ['nobody is trusted', {}, ['X-Forwarded-For: 203.0.113.7'], { address: '127.0.0.1' }],
    ['somebody else is', FAR, ['X-Forwarded-For: 203.0.113.7'], { address: '127.0.0.1' }],
    ['the peer is', LOCAL, ['X-Forwarded-For: 203.0.113.7'], { address: '203.0.113.7' }],
    ['and tells nothing', LOCAL, [], { address: '127.0.0.1', link: 'http://localhost/facts/' }],
    [
      'lines of one name are one list',
      LOCAL,
      ['X-Forwarded-For: 9.9.9.9', 'X-Forwarded-For: 203.0.113.7'],
      { address: '203.0.113.7' },
    ],
    [
      'scheme, host and port of a trusted peer',
      LOCAL,
      ['X-Forwarded-Proto: https', 'X-Forwarded-Host: api.example.com', 'X-Forwarded-Port: 8443'],
      { link: 'https://api.example.com:8443/facts/' },
    ],
    [
      'not of another',
      FAR,
      ['X-Forwarded-Proto: https', 'X-Forwarded-Host: api.example.com', 'X-Forwarded-Port: 8443'],
      { link: 'http://localhost/facts/' },
    ],
    [
      'Forwarded of a trusted peer',
      LOCAL,
      ['Forwarded: for=203.0.113.7;proto=https;host=api.example.com'],
      { address: '203.0.113.7', link: 'https://api.example.com/facts/' },
    ],
    [
      'not of another',
      {},
      ['Forwarded: for=203.0.113.7;proto=https;host=api.example.com'],
      { address: '127.0.0.1', link: 'http://localhost/facts/' },
    ],
    [
      'D58 a public address outranks what anybody tells',
      { ...LOCAL, PUBLIC_URL: 'https://www.example.com' },
      ['X-Forwarded-Proto: http', 'X-Forwarded-Host: api.example.com'],
      { link: 'https://www.example.com/facts/' },
    ],
  ])('%s', async (_, keys, lines, facts) => {
    expect(await ask(trustingApp({ ...keys }), lines)).toMatchObject({ status: 200, facts })
  })

  test.each<[title: string, keys: object, lines: readonly string[], status: number]>([
    ['I10 a forwarded host has to be allowed', LOCAL, ['X-Forwarded-Host: evil'], 400],
    ['even beside a Host that is', LOCAL, ['Host: localhost', 'X-Forwarded-Host: evil'], 400],
    ['a malformed one is refused', LOCAL, ['X-Forwarded-Host: localhost/evil'], 400],
    ['one with a user too', LOCAL, ['X-Forwarded-Host: me@localhost'], 400],
    ['one that nobody believes does no harm', {}, ['X-Forwarded-Host: evil'], 200],
    ['the Host of a proxy counts where it tells no other', LOCAL, ['Host: upstream'], 400],
    ['and does not where it does', LOCAL, ['Host: upstream', 'X-Forwarded-Host: localhost'], 200],
  ])('%s', async (_, keys, lines, status) => {
    expect((await ask(trustingApp({ ...keys }), lines)).status).toBe(status)
  })

  test('IPv6, and IPv4 on a server of both', async () => {
    const app = trustingApp({ TRUSTED_PROXIES: ['127.0.0.1'] })
    const server = await serve(app, { host: '::', port: 0 })
    const { port } = new URL(server.url)
    const line = ['X-Forwarded-For: 203.0.113.7']
    const both = ['127.0.0.1', '[::1]'].map(async (host) =>
      toTold(await exchange(`http://${host}:${port}`, line)),
    )
    const addresses = (await Promise.all(both)).map(({ facts }) => facts.address)
    await server.close()
    expect(addresses).toEqual(['203.0.113.7', '::1'])
  })

  test('a thousand addresses that a client invents are one client', async () => {
    const server = await serve(trustingApp({}), { port: 0 })
    const seen = new Set<string | null>()
    for (let i = 0; i < 1000; i += 50) {
      const batch = Array.from({ length: 50 }, async (_, at) => {
        const line = `X-Forwarded-For: 10.1.${(i + at) >> 8}.${(i + at) & 255}`
        seen.add(toTold(await exchange(server.url, [line])).facts.address)
      })
      await Promise.all(batch)
    }
    await server.close()
    expect([...seen]).toEqual(['127.0.0.1'])
  })

  test('the address is known when the client has gone', async () => {
    const seen: Environ[] = []
    const api = defineApi({ urls: { slow: '/facts/' } })
    const slow = api.endpoint('slow').get(async (request) => {
      await wait(30)
      seen.push(request.environ)
      return null
    })
    const server = await serve(api.serve([slow], { configuration: configurationOf() }), { port: 0 })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write('GET /facts/ HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await wait(10)
    socket.resetAndDestroy()
    await wait(40)
    await server.close()
    expect(seen).toEqual([{ REMOTE_ADDR: '127.0.0.1' }])
  })
})

describe('I9 REMOTE_USER', () => {
  const keys = { REMOTE_USER_SOURCE: SOURCE }
  const nothing = [null, null, null]
  test.each<[title: string, keys: object, lines: readonly string[], user: string | null]>([
    ['the header of a trusted peer', keys, ['X-Remote-User: ada'], 'ada'],
    ['in any case', keys, ['x-REMOTE-user: ada'], 'ada'],
    ['in UTF-8', keys, [`X-Remote-User: ${utf8('zoë ☃')}`], 'zoë ☃'],
    ['a comma is part of the name', keys, ['X-Remote-User: ada, bob'], 'ada, bob'],
    ['absent', keys, [], null],
    ['empty', keys, ['X-Remote-User:'], ''],
    [
      'of the trusted proxies, where it does not name its own',
      { ...LOCAL, REMOTE_USER_SOURCE: { header: 'X-Remote-User' } },
      ['X-Remote-User: ada'],
      'ada',
    ],
    [
      'RU1 not of another peer',
      { REMOTE_USER_SOURCE: { header: 'X-Remote-User', proxies: ['192.0.2.1', 'unix'] } },
      ['X-Remote-User: ada'],
      null,
    ],
    [
      'nor of a proxy that is trusted for addresses only',
      { ...LOCAL, REMOTE_USER_SOURCE: { header: 'X-Remote-User', proxies: ['192.0.2.1'] } },
      ['X-Remote-User: ada'],
      null,
    ],
    [
      'nor of whom the header says that it asks for',
      { ...FAR, REMOTE_USER_SOURCE: { header: 'X-Remote-User', proxies: ['192.0.2.1'] } },
      ['X-Forwarded-For: 192.0.2.1', 'X-Remote-User: ada'],
      null,
    ],
    [
      'from the environ: no header',
      { REMOTE_USER_SOURCE: 'environ' },
      ['X-Remote-User: ada'],
      null,
    ],
    ['without a channel', LOCAL, ['X-Remote-User: ada'], null],
    ['the name of the variable is no header', keys, ['REMOTE_USER: ada', 'Remote-User: ada'], null],
    ['nor is its name in other systems', keys, ['HTTP_X_REMOTE_USER: ada'], null],
  ])('%s', async (_, said, lines, user) => {
    const { status, facts } = await ask(trustingApp({ ...said }), lines)
    expect([status, facts.user]).toEqual([200, user])
  })

  test.each([
    ['a dash', ['X-Remote-User: ada']],
    ['lower case', ['x-remote-user: ada']],
    ['upper case', ['X-REMOTE-USER: ada']],
    ['two of them', ['X-Remote-User: ada', 'x-remote-user: ada']],
  ])('from anybody else it is dropped: %s', async (_, lines) => {
    const source = { header: 'X-Remote-User', proxies: ['192.0.2.1'] }
    const { status, facts } = await ask(trustingApp({ REMOTE_USER_SOURCE: source }), lines)
    expect([status, facts.user, facts.seen]).toEqual([200, null, nothing])
  })

  test.each([
    ['underscores', 'X_Remote_User: ada'],
    ['one underscore', 'X_Remote-User: ada'],
    ['a dot', 'X.Remote.User: ada'],
    ['a longer name', 'X-Remote-User-Name: ada'],
  ])('other spellings name nobody, from whomever: %s', async (_, line) => {
    const { status, facts } = await ask(trustingApp(keys), [line])
    expect([status, facts.user]).toEqual([200, null])
  })

  test('an application reads it in environ only', async () => {
    const { facts } = await ask(trustingApp(keys), ['X-Remote-User: ada'])
    expect([facts.user, facts.seen]).toEqual(['ada', nothing])
  })

  test.each([
    ['two of them', ['X-Remote-User: ada', 'X-Remote-User: bob']],
    ['twice the same', ['X-Remote-User: ada', 'x-remote-user: ada']],
    ['one of them empty', ['X-Remote-User: ada', 'X-Remote-User:']],
    ['bytes that are no UTF-8', ['X-Remote-User: zo\u00eb']],
  ])('refused with 400, from a trusted peer: %s', async (_, lines) => {
    const told = await ask(trustingApp(keys), lines)
    expect(told).toEqual({ status: 400, facts: { detail: expect.any(String) } })
  })

  test('the refusal carries its id and is negotiated like any answer', async () => {
    const server = await serve(trustingApp(keys), { port: 0 })
    const twice = ['X-Remote-User: a', 'X-Remote-User: b', 'Accept: application/problem+json']
    const text = await exchange(server.url, twice)
    await server.close()
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*\r\nContent-Type: application\/problem\+json\r\n/i)
    expect(text).toMatch(/\r\nX-Request-Id: \S+\r\n/i)
  })

  test('a peer without an address is nobody, not a neighbour on a unix socket', async () => {
    const source = { header: 'X-Remote-User', proxies: ['unix'] }
    const app = trustingApp({ TRUSTED_PROXIES: ['unix'], REMOTE_USER_SOURCE: source })
    const lines = ['X-Remote-User: ada', 'X-Forwarded-For: 203.0.113.7']
    const { facts } = await ask(app, lines)
    expect([facts.user, facts.address]).toEqual([null, '127.0.0.1'])

    const listener = toListener(app)
    const server = createServer((incoming, response) => {
      Object.defineProperty(incoming.socket, 'remoteAddress', { value: undefined })
      listener(incoming, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const told = toTold(await exchange(`http://127.0.0.1:${port}`, lines))
    await new Promise((resolve) => server.close(resolve))
    expect([told.facts.user, told.facts.address]).toEqual([null, null])
  })
})

// Sockets of Bun always have the member, so its presence alone would make every link https.
test.each([
  [{}, 'http'],
  [{ encrypted: false }, 'http'],
  [{ encrypted: true }, 'https'],
])('a connection with %j is %s', (socket, scheme) =>
  expect(schemeOf({ socket } as unknown as IncomingMessage)).toBe(scheme),
)
