// I8, T20: who counts as one client, by peer, headers and configuration. It fails in two directions: clients that
// choose who they are (or a victim that they would like to be), and clients that all count as one.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type App, type Settings, configurationOf, defineApi } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { client } from '../../../src/testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-client-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Keys = Readonly<Record<string, unknown>>

/** Answers with the client; what it logs is kept. */
function appOf(keys: Keys, settings: Partial<Settings> = {}) {
  const logged: Readonly<Record<string, unknown>>[] = []
  const logger = { error: (record: Readonly<Record<string, unknown>>) => void logged.push(record) }
  const api = defineApi({ urls: { who: '/who/' }, logger, ...settings })
  const who = api.endpoint('who').get((request) => ({ client: request.client }))
  const configuration = configurationOf({ ALLOWED_HOSTS: ['localhost'], ...keys })
  return { app: api.serve([who], { configuration }), logged }
}

/** How a client reaches the service: over which address, and from which. */
interface Way {
  readonly host: string
  readonly to?: string
  readonly from?: string
}

const IPV4: Way = { host: '127.0.0.1' }
const NEIGHBOUR: Way = { host: '127.0.0.1', from: '127.0.0.9' }
const IPV6: Way = { host: '::1', to: '::1' }
const DUAL: Way = { host: '::', to: '127.0.0.1' }
const UNIX: Way = { host: `unix:${folder}/a.sock` }

/** The client of a request on a real socket, whose lines are sent as they stand. */
async function clientOn(app: App, { host, to = host, from }: Way, lines: readonly string[]) {
  const server = await serve(app, { host, port: 0 })
  const { port } = server.url.startsWith('unix:') ? { port: '' } : new URL(server.url)
  const at = host.startsWith('unix:') ? { path: host.slice(5) } : { host: to, port: Number(port) }
  const head = ['GET /who/ HTTP/1.1', 'Host: localhost', ...lines, 'Connection: close', '', '']
  const socket = connect({ ...at, ...(from !== undefined && { localAddress: from }) })
  socket.write(Buffer.from(head.join('\r\n'), 'latin1'))
  const chunks: Buffer[] = await socket.toArray()
  await server.close()
  const text = Buffer.concat(chunks).toString()
  const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { client: string }
  return body.client
}

const VICTIM = '203.0.113.9'
const xff = (text: string): string[] => [`X-Forwarded-For: ${text}`]
const many = '9.9.9.9, '.repeat(1600)

type Row = [title: string, lines: readonly string[], client: string, way?: Way]

describe('where no server in front is trusted, a client is its connection', () => {
  const rows: readonly Row[] = [
    ['no header', [], '127.0.0.1'],
    ['a victim’s address', xff(VICTIM), '127.0.0.1'],
    ['and a list that ends with its own', xff(`${VICTIM}, 127.0.0.1`), '127.0.0.1'],
    ['an address of its own choice', xff('1.2.3.4'), '127.0.0.1'],
    ['another', xff('1.2.3.5'), '127.0.0.1'],
    ['IPv6', xff('2001:db9::1'), '127.0.0.1'],
    ['two headers', [...xff(VICTIM), ...xff('1.2.3.4')], '127.0.0.1'],
    ['nonsense', xff('"; drop table'), '127.0.0.1'],
    ['16 kB', xff(many), '127.0.0.1'],
    ['an empty header', xff(''), '127.0.0.1'],
    ['Forwarded', [`Forwarded: for=${VICTIM}`], '127.0.0.1'],
    ['X-Real-IP', [`X-Real-IP: ${VICTIM}`], '127.0.0.1'],
    ['X-Client-IP', [`X-Client-IP: ${VICTIM}`], '127.0.0.1'],
    ['True-Client-IP', [`True-Client-IP: ${VICTIM}`], '127.0.0.1'],
    ['X_Forwarded_For', [`X_Forwarded_For: ${VICTIM}`], '127.0.0.1'],
    ['a neighbour is another client', [], '127.0.0.9', NEIGHBOUR],
    ['on a socket for both kinds of addresses', [], '127.0.0.1', DUAL],
    ['there with a victim’s address', xff(VICTIM), '127.0.0.1', DUAL],
    ['of IPv6 its network', [], '::/64', IPV6],
    ['there with a victim’s address as well', xff(VICTIM), '::/64', IPV6],
    ['all on a unix socket are one', [], '', UNIX],
    ['whatever they claim', xff(VICTIM), '', UNIX],
  ]
  const { app } = appOf({})
  test.each<Row>(rows)('%s', async (_title, lines, expected, way = IPV4) => {
    expect(await clientOn(app, way, lines)).toBe(expected)
  })
})

describe('behind servers that are trusted, a client is who reached the first of them', () => {
  const rows: readonly Row[] = [
    ['one server', xff('198.51.100.7'), '198.51.100.7'],
    ['another client of it', xff('198.51.100.8'), '198.51.100.8'],
    ['a victim’s address before it', xff(`${VICTIM}, 198.51.100.7`), '198.51.100.7'],
    [
      'a victim’s address in a header before it',
      [...xff(VICTIM), ...xff('198.51.100.7')],
      '198.51.100.7',
    ],
    ['two servers', xff('198.51.100.7, 10.0.0.5'), '198.51.100.7'],
    ['three', xff('198.51.100.7, 10.0.0.5, 2001:db8::5'), '198.51.100.7'],
    [
      'a server’s address in the middle of the list',
      xff(`${VICTIM}, 10.0.0.5, 198.51.100.7`),
      '198.51.100.7',
    ],
    ['many of them in front', xff(`${'10.0.0.5, '.repeat(1500)}198.51.100.7`), '198.51.100.7'],
    ['16 kB of others in front', xff(`${many}198.51.100.7`), '198.51.100.7'],
    ['servers alone: the first', xff('10.0.0.4, 10.0.0.5'), '10.0.0.4'],
    ['nothing from the server: itself', [], '127.0.0.1'],
    ['spaces', xff('   198.51.100.7  '), '198.51.100.7'],
    ['empty elements', xff(',198.51.100.7, ,'), '198.51.100.7'],
    ['a port', xff('198.51.100.7:4711'), '198.51.100.7'],
    ['another port of the same', xff('198.51.100.7:4712'), '198.51.100.7'],
    ['IPv6', xff('2001:db9:1:2:3:4:5:6'), '2001:db9:1:2::/64'],
    ['a neighbour in its network', xff('2001:db9:1:2::99'), '2001:db9:1:2::/64'],
    ['the network beside it', xff('2001:db9:1:3::99'), '2001:db9:1:3::/64'],
    ['brackets', xff('[2001:db9:1:2::7]'), '2001:db9:1:2::/64'],
    ['brackets and a port', xff('[2001:db9:1:2::7]:443'), '2001:db9:1:2::/64'],
    ['a zone', xff('fe80::1%eth0'), 'fe80::/64'],
    ['forms that are not canonical', xff('2001:DB9:0001:2:0:0:0:7'), '2001:db9:1:2::/64'],
    ['IPv4 in the clothes of IPv6', xff('::ffff:1.2.3.4'), '1.2.3.4'],
    ['the same in hexadecimal', xff('::ffff:102:304'), '1.2.3.4'],
    ['a server in those clothes', xff('198.51.100.7, ::ffff:10.0.0.5'), '198.51.100.7'],
    ['zeros before a number are no address', xff('198.51.100.7, 010.0.0.5'), '127.0.0.1'],
    ['nonsense is the server that passed it on', xff(`${VICTIM}, nonsense`), '127.0.0.1'],
    ['unknown as well', xff('unknown'), '127.0.0.1'],
    ['Forwarded', ['Forwarded: for="[2001:db9:1:2::7]:443"'], '2001:db9:1:2::/64'],
    ['X-Real-IP is none of these headers', [`X-Real-IP: ${VICTIM}`], '127.0.0.1'],
    ['a neighbour is not trusted', xff(VICTIM), '127.0.0.9', NEIGHBOUR],
    ['on a socket for both kinds', xff('198.51.100.7'), '198.51.100.7', DUAL],
    ['IPv6 of this machine is not trusted', xff(VICTIM), '::/64', IPV6],
    ['unix is not trusted', xff(VICTIM), '', UNIX],
  ]
  const { app } = appOf({ TRUSTED_PROXIES: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'] })
  test.each<Row>(rows)('%s', async (_title, lines, expected, way = IPV4) => {
    expect(await clientOn(app, way, lines)).toBe(expected)
  })
})

describe('behind a trusted unix socket', () => {
  const { app } = appOf({ TRUSTED_PROXIES: ['unix', '10.0.0.0/8'] })
  test.each<Row>([
    ['the client that it names', xff('198.51.100.7'), '198.51.100.7'],
    ['and not who stands before that', xff(`${VICTIM}, 198.51.100.7`), '198.51.100.7'],
    ['two servers', xff('198.51.100.7, 10.0.0.5'), '198.51.100.7'],
    ['a client on a unix socket of its own', xff('198.51.100.7, unix:'), '198.51.100.7'],
    ['no header: all are one', [], ''],
    ['a peer with an address is not trusted', xff(VICTIM), '127.0.0.1', IPV4],
  ])('%s', async (_title, lines, expected, way = UNIX) => {
    expect(await clientOn(app, way, lines)).toBe(expected)
  })
})

describe('T20 with the number of proxies, what the headers say counts as it is', () => {
  const three = xff('1.1.1.1, 2.2.2.2,  3.3.3.3 ')
  test.each<[proxies: number | null, lines: readonly string[], client: string, way?: Way]>([
    [null, three, '1.1.1.1,2.2.2.2,3.3.3.3'],
    [null, [...xff('1.1.1.1'), ...xff('2.2.2.2')], '1.1.1.1,2.2.2.2'],
    [null, xff('a b\tc'), 'abc'],
    [null, [], '127.0.0.1'],
    [null, [`Forwarded: for=${VICTIM}`], '127.0.0.1'],
    [null, xff(many.trim()), many.replaceAll(' ', '')],
    [null, [], '::1', IPV6],
    [0, three, '127.0.0.1'],
    [0, [], '127.0.0.1', DUAL],
    [0, [], '::1', IPV6],
    [0, three, '', UNIX],
    [1, three, '3.3.3.3'],
    [1, xff(VICTIM), VICTIM],
    [1, [], '127.0.0.1'],
    [1, xff('1.1.1.1, '), ''],
    [1, xff('[2001:db9::1]:443'), '[2001:db9::1]:443'],
    [2, three, '2.2.2.2'],
    [2, xff('1.1.1.1'), '1.1.1.1'],
    [2, [...xff(VICTIM), ...xff('1.1.1.1, 2.2.2.2')], '1.1.1.1'],
    [5, three, '1.1.1.1'],
    [5, [`X-Real-IP: ${VICTIM}`], '127.0.0.1'],
  ])('%j: %j', async (proxies, lines, expected, way = IPV4) => {
    const { app } = appOf({ NUM_PROXIES: proxies })
    expect(await clientOn(app, way, lines)).toBe(expected)
  })
})

describe('SEC21 of IPv6 a client has a network', () => {
  const seen = async (address: string | undefined, settings: Partial<Settings> = {}) => {
    const { get } = client(appOf({}, settings).app)
    return ((await get('/who/', { environ: { REMOTE_ADDR: address } })).data as { client: string })
      .client
  }

  test.each<[address: string, prefix: number, client: string]>([
    ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', 64, '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', 64, '2001:db8:1:3::/64'],
    ['2001:db8:1:2ff::', 56, '2001:db8:1:200::/56'],
    ['2001:db8:1:300::', 56, '2001:db8:1:300::/56'],
    ['2001:db8:1:2::', 48, '2001:db8:1::/48'],
    ['2001:db8:1:2::', 32, '2001:db8::/32'],
    ['2001:db8::1', 128, '2001:db8::1/128'],
    ['2001:db8::2', 127, '2001:db8::2/127'],
    ['192.0.2.7', 32, '192.0.2.7'],
    ['192.0.2.7', 128, '192.0.2.7'],
    ['::ffff:192.0.2.7', 64, '192.0.2.7'],
    ['::ffff:c000:207', 32, '192.0.2.7'],
    ['no address', 64, 'no address'],
  ])('%s, /%d: %s', async (address, ipv6Prefix, expected) => {
    expect(await seen(address, { ipv6Prefix })).toBe(expected)
  })

  test('without an address all are one', async () => {
    expect(await seen(undefined)).toBe('')
  })

  test.each([31, 129, 64.5, '64', null, -1])('a prefix of %j does not start', (IPV6_PREFIX) => {
    expect(() => appOf({ IPV6_PREFIX })).toThrow(
      'IPV6_PREFIX (configuration) must be a whole number from 32 to 128, but is',
    )
  })
})

describe('a server in front that is not trusted is named in the log', () => {
  test('with what to do, and seldom', async () => {
    const { app, logged } = appOf({})
    for (let i = 0; i < 20; i++) await clientOn(app, IPV4, xff(VICTIM))
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.length).toBeLessThan(10)
    expect(logged[0]).toMatchObject({ event: 'client.untrusted_proxy', peer: '127.0.0.1' })
    expect(logged[0]!['error']).toMatch(/name it in TRUSTED_PROXIES/)
  })

  test.each<[string, Keys, readonly string[]]>([
    ['without the header', {}, []],
    ['where it is trusted', { TRUSTED_PROXIES: ['127.0.0.1'] }, xff(VICTIM)],
    ['where the number of proxies is known', { NUM_PROXIES: 1 }, xff(VICTIM)],
    ['where the header is to be ignored', { NUM_PROXIES: 0 }, xff(VICTIM)],
  ])('but not %s', async (_title, keys, lines) => {
    const { app, logged } = appOf(keys)
    await clientOn(app, IPV4, lines)
    expect(logged).toEqual([])
  })

  test('nor where the caller of fetch names the client', async () => {
    const { app, logged } = appOf({})
    const asked = new Request('http://localhost/who/', { headers: { 'x-forwarded-for': VICTIM } })
    const named = await app.fetch(asked, { environ: { REMOTE_ADDR: '198.51.100.7' } })
    expect([await named.json(), logged]).toEqual([{ client: '198.51.100.7' }, []])
    expect(await (await app.fetch(asked)).json()).toEqual({ client: '' })
    expect(logged).toHaveLength(1)
  })
})
