// An account's own pages: what they show and change, and whose.
import { describe, expect, test, vi } from 'vitest'
import { HashQueue } from '../../../src/accounts/passwords/hash-queue.ts'
import { SERVERS } from '../../setup/databases.ts'
import { ownPages } from './own-service.ts'

type Row = Readonly<Record<string, unknown>>
const rowsOf = (data: unknown) => (data as { readonly results: readonly Row[] }).results

describe.each(['sqlite', ...SERVERS] as const)('an account on %s', (place) => {
  test('makes, lists and revokes its own tokens, and sees none of others', async () => {
    const { get, post, accounts, alice, bob, trail } = await ownPages(place)
    await accounts.tokens.issue(bob, { name: 'theirs' })
    const json = { name: 'ci', scopes: ['read'], expires: '2030-01-01T00:00:00Z' }
    const made = await post('/account/tokens/', { as: alice, json })
    expect([made.status, made.header('cache-control')]).toEqual([201, 'no-store'])
    const { id, key } = made.data as { readonly id: number; readonly key: string }
    expect((await accounts.tokens.verify(key))?.user.username).toBe('alice')
    const listed = await get('/account/tokens/', { as: alice })
    expect(rowsOf(listed.data).map(({ name }) => name)).toEqual(['ci'])
    expect(listed.text).not.toContain(key)
    const [theirs] = rowsOf((await get('/account/tokens/', { as: bob })).data)
    for (const path of [`${String(theirs!['id'])}/`, '999999/'])
      expect((await get(`/account/tokens/${path}`, { as: alice })).status).toBe(404)
    const revoke = (number: unknown) =>
      post(`/account/tokens/${String(number)}/revoke/`, { as: alice })
    expect((await revoke(theirs!['id'])).status).toBe(404)
    expect((await revoke(id)).data).toEqual({ revoked: 1 })
    expect([await accounts.tokens.verify(key), (await revoke(id)).status]).toEqual([null, 404])
    expect(await trail()).toEqual([
      { actor: 'alice', action: 'token.created', username: 'alice', token: 'ci' },
      { actor: 'alice', action: 'token.revoked', username: 'alice', token: 'ci' },
    ])
  })

  test('lists its own sessions, and ends one or all but that of the request', async () => {
    const { accounts, bob, visitor, trail } = await ownPages(place)
    const [one, two, three] = [visitor(), visitor(), visitor()]
    for (const each of [one, two, three]) await each.logIn('alice', 'wonderland')
    const theirs = await accounts.sessions.start(bob)
    const listed = rowsOf(await one.json('/account/sessions/'))
    expect(listed.map(({ isCurrent }) => isCurrent).filter(Boolean)).toEqual([true])
    expect(listed).toHaveLength(3)
    const other = rowsOf(await two.json('/account/sessions/')).find(({ isCurrent }) => isCurrent)
    const end = async (fields: Record<string, string>) =>
      (await one.form('/account/sessions/end/', fields)).status
    expect(await end({ session: String(other!['id']) })).toBe(200)
    expect((await two.send('/account/')).status).toBe(403)
    expect((await three.send('/account/')).status).toBe(200)
    expect(await end({ session: 'a'.repeat(64) })).toBe(404)
    expect(await end({})).toBe(200)
    expect((await three.send('/account/')).status).toBe(403)
    expect((await one.send('/account/')).status).toBe(200)
    expect(await accounts.sessions.read(theirs)).not.toBeNull()
    const actions = (await trail()).map(({ actor, action }) => `${actor} ${action}`)
    expect(actions).toEqual(['alice sessions.ended', 'alice sessions.ended'])
  })

  test('changes its password: the other sessions end, this one gets another cookie', async () => {
    const { accounts, visitor, trail } = await ownPages(place)
    const [one, two] = [visitor(), visitor()]
    for (const each of [one, two]) await each.logIn('alice', 'wonderland')
    const before = new Map(one.jar)
    const change = (current: string, password: string) =>
      one.form('/account/password/', { current, password })
    const wrong = await change('Wonderland', 'through the glass')
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining('This is not your current password.'),
    ])
    expect((await change('wonderland', 'short')).status).toBe(400)
    expect(await accounts.users.authenticate('alice', 'wonderland')).not.toBeNull()
    const done = await change('wonderland', 'through the glass')
    expect([done.status, done.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await done.text()).not.toContain('through the glass')
    expect((await two.send('/account/')).status).toBe(403)
    expect((await one.send('/account/')).status).toBe(200)
    const cookie = accounts.sessions.settings.sessionCookieName
    expect(await accounts.sessions.read(before.get(cookie)!)).toBeNull()
    expect(one.jar.get(cookie)).not.toBe(before.get(cookie))
    expect(await accounts.users.authenticate('alice', 'wonderland')).toBeNull()
    expect(await accounts.users.authenticate('alice', 'through the glass')).not.toBeNull()
    const actions = (await trail()).map(({ actor, action }) => `${actor} ${action}`)
    expect(actions).toContain('alice user.password_changed')
  })

  test('changes no password by a session that ends while the new one is hashed', async () => {
    const { accounts, alice, visitor } = await ownPages(place)
    const thief = visitor()
    await thief.logIn('alice', 'wonderland')
    const { run } = HashQueue.prototype
    const hashed = vi.spyOn(HashQueue.prototype, 'run').mockImplementation(async function (
      this: HashQueue,
      ...given
    ) {
      const hash = await run.apply(this, given)
      // The first one compares the current password.
      if (hashed.mock.calls.length === 2) await accounts.sessions.endAllOf(alice)
      return hash
    })
    const fields = { current: 'wonderland', password: 'through the glass' }
    const refused = await thief.form('/account/password/', fields)
    hashed.mockRestore()
    expect(refused.status).toBe(403)
    expect((await thief.send('/account/')).status).toBe(403)
    expect(await accounts.users.authenticate('alice', 'wonderland')).not.toBeNull()
  })
})

describe('who comes to an account', () => {
  test('is refused with a token, without credentials, and as a user of another scheme', async () => {
    const { get, post, accounts, alice, bob } = await ownPages()
    const { key } = await accounts.tokens.obtain(alice)
    const headers = { authorization: `Token ${key}` }
    for (const path of ['/account/', '/account/tokens/', '/account/sessions/'])
      expect([path, (await get(path, { headers })).status]).toEqual([path, 403])
    const json = { name: 'more' }
    expect((await post('/account/tokens/', { headers, json })).status).toBe(403)
    expect((await get('/account/')).status).toBe(403)
    const stranger = { ...bob, username: 'someone else' }
    for (const path of ['/account/', '/account/tokens/', '/account/sessions/'])
      expect([path, (await get(path, { as: stranger })).status]).toEqual([path, 403])
    expect((await get('/account/', { as: { ...bob, isActive: false } })).status).toBe(403)
  })

  test('needs a CSRF token with a session', async () => {
    const { visitor } = await ownPages()
    const alice = visitor()
    await alice.logIn('alice', 'wonderland')
    for (const path of ['tokens/', 'sessions/end/', 'password/', 'tokens/1/revoke/']) {
      const { status } = await alice.send(`/account/${path}`, { method: 'POST' })
      expect([path, status]).toEqual([path, 403])
    }
  })

  test('guesses the password five times a minute, and no more', async () => {
    const { post, alice, bob, accounts } = await ownPages()
    const guess = async (as: typeof alice, current = 'a guess') =>
      (await post('/account/password/', { as, json: { current, password: 'of the thief' } })).status
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push(await guess(alice))
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    // The right one is refused as well, and others are not.
    expect([await guess(alice, 'wonderland'), await guess(bob)]).toEqual([429, 400])
    expect(await accounts.users.authenticate('alice', 'wonderland')).not.toBeNull()
  })

  test('reads what is wrong with a new password at its field', async () => {
    const { visitor } = await ownPages('sqlite', {
      passwordMinLength: 4,
      passwordValidators: [
        (text) => (text.includes('pass') ? 'Think of something else.' : undefined),
      ],
    })
    const alice = visitor()
    await alice.logIn('alice', 'wonderland')
    const change = (password: string) =>
      alice.form('/account/password/', { current: 'wonderland', password })
    const refused = await change('password')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toMatch(/class="errors" id="[^"]+"><li>Think of something else\./)
    expect((await change('rabb')).status).toBe(200)
  })

  test('lets browsers fill in the old password, and none as the new one', async () => {
    const { visitor } = await ownPages()
    const alice = visitor()
    await alice.logIn('alice', 'wonderland')
    const html = await alice.page('/account/password/')
    for (const [name, autocomplete] of [
      ['current', 'current-password'],
      ['password', 'new-password'],
    ] as const) {
      const [input] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html) ?? ['']
      expect(input.match(/ autocomplete="[^"]*"/g)).toEqual([` autocomplete="${autocomplete}"`])
    }
  })

  test('has the usual token alone where tokens have no names', async () => {
    const { post, alice, accounts } = await ownPages('sqlite', { manyTokens: false })
    const made = await post('/account/tokens/', { as: alice, json: {} })
    const again = await post('/account/tokens/', { as: alice, json: {} })
    expect((made.data as Row)['key']).toBe((again.data as Row)['key'])
    expect((await post('/account/tokens/', { as: alice, json: { name: 'ci' } })).status).toBe(400)
    expect(await accounts.tokens.of(alice)).toHaveLength(1)
  })

  test('reads hostile names as text', async () => {
    const { visitor, accounts, alice } = await ownPages()
    const name = `"><script>alert(1)</script>'<%~ 1 %>`
    await accounts.tokens.issue(alice, { name, scopes: ['<b>'] })
    const browser = visitor()
    await browser.logIn('alice', 'wonderland')
    for (const path of ['/account/tokens/', '/account/tokens/1/']) {
      const html = (await browser.page(path)).replace(/<script type="module">[^]*?<\/script>/, '')
      expect(html).toContain('&lt;script&gt;alert(1)')
      expect(html).not.toMatch(/<script|<b>(?!")/)
    }
  })
})

describe('a form of a page that is older than the session', () => {
  const TOKEN = /name="csrfmiddlewaretoken" value="([^"]+)"/
  const outdated = async (path = '/account/tokens/') => {
    const service = await ownPages()
    const alice = service.visitor()
    await alice.logIn('alice', 'wonderland')
    const token = TOKEN.exec(await alice.page(path))![1]!
    await alice.logIn('alice', 'wonderland')
    const send = async (
      fields: Record<string, string>,
      headers: Record<string, string> = {},
      csrfmiddlewaretoken = token,
    ) => {
      const body = new URLSearchParams({ ...fields, csrfmiddlewaretoken })
      const answer = await alice.send(path, {
        method: 'POST',
        body,
        headers: { accept: 'text/html', ...headers },
      })
      return { status: answer.status, html: await answer.text() }
    }
    return { ...service, send }
  }
  /** What the page of a refusal would send, by name; `null`: nothing. */
  const held = (html: string) => {
    const [, form] = /<main[^]*?<form method="post"[^>]*>([^]*?)<\/form>/.exec(html) ?? []
    if (form === undefined) return null
    const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
    return Object.fromEntries([...inputs].map(([, name, value]) => [name!, value!]))
  }

  test('is refused, and can be sent once more with all that was typed', async () => {
    const { send, accounts, alice } = await outdated()
    const typed = { name: 'ci "<b>"', expires: '2030-01-01T00:00:00Z' }
    const refused = await send(typed)
    expect([refused.status, await accounts.tokens.of(alice)]).toEqual([403, []])
    expect(refused.html).not.toContain(typed.name)
    const { csrfmiddlewaretoken, ...kept } = held(refused.html)!
    expect(kept).toEqual({ ...typed, name: 'ci &quot;&lt;b&gt;&quot;' })
    expect((await send(typed, {}, csrfmiddlewaretoken)).status).toBe(201)
  })

  test.each([
    ['another site has sent it', { origin: 'https://evil.example' }, undefined],
    ['the browser does not say where it comes from', { origin: '' }, undefined],
    ['its token is none', {}, 'nothing'],
  ])('is not held where %s', async (_, headers: Record<string, string>, token) => {
    const { send } = await outdated()
    const refused = await send({ name: 'ci' }, headers, token)
    expect([refused.status, held(refused.html)]).toEqual([403, null])
  })

  test('is not held where it has a password, or more than a page has room for', async () => {
    const passwords = await outdated('/account/password/')
    const refused = await passwords.send({ current: 'wonderland', password: 'new one' })
    expect([refused.status, held(refused.html)]).toEqual([403, null])
    expect(refused.html).not.toContain('new one')
    const { send } = await outdated()
    const [fits, long] = [
      await send({ name: 'x'.repeat(90_000) }),
      await send({ name: 'x'.repeat(110_000) }),
    ]
    expect([fits.status, held(fits.html)?.['name']?.length]).toEqual([403, 90_000])
    expect([long.status, held(long.html)]).toEqual([403, null])
  })
})
