// Each log-in begins a session of its own: the one that the browser had is over, whoever it belonged to. With a provider:
// test/addons/jwt/login/provider-login.test.ts.
import { expect, test } from 'vitest'
import { type Person, type WholeService, wholeService, withApp } from './whole-service.ts'

const ALICE = { username: 'alice', password: 'wonderland' }

interface Way {
  readonly service: WholeService
  readonly browser: Person
  readonly code: () => string
  readonly recovery: string
}

/** Who has logged in then. */
const WAYS: Readonly<Record<string, (way: Way) => Promise<unknown>>> = {
  'the page': ({ browser }) => browser.form('/login/', ALICE),
  JSON: ({ browser }) => browser.post('/session/', ALICE),
  'the password once more': async ({ browser, service }) => {
    browser.jar.set('sessionid', await startOf(service))
    await browser.put('/session/', { password: ALICE.password })
  },
  'a new password': async ({ browser, service }) => {
    browser.jar.set('sessionid', await startOf(service))
    await browser.form('/account/password/', { current: ALICE.password, password: 'of today' })
  },
  'a password that was reset': async ({ browser, service }) => {
    await browser.form('/password/forgotten/', { email: 'alice@example.com' })
    await browser.send(`/password/reset/?token=${await service.sentToken('password-reset')}`)
    await browser.form('/password/reset/', { password: 'of today' })
    await browser.form('/login/', { ...ALICE, password: 'of today' })
  },
  'a registration': async ({ browser, service }) => {
    await browser.form('/register/', { username: 'carol', email: 'carol@example.com' })
    await browser.send(`/register/finish/?token=${await service.sentToken('register')}`)
    await browser.form('/register/finish/', { password: 'of her own' })
  },
  'a code on the page': async ({ browser, code }) => {
    await browser.form('/login/', { username: 'dora', password: 'explorer' })
    await browser.form('/login/code/', { code: code() })
  },
  'a code as JSON': async ({ browser, code }) => {
    await browser.post('/session/', { username: 'dora', password: 'explorer' })
    await browser.post('/session/', { code: code() })
  },
  'a recovery code': async ({ browser, recovery }) => {
    await browser.post('/session/', { username: 'dora', password: 'explorer' })
    await browser.post('/session/', { code: recovery })
  },
}

test.each(Object.entries(WAYS))('by %s', async (name, way) => {
  const service = await wholeService()
  const { accounts, codeOf } = service
  await accounts.users.create({ ...ALICE, email: 'alice@example.com' })
  await accounts.users.create({ username: 'dora', password: 'explorer' })
  const dora = service.visitor()
  await dora.post('/session/', { username: 'dora', password: 'explorer' })
  const { secret, codes } = await withApp(service, dora)
  // An attacker has logged in, and has this browser carry the session.
  const mallory = await accounts.users.create({ username: 'mallory', password: 'of mallory' })
  const browser = service.visitor()
  await browser.post('/session/', { username: 'mallory', password: 'of mallory' })
  const planted = browser.jar.get('sessionid')!
  const csrf = browser.jar.get('csrftoken')
  expect((await accounts.sessions.read(planted))?.user).toMatchObject({ id: mallory.id })
  const before = new Set([planted])
  const set = browser.jar.set.bind(browser.jar)
  browser.jar.set = (key, value) => (key === 'sessionid' && before.add(value), set(key, value))
  await way({ service, browser, code: () => codeOf(secret), recovery: codes[0]! })
  const now = browser.jar.get('sessionid')!
  before.delete(now)
  const owner = name.includes('code') ? 'dora' : name.includes('registration') ? 'carol' : 'alice'
  expect((await accounts.sessions.read(now))?.user.username).toBe(owner)
  expect(now).not.toBe(planted)
  expect(browser.jar.get('csrftoken')).not.toBe(csrf)
  const rest = [...before].filter((value) => value !== '')
  const alive = await Promise.all(rest.map((value) => accounts.sessions.read(value)))
  // That of the attacker goes on where the person logged in by another one, which the browser had then.
  const isOther = name === 'the password once more' || name === 'a new password'
  expect(alive.filter((each) => each !== null).map(({ user }) => user.username)).toEqual(
    isOther ? ['mallory'] : [],
  )
})

async function startOf({ accounts }: WholeService): Promise<string> {
  return accounts.sessions.start((await accounts.users.byUsername('alice'))!)
}
