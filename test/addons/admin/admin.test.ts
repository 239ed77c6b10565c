// The administration: what it shows, what it changes, and what it refuses.
import { describe, expect, test, vi } from 'vitest'
import { SERVERS } from '../../setup/databases.ts'
import { administration, at } from './service.ts'

type Row = Readonly<Record<string, unknown>>
interface Page {
  readonly next: string | null
  readonly results: readonly Row[]
}

const DAY = 86_400_000

describe.each(['sqlite', ...SERVERS] as const)('the administration on %s', (place) => {
  test('lists, searches and filters users, page by page, newest first', async () => {
    const { get, accounts, staff } = await administration(place)
    for (let number = 0; number < 60; number++)
      await accounts.users.create({ username: `user${number}`, isActive: number % 2 === 0 })
    const seen: unknown[] = []
    for (let url: string | null = at('users/'); url !== null;) {
      const { data, status } = await get(url, { as: staff })
      expect(status).toBe(200)
      const page = data as Page
      expect(page.results.length).toBeLessThanOrEqual(50)
      seen.push(...page.results.map(({ username }) => username))
      url = page.next?.replace('http://localhost', '') ?? null
    }
    expect(seen).toHaveLength(64)
    expect(seen.slice(0, 2)).toEqual(['user59', 'user58'])
    const names = async (query: string) =>
      ((await get(at(`users/?${query}`), { as: staff })).data as Page).results.map(
        ({ username }) => username,
      )
    expect(await names('search=alice@')).toEqual(['alice'])
    expect(await names('isStaff=true')).toEqual(['staff', 'root'])
    expect(await names('isActive=false&search=user1')).toEqual([
      'user19',
      'user17',
      'user15',
      'user13',
      'user11',
      'user1',
    ])
    const { data } = await get(at('users/?username=alice'), { as: staff })
    expect((data as Page).results[0]).toEqual({
      id: expect.any(Number),
      username: 'alice',
      email: 'alice@example.com',
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: expect.stringMatching(/^20\d\d-/),
      lastLogin: null,
    })
    expect(
      ((await get(at('users/?page_size=1000'), { as: staff })).data as Page).results,
    ).toHaveLength(50)
  })

  test('shows how a user logs in beside the password, and ends each way', async () => {
    const { get, post, accounts, staff, root, alice, trail } = await administration(place)
    const { factors, families, identities } = accounts
    await factors.confirm(alice, await factors.begin(alice, 'phone', 'ORSXG5A'), 1)
    const key = { credentialId: 'AAAA', publicKey: 'BBBB', handle: 'CCCC', transports: [] }
    await factors.addPasskey(alice, 'laptop', { ...key, counter: 7 })
    await identities.link(alice, { issuer: 'https://id.example', subject: 'a1' })
    const { refresh, access } = await families.begin(alice, { label: 'tablet' })
    const path = at(`users/${alice.id}/factors/`)
    const shown = await get(path, { as: staff })
    expect(shown.data).toMatchObject({
      ways: [
        { kind: 'totp', name: 'phone' },
        { kind: 'passkey', name: 'laptop', lastUsed: null },
        { kind: 'identity', name: 'https://id.example a1' },
        { kind: 'refresh_token', name: 'tablet', lastUsed: null },
      ],
      recoveryCodes: 10,
    })
    expect(shown.text).not.toMatch(/ORSXG5A|AAAA|BBBB|CCCC|_[ar]t_/)
    const page = await get(path, { as: staff, headers: { accept: 'text/html' } })
    expect(page.text).toContain('laptop')
    const { ways } = shown.data as { readonly ways: readonly { kind: string; id: number }[] }
    const end = (json: object, as = staff) => post(`${path}end/`, { as, json })
    // A number of another list.
    for (const kind of ['device', 'passkey'])
      expect((await end({ kind, id: ways[0]!.id })).status).toBe(404)
    for (const { kind, id } of ways) {
      expect((await end({ kind, id })).status).toBe(200)
      expect((await end({ kind, id })).status).toBe(404)
    }
    expect([await factors.of(alice), await identities.of(alice)]).toEqual([[], []])
    expect([await families.use(refresh), await accounts.tokens.verify(access)]).toEqual([
      null,
      null,
    ])
    const ended = (await trail()).map(({ actor, action }) => `${actor} ${action}`)
    expect(ended).toEqual([
      'staff factor.removed',
      'staff factor.removed',
      'staff identity.unlinked',
      'staff family.ended',
    ])
    // Those of other members of staff are not theirs to end, and their own take a proof.
    const [other] = await Promise.all([
      factors.begin(root, 'phone', 'ORSXG5A'),
      factors.begin(staff, 'phone', 'ORSXG5A'),
    ])
    const { kind, id } = other
    const endOf = async (user: { readonly id: number }, as = staff) =>
      (await post(at(`users/${user.id}/factors/end/`), { as, json: { kind, id } })).status
    expect([await endOf(root), await endOf(staff), await endOf(root, root)]).toEqual([
      403, 409, 409,
    ])
  })

  test('creates, deactivates and activates users, and sets passwords', async () => {
    const { get, post, accounts, staff, trail } = await administration(place)
    const made = await post(at('users/'), {
      as: staff,
      json: { username: 'carol', email: 'c@example.com', password: 'a first secret' },
    })
    expect(made.status).toBe(201)
    expect(made.text).not.toContain('secret')
    const { id } = made.data as { readonly id: number }
    expect(await accounts.users.authenticate('carol', 'a first secret')).not.toBeNull()
    const again = await post(at('users/'), { as: staff, json: { username: 'carol' } })
    expect([again.status, again.data]).toEqual([
      400,
      { username: ['This value is already in use.'] },
    ])
    const off = await post(at(`users/${id}/deactivate/`), { as: staff })
    expect([off.status, (off.data as Row)['isActive']]).toEqual([200, false])
    expect(await accounts.users.authenticate('carol', 'a first secret')).toBeNull()
    await post(at(`users/${id}/activate/`), { as: staff })
    const set = await post(at(`users/${id}/password/`), {
      as: staff,
      json: { password: ' another one ' },
    })
    expect([set.status, set.text.includes('another')]).toEqual([200, false])
    expect(await accounts.users.authenticate('carol', ' another one ')).not.toBeNull()
    expect((await get(at(`users/${id}/`), { as: staff })).data).toMatchObject({ isActive: true })
    const entries = await trail()
    expect(entries.map(({ actor, action, username }) => `${actor} ${action} ${username}`)).toEqual([
      'staff user.created carol',
      'staff user.deactivated carol',
      'staff user.activated carol',
      'staff user.password_changed carol',
    ])
    expect(entries[0]!['request_id']).toBe(made.header('x-request-id'))
  })

  test('makes, finds, rotates and revokes tokens', async () => {
    const { get, post, accounts, staff, alice, bob } = await administration(place)
    const expires = new Date(Date.now() + DAY).toISOString()
    const json = { user: alice.id, name: 'ci', scopes: ['read', 'read-all'], expires }
    const made = await post(at('tokens/'), { as: staff, json })
    expect([made.status, made.header('cache-control')]).toEqual([201, 'no-store'])
    const { id, key } = made.data as { readonly id: number; readonly key: string }
    expect(made.data).toMatchObject({ username: 'alice', name: 'ci', scopes: json.scopes, expires })
    expect((await accounts.tokens.verify(key))?.user.id).toBe(alice.id)
    const twice = await post(at('tokens/'), { as: staff, json })
    expect([twice.status, Object.keys(twice.data as object)]).toEqual([400, ['name']])
    await accounts.tokens.issue(bob, { name: 'other', scopes: ['read_all'] })
    const found = async (query: string) =>
      ((await get(at(`tokens/?${query}`), { as: staff })).data as Page).results.map(
        ({ name }) => name,
      )
    expect(await found('scope=read')).toEqual(['ci'])
    expect(await found('scope=read_all')).toEqual(['other'])
    expect(await found('scope=ead')).toEqual([])
    expect(await found(`user=${bob.id}`)).toEqual(['other'])
    expect(await found('search=ali')).toEqual(['ci'])
    expect(await found(`expires__lt=${new Date(Date.now() + 2 * DAY).toISOString()}`)).toEqual([
      'ci',
    ])
    expect(await found('expires__isnull=true')).toEqual(['other'])
    expect(await found('lastUsed__isnull=true')).toEqual(['other', 'ci'])
    expect(await found('lastUsed__gte=2020-01-01')).toEqual([])
    const rotated = await post(at(`tokens/${id}/rotate/`), { as: staff, json: { overlap: 60 } })
    expect(rotated.status).toBe(200)
    const next = rotated.data as { readonly id: number; readonly key: string }
    for (const each of [key, next.key]) expect(await accounts.tokens.verify(each)).not.toBeNull()
    expect((await post(at(`tokens/${id}/revoke/`), { as: staff })).data).toEqual({ revoked: 1 })
    expect(await accounts.tokens.verify(key)).toBeNull()
    expect((await post(at(`tokens/${id}/revoke/`), { as: staff })).status).toBe(404)
    const many = { tokens: [next.id, next.id, 999_999] }
    expect((await post(at('tokens/revoke/'), { as: staff, json: many })).data).toEqual({
      revoked: 1,
    })
    expect(await found('')).toEqual(['other'])
  })

  test('lists the sessions of a user and ends one or all', async () => {
    const { get, post, accounts, staff, alice, bob } = await administration(place)
    const { sessions } = accounts
    const [one, two, other] = [
      await sessions.start(alice),
      await sessions.start(alice),
      await sessions.start(bob),
    ]
    const listed = await get(at(`users/${alice.id}/sessions/`), { as: staff })
    const { results } = listed.data as Page
    expect(results).toHaveLength(2)
    for (const cookie of [one, two]) expect(listed.text).not.toContain(cookie)
    const end = (json: object) => post(at(`users/${alice.id}/sessions/end/`), { as: staff, json })
    expect((await end({ session: results[0]!['id'] })).data).toEqual({ ended: 1 })
    expect((await end({ session: results[0]!['id'] })).status).toBe(404)
    const theirs = await get(at(`users/${bob.id}/sessions/`), { as: staff })
    expect((await end({ session: (theirs.data as Page).results[0]!['id'] })).status).toBe(404)
    const { families } = accounts
    const { refresh } = await families.begin(alice)
    const kept = await families.begin(bob)
    expect((await end({})).data).toEqual({ ended: 2 })
    expect(await families.use(refresh)).toBeNull()
    expect(await families.use(kept.refresh)).not.toBeNull()
    expect(
      await Promise.all(
        [one, two, other].map(async (each) => (await sessions.read(each)) !== null),
      ),
    ).toEqual([false, false, true])
  })

  test('shows the audit trail, newest first, by actor, user, action and time', async () => {
    const { get, post, root, staff, alice, bob } = await administration(place)
    await post(at('tokens/'), { as: staff, json: { user: alice.id, name: 'ci', scopes: ['read'] } })
    await post(at(`users/${bob.id}/deactivate/`), { as: root })
    const found = async (query = '') =>
      ((await get(at(`audit/${query}`), { as: staff })).data as Page).results
    expect((await found()).map(({ actor, action }) => [actor, action].join(' '))).toEqual([
      'root user.deactivated',
      'staff token.created',
    ])
    expect(await found(`?user=${alice.id}`)).toEqual([
      {
        id: expect.any(Number),
        at: expect.stringMatching(/^20\d\d-/),
        actor: 'staff',
        systemUser: '',
        command: '',
        action: 'token.created',
        user: alice.id,
        username: 'alice',
        token: 'ci',
        details: { scopes: ['read'], expires: null },
        requestId: expect.any(String),
      },
    ])
    expect(await found('?actor=root')).toHaveLength(1)
    expect(await found('?action=token.created')).toHaveLength(1)
    expect(await found('?at__lt=2020-01-01')).toEqual([])
    expect(await found('?at__gte=2020-01-01T00:00:00Z')).toHaveLength(2)
  })
})

test('to deactivate a user who is deleted in the same moment is 404', async () => {
  const { post, database, staff, alice } = await administration('sqlite')
  const sql =
    'create trigger faster after update on colophon_user begin delete from colophon_user where id = new.id; end'
  await database.write({ sql, parameters: [] })
  expect((await post(at(`users/${alice.id}/deactivate/`), { as: staff })).status).toBe(404)
})

test('to make a key for a user who is deleted in the same moment names the user, or is 404', async () => {
  const { post, accounts, database, staff, alice, bob } = await administration('sqlite')
  const json = { user: alice.id, name: 'ci' }
  const { data } = await post(at('tokens/'), { as: staff, json: { ...json, user: bob.id } })
  const byId = vi.spyOn(accounts.users, 'byId').mockImplementation(async (id) => {
    byId.mockRestore()
    const user = (await accounts.users.byId(id))!
    await accounts.users.remove(user)
    return user
  })
  const refused = await post(at('tokens/'), { as: staff, json })
  expect(refused).toMatchObject({ status: 400, data: { user: [expect.any(String)] } })
  const sql =
    'create trigger faster after update of name on colophon_token begin delete from colophon_user where id = new.user_id; end'
  await database.write({ sql, parameters: [] })
  const rotated = at(`tokens/${(data as { id: number }).id}/rotate/`)
  expect((await post(rotated, { as: staff, json: { overlap: 60 } })).status).toBe(404)
})
