// People log in with a real provider (`oidc-provider`), by HTTP. Attacks: hostile-log-ins.test.ts.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createAccounts } from '../../../../src/accounts/create-accounts.ts'
import { secondFactors } from '../../../../src/factors.ts'
import { defineApi } from '../../../../src/index.ts'
import { providerLogin, providerUrls } from '../../../../src/openid.ts'
import type { SqlDatabase } from '../../../../src/sql.ts'
import { migratedSqlite } from '../../../contract/temporary.ts'
import { dumpOf, formsOf } from '../../../security/dumps.ts'
import {
  type RealProvider,
  type StageOptions,
  Visitor,
  onwardsOf,
  realProvider,
  stage,
} from './stage.ts'

let [one, two]: RealProvider[] = []
beforeAll(async () => {
  ;[one, two] = await Promise.all([realProvider(), realProvider()])
})
afterAll(() => {
  one!.close()
  two!.close()
})

async function open(options: Partial<StageOptions> = {}) {
  const service = await stage({ providers: { one: one!.issuer, two: two!.issuer }, ...options })
  onTestFinished(() => service.close())
  for (const [name, provider] of Object.entries({ one: one!, two: two! })) {
    provider.server.removeAllListeners('request')
    provider.person = 'ada'
    provider.know(service.url, name)
  }
  const at = (path: string) => `${service.url}${path}`
  const actions = async () => {
    const sql = 'select actor, action, username, details from colophon_audit order by id'
    const entries = await service.accounts.database.read<Record<string, string>>({
      sql,
      parameters: [],
    })
    return entries.map(({ actor, action, username }) => `${actor} ${action} ${username}`)
  }
  const events = () => service.records.map(({ event }) => event)
  return { ...service, at, actions, events, name: `${one!.issuer}#ada` }
}

describe('Logging in', () => {
  test('makes an account once, and leads to where the visitor wanted to go', async () => {
    const { at, accounts, name, actions, events } = await open({ create: true })
    const visitor = new Visitor()
    const page = await visitor.go(at('/login/one/?next=/mine/'))
    expect([page.status, page.url.pathname, page.text]).toEqual([200, '/mine/', `what ${name} has`])
    const user = (await accounts.users.byUsername(name))!
    expect(user).toMatchObject({ email: '', isStaff: false, isSuperuser: false, isActive: true })
    expect(await accounts.users.lookUp(name)).toMatchObject({ hasPassword: false })
    expect(await accounts.identities.of(user)).toMatchObject([
      { issuer: one!.issuer, subject: 'ada', lastUsed: expect.any(Date) },
    ])
    expect(await actions()).toEqual([` user.created ${name}`, ` identity.linked ${name}`])
    expect(events()).toEqual(['user.created', 'identity.linked', 'login.succeeded'])

    const again = await new Visitor().go(at('/login/one/'))
    expect([again.url.pathname, again.text]).toEqual(['/', `home of ${name}`])
    expect(await accounts.users.count()).toBe(1)
    expect(await actions()).toHaveLength(2)
  })

  test('leaves nothing in the database that the browser or the provider has', async () => {
    const { at, accounts } = await open({ create: true })
    const visitor = new Visitor()
    const atCallback = (each: URL) => each.pathname === '/login/one/callback/'
    const { url } = await visitor.go(at('/login/one/'), { until: atCallback })
    const held = [...url.searchParams.values(), ...visitor.cookies(url).values()]
    await visitor.go(url)
    held.push(...visitor.cookies(url).values())
    const dump = await dumpOf(accounts.database as SqlDatabase, 'sqlite')
    expect([held.length > 4, dump.text.includes(one!.issuer)]).toEqual([true, true])
    // The provider names itself beside the code.
    const secrets = held.filter((each) => each.length > 10 && each !== one!.issuer)
    expect(secrets.filter((each) => formsOf(each).some((form) => dump.holds(form)))).toEqual([])
  })

  test('makes no account without the link to it, whatever breaks in between', async () => {
    const { at, accounts } = await open({ create: () => ({ username: 'ada' }) })
    const { database } = accounts
    const during = (sql: string) => database.write({ sql, parameters: [] })
    await during(
      "create trigger broken before insert on colophon_identity begin select raise(abort, 'away'); end",
    )
    expect((await new Visitor().go(at('/login/one/'))).status).toBe(500)
    expect(await accounts.users.byUsername('ada')).toBeNull()
    await during('drop trigger broken')
    expect((await new Visitor().go(at('/login/one/'))).text).toBe('home of ada')
  })

  /** Someone who has logged in with the provider, and has an app since then. */
  const careful = async (asks: 'code' | 'refuses' | null) => {
    const service = await open({ create: true, asks })
    await new Visitor().go(service.at('/login/one/'))
    const { factors, users } = service.accounts
    const user = (await users.byUsername(service.name))!
    const app = await factors.begin(user, '', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
    return { ...service, codes: (await factors.confirm(user, app, 1))! }
  }

  test('asks for a second factor too, where the service says so', async () => {
    const { at, name, codes } = await careful('code')
    const [code] = codes
    const visitor = new Visitor()
    const asked = await visitor.go(at('/login/one/?next=/mine/'))
    expect([asked.url.pathname, asked.url.search]).toEqual(['/login/code/', '?next=%2Fmine%2F'])
    expect(visitor.cookies(asked.url).get('sessionid')).toBeUndefined()
    const there = await visitor.send(at('/login/code/'), { code: code!, next: '/mine/' })
    expect(there.text).toBe(`what ${name} has`)
  })

  test('refuses users with a second factor, unless the service asks for it or says that it need not', async () => {
    const refusing = await careful('refuses')
    const visitor = new Visitor()
    const page = await visitor.go(refusing.at('/login/one/'))
    expect([page.status, visitor.cookies(page.url).has('sessionid')]).toEqual([403, false])
    expect(page.text).toContain('This account has a second factor, for which this way')
    const trusting = await careful(null)
    const { text } = await new Visitor().go(trusting.at('/login/one/'))
    expect(text).toBe(`home of ${trusting.name}`)
  })

  test('with a second factor starts only where the page for its code is', async () => {
    const accounts = createAccounts({ database: await migratedSqlite(), secretKey: () => 's' })
    const factors = secondFactors({ accounts, issuer: 'Stage' })
    const api = defineApi({ urls: providerUrls })
    // @ts-expect-error the table has no such address
    const endpoints = providerLogin(api, { accounts, providers: {}, factors })
    expect(() => api.serve(endpoints)).toThrow(/"login-factor", which is not there/)
  })

  test('takes the place of the session before, and of its CSRF secret', async () => {
    const { at, url } = await open({ create: true })
    const visitor = new Visitor()
    const jar = visitor.cookies(new URL(url))
    jar.set('sessionid', 'planted'.repeat(6))
    await visitor.go(at('/login/one/'))
    const first = new Map(jar)
    expect(first.get('sessionid')).toMatch(/^[\w-]{43}$/)
    expect(first.has('provider_login')).toBe(false)
    one!.person = 'bob'
    for (const cookies of visitor.jars.values()) if (cookies !== jar) cookies.clear()
    await visitor.go(at('/login/one/'))
    expect(jar.get('sessionid')).not.toBe(first.get('sessionid'))
    expect(jar.get('csrftoken')).not.toBe(first.get('csrftoken'))
    const old = new Visitor()
    old.jars.set(new URL(url).origin, first)
    expect((await old.go(at('/'))).url.pathname).toBe('/login/')
  })

  test('makes no account where the application wants none', async () => {
    const { at, accounts, records, name } = await open()
    const page = await new Visitor().go(at('/login/one/'))
    expect([page.status, page.url.pathname]).toEqual([403, '/login/one/callback/'])
    expect(page.text).toContain('No account here belongs to this way to log in.')
    expect(page.headers.get('set-cookie')).toContain('provider_login=; Max-Age=0')
    expect(await accounts.users.count()).toBe(0)
    expect(records).toMatchObject([{ event: 'login.failed', username: name, reason: 'unknown' }])
  })

  test('makes one of what a function takes from the claims, but no staff', async () => {
    const create = (claims: { readonly [name: string]: unknown }, provider: string) => ({
      username: `${provider}-${String(claims['name'])}`,
      email: String(claims['email']),
      isStaff: true,
      isActive: false,
    })
    const { at, accounts } = await open({ create })
    expect((await new Visitor().go(at('/login/one/'))).text).toBe('home of one-ada')
    expect(await accounts.users.byUsername('one-ada')).toMatchObject({
      email: 'ada@example.com',
      isStaff: false,
      isActive: true,
    })
  })

  test.each([
    ['whose name is that which the function wants', () => ({ username: 'ada' }), 'ada'],
    ['that a stranger has registered under the foreseeable name', true, null],
  ])('never gets an account %s', async (_, create, username) => {
    const { at, accounts, name } = await open({ create })
    await accounts.users.create({ username: username ?? name, password: 'of another' })
    const page = await new Visitor().go(at('/login/one/'))
    expect(page.status).toBe(409)
    expect(page.text).toContain('An account of this name exists already.')
    expect(await accounts.users.count()).toBe(1)
  })

  test.each(['#', '＃'])('gives nobody an account that waits for another: %s', async (sign) => {
    const { at, accounts, name } = await open({
      create: ({ name: person }, provider) =>
        person === 'bob' ? { username: `${one!.issuer.slice(7)}${sign}ada` } : { email: provider },
    })
    one!.person = 'bob'
    expect((await new Visitor().go(at('/login/one/'))).status).toBe(400)
    expect(await accounts.users.count()).toBe(0)
    // One that was made before names were looked at.
    const user = await accounts.users.create({ username: name, password: null })
    await accounts.identities.link(user, { issuer: one!.issuer, subject: 'bob' })
    one!.person = 'ada'
    expect((await new Visitor().go(at('/login/one/'))).status).toBe(409)
    expect(await accounts.identities.of(user)).toHaveLength(1)
  })

  test('does not link itself again to an account that it was unlinked from', async () => {
    const { at, accounts, name } = await open({ create: true })
    await new Visitor().go(at('/login/one/'))
    const user = (await accounts.users.byUsername(name))!
    const [identity] = await accounts.identities.of(user)
    expect(await accounts.identities.unlink(user, identity!, { evenLast: true })).toBe(true)
    expect((await new Visitor().go(at('/login/one/'))).status).toBe(409)
    expect(await accounts.identities.of(user)).toEqual([])
  })

  test('never gets an account by an address', async () => {
    const { at, accounts, name } = await open({
      create: ({ email }) => ({ email: String(email) }),
    })
    const email = 'ada@example.com'
    await accounts.users.create({ username: 'ada', email, password: 'of another' })
    expect((await new Visitor().go(at('/login/one/'))).text).toBe(`home of ${name}`)
    expect(await accounts.users.byUsername(name)).toMatchObject({ email })
  })

  test('is refused to an inactive user, as to an unknown one', async () => {
    const { at, accounts, records, name } = await open({ create: true })
    await new Visitor().go(at('/login/one/'))
    const user = (await accounts.users.byUsername(name))!
    await accounts.users.update(user, { isActive: false })
    const page = await new Visitor().go(at('/login/one/'))
    expect([page.status, page.text.includes('No account here')]).toEqual([403, true])
    expect(records.at(-1)).toMatchObject({ event: 'login.failed', reason: 'inactive' })
  })

  test('begins at a link of the login page, in several tabs at the same time', async () => {
    const { at, url } = await open({ create: true })
    const visitor = new Visitor()
    const { text } = await visitor.go(at('/login/?next=/mine/'))
    expect(text).toContain('>Log in with ONE</a>')
    const href = /href="([^"]+\/login\/one\/[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&')
    expect(href).toBe(`${url}/login/one/?next=%2Fmine%2F`)
    const atCallback = (each: URL) => each.pathname === '/login/one/callback/'
    const tab = await visitor.go(href, { until: atCallback })
    expect((await visitor.go(at('/login/two/'))).url.pathname).toBe('/')
    expect((await visitor.go(tab.url)).url.pathname).toBe('/mine/')
  })

  test('is a 404 for a provider that there is not', async () => {
    const { at } = await open()
    for (const path of ['/login/three/', '/login/constructor/', '/login/three/callback/?state=a'])
      expect((await new Visitor().go(at(path))).status).toBe(404)
  })
})

describe('A second provider', () => {
  test('is linked by the user who is logged in, and then lets the same user in', async () => {
    const { at, accounts, actions, name } = await open({ create: true })
    const visitor = new Visitor()
    await visitor.go(at('/login/one/'))
    two!.person = 'countess'
    const asked = await visitor.send(at('/login/two/'), { next: '/mine/' })
    expect([asked.status, asked.text.includes('Continue to TWO')]).toEqual([200, true])
    const page = await visitor.go(onwardsOf(asked))
    expect([page.url.pathname, page.text]).toEqual(['/mine/', `what ${name} has`])
    expect((await new Visitor().go(at('/login/two/'))).text).toBe(`home of ${name}`)
    const user = (await accounts.users.byUsername(name))!
    expect((await accounts.identities.of(user)).map(({ subject }) => subject)).toEqual([
      'ada',
      'countess',
    ])
    expect((await actions()).slice(1)).toEqual([
      ` identity.linked ${name}`,
      `${name} identity.linked ${name}`,
    ])
  })

  test('is linked to nobody without a session, or without a CSRF token', async () => {
    const { at } = await open({ create: true })
    const visitor = new Visitor()
    await visitor.go(at('/login/'))
    expect((await visitor.send(at('/login/two/'))).status).toBe(403)
    await visitor.go(at('/login/one/'))
    expect((await visitor.go(at('/login/two/'), { form: { next: '/' } })).status).toBe(403)
  })

  test('is not linked by a session that is older than ten minutes', async () => {
    const now = () => Date.now() + 600_000
    const { at, accounts } = await open({ create: true, now })
    const visitor = new Visitor()
    await accounts.users.create({ username: 'ada', password: 'wonderland' })
    await visitor.go(at('/login/'))
    const form = { username: 'ada', password: 'wonderland', next: '/mine/' }
    expect((await visitor.send(at('/login/'), form)).text).toBe('what ada has')
    const { status, text } = await visitor.send(at('/login/two/'))
    expect([status, text.includes('Prove again who you are')]).toEqual([403, true])
  })

  test('of another account is not taken away from that', async () => {
    const { at, accounts } = await open({ create: true })
    await new Visitor().go(at('/login/two/'))
    const visitor = new Visitor()
    await visitor.go(at('/login/one/'))
    const page = await visitor.go(onwardsOf(await visitor.send(at('/login/two/'))))
    expect([page.status, page.text.includes('belongs to another account')]).toEqual([409, true])
    const found = await accounts.identities.find({ issuer: two!.issuer, subject: 'ada' })
    expect(found?.user.username).toBe(`${two!.issuer}#ada`)
  })

  test('is not linked to a user who has logged in meanwhile', async () => {
    const { at, accounts } = await open({ create: true })
    const visitor = new Visitor()
    await visitor.go(at('/login/one/'))
    const asked = await visitor.send(at('/login/two/'))
    visitor.jars.get(one!.issuer)!.clear()
    one!.person = 'bob'
    await visitor.go(at('/login/one/'))
    expect((await visitor.go(onwardsOf(asked))).status).toBe(400)
    expect(await accounts.identities.find({ issuer: two!.issuer, subject: 'ada' })).toBeNull()
  })
})

describe('Logging out', () => {
  test('ends the session here and at the provider', async () => {
    const { at, url } = await open({ create: true })
    const visitor = new Visitor()
    await visitor.go(at('/login/one/'))
    const asked = await visitor.send(at('/login/one/logout/'))
    const address = new URL(onwardsOf(asked))
    expect(address.origin).toBe(one!.issuer)
    expect(address.searchParams.get('post_logout_redirect_uri')).toBe(`${url}/login/`)
    expect((await visitor.go(at('/'))).url.pathname).toBe('/login/')
  })

  test('ends the session here alone where the application wants that', async () => {
    const { at } = await open({ create: true, more: { endSession: false } })
    const visitor = new Visitor()
    await visitor.go(at('/login/one/'))
    expect((await visitor.go(at('/login/one/logout/'), { form: {} })).status).toBe(403)
    expect((await visitor.send(at('/login/one/logout/'))).url.pathname).toBe('/login/')
    expect((await visitor.go(at('/'))).url.pathname).toBe('/login/')
  })

  test('at the provider ends all sessions of the user here', async () => {
    const { at, accounts, name } = await open({ create: true, refreshTokens: {} })
    const [visitor, other] = [new Visitor(), new Visitor()]
    await visitor.go(at('/login/one/'))
    await other.go(at('/login/one/'))
    const bob = await accounts.users.create({ username: 'bob' })
    const cookie = await accounts.sessions.start(bob)
    const { families, users } = accounts
    const { refresh } = await families.begin((await users.byUsername(name))!)
    const kept = await families.begin(bob)

    const page = await visitor.go(`${one!.issuer}/session/end`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)![1]!
    await visitor.go(`${one!.issuer}/session/end/confirm`, { form: { xsrf, logout: 'yes' } })
    await expect.poll(async () => (await other.go(at('/'))).url.pathname).toBe('/login/')
    expect(await accounts.sessions.read(cookie)).not.toBeNull()
    await expect.poll(async () => families.of((await users.byUsername(name))!)).toEqual([])
    expect(await families.use(refresh)).toBeNull()
    expect(await families.use(kept.refresh)).not.toBeNull()
    expect(await users.byUsername(name)).not.toBeNull()
  })
})
