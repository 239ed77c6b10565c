import { Hmac, argon2Sync, pbkdf2Sync } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { describe, expect, test, vi } from 'vitest'
import { HashQueue } from '../../src/accounts/passwords/hash-queue.ts'
import type { Users } from '../../src/accounts/users.ts'
import type { Requester, User } from '../../src/core/ports/credentials.ts'
import { hashPassword } from '../../src/accounts/passwords/argon2.ts'
import type { LoginRefusal } from '../../src/core/ports/events.ts'
import { ServiceUnavailable } from '../../src/core/errors/api-errors.ts'
import { writeNow } from '../contract/temporary.ts'
import { argon2Work } from '../setup/hashes.ts'
import { CHEAP, openAccounts } from './fixtures.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

const imported = (password: string): string =>
  `pbkdf2_sha256$1000$salt$${pbkdf2Sync(password, 'salt', 1000, 32, 'sha256').toString('base64')}`

/** Counts what is hashed. */
class CountingQueue extends HashQueue {
  count = 0

  override run<T>(work: () => Promise<T>, client?: Requester): Promise<T> {
    this.count++
    return super.run(work, client)
  }
}

async function withUsers() {
  const hashQueue = new CountingQueue()
  const refused: LoginRefusal[] = []
  const errors: Readonly<Record<string, unknown>>[] = []
  const accounts = await openAccounts({
    hashQueue,
    rememberPasswords: 0,
    onError: (record) => errors.push(record),
  })
  const { users, database } = accounts
  accounts.events.on('login.failed', ({ reason }) => void refused.push(reason))
  const alice = await users.create({ username: 'alice', password: 'wonderland' })
  await users.create({ username: 'carol', password: 'wonderland', isActive: false })
  await users.create({ username: 'dave' })
  const stores = (encoded: string): void =>
    void writeNow(database, 'update colophon_user set password = ? where id = ?', encoded, alice.id)
  const stored = async (): Promise<string> =>
    (await storesOf(database).users.byId(alice.id))!.password
  hashQueue.count = 0
  return { ...accounts, alice, hashQueue, refused, errors, stores, stored }
}

describe('I5 every refusal costs one hash operation', () => {
  test.each([
    ['an unknown user', 'nobody', 'wonderland', 'unknown'],
    ['an impossible name', 'ali\u0000ce', 'wonderland', 'unknown'],
    ['a lone surrogate as a name', '\ud800', 'wonderland', 'unknown'],
    ['a very long name', 'x'.repeat(2 ** 20), 'wonderland', 'unknown'],
    ['no name and no password', '', '', 'unknown'],
    ['a wrong password', 'alice', 'Wonderland', 'password'],
    ['no password', 'alice', '', 'password'],
    ['an inactive user, right password', 'carol', 'wonderland', 'inactive'],
    ['an inactive user, wrong password', 'carol', 'x', 'password'],
    ['a user without a password', 'dave', 'x', 'password'],
    ['a password of 1 MB', 'alice', 'x'.repeat(2 ** 20), 'password'],
    ['a password of 1 MB for nobody', 'nobody', 'x'.repeat(2 ** 20), 'unknown'],
    ['a lone surrogate', 'alice', '\ud800', 'password'],
    ['a null character', 'alice', 'wonder\u0000land', 'password'],
  ] as const)('%s', async (_, username, password, reason) => {
    const { users, hashQueue, refused } = await withUsers()
    expect(await users.authenticate(username, password)).toBeNull()
    expect({ hashes: hashQueue.count, refused }).toEqual({ hashes: 1, refused: [reason] })
  })

  test.each([
    ['of another format', imported('wonderland'), 'password'],
    ['of another program, in a format that is not read', 'md5$salt$hash', 'unreadable'],
    ['that would take hours', `pbkdf2_sha256$99999999$salt$${'A'.repeat(43)}=`, 'unreadable'],
    ['that nobody has', '!unusable', 'password'],
    ['that is empty', '', 'unreadable'],
  ] as const)('a wrong password for a hash %s', async (_, encoded, reason) => {
    const { users, hashQueue, refused, stores, stored } = await withUsers()
    stores(encoded)
    expect(await users.authenticate('alice', 'x')).toBeNull()
    expect({ hashes: hashQueue.count, refused }).toEqual({ hashes: 1, refused: [reason] })
    expect(await stored()).toBe(encoded)
  })

  test('an inactive user with an imported hash and the right password: one, and no new hash', async () => {
    const { users, alice, hashQueue, refused, stores, stored } = await withUsers()
    stores(imported('wonderland'))
    await users.update(alice, { isActive: false })
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
    expect({ hashes: hashQueue.count, refused }).toEqual({ hashes: 1, refused: ['inactive'] })
    expect(await stored()).toBe(imported('wonderland'))
  })

  test('a right password costs one too', async () => {
    const { users, alice, hashQueue } = await withUsers()
    expect(await users.authenticate('alice', 'wonderland')).toEqual(alice)
    expect(hashQueue.count).toBe(1)
  })

  test('a password of 1 MB is neither hashed nor digested', async () => {
    const { users } = await withUsers()
    const [work, digests] = [argon2Work(), vi.spyOn(Hmac.prototype, 'update')]
    await users.authenticate('alice', 'x'.repeat(2 ** 20))
    expect(work).toMatchObject([{ message: 0 }])
    for (const [text] of digests.mock.calls) expect(text.length).toBeLessThan(4096)
    digests.mockRestore()
  })

  test('too many at once: the queue is full, and nothing is said about anybody', async () => {
    const hashQueue = new HashQueue({ running: 1, waiting: 1 })
    const { users } = await openAccounts({ hashQueue })
    const attempts = ['a', 'b', 'c', 'd'].map((name) => users.authenticate(name, 'x'))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ServiceUnavailable)
    }
  })
})

describe('an imported hash', () => {
  const cost = { memory: 16, passes: 2, parallelism: 1 }
  const nonce = Buffer.from('somesalt')
  const tag = argon2Sync('argon2id', { message: 'wonderland', nonce, tagLength: 32, ...cost })
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

  test.each([
    ['of Django', imported('wonderland')],
    ['of Django, argon2', `argon2$argon2id$v=19$m=16,t=2,p=1$${unpadded(nonce)}$${unpadded(tag)}`],
    ['of Django, bcrypt', `bcrypt$${bcrypt.hashSync('wonderland', 4)}`],
    ['of another cost', '$argon2id'],
  ])('%s lets its user in, and is replaced', async (name, encoded) => {
    const { users, alice, hashQueue, stores, stored } = await withUsers()
    stores(name === 'of another cost' ? await hashPassword('wonderland', cost) : encoded)
    expect(await users.authenticate('alice', 'wonderland')).toEqual(alice)
    expect(hashQueue.count).toBe(2)
    const replaced = await stored()
    expect(replaced).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(await users.authenticate('alice', 'wonderland')).toEqual(alice)
    expect(hashQueue.count).toBe(3)
    expect(await stored()).toBe(replaced)
    expect(await users.authenticate('alice', 'x')).toBeNull()
  })

  test('is remembered in its new form (I6)', async () => {
    const hashQueue = new CountingQueue()
    const { users, database } = await openAccounts({ hashQueue, rememberPasswords: 60_000 })
    await users.create({ username: 'alice', password: 'x' })
    writeNow(database, 'update colophon_user set password = ?', imported('wonderland'))
    hashQueue.count = 0
    for (const _ of [1, 2, 3])
      expect(await users.authenticate('alice', 'wonderland')).not.toBeNull()
    expect(hashQueue.count).toBe(2)
  })

  test('does not overwrite a password that was changed meanwhile', async () => {
    const { users, alice, stores, stored } = await withUsers()
    const slow = pbkdf2Sync('wonderland', 'salt', 300_000, 32, 'sha256').toString('base64')
    stores(`pbkdf2_sha256$300000$salt$${slow}`)
    const login = users.authenticate('alice', 'wonderland')
    const changed = await hashPassword('looking-glass', CHEAP)
    stores(changed)
    expect(await login).toBeNull()
    expect(await stored()).toBe(changed)
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
    expect(await users.authenticate('alice', 'looking-glass')).toEqual(alice)
  })

  test('that cannot be replaced lets its user in all the same, and the log says why', async () => {
    const { users, alice, database, errors, stores, stored } = await withUsers()
    stores(imported('wonderland'))
    writeNow(
      database,
      `create trigger refuse before update on colophon_user begin select raise(abort, 'no writes'); end`,
    )
    expect(await users.authenticate('alice', 'wonderland')).toEqual(alice)
    expect(await stored()).toBe(imported('wonderland'))
    expect(errors).toMatchObject([{ event: 'password.not_rehashed' }])
    expect(JSON.stringify(errors)).not.toContain('wonderland')
  })
})

describe('while a password is being hashed', () => {
  test.each([
    [
      'the password is changed',
      (users: Users, user: User) => users.setPassword(user, 'other'),
      'password',
    ],
    [
      'the user is switched off',
      (users: Users, user: User) => users.update(user, { isActive: false }),
      'inactive',
    ],
  ])('%s: the old one lets nobody in', async (_, change, reason) => {
    const { users, alice, refused } = await withUsers()
    const login = users.authenticate('alice', 'wonderland')
    await change(users, alice)
    expect(await login).toBeNull()
    expect(refused).toEqual([reason])
  })
})

describe('what cannot be a password', () => {
  test.each(['x'.repeat(4097), '\ud800'])('is not stored: 400', async (password) => {
    const { users, alice, stored, hashQueue } = await withUsers()
    const before = await stored()
    for (const attempt of [
      users.create({ username: 'eve', password }),
      users.setPassword(alice, password),
    ]) {
      const error = await attempt.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 400, codes: { password: ['invalid'] } })
    }
    expect(await users.byUsername('eve')).toBeNull()
    expect(await stored()).toBe(before)
    expect(hashQueue.count).toBe(0)
  })

  test.each([
    { memory: 2 ** 21, passes: 1, parallelism: 1 },
    { memory: 7, passes: 1, parallelism: 1 },
    { memory: 8, passes: 0, parallelism: 1 },
    { memory: 8.5, passes: 1, parallelism: 1 },
  ])('a cost that would never be checked cannot be chosen: %j', async (passwordCost) => {
    await expect(openAccounts({ passwordCost })).rejects.toThrow('cannot be used')
  })
})

describe('I5 the time of a refusal', () => {
  test('tells nothing: each asks for the same look-ups, and for one hash of the cost that others have', async () => {
    const passwordCost = { memory: 64, passes: 3, parallelism: 2 }
    const { users, database } = await openAccounts({ passwordCost, rememberPasswords: 60_000 })
    await users.create({ username: 'alice', password: 'wonderland' })
    await users.create({ username: 'carol', password: 'wonderland', isActive: false })
    await users.create({ username: 'dave' })
    const find = vi.spyOn(database, 'rows')
    const work = argon2Work()
    const refusals = [
      ['nobody', 'wonderland'],
      ['alice', 'wronderlan'],
      ['carol', 'wonderland'],
      ['dave', 'wonderland'],
    ] as const
    for (const [username, password] of refusals)
      expect(await users.authenticate(username, password)).toBeNull()
    expect(find).toHaveBeenCalledTimes(refusals.length)
    const each = { ...passwordCost, tagLength: 32, message: 'wonderland'.length }
    expect(work).toEqual(refusals.map(() => each))
  })
})
