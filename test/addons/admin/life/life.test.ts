// Registration, addresses, and leaving: what is kept of whom, and who may have which address.
import { ServiceUnavailable, type User, configurationOf, defineApi } from 'colophon'
import { loginPages, loginUrls } from 'colophon/browsable'
import { client } from 'colophon/testing'
import { describe, expect, test, vi } from 'vitest'
import { createAccounts } from '../../../../src/accounts/create-accounts.ts'
import { SERVERS } from '../../../setup/databases.ts'
import { SECRET_KEY, lives, tokenOf } from './service.ts'

type Life = Awaited<ReturnType<typeof lives>>
const PLACES = ['sqlite', ...SERVERS] as const
const DEAD = { non_field_errors: ['This link is no longer valid. Ask for a new one.'] }

/** An account that has proved its address. */
async function registered({ post, mails, settled }: Life, username: string, email: string) {
  await post('/register/', { json: { username, email } })
  await settled()
  const token = tokenOf(mails.at(-1))
  return post('/register/finish/', { json: { token, password: 'through the glass' } })
}

describe.each(PLACES)('on %s', (place) => {
  test('a registration keeps nothing until its link is used, which is once', async () => {
    const life = await lives(place)
    const { post, accounts, mails, settled, trail } = life
    const json = { username: 'carol', email: 'Carol@example.com' }
    const asked = await post('/register/', { json })
    expect([asked.status, asked.data]).toEqual([202, { accepted: true }])
    await settled()
    expect(await accounts.users.byUsername('carol')).toBeNull()
    expect(mails[0]).toMatchObject({ to: 'Carol@example.com', kind: 'register', user: null })
    const finish = () =>
      post('/register/finish/', { json: { token: tokenOf(mails[0]), password: 'of her own' } })
    const uses = await Promise.all(Array.from({ length: 5 }, finish))
    expect(uses.filter(({ status }) => status === 400)).toHaveLength(4)
    expect(uses.find(({ status }) => status === 400)!.data).toEqual(DEAD)
    const made = uses.find(({ status }) => status === 201)!
    expect(made.data).toEqual({ username: 'carol' })
    expect(Object.keys(made.cookies)).toContain('sessionid')
    const carol = (await accounts.users.authenticate('carol', 'of her own'))!
    expect(await accounts.links.isConfirmed(carol)).toBe(true)
    const action = 'user.created'
    expect(await trail()).toContainEqual({ actor: '', action, username: 'carol' })
  })

  test('an address is confirmed by one account, and found in any letters then', async () => {
    const life = await lives(place)
    const { accounts, alice, post, mails, settled } = life
    await registered(life, 'carol', 'Carol@Example.com')
    mails.length = 0
    await post('/password/forgotten/', { json: { email: 'cAROL@example.com' } })
    await settled()
    expect(mails.map(({ to }) => to)).toEqual(['Carol@Example.com'])
    // Alice writes the address of Carol into her account: it is not hers.
    await accounts.users.update(alice, { email: 'carol@example.com' })
    const sly = (await accounts.users.byId(alice.id))!
    const token = (await accounts.links.make('email', sly, { lifetime: 1000 }))!
    const confirmed = await post('/email/confirm/', { json: { token } })
    expect([confirmed.status, confirmed.data]).toEqual([
      409,
      { detail: 'This address belongs to another account.' },
    ])
    // Once Carol has another one, it is free: also where another program has written that.
    const carol = (await accounts.users.byUsername('carol'))!
    const sql = "update colophon_user set email = 'other@example.com' where username = 'carol'"
    await life.database.write({ sql, parameters: [] })
    expect((await post('/email/confirm/', { json: { token } })).status).toBe(200)
    expect(await accounts.links.isConfirmed(carol)).toBe(false)
    const action = 'user.changed'
    expect(await life.trail()).toContainEqual({ actor: 'alice', action, username: 'carol' })
  })

  test('ten older accounts of an address do not hide the one that has confirmed it', async () => {
    const { accounts } = await lives(place)
    const email = 'Carol@example.com'
    const one = (username: string) => accounts.users.create({ username, email, password: 'secret' })
    for (let count = 0; count < 10; count += 1) await one(`mallory${count}`)
    const carol = await one('carol')
    expect(await accounts.links.confirm(carol, email)).toBe(true)
    const found = await accounts.links.usersOf(email)
    expect(found.map(({ username }) => username).slice(0, 2)).toEqual(['carol', 'mallory0'])
    expect(found).toHaveLength(10)
  })

  test('of two registrations of one address at the same moment one makes an account', async () => {
    const { post, accounts, mails, settled } = await lives(place)
    const made: string[] = []
    accounts.events.on('user.created', ({ user }) => void made.push(user.username))
    for (const username of ['carol', 'caroline'])
      await post('/register/', { json: { username, email: 'Carol@example.com' } })
    await settled()
    const uses = mails.map((mail) =>
      post('/register/finish/', { json: { token: tokenOf(mail), password: 'of her own' } }),
    )
    expect((await Promise.all(uses)).filter(({ status }) => status === 201)).toHaveLength(1)
    expect([made.length, await accounts.users.count()]).toEqual([1, 2])
    expect(await accounts.links.isConfirmed((await accounts.users.byUsername(made[0]!))!)).toBe(
      true,
    )
  })

  test('a link stays dead once the account was inactive or had another address, by whichever program', async () => {
    const life = await lives(place)
    const { accounts, alice, database } = life
    // It knows of no links.
    const { users } = createAccounts({ database, secretKey: () => SECRET_KEY }).by({ user: null })
    await registered(life, 'carol', 'carol@example.com')
    const carol = (await accounts.users.byUsername('carol'))!
    for (const user of [alice, carol]) {
      const token = (await accounts.links.make('password', user, { lifetime: 1000 }))!
      const change = async (email: string) =>
        users.update((await accounts.users.byId(user.id))!, { email })
      await change(user.email.toUpperCase())
      await change(user.email)
      expect(await accounts.links.open('password', token)).not.toBeNull()
      await change('other@example.com')
      await change(user.email)
      expect(await accounts.links.open('password', token)).toBeNull()
      const newer = (await accounts.links.make('password', user, { lifetime: 1000 }))!
      expect(await accounts.links.open('password', newer)).not.toBeNull()
      for (const isActive of [false, true]) await users.update(user, { isActive })
      expect(await accounts.links.open('password', newer)).toBeNull()
    }
    const confirm = async (email: string) =>
      accounts.links.confirm((await accounts.users.byId(carol.id))!, email)
    expect(await accounts.links.isConfirmed(carol)).toBe(false)
    expect(await confirm(carol.email)).toBe(true)
    for (const isActive of [false, true]) await users.update(carol, { isActive })
    expect(await accounts.links.isConfirmed(carol)).toBe(true)
    const last = (await accounts.links.make('password', carol, { lifetime: 1000 }))!
    for (const email of ['other@example.com', carol.email]) expect(await confirm(email)).toBe(true)
    expect(await accounts.links.open('password', last)).toBeNull()
  })

  test('of a hundred confirmations at the same moment one counts, by one account or many', async () => {
    const { accounts, alice } = await lives(place)
    const email = 'new@example.com'
    const token = (await accounts.links.make('email', alice, { lifetime: 1000, email }))!
    const opened = (await accounts.links.open('email', token))!
    const all = Array.from({ length: 100 }, () =>
      accounts.by({ user: alice }).links.confirm(opened.user, opened.email),
    )
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1)
    expect(await accounts.links.open('email', token)).toBeNull()
    // Links to two addresses end each other.
    const now = (await accounts.users.byId(alice.id))!
    const two = ['one@example.com', 'two@example.com'].map((each) =>
      accounts.by({ user: alice }).links.confirm(now, each),
    )
    expect((await Promise.all(two)).filter(Boolean)).toHaveLength(1)
    const others = await Promise.all(
      Array.from({ length: 10 }, (_, at) => accounts.users.create({ username: `user ${at}` })),
    )
    const rivals = await Promise.allSettled(
      others.map((user) => accounts.by({ user }).links.confirm(user, 'Shared@example.com')),
    )
    expect(rivals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of rivals)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 409 })
  })

  test('a link that was used stays used, whatever the account becomes', async () => {
    const { accounts, alice, post, mails, settled, clock, database } = await lives(place)
    const link = async (email: string) =>
      (await accounts.links.make('email', alice, { lifetime: 1000, email }))!
    const use = async (token: string) => (await post('/email/confirm/', { json: { token } })).status
    await use(await link('home@example.com'))
    const toWork = await link('work@example.com')
    // Opened while it was good, and used once it was used.
    const opened = (await accounts.links.open('email', toWork))!
    expect([await use(toWork), await use(toWork)]).toEqual([200, 400])
    expect(await use(await link('home@example.com'))).toBe(200)
    expect(await use(toWork)).toBe(400)
    for (const { links } of [accounts, accounts.by({ user: alice })])
      expect(await links.confirm(opened.user, opened.email)).toBe(false)
    expect((await accounts.users.byId(alice.id))?.email).toBe('home@example.com')
    await post('/register/', { json: { username: 'carol', email: 'carol@example.com' } })
    await settled()
    const token = tokenOf(mails.at(-1))
    const finish = async () =>
      (await post('/register/finish/', { json: { token, password: 'of her own' } })).status
    expect(await finish()).toBe(201)
    await accounts.users.remove((await accounts.users.byUsername('carol'))!)
    expect(await finish()).toBe(400)
    // The digest of a link is kept no longer than the link.
    clock.advance(86_400_000)
    await use(await link('last@example.com'))
    const kept = await database.read({ sql: 'select * from colophon_spent_link', parameters: [] })
    expect(kept).toHaveLength(1)
  })

  test('of two links of one state at the same moment one counts', async () => {
    const { accounts, alice } = await lives(place)
    const { links, users } = accounts.by({ user: alice })
    const open = async (purpose: string, email?: string) => {
      const { user } = (await accounts.users.lookUp('alice'))!
      const facts = { lifetime: 1000, ...(email === undefined ? {} : { email }) }
      const token = (await links.make(purpose, user, facts))!
      return (await links.open(purpose, token))!
    }
    let password = 0
    for (const isFirst of [true, false, null]) {
      const email = `new${password}@example.com`
      const [moving, resetting] = [await open('email', email), await open('password')]
      const move = () => links.confirm(moving.user, email)
      const reset = () =>
        users.setPassword(resetting.user, `password ${password++}`).catch(() => false)
      let outcome
      if (isFirst === null) outcome = await Promise.all([move(), reset()])
      else if (isFirst) outcome = [await move(), await reset()]
      else outcome = [await reset(), await move()]
      expect(outcome.filter(Boolean)).toHaveLength(1)
    }
  })

  test('an address is that of the account only while the account is as the link found it', async () => {
    const { accounts, alice } = await lives(place)
    const token = (await accounts.links.make('email', alice, { lifetime: 1000 }))!
    const opened = (await accounts.links.open('email', token))!
    // By staff, between the look at the link and its use.
    await accounts.users.update(alice, { email: 'other@example.com' })
    expect(await accounts.links.confirm(opened.user, opened.email)).toBe(false)
    expect((await accounts.users.byId(alice.id))?.email).toBe('other@example.com')
  })

  test('of the last two members of staff who go at the same moment one stays', async () => {
    const { accounts } = await lives(place)
    const goes = {
      leaves: (user: User) => accounts.by({ user }).users.remove(user),
      demotes: (user: User, other: User) =>
        accounts.by({ user }).users.update(other, { isStaff: false }),
    }
    for (const [at, [one, two]] of [
      ['leaves', 'leaves'] as const,
      ['leaves', 'leaves'] as const,
      ['leaves', 'demotes'] as const,
      ['demotes', 'demotes'] as const,
    ].entries()) {
      const facts = { isStaff: true, isSuperuser: true }
      const made = [`a${at}`, `b${at}`].map((username) =>
        accounts.users.create({ username, ...facts }),
      )
      const [a, b] = (await Promise.all(made)) as [User, User]
      await Promise.allSettled([goes[one](a, b), goes[two](b, a)])
      const staff = []
      for await (const user of accounts.users.all()) if (user.isStaff) staff.push(user)
      expect(staff).toHaveLength(1)
      await accounts.users.update(staff[0]!, { isStaff: false })
    }
  })

  test('who leaves takes all rows along, or none', async () => {
    let fails = true
    const gone: string[] = []
    const life = await lives(place, {
      onDelete(user) {
        gone.push(user.username)
        if (fails) throw new Error('Not now.')
      },
      exportMore: ({ id }) => ({ notes: [id] }),
    })
    const { accounts, alice, visitor, trail, database } = life
    await accounts.tokens.obtain(alice)
    await accounts.identities.link(alice, { issuer: 'https://id.example.com', subject: '1' })
    const person = visitor()
    await person.logIn('alice', 'wonderland')
    const exported = await person.send('/account/export/')
    const text = await exported.text()
    expect(exported.headers.get('content-disposition')).toContain('attachment')
    expect(JSON.parse(text)).toMatchObject({
      user: { username: 'alice', email: 'Alice@example.com', isEmailConfirmed: false },
      tokens: [{ name: '' }],
      sessions: [{ expires: expect.any(String) }],
      identities: [{ issuer: 'https://id.example.com', subject: '1' }],
      events: [],
      more: { notes: [alice.id] },
    })
    const secrets = await database.read<{ sealed: string; password: string; digest: string }>({
      sql: 'select t.sealed, t.digest, u.password from colophon_token t join colophon_user u on u.id = t.user_id',
      parameters: [],
    })
    for (const secret of Object.values(secrets[0]!)) expect(text).not.toContain(secret)
    const leave = (current: string) => person.form('/account/delete/', { current })
    expect((await leave('a guess')).status).toBe(400)
    expect(gone).toEqual([])
    expect((await leave('wonderland')).status).toBe(500)
    expect(await accounts.users.byUsername('alice')).not.toBeNull()
    fails = false
    const left = await leave('wonderland')
    expect([left.status, await left.text()]).toEqual([200, expect.stringContaining('deleted')])
    expect(await accounts.users.byUsername('alice')).toBeNull()
    for (const table of ['token', 'session', 'identity'])
      expect(
        await database.read({ sql: `select * from colophon_${table}`, parameters: [] }),
      ).toEqual([])
    expect(await trail()).toContainEqual({
      actor: 'alice',
      action: 'user.deleted',
      username: 'alice',
    })
  })
})

describe('the login page leads to what those need who cannot log in', () => {
  const links = (text: string) => [...text.matchAll(/<p><a href="([^"]+)">([^<]+)<\/a>/g)].flat()

  test('in the language of the visitor', async () => {
    const { get } = await lives()
    const { text } = await get('/login/', { headers: { 'accept-language': 'de' } })
    expect(links(text).filter((_, at) => at % 3 > 0)).toEqual([
      'http://localhost/password/forgotten/',
      'Passwort vergessen?',
      'http://localhost/register/',
      'Registrieren',
    ])
  })

  test('where the service has it: an address that is called so may be about anything', async () => {
    const { accounts } = await lives()
    const api = defineApi({ urls: { ...loginUrls, register: '/cash/' }, accounts })
    const register = api.endpoint('register').get(() => [])
    const app = api.serve([...loginPages(api, { accounts }), register], {
      configuration: configurationOf(),
    })
    expect(links((await client(app).get('/login/')).text)).toEqual([])
  })
})

describe('a registration', () => {
  test('answers alike for an address that has an account, whose owner is written to', async () => {
    const { post, mails, settled, accounts } = await lives()
    const ask = (username: string, email: string) =>
      post('/register/', { json: { username, email } })
    const [known, unknown] = [
      await ask('mallory', 'Alice@example.com'),
      await ask('mallory', 'mallory@example.com'),
    ]
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    await settled()
    expect(mails.map(({ kind }) => kind).toSorted()).toEqual(['register', 'register-known'])
    expect(mails.find(({ kind }) => kind === 'register-known')!.link).toBe(
      'http://localhost/login/',
    )
    expect((await ask('alice', 'new@example.com')).data).toEqual({ username: [expect.any(String)] })
    expect((await ask('al\u200bice', 'new@example.com')).status).toBe(400)
    const unseen = await ask('mallory', 'ne\u200bw@example.com')
    expect([unseen.status, unseen.data]).toEqual([400, { email: [expect.any(String)] }])
    await settled()
    expect(mails).toHaveLength(2)
    expect(await accounts.users.count()).toBe(1)
  })

  test('writes to the owner of a confirmed address, also where a provider alone lets that one in', async () => {
    const { post, mails, settled, accounts } = await lives()
    const zoe = { username: 'zoe', email: 'Zoe@example.com' }
    await accounts.users.create(zoe, undefined, { address: true })
    await post('/register/', { json: { username: 'mallory', email: 'zoe@example.com' } })
    await settled()
    expect(mails).toMatchObject([{ kind: 'register-known', to: zoe.email }])
  })

  test('takes no names that users of providers have', async () => {
    const { post } = await lives()
    const json = { username: 'accounts.example.com#4711', email: 'mallory@example.com' }
    const { status, data } = await post('/register/', { json })
    expect([status, data]).toEqual([400, { username: [expect.any(String)] }])
  })

  test('is refused at the start beside a web server that names users, who would share accounts', async () => {
    const started = lives('sqlite', {}, { REMOTE_USER_SOURCE: 'environ' })
    await expect(started).rejects.toThrow(/register[^]*would share the account/)
  })

  test('leaves no account where `onUserCreated` throws, and its link holds on', async () => {
    let isBroken = false
    const onUserCreated = () => {
      if (isBroken) throw new ServiceUnavailable()
    }
    const life = await lives('sqlite', { onUserCreated })
    const { accounts, post, mails } = life
    isBroken = true
    const events: string[] = []
    for (const type of ['user.created', 'user.deleted'] as const)
      accounts.events.on(type, () => void events.push(type))
    expect((await registered(life, 'carol', 'carol@example.com')).status).toBe(503)
    expect([await accounts.users.byUsername('carol'), events]).toEqual([null, []])
    isBroken = false
    const json = { token: tokenOf(mails[0]), password: 'of her own' }
    expect((await post('/register/finish/', { json })).status).toBe(201)
    expect(events).toEqual(['user.created'])
  })

  test('ends in time, and with the name', async () => {
    const { post, mails, settled, clock, accounts } = await lives()
    await post('/register/', { json: { username: 'carol', email: 'carol@example.com' } })
    await settled()
    const finish = () =>
      post('/register/finish/', { json: { token: tokenOf(mails[0]), password: 'of her own' } })
    await accounts.users.create({ username: 'carol' })
    expect((await finish()).data).toEqual(DEAD)
    clock.advance(86_400_000)
    expect((await finish()).data).toEqual(DEAD)
  })

  test('begins a session of its own, in place of one that the browser was given', async () => {
    const { visitor, mails, settled, accounts, alice } = await lives()
    const person = visitor()
    const given = await accounts.sessions.start(alice)
    await person.form('/register/', { username: 'carol', email: 'carol@example.com' })
    await settled()
    const { pathname, search } = new URL(mails[0]!.link)
    expect((await person.send(pathname + search)).headers.get('location')).toBe('/register/finish/')
    expect(await person.page('/register/finish/')).toContain('your new account, carol')
    person.jar.set('sessionid', given)
    const done = await person.form('/register/finish/', { password: 'of her own' })
    expect([done.status, await done.text()]).toEqual([
      201,
      expect.stringContaining('Welcome, carol'),
    ])
    expect(person.jar.get('sessionid')).not.toBe(given)
    expect(await accounts.sessions.read(given)).toBeNull()
    expect((await accounts.sessions.read(person.jar.get('sessionid')!))?.user.username).toBe(
      'carol',
    )
  })
})

test('a form is good for the link that its page is about, whichever the browser has opened since', async () => {
  const life = await lives()
  const { post, mails, settled, visitor, accounts } = life
  for (const username of ['carol', 'mallory'])
    await post('/register/', { json: { username, email: `${username}@example.com` } })
  await settled()
  const [own, other] = ['carol@example.com', 'mallory@example.com'].map(
    (address) => new URL(mails.find(({ to }) => to === address)!.link),
  )
  const person = visitor()
  await person.send(own!.pathname + own!.search)
  const page = await person.page('/register/finish/')
  await person.send(other!.pathname + other!.search)
  const password = 'of her own'
  for (let seen = page, sent = 0; sent < 2; sent += 1) {
    const refused = await person.sendFrom(seen, '/register/finish/', { password })
    seen = await refused.text()
    expect(refused.status).toBe(400)
    expect(seen).toContain('This browser has opened another link since.')
  }
  expect(await accounts.users.count()).toBe(1)
  await person.send(own!.pathname + own!.search)
  expect((await person.sendFrom(page, '/register/finish/', { password })).status).toBe(201)
  expect(await accounts.users.byUsername('carol')).not.toBeNull()
})

describe('an address', () => {
  test('is changed by a link to the new one, and the old one is written to', async () => {
    const { visitor, mails, settled, accounts } = await lives()
    const person = visitor()
    await person.logIn('alice', 'wonderland')
    expect(await person.json('/email/')).toEqual({ email: 'Alice@example.com', isConfirmed: false })
    const change = (email: string, current: string) => person.form('/email/', { email, current })
    expect((await change('new@example.com', 'a guess')).status).toBe(400)
    expect((await change('ne\u200bw@example.com', 'wonderland')).status).toBe(400)
    expect((await change('new@example.com', 'wonderland')).status).toBe(202)
    await settled()
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([['new@example.com', 'email-confirm']])
    expect((await accounts.users.byUsername('alice'))?.email).toBe('Alice@example.com')
    const { pathname, search } = new URL(mails[0]!.link)
    await person.send(pathname + search)
    expect(await person.page('/email/confirm/')).toContain(
      'Is new@example.com the address of alice?',
    )
    expect((await person.form('/email/confirm/', {})).status).toBe(200)
    await settled()
    expect(mails.at(-1)).toMatchObject({ to: 'Alice@example.com', kind: 'email-changed', link: '' })
    expect(await person.json('/email/')).toEqual({ email: 'new@example.com', isConfirmed: true })
    expect((await person.form('/email/confirm/', {})).status).toBe(400)
  })

  test('is changed by its owner alone: no visitor, no token', async () => {
    const { post, get, accounts, alice, mails, settled } = await lives()
    const { key } = await accounts.tokens.obtain(alice)
    const json = { email: 'evil@example.com', current: 'wonderland' }
    for (const headers of [{}, { authorization: `Token ${key}` }])
      expect((await post('/email/', { json, headers })).status).toBe(403)
    for (const path of ['/account/export/', '/account/delete/', '/email/'])
      expect((await get(path)).status).toBe(403)
    await settled()
    expect(mails).toEqual([])
  })
})

describe('who has no password', () => {
  test('changes the address and leaves by a log-in of the last minutes', async () => {
    const { visitor, accounts, clock } = await lives()
    const dora = await accounts.users.create({ username: 'dora' })
    const person = visitor()
    // The clock of these sessions stands at another day.
    person.jar.set('sessionid', await accounts.sessions.start(dora))
    expect((await person.form('/account/delete/', { current: '' })).status).toBe(403)
    clock.advance(Date.now() - clock.now())
    person.jar.set('sessionid', await accounts.sessions.start(dora))
    expect((await person.form('/account/delete/', { current: '' })).status).toBe(200)
    expect(await accounts.users.byUsername('dora')).toBeNull()
  })
})

test('who has a second factor neither leaves nor changes the address by a password and an old session', async () => {
  const { visitor, accounts, alice, clock } = await lives()
  const person = visitor()
  await person.logIn('alice', 'wonderland')
  accounts.factors.enforce()
  await accounts.factors.confirm(alice, await accounts.factors.begin(alice, 'phone', 'KRSXG5A'), 1)
  const current = 'wonderland'
  // The clock of these sessions stands at another day.
  person.jar.set('sessionid', await accounts.sessions.start(alice))
  for (const [path, more] of [
    ['/account/delete/', {}],
    ['/email/', { email: 'mallory@example.com' }],
  ] as const)
    expect((await person.form(path, { current, ...more })).status).toBe(403)
  clock.advance(Date.now() - clock.now())
  person.jar.set('sessionid', await accounts.sessions.start(alice))
  expect((await person.form('/account/delete/', { current })).status).toBe(200)
})

test('an address that a provider names gives no one an account', async () => {
  const { accounts, alice, post, mails, settled } = await lives()
  // Mallory has an account at a provider that says her address is that of Alice.
  const mallory = await accounts.users.create({ username: 'id#1', email: 'Alice@example.com' })
  await accounts.identities.link(mallory, { issuer: 'https://id.example.com', subject: '1' })
  await post('/password/forgotten/', { json: { email: 'Alice@example.com' } })
  await settled()
  expect(mails.map(({ user }) => user?.id)).toEqual([alice.id])
  const found = await accounts.identities.find({ issuer: 'https://id.example.com', subject: '1' })
  expect(found?.user.id).toBe(mallory.id)
})

test('the last active staff stay what they are', async () => {
  const { accounts } = await lives()
  const root = { username: 'root', isStaff: true, isSuperuser: true }
  const user = await accounts.users.create(root)
  await expect(accounts.by({ user }).users.update(user, { isStaff: false })).rejects.toMatchObject({
    status: 409,
  })
  // At the machine of the service there is always a way back.
  expect(await accounts.users.update(user, { isStaff: false })).toBe(true)
})

test('an export has second factors and devices, whatever this process asks for, and none without their tables', async () => {
  const { accounts, alice, visitor } = await lives()
  const person = visitor()
  await person.logIn('alice', 'wonderland')
  expect(await person.json('/account/export/')).toMatchObject({ factors: [] })
  await accounts.factors.remember(alice, 'her browser')
  // Another program has refresh tokens, this one has not.
  const { database } = accounts
  const other = createAccounts({ database, secretKey: () => 'a secret', refreshTokens: {} })
  await other.families.begin(alice, { label: 'her phone' })
  const exported = await person.json('/account/export/')
  const created = expect.any(String)
  expect(exported).toMatchObject({
    factors: [{ kind: 'device', name: 'her browser', created, lastUsed: null }],
    devices: [{ label: 'her phone', scopes: null, created, lastUsed: null }],
  })
  expect(JSON.stringify(exported)).not.toMatch(/digest|sealed/)
  for (const table of ['factor', 'family'])
    await database.write({ sql: `drop table colophon_${table}`, parameters: [] })
  expect(await person.json('/account/export/')).toMatchObject({ factors: [], devices: [] })
})

test('an export is refused where its user leaves meanwhile, and after five in a minute', async () => {
  let leaves = false
  const exportMore = (user: User) => leaves && accounts.users.remove(user)
  const { accounts, visitor } = await lives(undefined, { exportMore })
  await accounts.users.create({ username: 'dora', password: 'wonderland' })
  const [alice, dora] = [visitor(), visitor()]
  await alice.logIn('alice', 'wonderland')
  await dora.logIn('dora', 'wonderland')
  const statusFor = async (person: typeof alice) => (await person.send('/account/export/')).status
  for (const status of [200, 200, 200, 200, 200, 429]) expect(await statusFor(alice)).toBe(status)
  leaves = true
  expect(await statusFor(dora)).toBe(403)
})

test('an export ends with the read during which its client goes', async () => {
  const exportMore = vi.fn<() => void>()
  const { accounts, logged, visitor } = await lives(undefined, { exportMore })
  const person = visitor()
  await person.logIn('alice', 'wonderland')
  const { factors, lists } = accounts
  const reads = [
    vi.spyOn(factors, 'of'),
    vi.spyOn(lists.sessions, 'where'),
    vi.spyOn(lists.audit, 'where'),
  ]
  for (const [at, read] of reads.entries()) {
    const leaving = new AbortController()
    read.mockImplementationOnce((): never => {
      leaving.abort()
      return (at === 0 ? Promise.resolve([]) : { slice: () => Promise.resolve([]) }) as never
    })
    await person.send('/account/export/', { signal: leaving.signal }).catch(() => {})
    await expect
      .poll(() => reads.map(({ mock }) => mock.calls.length))
      .toEqual(reads.map((_, other) => (other <= at ? at - other + 1 : 0)))
  }
  expect(exportMore).not.toHaveBeenCalled()
  expect(logged.join()).not.toContain('error')
})

test('a mail to the address of anyone has no words of who asked for it', async () => {
  const { accounts, post, mails, settled, visitor } = await lives()
  const username = 'you have won: https://evil.example/won'
  await post('/register/', { json: { username, email: 'bob@example.com' } })
  await accounts.users.create({ username, password: 'wonderland' })
  const person = visitor()
  await person.logIn(username, 'wonderland')
  await person.form('/email/', { email: 'carol@example.com', current: 'wonderland' })
  await settled()
  expect(mails.map(({ kind }) => kind).toSorted()).toEqual(['email-confirm', 'register'])
  for (const { subject, text } of mails) expect(subject + text).not.toContain('evil')
})

test('the last active staff stay', async () => {
  const { accounts, visitor } = await lives()
  await accounts.users.create({ username: 'root', password: 'root secret', isStaff: true })
  const person = visitor()
  await person.logIn('root', 'root secret')
  expect((await person.form('/account/delete/', { current: 'root secret' })).status).toBe(409)
})
