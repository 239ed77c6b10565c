// Refresh tokens: each is spent by its use, one that comes back ends its family, and a copy of the database holds none.
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import {
  type Accounts,
  type AccountsOptions,
  createAccounts,
} from '../../src/accounts/create-accounts.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { SERVERS, migratedDatabase } from '../setup/databases.ts'
import { CHEAP } from './fixtures.ts'

const AT = 1_735_689_600_000
const MINUTE = 60_000
const DAY = 86_400_000

async function open(
  given: Partial<AccountsOptions<'doctor' | 'nurse'>> = {},
  database: AccountsOptions['database'] | null = null,
) {
  const clock = { now: AT }
  const options = {
    database: database ?? (await migratedSqlite()),
    secretKey: () => 'a secret',
    passwordCost: CHEAP,
    now: () => clock.now,
    roles: ['doctor', 'nurse'],
    refreshTokens: {},
    ...given,
  } as const
  const accounts = createAccounts(options)
  const ada = await accounts.users.create({ username: 'ada', password: 'wonderland' })
  const ended: string[] = []
  const listened = (to: Pick<Accounts, 'events'>) =>
    to.events.on('family.ended', ({ user, family, reason }) => {
      ended.push(`${user.username} ${family.label} ${reason}`)
    })
  listened(accounts)
  // What another process has of the same accounts.
  const other = () => {
    const there = createAccounts(options)
    listened(there)
    return there
  }
  return { ...accounts, accounts, options, other, ada, clock, ended }
}

const isKnown = async ({ tokens }: Pick<Accounts, 'tokens'>, key: string): Promise<boolean> =>
  (await tokens.verify(key)) !== null

describe.each(['sqlite', ...SERVERS] as const)('A family on %s', (name) => {
  const opened = async (given: Parameters<typeof open>[0] = {}) =>
    open(given, name === 'sqlite' ? null : await migratedDatabase(name))

  test('goes on with each use, and has an access token for a short time', async () => {
    const { families, tokens, ada, clock, other } = await opened()
    const first = await families.begin(ada, { label: ' my\tphone ', scopes: ['read'] })
    expect(await other().tokens.verify(first.access)).toMatchObject({
      user: { username: 'ada' },
      name: 'myphone',
      scopes: ['read'],
      expires: new Date(AT + 10 * MINUTE),
      family: first.family.id,
    })
    clock.now += 9 * MINUTE
    const second = (await other().families.use(first.refresh))!
    expect(second.refresh).not.toBe(first.refresh)
    expect(second.family).toMatchObject({ id: first.family.id, lastUsed: new Date(clock.now) })
    // Requests under way go on.
    expect(await isKnown({ tokens }, first.access)).toBe(true)
    clock.now += MINUTE
    expect(await isKnown({ tokens }, first.access)).toBe(false)
    expect(await isKnown({ tokens }, second.access)).toBe(true)
    expect(await families.of(ada)).toEqual([second.family])
  })

  test('ends when a spent refresh token comes back, on every process', async () => {
    const { families, tokens, ada, other, ended } = await opened()
    const there = other()
    const first = await families.begin(ada, { label: 'phone' })
    const kept = await families.begin(ada, { label: 'desk' })
    const second = (await families.use(first.refresh))!
    const third = (await there.families.use(second.refresh))!
    for (const { access } of [first, second, third]) expect(await isKnown(there, access)).toBe(true)
    expect(await families.use(first.refresh)).toBeNull()
    for (const { access } of [first, second, third]) {
      expect(await isKnown(there, access)).toBe(false)
      expect(await isKnown({ tokens }, access)).toBe(false)
    }
    expect(await there.families.use(third.refresh)).toBeNull()
    expect(ended).toEqual(['ada phone reused'])
    expect(await families.of(ada)).toEqual([kept.family])
  })

  test('of 100 uses of one refresh token at once, one spends it, and the others end the family', async () => {
    const { families, ada, other, ended } = await opened()
    const { refresh } = await families.begin(ada)
    const processes = [families, other().families]
    const uses = Array.from({ length: 100 }, (_, at) => processes[at % 2]!.use(refresh))
    const pairs = (await Promise.all(uses)).filter((pair) => pair !== null)
    expect(pairs).toHaveLength(1)
    expect(await families.use(pairs[0]!.refresh)).toBeNull()
    expect(await families.of(ada)).toEqual([])
    expect(ended).toEqual(['ada  reused'])
  })

  test('with a grace, 100 uses at once get the same next one, and it goes on', async () => {
    const { families, ada, clock, ended } = await opened({ refreshTokens: { grace: '5s' } })
    const { refresh } = await families.begin(ada)
    const uses = Array.from({ length: 100 }, () => families.use(refresh))
    const next = new Set((await Promise.all(uses)).map((pair) => pair?.refresh))
    expect(next.size).toBe(1)
    clock.now += 4999
    const lost = (await families.use(refresh))!
    expect(next).toContain(lost.refresh)
    // Of two that have it, the second one is found out.
    const used = (await families.use(lost.refresh))!
    expect(await families.use(refresh)).toBeNull()
    expect(await families.use(used.refresh)).toBeNull()
    expect(ended).toEqual(['ada  reused'])
  })

  test('ends with the password, the account, or all of the user', async () => {
    const { families, users, ada, ended, accounts } = await opened()
    const verified = (await users.authenticate('ada', 'wonderland'))!
    const begin = async () => families.begin(ada, { label: 'x' })
    const first = await begin()
    await users.setPassword(ada, 'other')
    expect(await families.use(first.refresh)).toBeNull()
    await expect(families.begin(verified)).rejects.toThrow('credentials')
    const second = await begin()
    await users.update(ada, { isActive: false })
    await expect(families.begin(ada)).rejects.toThrow('credentials')
    await users.update(ada, { isActive: true })
    expect(await isKnown(accounts, second.access)).toBe(false)
    await begin()
    expect(await families.endAll(ada)).toBe(1)
    expect(ended).toHaveLength(3)
    const last = await begin()
    await users.remove(ada)
    expect(await families.use(last.refresh)).toBeNull()
    await expect(families.begin(ada)).rejects.toThrow('credentials')
  })

  test('ends as well where a program without refresh tokens changes its user', async () => {
    const { families, users, ada, options } = await opened()
    const { refreshTokens: _, ...without } = options
    const there = createAccounts(without)
    const first = await families.begin(ada)
    await there.users.setPassword(ada, 'other')
    expect(await families.use(first.refresh)).toBeNull()
    const second = await families.begin((await users.byId(ada.id))!)
    await there.users.update(ada, { isActive: false })
    await there.users.update(ada, { isActive: true })
    expect(await families.use(second.refresh)).toBeNull()
    await families.begin((await users.byId(ada.id))!)
    expect(await there.families.endAll(ada)).toBe(1)
    const sql = 'drop table colophon_family'
    await without.database.write({ sql, parameters: [] })
    expect(await there.families.endAll(ada)).toBe(0)
    await there.users.setPassword(ada, 'a third')
  })
})

describe('A family', () => {
  test('ends where its user does nothing, and in any case after a while', async () => {
    const { families, tokens, ada, clock } = await open({
      refreshTokens: { access: '1h', idle: '10d', absolute: '15d' },
    })
    const idle = await families.begin(ada)
    clock.now += 10 * DAY - 1
    const pair = (await families.use(idle.refresh))!
    expect(pair.family.expires).toEqual(pair.family.ends)
    clock.now = AT + 15 * DAY - 1000
    const last = (await families.use(pair.refresh))!
    expect(last.answer.expires_in).toBe(1)
    expect(await isKnown({ tokens }, last.access)).toBe(true)
    clock.now += 1000
    expect(await isKnown({ tokens }, last.access)).toBe(false)
    expect(await families.use(last.refresh)).toBeNull()
    expect(await families.of(ada)).toEqual([])
    const other = await families.begin(ada)
    clock.now += 10 * DAY
    expect(await families.use(other.refresh)).toBeNull()
    expect(await families.clear()).toBe(1)
  })

  test('ends where its user has a hundred others that were used since', async () => {
    const { families, ada, clock, ended } = await open()
    const first = await families.begin(ada, { label: 'phone' })
    for (let at = 0; at < 99; at++) await families.begin(ada, { label: `script ${at}` })
    clock.now += 1000
    const next = (await families.use(first.refresh))!
    await families.begin(ada, { label: 'desk' })
    expect(ended).toEqual(['ada script 0 revoked'])
    expect(await families.of(ada)).toHaveLength(100)
    expect(await families.use(next.refresh)).not.toBeNull()
  })

  test('without a grace ends by the very same use a moment later', async () => {
    const { families, ada, ended } = await open()
    const { refresh } = await families.begin(ada)
    const next = (await families.use(refresh))!
    expect(await families.use(refresh)).toBeNull()
    expect(await families.use(next.refresh)).toBeNull()
    expect(ended).toHaveLength(1)
  })

  test.each([
    ['of another host is behind', 2],
    ['was set back by an hour', 60 * MINUTE],
  ])('without a grace ends by a spent token while the clock %s', async (_, behind) => {
    const { families, ada, clock, ended } = await open()
    const { refresh } = await families.begin(ada)
    await families.use(refresh)
    clock.now -= behind
    expect(await families.use(refresh)).toBeNull()
    expect(ended).toEqual(['ada  reused'])
  })

  test('is refused where another request ends all of its user in the same moment', async () => {
    const { families, ada, accounts, options } = await open()
    const begun: string[] = []
    accounts.events.on('family.begun', ({ family }) => void begun.push(family.label))
    const sql =
      'create trigger faster after insert on colophon_family begin delete from colophon_family; end'
    await options.database.write({ sql, parameters: [] })
    await expect(families.begin(ada)).rejects.toThrow('credentials')
    expect(begun).toEqual([])
  })

  test('ends by a spent token, also where it asks for more scopes than there are', async () => {
    const { families, ada, ended } = await open()
    const { refresh } = await families.begin(ada, { label: 'phone', scopes: ['read'] })
    const next = (await families.use(refresh))!
    const more = { scopes: ['read', 'write'] }
    await expect(families.use(next.refresh, more)).rejects.toMatchObject({ status: 400 })
    expect(ended).toEqual([])
    await expect(families.use(refresh, more)).rejects.toMatchObject({ status: 400 })
    expect(ended).toEqual(['ada phone reused'])
  })

  test('refuses a forged token without a statement, and one kind in place of the other', async () => {
    const { families, tokens, ada, options } = await open({ tokenPrefix: 'acme' })
    const { access, refresh } = await families.begin(ada)
    expect(refresh).toMatch(/^acme_rt_[\w-]{68}$/)
    const rows = vi.spyOn(options.database, 'rows')
    const write = vi.spyOn(options.database, 'write')
    const forged = (key: string) => [
      ...Array.from(key, (_, at) => `${key.slice(0, at)}~${key.slice(at + 1)}`),
      key.slice(0, -1),
      `${key}A`,
      `${key.slice(0, 8)}${'A'.repeat(68)}`,
      `${key.slice(0, 8)}${'A'.repeat(100_000)}`,
    ]
    for (const key of [...forged(refresh), access, '', 'acme_rt_'])
      expect(await families.use(key)).toBeNull()
    const accesses = forged(access).filter((key) => key.startsWith('acme_'))
    for (const key of [...accesses, refresh]) expect(await tokens.verify(key)).toBeNull()
    expect(rows).not.toHaveBeenCalled()
    expect(write).not.toHaveBeenCalled()
    const foreign = createAccounts({ ...options, secretKey: () => 'another secret' })
    expect(await foreign.families.use(refresh)).toBeNull()
    expect(rows).not.toHaveBeenCalled()
    expect(await families.use(refresh)).not.toBeNull()
  })

  test('is useless in a copy of the database', async () => {
    const { families, ada, options } = await open()
    const pairs = [await families.begin(ada), await families.begin(ada)]
    pairs.push((await families.use(pairs[0]!.refresh))!)
    const { values } = await options.database.rows({
      sql: 'select * from colophon_family',
      parameters: [],
    })
    const dump = JSON.stringify(values, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    const thief = createAccounts({ ...options, secretKey: () => 'a guess' })
    for (const { access, refresh } of pairs) {
      for (const key of [access, refresh]) expect(dump).not.toContain(key.slice(-40))
      expect(await thief.tokens.verify(access)).toBeNull()
    }
    expect(JSON.stringify(pairs) + inspect(pairs)).not.toMatch(/_[ar]t_/)
  })

  test('goes on under a new secret, and needs the old one for nothing that it made since', async () => {
    const { families, ada, options } = await open()
    const { refresh, access } = await families.begin(ada)
    const secretKeyFallbacks = () => ['a secret']
    const both = createAccounts({ ...options, secretKey: () => 'a new one', secretKeyFallbacks })
    expect(await isKnown(both, access)).toBe(true)
    const next = (await both.families.use(refresh))!
    expect(await isKnown(both, access)).toBe(true)
    const now = createAccounts({ ...options, secretKey: () => 'a new one' })
    expect(await isKnown(now, access)).toBe(false)
    expect(await isKnown(now, next.access)).toBe(true)
    expect(await now.families.use(next.refresh)).not.toBeNull()
  })

  test('has the roles that its user has at each request, of those in its scopes', async () => {
    const { families, tokens, users, ada, other } = await open()
    const rolesOf = async (key: string) => (await other().tokens.verify(key))!.user.roles
    await users.update(ada, { roles: ['doctor', 'nurse'] })
    const { access, refresh } = await families.begin(ada, { scopes: ['role:doctor'] })
    expect(await rolesOf(access)).toEqual(['doctor'])
    await users.update(ada, { roles: ['nurse'] })
    expect(await rolesOf(access)).toEqual([])
    const next = (await families.use(refresh))!
    expect((await tokens.verify(next.access))!.user.roles).toEqual([])
    // A scope that is named stays as it is named.
    await users.update(ada, { roles: ['doctor'] })
    expect(await rolesOf(next.access)).toEqual(['doctor'])
    await expect(families.begin(ada, { scopes: ['role:surgeon'] })).rejects.toThrow('surgeon')
  })

  test('is ended by its number, or by any token of it, and by its owner alone', async () => {
    const { families, users, ada, ended } = await open()
    const bob = await users.create({ username: 'bob' })
    const [one, two, three] = [
      await families.begin(ada, { label: 'one' }),
      await families.begin(ada, { label: 'two' }),
      await families.begin(ada, { label: 'three' }),
    ]
    expect(await families.end(bob, one.family.id)).toBe(false)
    expect(await families.end(ada, one.family.id)).toBe(true)
    expect(await families.end(ada, one.family.id)).toBe(false)
    await families.use(two.refresh)
    expect(await families.endBy(two.refresh)).toMatchObject({ user: ada })
    expect(await families.endBy(two.access)).toBeNull()
    expect(await families.endBy(three.access)).toMatchObject({ user: ada })
    expect(await families.endBy('colophon_rt_')).toBeNull()
    expect(ended).toEqual(['ada one revoked', 'ada two revoked', 'ada three revoked'])
  })

  test('is in the audit trail from its beginning to its end', async () => {
    const { accounts, ada, lists } = await open()
    const { families } = accounts.by({ user: ada, requestId: 'r-1' })
    const first = await families.begin(ada, { label: 'phone' })
    await families.use(first.refresh)
    await families.use(first.refresh)
    await families.begin(ada, { label: 'desk' })
    await families.endAll(ada)
    const trail = await lists.audit.slice(0, 10)
    expect(trail.map(({ action, details }) => [action, JSON.parse(details)])).toEqual([
      ['family.begun', { label: 'phone', scopes: null }],
      ['family.ended', { label: 'phone', reason: 'reused' }],
      ['family.begun', { label: 'desk', scopes: null }],
      ['family.ended', { count: 1, reason: 'revoked' }],
    ])
  })

  test.each([
    [{ access: '2 weeks' }, '"access" of refreshTokens is "2 weeks".'],
    [{ access: '31d' }, '"idle" of refreshTokens is "30 days".'],
    [{ idle: '91d' }, '"absolute" of refreshTokens is "90 days".'],
    [{ grace: '61s' }, '"grace" of refreshTokens is "61s".'],
  ])('does not start with %j', async (refreshTokens, sentence) => {
    await expect(open({ refreshTokens })).rejects.toThrow(sentence)
  })

  test('needs to be asked for', async () => {
    const database = await migratedSqlite()
    const { families, tokens, ada, other } = await open({}, database)
    const { access } = await families.begin(ada)
    expect(await isKnown({ tokens }, access)).toBe(true)
    void other
    const without = createAccounts({ database, secretKey: () => 'a secret' })
    expect([without.families.areOn, families.areOn]).toEqual([false, true])
    expect(() => without.families.require()).toThrow('refreshTokens: {}')
    await expect(without.families.begin(ada)).rejects.toThrow('refreshTokens: {}')
    expect(await without.tokens.verify(access)).toBeNull()
  })
})
