// Every byte in every place of the Authorization header: refused or understood, never a 500.
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BasicAuthentication,
  IsAuthenticated,
  TokenAuthentication,
  defineApi,
} from '../../src/index.ts'
import type { PasswordVerifier } from '../../src/types.ts'
import { type RunningServer, serve, toListener } from '../../src/node.ts'
import { client } from '../../src/testing.ts'
import { lines, open } from '../core/serving/sockets.ts'
import { notebook, quiet, tokens, user } from './fixtures.ts'
import { expectLinear } from '../setup/linear.ts'
import { CHARACTER } from '../setup/characters.ts'

/** Both sizes get fresh memory from the system, which costs most on a busy machine: only one of them would be dearer. */
const LARGE = 400_000

const users: PasswordVerifier = {
  authenticate: async (name, password) =>
    name === 'joe' && password === 'pw:1' ? user(name) : null,
}
const log = notebook()
const api = defineApi({
  urls: { open: '/open/', members: '/members/', schemeless: '/schemeless/' },
  authentication: [new BasicAuthentication({ users }), new TokenAuthentication({ tokens })],
  logger: log,
})
const whoami = (request: { user: { username: string } }) => request.user.username
const app = api.serve(
  [
    api.endpoint('open').get(whoami),
    api.endpoint('members', { permissions: [new IsAuthenticated()] }).get(whoami),
    api.endpoint('schemeless', { authentication: [] }).get(() => 'anybody'),
  ],
  quiet,
)

const GOOD = [
  ['Basic am9lOnB3OjE=', 'joe'],
  ['Token k-bob', 'bob'],
] as const
const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

/** Who a value names, said without the code that is tested: white space, the word in any case, one secret. */
function named(value: string): string {
  const found =
    /^[ \t\r\n\v\f]*([^ \t\r\n\v\f]+)[ \t\r\n\v\f]+([^ \t\r\n\v\f]+)[ \t\r\n\v\f]*$/.exec(value)
  const word = found?.[1]?.toLowerCase()
  const good = GOOD.find(([text]) => text === `${text.slice(0, 5)} ${found?.[2]}`)
  return good !== undefined && good[0].toLowerCase().startsWith(`${word} `) ? good[1] : ''
}

async function ask(authorization: string): Promise<[status: number, user: string]> {
  const answer = await client(app).get('/open/', { headers: { authorization } })
  return [answer.status, answer.status === 200 ? (answer.data as string) : '']
}

/** Nobody gets in but with the credentials that are good, and nothing is our fault. */
async function judge(authorization: string): Promise<void> {
  const [status, username] = await ask(authorization)
  const who = named(authorization)
  expect([authorization, username]).toEqual([authorization, who])
  expect([200, 401]).toContain(status)
  if (who !== '') expect(status).toBe(200)
}

describe('in the application, where nothing has been filtered', () => {
  test.each(GOOD)('any byte in the place of any of "%s"', async (good) => {
    for (let at = 0; at < good.length; at += 1)
      for (const byte of BYTES) await judge(good.slice(0, at) + byte + good.slice(at + 1))
  })

  test.each(GOOD)('any byte between any two of "%s"', async (good) => {
    for (let at = 0; at <= good.length; at += 1)
      for (const byte of BYTES) await judge(good.slice(0, at) + byte + good.slice(at))
  })

  test.each(GOOD)('any part of "%s"', async (good) => {
    for (let at = 0; at <= good.length; at += 1) {
      await judge(good.slice(0, at))
      await judge(good.slice(at))
    }
  })

  test('any bytes behind the word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('Basic ', 'Token ', 'basic\t', ''),
        fc.uint8Array({ maxLength: 60 }),
        async (word, bytes) => judge(word + Buffer.from(bytes).toString('latin1')),
      ),
      { numRuns: 500 },
    )
  })

  test('any bytes as credentials', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) =>
        judge(`Basic ${Buffer.from(bytes).toString('base64')}`),
      ),
      { numRuns: 500 },
    )
  })

  test('any text, lone surrogates too, as no header can hold it', async () => {
    const texts = [
      '\ud800',
      'Basic \udfff',
      'Token \ud800\ud800',
      'Basic am9l\udc00',
      '🔑',
      'Token 🔑',
    ]
    for (const text of texts) await judge(text)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: CHARACTER, maxLength: 40 }), (text) =>
        judge(`Token ${text}`),
      ),
    )
  })

  test.each([
    ['one word', (size: number) => `Basic ${'A'.repeat(size)}`],
    [
      'a password',
      (size: number) => `Basic ${Buffer.from(`joe:${'x'.repeat(0.75 * size)}`).toString('base64')}`,
    ],
    ['white space', (size: number) => `Basic${' '.repeat(size)}`],
    ['many words', (size: number) => `Basic ${'a '.repeat(size / 2)}`],
    ['padding', (size: number) => `Basic ${'='.repeat(size)}`],
    [
      'colons',
      (size: number) => `Basic ${Buffer.from(':'.repeat(0.75 * size)).toString('base64')}`,
    ],
    ['bytes that are not UTF-8', (size: number) => `Token ${'\xff'.repeat(size)}`],
    ['a key', (size: number) => `Token ${'k'.repeat(size)}`],
  ])('a million bytes of %s cost what their length costs', (_, authorization) =>
    expectLinear(async (size) => expect(await ask(authorization(size))).toEqual([401, '']), {
      size: LARGE,
    }),
  )
})

describe('through the node door', () => {
  let server: RunningServer
  let plain: Server
  beforeAll(async () => {
    server = await serve(app, { port: 0 })
    // A server of somebody else’s, which does not join headers that come twice.
    plain = createServer(toListener(app)).listen(0, '127.0.0.1')
    await new Promise((resolve) => plain.once('listening', resolve))
  })
  afterAll(async () => {
    plain.close()
    await server.close()
  })
  const mounted = () => `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`
  const get = async (url: string, path: string, ...headers: string[]) => {
    const wire = await open(url)
    // Bytes as they are: written as text they would become UTF-8.
    wire.socket.write(
      lines(`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers),
      'latin1',
    )
    const text = await wire.closed()
    const [head, body = ''] = text.split('\r\n\r\n')
    return [Number(head!.split(' ')[1]), body] as const
  }

  test('any byte, in the middle and at the end', async () => {
    for (const byte of BYTES) {
      for (const value of [`Basic am9l${byte}OnB3OjE=`, `Token k-bob${byte}`]) {
        const [status, body] = await get(server.url, '/open/', `Authorization: ${value}`)
        // The parser of the platform refuses what is no header, and cuts at line ends and white space.
        expect([value, [200, 400, 401].includes(status)]).toEqual([value, true])
        if (status === 200) expect([value, body]).toEqual([value, JSON.stringify(named(value))])
      }
    }
  })

  test('a million bytes are refused before they are read', async () => {
    const [status, body] = await get(
      server.url,
      '/open/',
      `Authorization: Basic ${'A'.repeat(1e6)}`,
    )
    expect([status, JSON.parse(body)]).toEqual([431, { detail: expect.any(String) as string }])
  })

  const twice: readonly (readonly [string, readonly string[]])[] = [
    ['two users', ['Authorization: Basic am9lOnB3OjE=', 'Authorization: Token k-bob']],
    ['the same twice', ['Authorization: Token k-bob', 'Authorization: Token k-bob']],
    ['spelled otherwise', ['authorization: Token k-bob', 'AUTHORIZATION: Token k-ada']],
    ['an empty one first', ['Authorization:', 'Authorization: Token k-bob']],
    ['an empty one behind', ['Authorization: Token k-bob', 'Authorization: ']],
    ['three', ['Authorization: a', 'Authorization: b', 'Authorization: Token k-bob']],
  ]
  describe.each<[string, () => string]>([
    ['our server', () => server.url],
    ['mounted in another', mounted],
  ])('credentials twice are ambiguous: 400 (%s)', (_, url) => {
    test.each(twice)('%s', async (__, headers) => {
      for (const path of ['/open/', '/members/']) {
        const [status, body] = await get(url(), path, ...headers)
        expect([status, JSON.parse(body)]).toEqual([400, { detail: expect.any(String) as string }])
      }
    })
    test('where nobody asks for them it makes no difference', async () => {
      expect(await get(url(), '/schemeless/', ...twice[0]![1])).toEqual([200, '"anybody"'])
    })
    test('and once is once', async () => {
      const near = ['X-Authorization: Token k-ada', 'Proxy-Authorization: Token k-ada']
      const answer = await get(url(), '/members/', ...near, 'authorization: Token k-bob')
      expect(answer).toEqual([200, '"bob"'])
    })
  })
})

describe('through the fetch door', () => {
  const get = async (path: string, headers: [string, string][]) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
    return [response.status, await response.text()] as const
  }

  test.each([
    ['two users', 'Basic am9lOnB3OjE=', 'Token k-bob'],
    ['the same twice', 'Token k-bob', 'Token k-bob'],
    ['an unknown scheme first', 'Bearer x', 'Token k-bob'],
    ['an unknown scheme behind', 'Token k-bob', 'Bearer x'],
  ])(
    'the platform joins headers that come twice, which are refused all the same: %s',
    async (_, a, b) => {
      const [status] = await get('/members/', [
        ['authorization', a],
        ['authorization', b],
      ])
      expect(status).toBe(400)
    },
  )

  test('any byte that the platform lets through', async () => {
    for (const byte of BYTES) {
      for (const value of [`Basic am9l${byte}OnB3OjE=`, `Token k-bob${byte}`]) {
        let headers: Headers
        try {
          headers = new Headers([['authorization', value]])
        } catch {
          continue
        }
        const [status, body] = await get('/open/', [...headers])
        expect([200, 401]).toContain(status)
        if (status === 200) expect([value, body]).toEqual([value, JSON.stringify(named(value))])
      }
    }
  })

  test('a million bytes cost what their length costs', () =>
    expectLinear(
      async (size) => {
        const [status] = await get('/open/', [['authorization', `Basic ${'A'.repeat(size)}`]])
        expect(status).toBe(401)
      },
      { size: LARGE },
    ))
})

test('and nothing of all this was our fault', () => {
  expect(log.records).toEqual([])
})
