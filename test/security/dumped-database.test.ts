// A dump of the database alone lets no one in: nothing that a client holds is in any column, nor does what is there open anything.
import { describe, expect, test } from 'vitest'
import { SERVERS } from '../setup/databases.ts'
import { dumpOf, formsOf } from './dumps.ts'
import { SECRET_KEY, type WholeService, wholeService, withApp } from './whole-service.ts'

/** All that one person holds, from the registration on. */
async function walked(service: WholeService): Promise<readonly string[]> {
  const { accounts, clock, codeOf, sentToken, visitor } = service
  const held: string[] = [SECRET_KEY]
  const hold = (...texts: readonly string[]) => held.push(...texts)
  const [first, second] = ['wonderland-7f3a', 'looking-glass-91c2'] as const
  hold(first, second)
  const browser = visitor()
  const keep = () => hold(...[...browser.jar.values()].filter((value) => value !== ''))
  const form = async (path: string, fields: Record<string, string>) => {
    const { status } = await browser.form(path, fields)
    if (status >= 400) throw new Error(`${path}: ${status}`)
    keep()
  }
  const follow = async (path: string, token: string) => {
    hold(token)
    await browser.send(`${path}?token=${token}`)
    keep()
  }
  await form('/register/', { username: 'carol', email: 'carol@example.com' })
  await follow('/register/finish/', await sentToken('register'))
  await form('/register/finish/', { password: first })
  const { token } = (await visitor().post('/token/', { username: 'carol', password: first })).data
  hold(token)
  const made = (await browser.post('/account/tokens/', { name: 'phone', current: first })).data
  hold(made.key)
  await form('/email/', { email: 'carol@example.org', current: first })
  await follow('/email/confirm/', await sentToken('email-confirm'))
  // One is used, and one is not.
  await browser.post('/email/confirm/', {})
  for (const _ of [1, 2]) {
    await form('/password/forgotten/', { email: 'carol@example.org' })
    await follow('/password/reset/', await sentToken('password-reset'))
  }
  await form('/password/reset/', { password: second })
  clock.advance(60_000)
  await form('/login/', { username: 'carol', password: second })
  const { secret, codes } = await withApp(service, browser)
  hold(secret, ...codes)
  await visitor().post('/session/', { username: 'carol', password: 'a wrong guess-c4d8' })
  hold('a wrong guess-c4d8')
  await browser.form('/logout/', {}, '/login/')
  await form('/login/', { username: 'carol', password: second })
  await form('/login/code/', { code: codeOf(secret), remember: 'true' })
  const script = visitor()
  await script.post('/session/', { username: 'carol', password: second })
  hold(script.jar.get('second_factor')!)
  await script.post('/session/', { code: codes[0]! })
  hold(script.jar.get('sessionid')!)
  const page = (await browser.json('/people/')) as { next: string }
  if (page.next) hold(new URL(page.next).searchParams.get('cursor')!)
  const carol = (await accounts.users.byUsername('carol'))!
  await accounts
    .by({ user: carol })
    .identities.link(carol, { issuer: 'https://id.example', subject: 'c' })
  const pair = await accounts.families.begin(carol, { label: 'phone' })
  const next = (await accounts.families.use(pair.refresh))!
  for (const { access, refresh } of [pair, next]) hold(access, refresh)
  const named = ['sessionid', 'csrftoken', 'remembered_device', 'second_factor']
  expect(named.filter((name) => !browser.jar.has(name))).toEqual([])
  return [...new Set(held)]
}

describe.each(['sqlite', ...SERVERS] as const)('a dump of %s', (place) => {
  test('holds nothing that a client has, in clear or in another spelling', async () => {
    const service = await wholeService(place)
    await service.accounts.users.create({ username: 'dan' })
    const held = await walked(service)
    expect(held.length).toBeGreaterThan(30)
    const dump = await dumpOf(service.database, place)
    // What is there of a walk: otherwise nothing was dumped.
    for (const sign of ['carol@example.org', 'sessions.ended', 'https://id.example', 'device'])
      expect(dump.text).toContain(sign)
    const found = held.filter((secret) => formsOf(secret).some((form) => dump.holds(form)))
    expect(found).toEqual([])
  })

  test('opens nothing by what stands in it', async () => {
    const service = await wholeService(place)
    await walked(service)
    const { accounts, clock, database } = service
    const { texts } = await dumpOf(database, place)
    expect(texts.length).toBeGreaterThan(60)
    const carol = (await accounts.users.byUsername('carol'))!
    const ways = {
      token: (text: string) => accounts.tokens.verify(text),
      session: (text: string) => accounts.sessions.read(text),
      family: (text: string) => accounts.families.use(text),
      reset: (text: string) => accounts.links.open('password', text),
      address: (text: string) => accounts.links.open('email', text),
      password: (text: string) => accounts.users.byPassword('carol', text),
      code: async (text: string) => (await accounts.factors.spend(carol, text)) || null,
      device: (text: string) => accounts.factors.knows(carol, text, clock.now()),
    }
    const open: string[] = []
    for (const text of texts)
      for (const [way, use] of Object.entries(ways))
        if ((await use(text)) !== null) open.push(`${way}: ${text}`)
    expect(open).toEqual([])
  })
})
