import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatAddress } from '../../../src/core/std/http/network.ts'
import { parseHop, readForwarded, trustedPeers } from '../../../src/core/std/http/forwarded.ts'
import { expectLinear } from '../../setup/linear.ts'

type Headers = Readonly<Record<string, string>>

/** Behind proxies in 10.0.0.0/8, 2001:db8:: and on unix sockets; by default the nearest is 10.0.0.1. */
function read(headers: Headers, peer = '10.0.0.1'): [client: string | null, origin: string | null] {
  const proxies = trustedPeers(['10.0.0.0/8', '2001:db8::/32', 'unix'])
  const header = (name: string): string | null => headers[name] ?? null
  const { client, scheme, host } = readForwarded(header, parseHop(peer), 'http', proxies)!
  const address = client === null || client === 'unix' ? client : formatAddress(client)
  return [address, host === null ? `${scheme}:` : `${scheme}://${host}`]
}

const from = (text: string): Headers => ({ 'x-forwarded-for': text })

describe('I8 the client', () => {
  test.each<[title: string, headers: Headers, client: string]>([
    ['nothing is told: the proxy itself', {}, '10.0.0.1'],
    ['one hop', from('203.0.113.7'), '203.0.113.7'],
    ['what a client has written stands further left', from('1.1.1.1, 203.0.113.7'), '203.0.113.7'],
    ['trusted hops are walked', from('203.0.113.7, 10.0.0.9, 10.0.0.8'), '203.0.113.7'],
    [
      'and nothing beyond the first that is not',
      from('9.9.9.9, 10.0.0.9, 203.0.113.7, 10.0.0.8'),
      '203.0.113.7',
    ],
    ['where all are trusted, the first', from('10.0.0.3, 10.0.0.2'), '10.0.0.3'],
    ['IPv4 in the clothes of IPv6', from('::ffff:203.0.113.7'), '203.0.113.7'],
    ['the same in hexadecimal', from('::ffff:cb00:7107'), '203.0.113.7'],
    ['a trusted hop in those clothes', from('203.0.113.7, ::ffff:10.0.0.9'), '203.0.113.7'],
    ['IPv6', from('2001:DB9:0:0::1'), '2001:db9::1'],
    ['IPv6 with a zone', from('fe80::1%eth0'), 'fe80::1'],
    ['IPv6 with brackets', from('[2001:db9::1]'), '2001:db9::1'],
    ['IPv6 with a port', from('[2001:db9::1]:4711'), '2001:db9::1'],
    ['IPv4 with a port', from('203.0.113.7:4711'), '203.0.113.7'],
    ['a trusted hop with a port', from('203.0.113.7, 10.0.0.9:80'), '203.0.113.7'],
    ['a trusted hop of IPv6', from('203.0.113.7,2001:db8::9'), '203.0.113.7'],
    ['a hop on a unix socket', from('203.0.113.7, unix:'), '203.0.113.7'],
    ['no white space, and much of it', from('1.1.1.1,   203.0.113.7  '), '203.0.113.7'],
    ['empty elements are none', from(',203.0.113.7,,'), '203.0.113.7'],
    ['an empty header is none', from(''), '10.0.0.1'],
    ['a hop that nobody knows ends the walk', from('203.0.113.7, unknown'), '10.0.0.1'],
    ['so does nonsense', from('203.0.113.7, 10.0.0.256, 10.0.0.9'), '10.0.0.9'],
    ['and a number with a leading zero', from('203.0.113.7, 010.0.0.9'), '10.0.0.1'],
    ['Forwarded', { forwarded: 'for=203.0.113.7' }, '203.0.113.7'],
    ['Forwarded, quoted', { forwarded: 'for="203.0.113.7:80"' }, '203.0.113.7'],
    ['Forwarded, IPv6', { forwarded: 'For="[2001:db9::1]:4711"' }, '2001:db9::1'],
    [
      'Forwarded, several, with what is not asked',
      { forwarded: 'for=9.9.9.9;by=x, for=203.0.113.7;proto=https, for=10.0.0.9' },
      '203.0.113.7',
    ],
    ['Forwarded, a pseudonym', { forwarded: 'for=203.0.113.7, for=_gate' }, '10.0.0.1'],
    [
      'Forwarded, a comma in quotes is no comma',
      { forwarded: 'for="203.0.113.7, for=9.9.9.9"' },
      '10.0.0.1',
    ],
    [
      'where a proxy says X-Forwarded-For, Forwarded is the client’s',
      { forwarded: 'for=9.9.9.9', 'x-forwarded-for': '203.0.113.7' },
      '203.0.113.7',
    ],
    [
      'and where it says any of that family',
      { forwarded: 'for=9.9.9.9', 'x-forwarded-proto': 'https' },
      '10.0.0.1',
    ],
  ])('%s', (_, headers, client) => {
    expect(read(headers)[0]).toBe(client)
  })

  test('a proxy on a unix socket', () => {
    expect(read(from('203.0.113.7'), 'unix:')[0]).toBe('203.0.113.7')
    expect(read({}, 'unix:')[0]).toBe('unix')
  })

  test('whatever a client writes, the hop that the proxy has added is the client', () => {
    const hops = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.0.0.9')))
    fc.assert(
      fc.property(hops, (written) => {
        expect(read(from([...written, '203.0.113.7'].join(', ')))[0]).toBe('203.0.113.7')
      }),
    )
  })

  test.each([
    ['addresses', '203.0.113.7, '],
    ['trusted addresses', '10.0.0.9, '],
    ['commas', ','],
    ['quotes', '"'],
    ['brackets', '['],
    ['colons', ':'],
  ])('%s cost what their length costs', (_, unit) =>
    expectLinear(
      (size) => {
        const text = unit.repeat(size / unit.length)
        read({ 'x-forwarded-for': text, 'x-forwarded-host': text, 'x-forwarded-proto': text })
        read({ forwarded: `for=${text}` })
      },
      { size: 4000 },
    ),
  )
})

describe('I8 scheme, host and port', () => {
  const host = { host: 'api.example.com' }
  const x = (headers: Headers): Headers =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`x-forwarded-${name}`, value]),
    )
  test.each<[title: string, headers: Headers, origin: string]>([
    ['nothing is told: those of the connection', host, 'http://api.example.com'],
    ['the scheme', { ...host, ...x({ proto: 'https' }) }, 'https://api.example.com'],
    ['in any case', { ...host, ...x({ proto: 'HTTPS' }) }, 'https://api.example.com'],
    [
      'only one that there is',
      { ...host, ...x({ proto: 'javascript' }) },
      'http://api.example.com',
    ],
    ['the host', { ...host, ...x({ host: 'www.example.com' }) }, 'http://www.example.com'],
    [
      'with its port',
      { ...host, ...x({ host: 'www.example.com:81' }) },
      'http://www.example.com:81',
    ],
    ['an empty host is none', { ...host, ...x({ host: '' }) }, 'http://api.example.com'],
    ['the port', { ...host, ...x({ port: '8443' }) }, 'http://api.example.com:8443'],
    ['not the one of http', { ...host, ...x({ port: '80' }) }, 'http://api.example.com'],
    [
      'not the one of https',
      { ...host, ...x({ port: '443', proto: 'https' }) },
      'https://api.example.com',
    ],
    ['all three', x({ host: 'a.example', port: '8443', proto: 'https' }), 'https://a.example:8443'],
    [
      'a host that says its port keeps it',
      x({ host: 'a.example:1', port: '2' }),
      'http://a.example:1',
    ],
    ['an address of IPv6', x({ host: '[::1]', port: '2' }), 'http://[::1]:2'],
    ['an address of IPv6 with its port', x({ host: '[::1]:1', port: '2' }), 'http://[::1]:1'],
    ['a port that is none', { ...host, ...x({ port: '80 evil' }) }, 'http://api.example.com'],
    ['a port of nothing', { ...host, ...x({ port: '0' }) }, 'http://api.example.com'],
    ['no host at all', x({ proto: 'https', port: '8443' }), 'https:'],
    [
      'what a client has written stands further left',
      { ...host, ...x({ for: '203.0.113.7', proto: 'http, https', host: 'evil, a.example' }) },
      'https://a.example',
    ],
    [
      'two proxies that append: what the first has seen',
      x({ for: '203.0.113.7, 10.0.0.9', proto: 'https, http', host: 'a.example, inner:8080' }),
      'https://a.example',
    ],
    [
      'and a client that has written before them',
      x({ for: '9.9.9.9, 203.0.113.7, 10.0.0.9', proto: 'http, https, http', host: 'evil, a, b' }),
      'https://a',
    ],
    [
      'two proxies of which the second passes on',
      x({ for: '203.0.113.7, 10.0.0.9', proto: 'https', host: 'a.example' }),
      'https://a.example',
    ],
    ['Forwarded', { ...host, forwarded: 'proto=https;host=a.example' }, 'https://a.example'],
    [
      'Forwarded, quoted',
      { ...host, forwarded: 'for=203.0.113.7;proto=https;host="a.example:8443"' },
      'https://a.example:8443',
    ],
    [
      'Forwarded of two proxies',
      {
        ...host,
        forwarded: 'for=203.0.113.7;proto=https;host=a.example, for=10.0.0.9;proto=http;host=b',
      },
      'https://a.example',
    ],
    [
      'Forwarded of two proxies, after a client’s own',
      {
        ...host,
        forwarded: 'for=9.9.9.9;host=evil, for=203.0.113.7;host=a.example, for=10.0.0.9;host=b',
      },
      'http://a.example',
    ],
    [
      'Forwarded without a host',
      { ...host, forwarded: 'for=203.0.113.7' },
      'http://api.example.com',
    ],
  ])('%s', (_, headers, origin) => {
    expect(read(headers)[1]).toBe(origin)
  })
})

describe('whom a list trusts', () => {
  test.each<[entries: readonly string[], peer: string, trusted: boolean]>([
    [[], '127.0.0.1', false],
    [[], 'unix:', false],
    [['127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '127.0.0.2', false],
    [['127.0.0.1'], '::ffff:7f00:1', true],
    [['::ffff:127.0.0.1'], '127.0.0.1', true],
    [['127.0.0.1'], '::1', false],
    [['127.0.0.0/8', '::1'], '::1', true],
    [['fe80::/10'], 'fe80::7%eth0', true],
    [['0.0.0.0/0', '::/0'], 'unix:', false],
    [['unix'], 'unix:', true],
    [['unix'], '127.0.0.1', false],
    [['0.0.0.0/0', '::/0', 'unix'], 'nobody', false],
  ])('%j: %s', (entries, peer, trusted) => {
    expect(trustedPeers(entries)(parseHop(peer))).toBe(trusted)
  })
})
