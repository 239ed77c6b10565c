// What strangers, neighbours and providers that lie send: refused with one page, never a 500. Log-ins that go well: provider-login.test.ts.
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose'
import { client } from '../../../../src/testing.ts'
import { migratedSqlite } from '../../../contract/temporary.ts'
import { type StageOptions, stage } from './stage.ts'

const ISSUER = 'https://id.example.com'
const REFUSED = 'This log-in could not be finished. Begin it again.'
type Cookies = Readonly<Record<string, string>>

let keys: Awaited<ReturnType<typeof generateKeyPair>>
let others: typeof keys
beforeAll(async () => {
  ;[keys, others] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
})

interface Signing {
  readonly alg?: string
  readonly typ?: string
  readonly kid?: string
  readonly key?: CryptoKey | Uint8Array
}

async function signed(claims: object, { alg = 'RS256', typ, kid, key }: Signing = {}) {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: ISSUER, aud: 'books', sub: 'ada', iat: now, exp: now + 300 }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg, ...(typ && { typ }), ...(kid && { kid }) })
    .sign(key ?? keys.privateKey)
}

/** A provider that answers as a test wants: by path, in place of what it would answer. */
async function open(
  lies: Readonly<Record<string, (nonce: string) => unknown>> = {},
  options: Partial<StageOptions> = {},
) {
  let nonce = ''
  const asked: string[] = []
  const answers: typeof lies = {
    '/.well-known/openid-configuration': () => ({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
      authorization_response_iss_parameter_supported: true,
    }),
    '/keys': async () => ({ keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'RS256' }] }),
    '/token': async () => ({
      token_type: 'Bearer',
      access_token: 'a',
      id_token: await signed({ nonce }),
    }),
    ...lies,
  }
  const network = async (url: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(url as string)
    asked.push(pathname)
    const gaveUp = new Promise((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal!.reason as Error)),
    )
    const answer = await Promise.race([answers[pathname]!(nonce), gaveUp])
    return answer instanceof Response ? answer : Response.json(answer)
  }
  const more = { fetch: network, ...options.more }
  const service = await stage({
    providers: { one: ISSUER, two: 'https://other.example.com' },
    create: true,
    ...options,
    more,
  })
  onTestFinished(() => service.close())
  const { get, post } = client(service.app)
  const begin = async (path = '/login/one/') => {
    const answer = await get(path)
    const address = new URL(answer.header('location') ?? 'none:')
    const state = address.searchParams.get('state') ?? ''
    nonce = address.searchParams.get('nonce') ?? ''
    return { answer, address, state, cookies: answer.cookies }
  }
  const back = async (query: Readonly<Record<string, string>>, cookies: Cookies, name = 'one') =>
    get(`/login/${name}/callback/?${new URLSearchParams({ code: 'c', iss: ISSUER, ...query })}`, {
      cookies,
    })
  const all = async () => {
    const { state, cookies } = await begin()
    return back({ state }, cookies)
  }
  return { ...service, get, post, begin, back, all, asked }
}

test('a log-in with this provider goes well', async () => {
  const { all, accounts } = await open()
  const answer = await all()
  expect([answer.status, answer.header('location')]).toEqual([302, '/'])
  expect(await accounts.users.byUsername('id.example.com#ada')).not.toBeNull()
})

describe('A callback', () => {
  const TABLE: Readonly<
    Record<
      string,
      (service: Awaited<ReturnType<typeof open>>) => Promise<{ status: number; text: string }>
    >
  > = {
    'of another browser': async ({ begin, back }) => back({ state: (await begin()).state }, {}),
    'with the state of another browser': async ({ begin, back }) => {
      const { cookies } = await begin()
      return back({ state: (await begin()).state }, cookies)
    },
    'without a state': async ({ begin, back }) => back({ state: '' }, (await begin()).cookies),
    'with two states': async ({ begin, get }) => {
      const { state, cookies } = await begin()
      return get(`/login/one/callback/?code=c&iss=${ISSUER}&state=${state}&state=${state}`, {
        cookies,
      })
    },
    'at the address of another provider': async ({ begin, back }) => {
      const { state, cookies } = await begin()
      return back({ state }, cookies, 'two')
    },
    'with the issuer of another provider': async ({ begin, back }) => {
      const { state, cookies } = await begin()
      return back({ state, iss: 'https://other.example.com' }, cookies)
    },
    'without the issuer that the provider has announced': async ({ begin, get }) => {
      const { state, cookies } = await begin()
      return get(`/login/one/callback/?code=c&state=${state}`, { cookies })
    },
    'after a refusal of the provider': async ({ begin, back }) => {
      const { state, cookies } = await begin()
      return back({ state, error: 'access_denied', error_description: '<b>secret</b>' }, cookies)
    },
    'with a cookie that was changed': async ({ begin, back }) => {
      const { state, cookies } = await begin()
      const sealed = cookies['provider_login']!
      return back({ state }, { provider_login: `${sealed.slice(0, -2)}AA` })
    },
    'with a cookie of 20,000 characters': async ({ begin, back }) =>
      back({ state: (await begin()).state }, { provider_login: `v1.${'A'.repeat(8000)}` }),
  }

  test.each(Object.entries(TABLE))('%s is refused', async (_, ask) => {
    const service = await open()
    const { status, text } = await ask(service)
    expect([status, text.includes(REFUSED)]).toEqual([400, true])
    expect(text).not.toContain('secret')
    expect(await service.accounts.users.count()).toBe(0)
    expect(service.asked).not.toContain('/token')
    expect(service.records).toMatchObject([{ event: 'openid.refused', reason: expect.any(String) }])
  })

  test('with an error in words of the browser has one reason in the log', async () => {
    const { begin, back, records } = await open()
    for (const error of ['a_code_of_my_own', 'another', 'x'.repeat(200)]) {
      const { state, cookies } = await begin()
      await back({ state, error }, cookies)
    }
    const reasons = records.map((record) => (record as { reason?: string }).reason)
    expect(new Set(reasons)).toEqual(new Set(['the provider answered an error']))
  })

  test('counts once: the browser forgets it, whatever came of it', async () => {
    const { begin, back } = await open()
    const { state, cookies } = await begin()
    const first = await back({ state }, cookies)
    expect(first.status).toBe(302)
    expect((await back({ state }, first.cookies)).status).toBe(400)
    const other = await begin()
    const refused = await back({ state: other.state, iss: 'https://evil.example' }, other.cookies)
    expect(refused.header('set-cookie')).toContain('provider_login=; Max-Age=0')
  })

  test('is too late after ten minutes', async () => {
    let now = Date.now()
    const { begin, back } = await open({}, { now: () => now })
    const { state, cookies } = await begin()
    now += 600_000
    expect((await back({ state }, cookies)).status).toBe(400)
  })

  test('of a fifth tab pushes the first out, and the cookie stays short', async () => {
    const { get, back } = await open()
    const states: string[] = []
    let cookies: Cookies = {}
    for (let tab = 0; tab < 6; tab += 1) {
      const next = `/${'a'.repeat(1800)}`
      const answer = await get(`/login/one/?next=${next}`, { cookies })
      cookies = answer.cookies
      expect(answer.header('set-cookie')!.length).toBeLessThan(4096)
      states.push(new URL(answer.header('location')!).searchParams.get('state')!)
    }
    expect((await back({ state: states[0]! }, cookies)).status).toBe(400)
  })

  test.each([`/${'é'.repeat(1900)}`, `/?${'"'.repeat(1900)}`])(
    'counts also where its place is long when it is written out: %s',
    async (next) => {
      const { begin, back } = await open()
      const { state, cookies } = await begin(`/login/one/?next=${encodeURIComponent(next)}`)
      expect((await back({ state }, cookies)).header('location')).toBe('/')
    },
  )
})

describe('Afterwards', () => {
  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    'javascript:alert(1)',
    `/${'a'.repeat(3000)}`,
  ])('a browser is not led to %s', async (next) => {
    const { begin, back } = await open()
    const { state, cookies } = await begin(`/login/one/?next=${encodeURIComponent(next)}`)
    expect((await back({ state }, cookies)).header('location')).toBe('/')
  })
})

describe('An ID token', () => {
  const token = (make: (nonce: string) => Promise<unknown>) => async (nonce: string) => ({
    token_type: 'Bearer',
    access_token: 'a',
    id_token: await make(nonce),
  })
  const SECRET = new TextEncoder().encode('a secret of the client, 32 bytes long')
  const hour = () => Math.floor(Date.now() / 1000) - 3600

  test.each<[string, (nonce: string) => Promise<unknown>]>([
    ['of another log-in', async () => signed({ nonce: 'another' })],
    ['without a nonce', async () => signed({})],
    ['for another service', async (nonce) => signed({ nonce, aud: 'others' })],
    ['for several, without azp', async (nonce) => signed({ nonce, aud: ['books', 'others'] })],
    ['for several, of another', async (nonce) => signed({ nonce, aud: ['books', 'o'], azp: 'o' })],
    ['of another issuer', async (nonce) => signed({ nonce, iss: 'https://other.example.com' })],
    ['that has expired', async (nonce) => signed({ nonce, iat: hour(), exp: hour() + 60 })],
    ['without a subject', async (nonce) => signed({ nonce, sub: undefined })],
    ['with an empty subject', async (nonce) => signed({ nonce, sub: '' })],
    [
      'with a subject that no table holds',
      async (nonce) => signed({ nonce, sub: 'a'.repeat(256) }),
    ],
    ['with a subject that is no text', async (nonce) => signed({ nonce, sub: 7 })],
    ['by another key', async (nonce) => signed({ nonce }, { key: others.privateKey })],
    [
      'by another algorithm',
      async (nonce) =>
        signed({ nonce }, { alg: 'PS256', key: (await generateKeyPair('PS256')).privateKey }),
    ],
    [
      'by the secret of the client',
      async (nonce) => signed({ nonce }, { alg: 'HS256', key: SECRET }),
    ],
    [
      'without a signature',
      async (nonce) =>
        new UnsecuredJWT({ nonce, sub: 'ada' })
          .setIssuer(ISSUER)
          .setAudience('books')
          .setIssuedAt()
          .setExpirationTime('5m')
          .encode(),
    ],
    ['that is none', async () => 'a.b.c'],
    ['that is a number', async () => 7],
    ['that is not there', async () => undefined],
  ])('%s is refused', async (_, make) => {
    const { all, accounts, records } = await open({ '/token': token(make) })
    const answer = await all()
    expect([answer.status, answer.text.includes(REFUSED)]).toEqual([400, true])
    expect(answer.cookies['sessionid']).toBeUndefined()
    expect(await accounts.users.count()).toBe(0)
    expect(records).toMatchObject([{ event: 'openid.refused', provider: 'one' }])
  })

  test.each([
    ['a user name that is no text', { username: 7 }],
    ['an address that is no text', { email: ['a@example.com'] }],
    ['a user name that cannot be one', { username: 'a\0' }],
  ])('that gives an account %s is refused', async (_, made) => {
    const { all, accounts } = await open({}, { create: () => made as never })
    expect((await all()).status).toBe(400)
    expect(await accounts.users.count()).toBe(0)
  })
})

describe('A provider', () => {
  const GARBAGE = {
    'a page': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    'a page as JSON': () =>
      new Response('<html>', { headers: { 'content-type': 'application/json' } }),
    null: () => Response.json(null),
    'a list': () => Response.json([]),
    nothing: () => new Response(null, { status: 204 }),
    'another place': () => new Response(null, { status: 302, headers: { location: ISSUER } }),
  }
  const long = () => new Response('a'.repeat(300 * 1024))
  const silent = () => new Promise(() => {})
  const SHORT = { more: { timeout: 500 } }
  const failing = () => new Response('no', { status: 500 })
  const broken = () => Promise.reject(new TypeError('fetch failed'))
  const elsewhere = (more: object) => () => ({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/keys`,
    ...more,
  })

  test.each<[string, () => unknown]>([
    ['is away', broken],
    ['fails', failing],
    ['does not answer', silent],
    ['sends more than we take', long],
    ['sends no JSON', () => new Response('<html>')],
    ['sends null', () => null],
    ['calls itself another', elsewhere({ issuer: 'https://other.example.com' })],
    ['has no address of keys', elsewhere({ jwks_uri: undefined })],
    ['sends people to a script', elsewhere({ authorization_endpoint: 'javascript:alert(1)' })],
    ['ends sessions by a script', elsewhere({ end_session_endpoint: 'javascript:alert(1)' })],
    ['takes codes in the open', elsewhere({ token_endpoint: 'http://id.example.com/token' })],
  ])('that %s is asked once in a cool-down, and passwords go on', async (_, lie) => {
    let now = Date.now()
    const { get, asked, records } = await open(
      { '/.well-known/openid-configuration': lie },
      { now: () => now, ...(lie === silent && SHORT) },
    )
    const answers = await Promise.all(Array.from({ length: 5 }, () => get('/login/one/')))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(503))
    expect(answers[0]!.header('retry-after')).toBe('10')
    expect(answers[0]!.text).toContain('The provider does not answer.')
    expect((await get('/login/one/')).status).toBe(503)
    expect(asked).toHaveLength(1)
    expect(records).toMatchObject([{ event: 'openid.unavailable', provider: 'one' }])
    expect((await get('/login/')).status).toBe(200)
    now += 10_000
    await get('/login/one/')
    expect(asked).toHaveLength(2)
  })

  test.each<[string, string, () => unknown]>([
    ['is away for codes', '/token', broken],
    ['fails at codes', '/token', failing],
    ['answers codes with more than we take', '/token', long],
    ['does not answer codes', '/token', silent],
    [
      'does not know our secret',
      '/token',
      () => Response.json({ error: 'invalid_client' }, { status: 401 }),
    ],
    ...[400, 401].map((status): [string, string, () => unknown] => [
      `does not know our client: ${status}`,
      '/token',
      () => Response.json({ error: 'unauthorized_client' }, { status }),
    ]),
    ['refuses us in words', '/token', () => new Response('Who are you?', { status: 401 })],
    ['is away for keys', '/keys', broken],
    ['fails at keys', '/keys', failing],
    ['has no keys', '/keys', () => ({ keys: [] })],
    ...['/token', '/keys'].flatMap((path) =>
      Object.entries(GARBAGE).map(([form, lie]): [string, string, () => unknown] => [
        `answers ${form} at ${path}`,
        path,
        lie,
      ]),
    ),
    ['is asked too much', '/token', () => Response.json({ error: 'slow_down' }, { status: 429 })],
  ])('that %s is a 503', async (_, path, lie) => {
    const { all, accounts, records } = await open({ [path]: lie }, lie === silent ? SHORT : {})
    const answer = await all()
    // Keys are asked for again after the cool-down.
    expect([answer.status, answer.header('retry-after')]).toEqual([
      503,
      path === '/keys' ? '10' : '1',
    ])
    expect(answer.text).toContain('The provider does not answer.')
    expect(answer.header('set-cookie')).toContain('provider_login=; Max-Age=0')
    expect(await accounts.users.count()).toBe(0)
    expect(records).toMatchObject([{ event: 'openid.unavailable' }])
  })

  test('that has new keys of which it said nothing is asked for them at once', async () => {
    let [kid, key] = ['old', keys]
    const { all, asked } = await open({
      '/keys': async () => ({ keys: [{ ...(await exportJWK(key.publicKey)), kid }] }),
      '/token': async (nonce) => ({
        token_type: 'Bearer',
        access_token: 'a',
        id_token: await signed({ nonce }, { key: key.privateKey, kid }),
      }),
    })
    for (let at = 0; at < 2; at++) expect((await all()).status).toBe(302)
    ;[kid, key] = ['new', others]
    for (let at = 0; at < 2; at++) expect((await all()).status).toBe(302)
    expect(asked.filter((path) => path === '/keys')).toHaveLength(2)
  })

  test('whose code was used already is a refusal, with nothing of its words', async () => {
    const refusal = { error: 'invalid_grant', error_description: 'secret' }
    const { all, records } = await open({ '/token': () => Response.json(refusal, { status: 400 }) })
    const answer = await all()
    expect([answer.status, answer.text.includes('secret')]).toEqual([400, false])
    expect(records).toMatchObject([{ reason: 'for the code it got invalid_grant' }])
    expect(JSON.stringify(records)).not.toContain('secret')
  })

  test('are guesses of the client, and ask no more once too many were wrong', async () => {
    let isRight = false
    const refusal = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    const token = async (nonce: string) =>
      isRight
        ? { token_type: 'Bearer', access_token: 'a', id_token: await signed({ nonce }) }
        : refusal()
    const { all, asked } = await open({ '/token': token }, { failures: '3/10m' })
    isRight = true
    // Right ones count nothing.
    for (let at = 0; at < 5; at++) expect((await all()).status).toBe(302)
    isRight = false
    const statuses = []
    for (let at = 0; at < 5; at++) statuses.push((await all()).status)
    expect(statuses).toEqual([400, 400, 400, 429, 429])
    expect(asked.filter((path) => path === '/token')).toHaveLength(8)
  })

  test('is asked for a callback again only until too many were wrong, though it was right once', async () => {
    const used = new Set<string>()
    const token = async (nonce: string) => {
      if (used.has(nonce)) return Response.json({ error: 'invalid_grant' }, { status: 400 })
      used.add(nonce)
      return { token_type: 'Bearer', access_token: 'a', id_token: await signed({ nonce }) }
    }
    const { begin, back, asked } = await open({ '/token': token }, { failures: '3/10m' })
    const { state, cookies } = await begin()
    const statuses = []
    for (let at = 0; at < 7; at++) statuses.push((await back({ state }, cookies)).status)
    expect(statuses).toEqual([302, 400, 400, 400, 429, 429, 429])
    expect(asked.filter((path) => path === '/token')).toHaveLength(4)
  })

  test('that says that its user gave up counts for nothing, and is asked nothing', async () => {
    const refusal = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    const { begin, back, asked } = await open({ '/token': refusal }, { failures: '3/10m' })
    const statusOf = async (error: string) => {
      const { state, cookies } = await begin()
      return (await back({ state, error }, cookies)).status
    }
    for (let at = 0; at < 5; at++) expect(await statusOf('access_denied')).toBe(400)
    expect(asked).not.toContain('/token')
    // An empty error is none: such a callback asks.
    const statuses = []
    for (let at = 0; at < 5; at++) statuses.push(await statusOf(''))
    expect(statuses).toEqual([400, 400, 400, 429, 429])
    expect(asked.filter((path) => path === '/token')).toHaveLength(3)
  })

  test('goes on with old metadata while they cannot be fetched', async () => {
    let [now, isAway] = [Date.now(), false]
    const metadata = () => (isAway ? broken() : elsewhere({})())
    const { get } = await open(
      { '/.well-known/openid-configuration': metadata },
      { now: () => now },
    )
    expect((await get('/login/one/')).status).toBe(302)
    isAway = true
    now += 3_600_000
    expect((await get('/login/one/')).status).toBe(302)
  })
})

describe('A logout token', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const typ = 'logout+jwt'
  const logout = (claims: object = {}, signing: Signing = {}) =>
    signed({ events, jti: 'one', ...claims }, { typ, ...signing })

  async function loggedIn(options: Partial<StageOptions> = {}) {
    const service = await open({}, options)
    const { cookies } = await service.all()
    const send = async (token: string) =>
      service.post('/login/one/logged-out/', { form: { logout_token: token } })
    const isIn = async () => (await service.get('/', { cookies })).status === 200
    expect(await isIn()).toBe(true)
    return { ...service, send, isIn }
  }

  test('ends the sessions of its user, and is taken once', async () => {
    const { send, isIn, all, get } = await loggedIn()
    const token = await logout()
    const answer = await send(token)
    expect([answer.status, answer.header('cache-control')]).toEqual([200, 'no-store'])
    expect(await isIn()).toBe(false)
    const { cookies } = await all()
    expect((await send(token)).status).toBe(400)
    expect((await get('/', { cookies })).status).toBe(200)
  })

  test('is taken again where the database ended nothing when it came first', async () => {
    const database = await migratedSqlite()
    const { send, isIn } = await loggedIn({ database })
    const write = async (sql: string) => database.write({ sql, parameters: [] })
    await write(
      "create trigger away before delete on colophon_session begin select raise(abort, 'away'); end",
    )
    const token = await logout()
    expect((await send(token)).status).toBe(500)
    expect(await isIn()).toBe(true)
    await write('drop trigger away')
    expect((await send(token)).status).toBe(200)
    expect([await isIn(), (await send(token)).status]).toEqual([false, 400])
  })

  test('that comes again at the same moment waits for the first, and is taken where that failed', async () => {
    const { accounts, send, isIn } = await loggedIn()
    const endAllOf = accounts.sessions.endAllOf.bind(accounts.sessions)
    const ending = vi.spyOn(accounts.sessions, 'endAllOf')
    const failing = Promise.withResolvers<number>()
    ending.mockImplementationOnce(async () => failing.promise)
    ending.mockImplementation(endAllOf)
    const token = await logout()
    const statusOf = async () => (await send(token)).status
    const first = statusOf()
    await vi.waitFor(() => expect(ending).toHaveBeenCalledOnce())
    const later = Promise.all([statusOf(), statusOf()])
    // They are there long before the first one has failed.
    await setTimeout(20)
    expect(ending).toHaveBeenCalledOnce()
    failing.reject(new Error('away'))
    expect([await first, (await later).toSorted()]).toEqual([500, [200, 400]])
    expect([ending.mock.calls.length, await isIn()]).toEqual([2, false])
  })

  test.each<[string, () => Promise<string>]>([
    ['that is an ID token', () => signed({ nonce: 'n' })],
    ['without events', () => logout({ events: undefined })],
    ['of another event', () => logout({ events: { other: {} } })],
    ['of an event of null', () => logout({ events: { [Object.keys(events)[0]!]: null } })],
    ['of a list of events', () => logout({ events: { [Object.keys(events)[0]!]: [] } })],
    ['with a nonce', () => logout({ nonce: 'n' })],
    ['without a type', () => signed({ events, jti: 'one' })],
    ['without an id', () => logout({ jti: undefined })],
    ['with a huge id', () => logout({ jti: 'a'.repeat(300) })],
    ['without a subject', () => logout({ sub: undefined, sid: 's' })],
    ['without a time', () => logout({ iat: undefined })],
    ['that is old', () => logout({ iat: Math.floor(Date.now() / 1000) - 400 })],
    ['for another service', () => logout({ aud: 'others' })],
    ['of another issuer', () => logout({ iss: 'https://other.example.com' })],
    ['by another key', () => logout({}, { key: others.privateKey })],
    ['that is too long', () => logout({ more: 'a'.repeat(10_000) })],
    ['that is none', async () => 'none'],
    ['that is not there', async () => ''],
  ])('%s is refused', async (_, make) => {
    const { send, isIn, records } = await loggedIn()
    expect((await send(await make())).status).toBe(400)
    expect(await isIn()).toBe(true)
    expect(records.at(-1)).toMatchObject({ event: 'openid.refused' })
  })

  test('of a user who has no account is taken, and in no form but one', async () => {
    const { send, isIn, post } = await loggedIn()
    expect((await send(await logout({ sub: 'bob' }))).status).toBe(200)
    expect((await post('/login/one/logged-out/', { json: { logout_token: 'a' } })).status).toBe(415)
    expect(await isIn()).toBe(true)
  })
})
