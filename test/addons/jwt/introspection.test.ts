import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  IntrospectionAuthentication,
  type IntrospectionAuthenticationOptions,
} from '../../../src/jwt.ts'
import { configurationOf, defineApi } from '../../../src/index.ts'
import { client as clientOf } from '../../../src/testing.ts'
import { AUDIENCE, CLAIMS, ISSUER, NOW, serviceWith } from './provider.ts'

type Answer = object | ((response: ServerResponse) => void)

/** What the provider was asked, and what it says of any token. */
let asked: { readonly authorization: string | undefined; readonly body: string }[] = []
let answer: Answer = {}
let endpoint = ''
const server = createServer((request, response) => {
  void text(request).then((body) => {
    asked.push({ authorization: request.headers.authorization, body })
    if (typeof answer === 'function') answer(response)
    else response.end(JSON.stringify(answer))
  })
})
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`
})
beforeEach(() => {
  asked = []
  answer = { active: true, ...CLAIMS, token_type: 'Bearer' }
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const client = { id: 'books api', secret: 'p:w%' }
const service = (
  more: Partial<IntrospectionAuthenticationOptions<{ readonly username?: string }, object>> = {},
) =>
  serviceWith((now) => [
    new IntrospectionAuthentication({
      issuer: ISSUER,
      audience: AUDIENCE,
      endpoint,
      client,
      now,
      ...more,
    }),
  ])

describe('An opaque token', () => {
  test('is what the provider says of it, and asked for once in a minute', async () => {
    const { ask, clock } = service()
    const all = await Promise.all(Array.from({ length: 20 }, async () => ask('opaque-1')))
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect(all[0]!.data).toMatchObject({
      user: { username: 'ada' },
      auth: { scopes: ['read', 'write'] },
    })
    expect(asked).toEqual([
      {
        authorization: `Basic ${btoa('books%20api:p%3Aw%25')}`,
        body: 'token=opaque-1&token_type_hint=access_token',
      },
    ])
    answer = { active: false }
    clock.now += 59_999
    expect((await ask('opaque-1')).status).toBe(200)
    clock.now += 1
    expect((await ask('opaque-1')).status).toBe(401)
    expect(asked).toHaveLength(2)
  })

  test('that is wrong is asked for once in a minute, too', async () => {
    answer = { active: false }
    const { ask, clock, records } = service()
    for (const _ of [1, 2, 3]) {
      const refused = await ask('wrong')
      expect(refused.status).toBe(401)
      expect(refused.header('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"')
    }
    expect(asked).toHaveLength(1)
    expect(records).toMatchObject([{ event: 'jwt.refused', reason: 'not active' }])
    clock.now += 60_000
    await ask('wrong')
    expect(asked).toHaveLength(2)
  })

  test('holds no longer when the clock is set back, whatever was answered', async () => {
    const { ask, clock } = service()
    expect((await ask('taken-back')).status).toBe(200)
    answer = { active: false }
    await ask('wrong')
    clock.now -= 10_000
    expect((await ask('taken-back')).status).toBe(401)
    answer = { active: true, ...CLAIMS }
    expect((await ask('wrong')).status).toBe(200)
    expect(asked).toHaveLength(4)
  })

  test('may have nothing but what is needed: it holds as long as it is remembered', async () => {
    answer = { active: true, sub: 'ada', aud: AUDIENCE }
    expect((await service().ask('a')).data).toMatchObject({
      auth: {
        claims: { iss: ISSUER },
        scopes: [],
        expires: '2027-01-15T08:01:00Z',
      },
    })
  })

  test.each<readonly [string, object, string]>([
    ['is not active', { active: false }, 'not active'],
    ['of another issuer', { iss: 'https://evil.example.com/' }, 'claim iss'],
    ['for another service', { aud: 'https://other.example.com/' }, 'claim aud'],
    ['for no service', { aud: undefined }, 'claim aud'],
    ['of no subject', { sub: null }, 'claim sub'],
    ['of a person who is called as a client', { sub: 'client:backup' }, 'claim sub'],
    ['from the future', { nbf: NOW + 31 }, 'claim nbf'],
    ['with nbf as a text', { nbf: '0' }, 'claim nbf'],
    ['issued later', { iat: NOW + 31 }, 'claim iat'],
    ['with exp as a text', { exp: String(NOW + 300) }, 'claim exp'],
    ['that is bound to a key', { token_type: 'DPoP' }, 'claim token_type'],
    ['that is bound to a certificate', { cnf: { 'x5t#S256': 'x' } }, 'claim cnf'],
    ['of a strange type', { token_type: ['Bearer'] }, 'claim token_type'],
    ['without a claim that is required', { client_id: undefined }, 'claim client_id'],
  ])('%s is refused', async (_, claims, reason) => {
    answer = { active: true, ...CLAIMS, client_id: 'x', ...claims }
    const { ask, records } = service({ required: ['client_id'] })
    expect((await ask('opaque')).status).toBe(401)
    expect(records).toMatchObject([{ event: 'jwt.refused', reason }])
  })

  test.each<readonly [string, object, object]>([
    ['that has expired', { exp: NOW - 31 }, {}],
    ['that is too old', { iat: NOW - 131 }, { maxTokenAge: 100 }],
    ['that may be too old', { iat: undefined }, { maxTokenAge: 100 }],
  ])('%s is called so', async (_, claims, options) => {
    answer = { active: true, ...CLAIMS, ...claims }
    const { data } = await service(options).ask('opaque')
    expect(data).toEqual({ detail: 'The token has expired.' })
  })

  test('of a client itself has the client as its subject, and no user of that name', async () => {
    answer = { active: true, ...CLAIMS, sub: undefined, client_id: 'ada' }
    const { ask } = service({ maxTokenAge: 100 })
    expect((await ask('opaque')).data).toMatchObject({ user: { username: 'client:ada' } })
  })

  test.each(['a"b', 'a\\b', '\u00e9', '=', 'x'.repeat(8193)])(
    'that is none is not asked for: %j',
    async (token) => {
      expect((await service().ask(token)).status).toBe(401)
      expect(asked).toEqual([])
    },
  )

  test('leaves signed ones to others, where it should', async () => {
    const { ask } = service({ passOthers: true })
    expect((await ask('a.b.c', '/open/')).status).toBe(200)
    expect(asked).toEqual([])
    expect((await ask('a.b', '/me/')).status).toBe(200)
  })
})

describe('Where wrong credentials are limited', () => {
  const limited = (rate: string) => {
    const authentication = [
      new IntrospectionAuthentication({
        issuer: ISSUER,
        audience: AUDIENCE,
        endpoint,
        client,
        now: () => NOW * 1000,
      }),
    ]
    const logger = { error: () => {} }
    const api = defineApi({
      urls: { me: '/me/' },
      logger,
      authentication,
      credentialFailures: rate,
    })
    const app = api.serve([api.endpoint('me').get(() => 'me')], {
      configuration: configurationOf(),
    })
    return async (token: string) =>
      (await clientOf(app).get('/me/', { headers: { authorization: `Bearer ${token}` } })).status
  }
  const long = (at: number) => `wrong-${at}`.padEnd(40, 'x')

  test.each(['at once', 'one after the other'])(
    'as many wrong tokens cost a question as may be wrong, %s',
    async (order) => {
      const ask = limited('10/10m')
      expect(await ask('known'.padEnd(40, 'x'))).toBe(200)
      answer = { active: false }
      const numbers = Array.from({ length: 200 }, (_, at) => at)
      const statuses: number[] = []
      if (order === 'at once')
        statuses.push(...(await Promise.all(numbers.map(async (at) => ask(long(at))))))
      else for (const at of numbers) statuses.push(await ask(long(at)))
      expect(statuses.filter((status) => status === 401)).toHaveLength(10)
      expect(statuses.filter((status) => status === 429)).toHaveLength(190)
      expect(asked).toHaveLength(11)
      expect(await ask('known'.padEnd(40, 'x'))).toBe(200)
    },
  )

  test('right ones pass, each with one question, however many come at once', async () => {
    const ask = limited('2/10m')
    const all = Array.from({ length: 60 }, async (_, at) => ask(long(at % 6)))
    expect(new Set(await Promise.all(all))).toEqual(new Set([200]))
    expect(asked).toHaveLength(6)
  })

  test('those that have expired do not count', async () => {
    const ask = limited('1/10m')
    answer = { active: true, ...CLAIMS, exp: NOW - 31 }
    for (const at of [1, 2, 3]) expect(await ask(long(at))).toBe(401)
    answer = { active: true, ...CLAIMS }
    expect(await ask(long(4))).toBe(200)
  })
})

describe('A provider that', () => {
  test.each<readonly [string, (response: ServerResponse) => void]>([
    ['is broken', (response) => response.writeHead(500).end()],
    ['does not know this service', (response) => response.writeHead(401).end('{"active":true}')],
    ['refuses this service', (response) => response.writeHead(403).end()],
    ['is asked too often', (response) => response.writeHead(429).end()],
    ['has waited too long', (response) => response.writeHead(408).end()],
    ['has moved', (response) => response.writeHead(307, { location: endpoint }).end()],
    ['sends a page', (response) => response.end('<p>Log in')],
    ['sends null', (response) => response.end('null')],
    ['says nothing of the token', (response) => response.end('{"error":"x"}')],
    ['says yes as a text', (response) => response.end('{"active":"true"}')],
    ['sends too much', (response) => response.end(' '.repeat(256 * 1024 + 1))],
    ['hangs up', (response) => response.destroy()],
    ['does not answer', () => {}],
  ])('%s costs one request in a cool-down, and tokens that are known go on', async (name, lie) => {
    const { ask, clock, records } = service(name === 'does not answer' ? { timeout: 1000 } : {})
    expect((await ask('known')).status).toBe(200)
    answer = lie
    const away = await ask('new')
    expect([away.status, away.header('retry-after')]).toEqual([503, '5'])
    expect(records).toMatchObject([{ event: 'jwt.introspection_unavailable', address: endpoint }])
    expect((await ask('other')).status).toBe(503)
    expect((await ask('known')).status).toBe(200)
    expect(asked).toHaveLength(2)
    answer = { active: true, ...CLAIMS }
    clock.now += 5000
    expect((await ask('new')).status).toBe(200)
  })

  test('that failed is asked again at once when the clock is set back', async () => {
    const { ask, clock } = service()
    answer = (response: ServerResponse) => response.destroy()
    expect((await ask('a')).status).toBe(503)
    answer = { active: true, ...CLAIMS }
    clock.now -= 10_000
    expect((await ask('a')).status).toBe(200)
  })

  test.each([400, 404, 422])('answers %d refuses that token alone', async (status) => {
    const { ask, records } = service()
    answer = (response: ServerResponse) => response.writeHead(status).end('{"active":true}')
    expect((await ask('strange')).status).toBe(401)
    expect((await ask('strange')).status).toBe(401)
    expect(records).toMatchObject([
      { event: 'jwt.refused', reason: `not active: status ${status}` },
    ])
    answer = { active: true, ...CLAIMS }
    expect((await ask('good')).status).toBe(200)
    expect(asked).toHaveLength(2)
  })

  test('is slow is asked a hundred questions at once, and no more', async () => {
    const waiting: ServerResponse[] = []
    answer = (response: ServerResponse) => void waiting.push(response)
    const { ask } = service()
    const all = Array.from({ length: 120 }, async (_, at) => (await ask(`t-${at}`)).status)
    await expect.poll(() => waiting.length).toBe(100)
    for (const response of waiting) response.end(JSON.stringify({ active: true, ...CLAIMS }))
    const statuses = Object.groupBy(await Promise.all(all), String)
    expect([statuses['200']?.length, statuses['503']?.length]).toEqual([100, 20])
  })
})

const WITHOUT = /^(?!.*secret).*"endpoint" must be an address without a user or a password/

test.each<readonly [string, object, RegExp]>([
  ['without an audience', { audience: '' }, /IntrospectionAuthentication: "audience" is missing/],
  ['without an address', { endpoint: 'introspect' }, /"endpoint" must be an address/],
  ['with an address by http', { endpoint: 'http://id.example.com/' }, /"endpoint".*https/],
  ['with a password in the address', { endpoint: 'https://a:secret@id.example.com/' }, WITHOUT],
  ['with a user in the address', { endpoint: new URL('https://secret@id.example.com/') }, WITHOUT],
  ['without a client', { client: undefined }, /"client" must have an id and a secret/],
  [
    'without a secret',
    { client: { id: 'a', secret: '' } },
    /"client" must have an id and a secret/,
  ],
  ['with a time that is none', { rememberFor: -1 }, /"rememberFor" must be a number/],
  ['with an option that there is not', { jwks: 'x' }, /no option "jwks"/],
])('A service does not start %s', (_, options, message) => {
  const good = { issuer: ISSUER, audience: AUDIENCE, endpoint: 'https://id.example.com/', client }
  expect(() => new IntrospectionAuthentication({ ...good, ...options })).toThrow(message)
})
