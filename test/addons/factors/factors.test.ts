import { Secret, TOTP } from 'otpauth'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loginPages, reauthenticationPage, reauthenticationUrls } from '../../../src/browsable.ts'
import { loginUrls } from '../../../src/browsable.ts'
import { factorEndpoints, factorUrls, secondFactors } from '../../../src/factors.ts'
import { accountEndpoints, accountUrls } from '../../../src/admin.ts'
import {
  AuthenticationFailed,
  BasicAuthentication,
  ConfigurationError,
  IsRecentlyAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  defineApi,
  defineUrls,
  loginSession,
  obtainToken,
  obtainTokenPair,
  renewSession,
  showSession,
} from '../../../src/index.ts'
import { TokenFamilies } from '../../../src/accounts/families.ts'
import { Sessions } from '../../../src/accounts/sessions.ts'
import { Tokens } from '../../../src/accounts/tokens.ts'
import type { PasswordVerifier } from '../../../src/types.ts'
import { Browser, setCookie, tokenIn } from '../../behaviour/browser.ts'
import { doorsOn } from '../../behaviour/doors.ts'
import {
  type SessionService,
  startSessionsOnDatabases,
  startSessionsOnSqlite,
} from '../../behaviour/session-service.ts'

const services = await startSessionsOnDatabases()

function serve(
  { accounts, configuration, clock }: SessionService,
  more: { readonly credentialFailures?: '3/10m'; readonly logger?: SessionService['logger'] } = {},
) {
  const api = defineApi({
    ...more,
    urls: defineUrls({
      ...loginUrls,
      ...reauthenticationUrls,
      ...factorUrls,
      ...accountUrls,
      session: '/session/',
      token: '/token/',
      pair: '/pair/',
      'token-code': '/token/code/',
      'pair-code': '/pair/code/',
      'own-token': '/own/token/',
      'own-session': '/own/session/',
      me: '/me/',
    }),
    accounts,
    authentication: [
      new SessionAuthentication(accounts),
      new TokenAuthentication(accounts),
      new BasicAuthentication(accounts),
    ],
  })
  const factors = secondFactors({ accounts, issuer: 'Library', now: clock.now })
  const me = api.endpoint('me').get(({ user }) => user.username)
  const session = api
    .endpoint('session')
    .get(showSession({ accounts }))
    .post(loginSession({ accounts, factors }))
    .put(renewSession({ accounts, factors }))
  const token = api.endpoint('token').post(obtainToken({ accounts }))
  const pair = api.endpoint('pair').post(obtainTokenPair({ accounts }))
  const codes = [
    api.endpoint('token-code').post(obtainToken({ accounts, factors })),
    api.endpoint('pair-code').post(obtainTokenPair({ accounts, factors })),
  ]
  // What a program checks passwords with need not know of factors.
  const users: PasswordVerifier = {
    authenticate: async (username, ...sent) =>
      username === REFUSED ? null : accounts.users.authenticate(username, ...sent),
  }
  const theirs = { users, tokens: accounts.tokens, sessions: accounts.sessions }
  const own = [
    api.endpoint('own-token').post(obtainToken({ accounts: theirs, factors })),
    api.endpoint('own-session').post(loginSession({ accounts: theirs, factors })),
  ]
  // Proofs are as old as the clock of the test says.
  const permissions = [new IsRecentlyAuthenticated({ within: '10 minutes', now: clock.now })]
  return doorsOn(
    'SQLite',
    api.serve(
      [
        ...loginPages(api, { accounts, factors }),
        reauthenticationPage(api, { accounts, factors }),
        ...factorEndpoints(api, { accounts, factors, permissions }),
        ...accountEndpoints(api, { accounts }),
        session,
        token,
        pair,
        ...codes,
        ...own,
        me,
      ],
      { configuration },
    ),
  )[0]!
}

const STEP = 30_000
const REFUSED = 'refused'
const PASSKEY = { credentialId: 'AAAA', publicKey: '', transports: [], handle: '', counter: 0 }

describe.each(services)('second factors on $on', (service) => {
  const { accounts, clock, database, log } = service
  const door = serve(service)
  let people = 0

  const send = async (browser: Browser, question: string, json: unknown = {}) => {
    if (browser.cookie('csrftoken') === '') await browser.ask('GET /session/')
    const headers = { 'X-CSRFToken': browser.cookie('csrftoken') }
    const more = question.startsWith('GET') ? {} : { json, headers }
    const answer = await browser.ask(question, more)
    return { ...answer, data: answer.text === '' ? null : JSON.parse(answer.text) }
  }
  const form = async (browser: Browser, path: string, fields: Record<string, string>) => {
    const csrfmiddlewaretoken = browser.cookie('csrftoken')
    return browser.ask(`POST ${path}`, { form: { csrfmiddlewaretoken, ...fields } })
  }
  const who = async (browser: Browser) => JSON.parse((await browser.ask('GET /me/')).text)
  const codeOf = (secret: string, timestamp = clock.now()) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

  /** Someone new, with a session. */
  const someone = async () => {
    const username = `person${++people}`
    const user = await accounts.users.create({ username, password: 'wonderland' })
    const browser = new Browser(door)
    await send(browser, 'POST /session/', { username, password: 'wonderland' })
    return { username, user, browser }
  }
  /** Someone with an app that is confirmed; the code of now has been used. */
  const careful = async () => {
    const person = await someone()
    const { secret } = (await send(person.browser, 'POST /account/factors/app/')).data
    const confirmed = await send(person.browser, 'POST /account/factors/confirm/', {
      code: codeOf(secret),
    })
    if (confirmed.status !== 200) throw new Error(confirmed.text)
    const codes: string[] = confirmed.data.recovery_codes
    return { ...person, secret, codes, next: () => (clock.advance(STEP), codeOf(secret)) }
  }
  /** A browser in which the password was right. */
  const waiting = async (username: string) => {
    const browser = new Browser(door)
    const answer = await send(browser, 'POST /session/', { username, password: 'wonderland' })
    return { browser, answer }
  }

  test('an app counts after its first code, and not before', async () => {
    const { browser, username } = await someone()
    const begun = await send(browser, 'POST /account/factors/app/', { name: 'my phone' })
    expect(begun.status).toBe(201)
    expect(begun.data.uri).toMatch(/^otpauth:\/\/totp\/Library:person\d+\?issuer=Library&secret=/)
    expect((await waiting(username)).answer.status).toBe(200)
    const wrong = await send(browser, 'POST /account/factors/confirm/', { code: '000000' })
    expect([wrong.status, Object.keys(wrong.data)]).toEqual([400, ['code']])
    const code = codeOf(begun.data.secret)
    const right = await send(browser, 'POST /account/factors/confirm/', { code })
    expect(right.data.recovery_codes).toHaveLength(10)
    expect(right.data.recovery_codes[0]).toMatch(/^(?:[2-9a-z]{4}-){2}[2-9a-z]{4}$/)
    expect((await waiting(username)).answer.status).toBe(403)
    const { data } = await send(browser, 'GET /account/factors/')
    expect(data).toMatchObject({
      factors: [{ kind: 'totp', name: 'my phone' }],
      recovery_codes: 10,
    })
  })

  test('the first app ends the sessions that were begun without it, but for its own', async () => {
    const { browser, user, username } = await someone()
    const other = (await waiting(username)).browser
    const { refresh } = await accounts.families.begin(user)
    const { secret } = (await send(browser, 'POST /account/factors/app/')).data
    await send(browser, 'POST /account/factors/confirm/', { code: codeOf(secret) })
    expect([await who(browser), await who(other)]).toEqual([username, ''])
    expect(await accounts.families.use(refresh)).toBeNull()
  })

  test('a log-in waits for a code; a session begins with it, under another cookie', async () => {
    const { username, next } = await careful()
    const { browser, answer } = await waiting(username)
    expect([answer.status, answer.data]).toEqual([
      403,
      {
        detail: 'The password is right. Now a code of the second factor is needed.',
        code: 'second_factor_required',
      },
    ])
    expect(setCookie(answer, 'second_factor')).toContain('HttpOnly')
    expect([browser.cookie('sessionid'), await who(browser)]).toEqual(['', ''])
    const csrf = browser.cookie('csrftoken')
    const done = await send(browser, 'POST /session/', { code: next() })
    expect([done.status, done.data.user.username, await who(browser)]).toEqual([
      200,
      username,
      username,
    ])
    expect(browser.cookie('csrftoken')).not.toBe(csrf)
    expect(browser.cookie('second_factor')).toBe('')
  })

  test('each code is accepted once, also of a step before or behind, and no older one then', async () => {
    const { username, secret } = await careful()
    clock.advance(5 * STEP)
    const at = (step: number) => codeOf(secret, clock.now() + step * STEP)
    const attempt = async (code: string) =>
      (await send((await waiting(username)).browser, 'POST /session/', { code })).status
    expect(await attempt(at(-2))).toBe(400)
    expect(await attempt(at(2))).toBe(400)
    expect(await attempt(at(-1))).toBe(200)
    expect(await attempt(at(-1))).toBe(400)
    expect(await attempt(at(1))).toBe(200)
    expect(await attempt(at(0))).toBe(400)
  })

  test('of 100 uses of one code at the same moment, one is accepted', async () => {
    const { user, secret } = await careful()
    const [app] = await accounts.factors.apps(user)
    const step = Math.floor(clock.now() / STEP) + 7
    const uses = Array.from({ length: 100 }, () => accounts.factors.accept(user, app!, step))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
    expect(app!.secret).toBe(secret)
  })

  test('of 100 uses of one recovery code at the same moment, one is accepted', async () => {
    const { user, codes } = await careful()
    const uses = Array.from({ length: 100 }, () => accounts.factors.spend(user, codes[0]!))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
    expect(await accounts.factors.spend(user, codes[1]!.toUpperCase().replaceAll('-', ' '))).toBe(
      true,
    )
  })

  test('a recovery code lets in once; new ones take the place of all', async () => {
    const { username, codes, browser } = await careful()
    const attempt = async (code: string) =>
      (await send((await waiting(username)).browser, 'POST /session/', { code })).status
    expect([await attempt(codes[0]!), await attempt(codes[0]!)]).toEqual([200, 400])
    const { data } = await send(browser, 'POST /account/factors/recovery-codes/')
    expect(data.recovery_codes).toHaveLength(10)
    expect([await attempt(codes[1]!), await attempt(data.recovery_codes[9])]).toEqual([400, 200])
  })

  test('a password walks around a factor nowhere: not by Basic, and not for a token', async () => {
    const { username } = await careful()
    const credentials = { username, password: 'wonderland' }
    const headers = { authorization: `Basic ${btoa(`${username}:wonderland`)}` }
    for (const answer of [
      await new Browser(door).ask('GET /me/', { headers }),
      await new Browser(door).ask('POST /token/', { json: credentials }),
    ])
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, 'second_factor_required'])
    const user = (await accounts.users.byUsername(username))!
    expect(await accounts.tokens.of(user)).toEqual([])
    await expect(accounts.users.authenticate(username, 'wonderland')).rejects.toMatchObject({
      code: 'second_factor_required',
    })
  })

  test('a password that comes with the request begins the first app, and nothing after it; a token does neither', async () => {
    const { username, user } = await someone()
    // Basic proves it by the clock of the machine.
    vi.useFakeTimers({ now: clock.now(), toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const ask = async (authorization: string, path: string, json: object) => {
      const headers = { authorization }
      const { status, text } = await new Browser(door).ask(`POST ${path}`, { json, headers })
      return { status, data: JSON.parse(text) }
    }
    const basic = `Basic ${btoa(`${username}:wonderland`)}`
    const { key } = await accounts.tokens.obtain(user)
    const [begin, refused] = ['/account/factors/app/', 'reauthentication_required']
    expect((await ask(`Token ${key}`, begin, {})).data.code).toBe(refused)
    const { status, data } = await ask(basic, begin, {})
    expect(status).toBe(201)
    const code = codeOf(data.secret)
    expect((await ask(basic, '/account/factors/confirm/', { code })).status).toBe(200)
    for (const path of [begin, '/account/factors/recovery-codes/', '/account/factors/remove/'])
      expect([
        await ask(basic, path, { id: 1 }),
        await ask(`Token ${key}`, path, { id: 1 }),
      ]).toEqual([
        { status: 403, data: expect.objectContaining({ code: 'second_factor_required' }) },
        { status: 403, data: expect.objectContaining({ code: refused }) },
      ])
  })

  test.each(['/token/code/', '/pair/code/'])(
    '%s takes the code, once, and counts wrong ones',
    async (path) => {
      const { username, user, codes, next } = await careful()
      const attempt = async (more: object = {}, password = 'wonderland') => {
        const json = { username, password, ...more }
        const { status, data } = await send(new Browser(door), `POST ${path}`, json)
        return [status, data.code ?? data.non_field_errors ?? Object.keys(data)[0]]
      }
      const refused = [400, [expect.stringContaining('wrong')]]
      for (const more of [{}, { code: '' }])
        expect(await attempt(more)).toEqual([403, 'second_factor_required'])
      // A right code says nothing about a wrong password, and is not spent by it.
      const code = next()
      expect(await attempt({ code }, 'wrong')).toEqual(refused)
      expect((await attempt({ code }))[0]).toBe(200)
      expect(await attempt({ code: codes[0] })).toEqual([
        200,
        path === '/token/code/' ? 'token' : 'access_token',
      ])
      for (const wrong of [code, codes[0], '000000', '000001', {}, ['0'], 'x'.repeat(50)])
        expect(await attempt({ code: wrong })).toEqual([400, [expect.any(String)]])
      expect((await attempt({ code: next() }))[0]).toBe(429)
      expect((await attempt({}, 'wrong'))[0]).toBe(400)
      expect((await accounts.families.of(user)).length).toBe(path === '/token/code/' ? 0 : 2)
    },
  )

  test('a scope that cannot be kept spends no code', async () => {
    const { username, codes } = await careful()
    const attempt = async (scope: string) => {
      const json = { username, password: 'wonderland', code: codes[0], scope }
      const { status, data } = await send(new Browser(door), 'POST /pair/code/', json)
      return [status, Object.keys(data)[0]]
    }
    expect(await attempt('a"b')).toEqual([400, 'scope'])
    expect(await attempt('read')).toEqual([200, 'access_token'])
  })

  test('wrong codes of many users count as wrong credentials of their client', async () => {
    const limited = serve(service, { credentialFailures: '3/10m', logger: service.logger })
    const many = [await careful(), await careful(), await careful(), await careful()]
    // No password is known from a moment ago.
    clock.advance(STEP)
    const statuses = []
    for (const { username } of many) {
      const json = { username, password: 'wonderland', code: '000000' }
      statuses.push((await send(new Browser(limited), 'POST /pair/code/', json)).status)
    }
    expect(statuses).toEqual([400, 400, 400, 429])
  })

  test.each(['/token/code/', '/pair/code/'])('%s says where it asks for a code', async (path) => {
    const { username, next } = await careful()
    const asked = () =>
      log.filter(({ event, ...more }) => event === 'factor.asked' && more['user'] === username)
    const credentials = { username, password: 'wonderland' }
    await send(new Browser(door), `POST ${path}`, { ...credentials, code: next() })
    expect(asked()).toHaveLength(0)
    await send(new Browser(door), `POST ${path}`, credentials)
    expect(asked()).toHaveLength(1)
  })

  test('what a program checks passwords with is asked, and asks for no code less', async () => {
    await accounts.users.create({ username: REFUSED, password: 'wonderland' })
    const { username, next } = await careful()
    const attempt = async (path: string, json: object) => {
      const sent = { password: 'wonderland', ...json }
      const { status, data } = await send(new Browser(door), `POST ${path}`, sent)
      return [status, data.code]
    }
    for (const path of ['/own/token/', '/own/session/']) {
      expect(await attempt(path, { username: REFUSED })).toEqual([400, undefined])
      expect(await attempt(path, { username })).toEqual([403, 'second_factor_required'])
    }
    expect((await attempt('/own/token/', { username, code: '000000' }))[0]).toBe(400)
    expect((await attempt('/own/token/', { username, code: next() }))[0]).toBe(200)
  })

  test.each([
    ['POST /session/', Sessions.prototype, 'start'],
    ['POST /token/', Tokens.prototype, 'obtain'],
    ['POST /token/code/', Tokens.prototype, 'obtain'],
    ['POST /own/token/', Tokens.prototype, 'obtain'],
    ['POST /own/session/', Sessions.prototype, 'start'],
    ['POST /pair/', TokenFamilies.prototype, 'begin'],
    ['POST /pair/code/', TokenFamilies.prototype, 'begin'],
  ] as const)(
    'a factor that is added while a password begins something ends it: %s',
    async (question, made, method) => {
      const username = `person${++people}`
      const user = await accounts.users.create({ username, password: 'wonderland' })
      const begin: (...given: unknown[]) => Promise<unknown> = Reflect.get(made, method)
      const between = vi.spyOn(made as unknown as Record<string, typeof begin>, method)
      between.mockImplementationOnce(async function (this: unknown, ...given) {
        const app = await accounts.factors.begin(user, 'app', 'JBSWY3DPEHPK3PXP')
        await accounts.factors.confirm(user, app, 1)
        return begin.apply(this, given)
      })
      const browser = new Browser(door)
      const { status, data } = await send(browser, question, { username, password: 'wonderland' })
      between.mockRestore()
      expect([status, data.code]).toEqual([403, 'second_factor_required'])
      expect(browser.cookie('sessionid')).toBe('')
      expect(await accounts.families.endAll(user)).toBe(0)
      expect(await accounts.sessions.endAllOf(user)).toBe(0)
      // Only a session has a log-in that waits: it goes on.
      const waits = await send(browser, 'POST /session/', { code: '000000' })
      expect(waits.status).toBe(question.endsWith('/session/') ? 400 : 403)
    },
  )

  test('after five wrong codes, from wherever, the right one has to wait', async () => {
    const { username, next } = await careful()
    const attempt = async (code: string) =>
      (await send((await waiting(username)).browser, 'POST /session/', { code })).status
    const statuses = []
    for (const code of ['000000', '000001', 'x', 'abcd-efgh-jkmn', '9'.repeat(41)])
      statuses.push(await attempt(code))
    expect(statuses).toEqual([400, 400, 400, 400, 400])
    const refused = await send((await waiting(username)).browser, 'POST /session/', {
      code: next(),
    })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(300)
  })

  test('100 guesses at the same moment are no more than five', async () => {
    const { username } = await careful()
    const { browser } = await waiting(username)
    const guesses = Array.from({ length: 100 }, (_, at) =>
      send(browser, 'POST /session/', { code: String(100_000 + at) }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 400)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(95)
  })

  test('the wait for a code ends: after five minutes, with another password, with another browser', async () => {
    const one = await careful()
    const late = await waiting(one.username)
    clock.advance(300_000)
    expect((await send(late.browser, 'POST /session/', { code: one.next() })).status).toBe(403)
    const { browser } = await waiting(one.username)
    expect((await send(new Browser(door), 'POST /session/', { code: one.next() })).status).toBe(403)
    await accounts.users.setPassword(one.user, 'looking glass')
    expect((await send(browser, 'POST /session/', { code: one.next() })).status).toBe(403)
  })

  test('a waiting log-in of someone else, planted in a browser, gives nothing away', async () => {
    const [victim, attacker] = [await careful(), await careful()]
    const planted = (await waiting(attacker.username)).browser
    const code = victim.next()
    const answer = await send(planted, 'POST /session/', { code })
    expect([answer.status, await who(planted)]).toEqual([400, ''])
    // Nor does a session that was there before go on.
    const { browser } = await waiting(victim.username)
    for (const [name, value] of attacker.browser.cookies)
      if (name === 'sessionid') browser.cookies.set(name, value)
    await send(browser, 'POST /session/', { code })
    expect([await who(browser), await who(attacker.browser)]).toEqual([victim.username, ''])
  })

  test('needs a CSRF token', async () => {
    const { username, next } = await careful()
    const { browser } = await waiting(username)
    expect((await browser.ask('POST /session/', { json: { code: next() } })).status).toBe(403)
    expect((await browser.ask('POST /login/code/', { form: { code: next() } })).status).toBe(403)
  })

  test.each([
    '',
    'v1.',
    'x'.repeat(5000),
    'v1.AAAAAAAAAAAAAAAAAAAAAA',
    '%00',
    '{"user":1,"mark":null,"end":9e15}',
  ])('the cookie %o is no log-in', async (value) => {
    for (const name of ['second_factor', 'remembered_device']) {
      const browser = new Browser(door)
      await browser.ask('GET /session/')
      browser.cookies.set(name, value)
      expect((await send(browser, 'POST /session/', { code: '123456' })).status).toBe(403)
      expect((await browser.ask('GET /login/code/')).status).toBe(302)
    }
  })

  test.each([
    { code: null },
    { code: 7 },
    { code: [] },
    { code: {} },
    { code: '\0' },
    { code: '' },
    { code: '９９９９９９' },
  ])('the body %o is refused', async (json) => {
    const { username, browser } = await careful()
    const half = await waiting(username)
    expect((await send(half.browser, 'POST /session/', json)).status).toBe(400)
    expect((await send(browser, 'POST /account/factors/confirm/', json)).status).toBe(400)
  })

  test('a device that is remembered is not asked again, until it is removed or the password changes', async () => {
    const { username, user, browser, next } = await careful()
    const known = (await waiting(username)).browser
    await send(known, 'POST /session/', { code: next(), remember: true })
    const again = async () => {
      known.cookies.delete('sessionid')
      const { status } = await send(known, 'POST /session/', { username, password: 'wonderland' })
      return status
    }
    expect(await again()).toBe(200)
    // It is a device of this user, and of no other.
    const other = await careful()
    const theirs = await send(known, 'POST /session/', {
      username: other.username,
      password: 'wonderland',
    })
    expect(theirs.status).toBe(403)
    const { factors } = (await send(browser, 'GET /account/factors/')).data
    const { id } = factors.find(({ kind }: { kind: string }) => kind === 'device')
    expect((await send(other.browser, 'POST /account/factors/remove/', { id })).status).toBe(404)
    expect((await send(browser, 'POST /account/factors/remove/', { id })).status).toBe(204)
    expect(await again()).toBe(403)
    const remember = async () =>
      send((await waiting(username)).browser, 'POST /session/', { code: next(), remember: true })
    await remember()
    await accounts.users.setPassword(user, 'wonderland')
    expect((await accounts.factors.of(user)).map(({ kind }) => kind)).not.toContain('device')
  })

  test('a device is forgotten after 30 days', async () => {
    const { username, next } = await careful()
    const { browser } = await waiting(username)
    await send(browser, 'POST /session/', { code: next(), remember: true })
    clock.advance(29 * 86_400_000)
    const alice = { username, password: 'wonderland' }
    expect((await send(browser, 'POST /session/', alice)).status).toBe(200)
    browser.cookies.delete('sessionid')
    clock.advance(86_400_000)
    expect((await send(browser, 'POST /session/', alice)).status).toBe(403)
  })

  test('without the last app, a password is enough again, and codes and devices are gone', async () => {
    const { username, user, browser } = await careful()
    const [app] = await accounts.factors.of(user)
    await send(browser, 'POST /account/factors/remove/', { id: app!.id })
    expect((await waiting(username)).answer.status).toBe(200)
    expect(await accounts.factors.of(user)).toEqual([])
    expect((await send(browser, 'POST /account/factors/recovery-codes/')).status).toBe(403)
  })

  test('people log in on pages, without a script', async () => {
    const { username, next } = await careful()
    const browser = new Browser(door)
    await browser.ask('GET /login/')
    const asked = await form(browser, '/login/', { username, password: 'wonderland', next: '/me/' })
    const [place] = [asked.headers['location']].flat()
    expect([asked.status, place]).toEqual([
      302,
      expect.stringMatching(/\/login\/code\/\?next=%2Fme%2F$/),
    ])
    const page = await browser.ask(`GET ${new URL(place!, 'http://x').pathname}?next=/me/`)
    expect(page.text).toMatch(/name="code"[^>]* autocomplete="one-time-code"/)
    const wrong = await form(browser, '/login/code/', { code: '000000', next: '/me/' })
    expect(wrong.text).toContain('That code does not fit.')
    const csrfmiddlewaretoken = tokenIn(wrong)
    const right = await form(browser, '/login/code/', {
      csrfmiddlewaretoken,
      code: next(),
      next: '/me/',
    })
    expect([right.status, right.headers['location'], await who(browser)]).toEqual([
      302,
      '/me/',
      username,
    ])
    const foreign = (await waiting(username)).browser
    const away = await form(foreign, '/login/code/', {
      code: next(),
      next: 'https://evil.example/',
    })
    expect([away.status, away.headers['location']]).toEqual([302, '/'])
  })

  test('a proof that is given again is a whole one', async () => {
    const { browser, username, next } = await careful()
    const half = await send(browser, 'PUT /session/', { password: 'wonderland' })
    expect([half.status, half.data.code, await who(browser)]).toEqual([
      403,
      'second_factor_required',
      username,
    ])
    const before = browser.cookie('sessionid')
    expect((await send(browser, 'POST /session/', { code: next() })).status).toBe(200)
    expect(browser.cookie('sessionid')).not.toBe(before)
  })

  test('a wrong code is refused as such, and no answer with a secret or a waiting log-in is kept', async () => {
    const { browser: own } = await someone()
    const begun = await send(own, 'POST /account/factors/app/')
    const code = codeOf(begun.data.secret)
    const confirmed = await send(own, 'POST /account/factors/confirm/', { code })
    const renewed = await send(own, 'POST /account/factors/recovery-codes/')
    const { username } = await careful()
    const { browser, answer } = await waiting(username)
    for (const each of [begun, confirmed, renewed, answer])
      expect(each.headers['cache-control']).toBe('no-store')
    const wrong = await send(browser, 'POST /session/', { code: '000000' })
    expect([wrong.status, wrong.data]).toEqual([
      400,
      { code: ['That is not the code of now. Look at the app again.'] },
    ])
  })

  test('of many devices and apps at the same moment, as many are kept as may be', async () => {
    const { user } = await careful()
    const { factors } = accounts
    await Promise.all(Array.from({ length: 40 }, (_, at) => factors.remember(user, `${at}`)))
    const names = Array.from({ length: 10 }, (_, at) => `${at}`)
    const begun = await Promise.all(names.map((name) => factors.begin(user, name, 'JBSWY3DP')))
    // Each with the number of its own secret, also where another one is in its place by now.
    expect(begun.map(({ name }) => name)).toEqual(names)
    expect(new Set(begun.map(({ id }) => id)).size).toBe(10)
    const kinds = (await factors.of(user)).map(({ kind }) => kind)
    const countOf = (wanted: string) => kinds.filter((kind) => kind === wanted).length
    expect([countOf('device'), countOf('unconfirmed')]).toEqual([20, 1])
  })

  test('of factors that are the first at the same moment, one shows recovery codes, and they work', async () => {
    for (const isAudited of [true, false]) {
      const user = await accounts.users.create({ username: `person${++people}` })
      const { factors } = isAudited ? accounts.by({ user }) : accounts
      const app = await factors.begin(user, '', 'JBSWY3DP')
      const add = (credentialId: string) =>
        factors.addPasskey(user, '', { ...PASSKEY, credentialId: `${credentialId}${people}` })
      const shown = await Promise.all([add('a'), factors.confirm(user, app, 1), add('b')])
      const codes = shown.flatMap((each) => each ?? [])
      expect(codes).toHaveLength(10)
      for (const code of codes) expect(await factors.spend(user, code)).toBe(true)
    }
  })

  test('nothing is kept of a user who is deleted meanwhile, and it is refused', async () => {
    const { user } = await careful()
    const { factors, users } = accounts
    await users.remove(user)
    for (const keep of [
      () => factors.begin(user, '', 'JBSWY3DP'),
      () => factors.remember(user, ''),
      () => factors.makeCodes(user),
      () => factors.addPasskey(user, '', PASSKEY),
    ])
      await expect(keep()).rejects.toThrow(AuthenticationFailed)
  })

  test('another password, set on the own page, goes on with the session, and is no new proof', async () => {
    const { browser, username, user } = await careful()
    clock.advance(600_000)
    const json = { current: 'wonderland', password: 'looking glass' }
    expect((await send(browser, 'POST /account/password/', json)).status).toBe(200)
    expect(await who(browser)).toBe(username)
    const [app] = await accounts.factors.of(user)
    for (const question of ['remove/', 'recovery-codes/', 'app/']) {
      const body = { id: app!.id }
      const { status, data } = await send(browser, `POST /account/factors/${question}`, body)
      expect([status, data.code]).toEqual([403, 'reauthentication_required'])
    }
  })

  test('on a remembered device the password is no proof; the code is one', async () => {
    const { username, user, next } = await careful()
    const { browser } = await waiting(username)
    await send(browser, 'POST /session/', { code: next(), remember: true })
    const [app] = await accounts.factors.of(user)
    const remove = () => send(browser, 'POST /account/factors/remove/', { id: app!.id })
    clock.advance(600_000)
    // It is asked for the code again, as it has a session.
    const half = await send(browser, 'PUT /session/', { password: 'wonderland' })
    expect([half.status, half.data.code]).toEqual([403, 'second_factor_required'])
    const alice = { username, password: 'wonderland' }
    expect((await send(browser, 'POST /session/', alice)).status).toBe(403)
    // Without one it is let in, with the proof of then.
    browser.cookies.delete('sessionid')
    expect((await send(browser, 'POST /session/', alice)).status).toBe(200)
    expect([(await remove()).data.code, await who(browser)]).toEqual([
      'reauthentication_required',
      username,
    ])
    await send(browser, 'PUT /session/', { password: 'wonderland' })
    expect((await send(browser, 'POST /session/', { code: next() })).status).toBe(200)
    expect((await remove()).status).toBe(204)
  })

  test('a token neither sees nor changes factors', async () => {
    const { user } = await someone()
    const { key } = await accounts.tokens.obtain(user)
    const headers = { authorization: `Token ${key}` }
    expect((await new Browser(door).ask('GET /account/factors/', { headers })).status).toBe(403)
    const json = { name: 'x' }
    const answer = await new Browser(door).ask('POST /account/factors/app/', { json, headers })
    expect(answer.status).toBe(403)
  })

  test('a copy of the database has no code, no secret and no cookie', async () => {
    const { username, codes, secret, next } = await careful()
    const { browser } = await waiting(username)
    await send(browser, 'POST /session/', { code: next(), remember: true })
    const rows = await database.read({ sql: 'select * from colophon_factor', parameters: [] })
    const kept = JSON.stringify(rows, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    for (const text of [
      secret,
      browser.cookie('remembered_device'),
      ...codes.flatMap((code) => [code, code.replaceAll('-', '')]),
    ])
      expect(kept).not.toContain(text)
  })

  test('the audit trail and the log have what was done, and no code', async () => {
    const { user, secret, codes, browser, username } = await careful()
    await send((await waiting(username)).browser, 'POST /session/', { code: codes[0] })
    await send((await waiting(username)).browser, 'POST /session/', { code: '000000' })
    await send(browser, 'POST /account/factors/recovery-codes/')
    const [app] = await accounts.factors.of(user)
    await send(browser, 'POST /account/factors/remove/', { id: app!.id })
    const parameters = [user.id]
    const sql = 'select action from colophon_audit where user_id = ? order by id'
    const placed = { sql: service.on === 'PostgreSQL' ? sql.replace('?', '$1') : sql, parameters }
    const trail = (await database.read<{ action: string }>(placed)).map(({ action }) => action)
    expect(trail).toEqual(
      expect.arrayContaining(['factor.added', 'recovery_codes.made', 'factor.removed']),
    )
    const own = log.filter(
      (record) => record['user'] === username || record['username'] === username,
    )
    expect(own.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        'factor.added',
        'factor.asked',
        'recovery_code.used',
        'login.failed',
        'factor.removed',
      ]),
    )
    for (const text of [secret, codes[0]!]) expect(JSON.stringify(log)).not.toContain(text)
  })
})

describe('configuration', () => {
  test('SESSION_COOKIE_SECURE holds for the cookies of a log-in too', async () => {
    const [service] = await startSessionsOnSqlite({ SESSION_COOKIE_SECURE: true })
    const { users, factors } = service!.accounts
    const user = (await users.byUsername('alice'))!
    await factors.confirm(user, await factors.begin(user, '', 'JBSWY3DP'), 1)
    const browser = new Browser(serve(service!))
    const csrfmiddlewaretoken = tokenIn(await browser.ask('GET /login/'))
    const form = { csrfmiddlewaretoken, username: 'alice', password: 'wonderland' }
    const asked = await browser.ask('POST /login/', { form })
    expect(setCookie(asked, '__Host-second_factor')).toContain('Secure')
    expect((await browser.ask('GET /login/code/')).status).toBe(200)
  })

  const { accounts } = services[0]!
  test.each([
    { issuer: '' },
    { issuer: 'a:b' },
    { issuer: 7 },
    { issuer: 'L', rememberDays: -1 },
    { issuer: 'L', rememberDays: NaN },
  ])('%o is refused', (options) => {
    expect(() => secondFactors({ accounts, ...options } as never)).toThrow(ConfigurationError)
  })
})
