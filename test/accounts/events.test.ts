import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AccountEvents } from '../../src/accounts/events.ts'
import type { AccountEventName } from '../../src/core/ports/events.ts'
import type { Logger } from '../../src/core/ports/kernel.ts'
import { openAccounts } from './fixtures.ts'

type Record_ = Readonly<Record<string, unknown>>

function notebook(): Required<Omit<Logger, 'warn'>> & {
  readonly errors: Record_[]
  readonly infos: Record_[]
} {
  const [errors, infos]: [Record_[], Record_[]] = [[], []]
  return {
    errors,
    infos,
    error: (record) => void errors.push(record),
    info: (record) => void infos.push(record),
  }
}

const NAMES: readonly AccountEventName[] = [
  'login.failed',
  'token.created',
  'token.used',
  'token.revoked',
  'token.refused',
  'user.created',
  'user.password_changed',
  'user.deactivated',
]

describe('events', () => {
  test('tell everything that happens to accounts, in order, and the log has all but the uses of tokens', async () => {
    const logger = notebook()
    const { users, tokens, events } = await openAccounts({ logger, now: () => 5, manyTokens: true })
    const heard: string[] = []
    for (const name of NAMES) {
      events.on(name, (event) => {
        heard.push(event.type)
        expect(event.at).toEqual(new Date(5))
      })
    }
    const alice = await users.create({ username: 'alice', password: 'wonderland' })
    const { key } = await tokens.obtain(alice)
    await tokens.obtain(alice)
    await tokens.verify(key)
    await tokens.verify(key)
    await tokens.regenerate(alice)
    await tokens.issue(alice, { name: 'ci' })
    await tokens.rotate(alice, 'ci')
    await tokens.verify('nope')
    await users.authenticate('alice', 'wrong')
    await users.authenticate('alice', 'wonderland')
    await users.setPassword(alice, 'looking-glass')
    await users.update(alice, { isActive: false })
    const fresh = await tokens.obtain(alice)
    await tokens.verify(fresh.key)
    await tokens.revokeAll(alice)
    const expected = [
      'user.created',
      'token.created',
      'token.used',
      'token.revoked',
      'token.created',
      'token.created',
      'token.revoked',
      'token.created',
      'token.refused',
      'login.failed',
      'user.password_changed',
      'user.deactivated',
      'token.refused',
      'token.revoked',
      'token.revoked',
    ]
    expect(heard).toEqual(expected)
    expect(logger.infos.map(({ event }) => event)).toEqual(
      expected.filter((event) => event !== 'token.used'),
    )
    expect(logger.infos).toContainEqual({ event: 'user.created', user: 'alice', userId: alice.id })
    // The usual token, which has no name.
    expect(logger.infos).toContainEqual({ event: 'token.created', user: 'alice', userId: alice.id })
    expect(logger.infos).toContainEqual({
      event: 'token.created',
      user: 'alice',
      userId: alice.id,
      token: 'ci',
    })
    expect(logger.infos).toContainEqual({
      event: 'login.failed',
      username: 'alice',
      reason: 'password',
    })
    expect(logger.infos).toContainEqual({ event: 'token.refused', reason: 'unknown', count: 1 })
    expect(logger.errors).toEqual([])
  })

  test('tell of the old token where a new one replaces it', async () => {
    let now = 5
    const { users, tokens, events } = await openAccounts({ now: () => now })
    const alice = await users.create({ username: 'alice' })
    await tokens.obtain(alice)
    const revoked: unknown[] = []
    events.on('token.revoked', ({ token }) => void revoked.push(token))
    now = 9000
    const fresh = await tokens.regenerate(alice)
    expect(revoked).toEqual([
      { name: '', scopes: null, created: new Date(5), expires: null, lastUsed: null },
    ])
    expect(fresh.created).toEqual(new Date(9000))
  })

  test('are heard until the listener is taken off', async () => {
    const events = new AccountEvents()
    const heard: number[] = []
    const listener = ({ user }: { user: { id: number } }): void => void heard.push(user.id)
    const first = events.on('user.created', listener)
    const second = events.on('user.created', listener)
    const user = { id: 1 } as never
    await events.emit('user.created', { user })
    first()
    first()
    await events.emit('user.created', { user })
    second()
    await events.emit('user.created', { user })
    expect(heard).toEqual([1, 1, 1])
  })

  test('a listener that fails harms nobody: the others hear, the log says so', async () => {
    const logger = notebook()
    const { users, events } = await openAccounts({ logger })
    const heard: string[] = []
    events.on('user.created', () => {
      throw new Error('thrown')
    })
    events.on('user.created', async () => Promise.reject(new Error('rejected')))
    events.on('user.created', ({ user }) => void heard.push(user.username))
    expect(await users.create({ username: 'alice' })).toMatchObject({ username: 'alice' })
    expect(heard).toEqual(['alice'])
    expect(logger.errors).toEqual([
      {
        event: 'user.created.listener_failed',
        err: expect.any(Error),
        error: expect.stringContaining('thrown') as string,
      },
      {
        event: 'user.created.listener_failed',
        err: expect.any(Error),
        error: expect.stringContaining('rejected') as string,
      },
    ])
  })

  test('are awaited where users change', async () => {
    const { users, events } = await openAccounts()
    const done: string[] = []
    for (const name of ['user.created', 'user.password_changed', 'user.deactivated'] as const) {
      events.on(name, async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        done.push(name)
      })
    }
    const alice = await users.create({ username: 'alice' })
    expect(done).toEqual(['user.created'])
    await users.setPassword(alice, 'x')
    await users.update(alice, { isActive: false })
    expect(done).toEqual(['user.created', 'user.password_changed', 'user.deactivated'])
  })

  test('of nobody are none', async () => {
    const logger = notebook()
    const { users, tokens, database } = await openAccounts({ logger })
    const alice = await users.create({ username: 'alice' })
    await database.write({ sql: 'delete from colophon_user', parameters: [] })
    await users.setPassword(alice, 'x')
    await users.update(alice, { isActive: false })
    await tokens.revoke(alice)
    expect(logger.infos.map(({ event }) => event)).toEqual(['user.created'])
  })

  test('go to the log of the application, unless another was said with the accounts', async () => {
    const [own, other] = [notebook(), notebook()]
    const without = await openAccounts()
    without.events.logTo(other)
    await without.users.create({ username: 'alice' })
    const withOwn = await openAccounts({ logger: own })
    withOwn.events.logTo(other)
    await withOwn.users.create({ username: 'bob' })
    expect([own, other].map(({ infos }) => infos.map(({ user }) => user))).toEqual([
      ['bob'],
      ['alice'],
    ])
  })

  test('a flood of guesses is a line a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const logger = notebook()
    const { tokens } = await openAccounts({ logger })
    for (let guess = 0; guess < 10_000; guess++) {
      vi.advanceTimersByTime(0.25)
      await tokens.verify(`guess ${guess}`)
    }
    const told = logger.infos.map(({ count }) => count as number)
    expect(told).toHaveLength(3)
    expect(told.reduce((sum, count) => sum + count)).toBeGreaterThan(8000)
  })

  test('show a name as it was typed, but not more than a name can be long', async () => {
    const logger = notebook()
    const { users } = await openAccounts({ logger })
    await users.authenticate('x'.repeat(100_000), 'x')
    expect(logger.infos).toEqual([
      { event: 'login.failed', username: 'x'.repeat(150), reason: 'unknown' },
    ])
  })
})

describe('what is done when a user comes or changes', () => {
  test('a token is there when `create` gives the user (document 5.2)', async () => {
    const { users, tokens } = await openAccounts({
      onUserCreated: (user, accounts) => accounts.tokens.obtain(user),
    })
    const alice = await users.create({ username: 'alice' })
    expect(await tokens.of(alice)).toHaveLength(1)
  })

  test('what goes wrong there comes out, and the user exists', async () => {
    const { users } = await openAccounts({
      onUserCreated: () => Promise.reject(new Error('no token')),
    })
    await expect(users.create({ username: 'alice' })).rejects.toThrow('no token')
    expect(await users.byUsername('alice')).not.toBeNull()
  })

  test.each([
    [false, 2],
    [true, 0],
  ])('S7 tokens outlive a change of the password, unless that is said: %j', async (said, left) => {
    const { users, tokens } = await openAccounts({
      manyTokens: true,
      revokeTokensOnPasswordChange: said,
    })
    const alice = await users.create({ username: 'alice', password: 'wonderland' })
    const { key } = await tokens.obtain(alice)
    await tokens.issue(alice, { name: 'ci' })
    await users.setPassword(alice, 'looking-glass')
    expect(await tokens.of(alice)).toHaveLength(left)
    expect((await tokens.verify(key)) !== null).toBe(!said)
  })
})
