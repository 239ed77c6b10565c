// A password that was changed while it was being checked gave a session and a token all the same, which
// outlived the end of everything.
import { pbkdf2Sync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/create-accounts.ts'
import { HashQueue } from '../../src/accounts/passwords/hash-queue.ts'
import { hashPassword } from '../../src/accounts/passwords/argon2.ts'
import type { User } from '../../src/core/ports/credentials.ts'
import { type AccountsDatabase, type Stores, storesOf } from '../../src/accounts/tables/stores.ts'
import { AuthenticationFailed } from '../../src/core/errors/api-errors.ts'
import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { nextTurn } from '../contract/temporary.ts'
import { DATABASES } from '../behaviour/databases.ts'

const OLD = 'wonderland'
const NEW = 'looking-glass'

/** Done before each step of a login: before a hash, and before each statement. */
type Before = (step: string) => Promise<void>

/** Accounts whose every step waits for `before`. */
function accountsOn(database: AccountsDatabase, before: Before = async () => {}): Accounts {
  const options = {
    database,
    secretKey: () => 'a secret',
    passwordCost: CHEAP,
    hashQueue: new SteppingQueue(before),
    rememberPasswords: 0,
    manyTokens: true,
  }
  return createAccounts(options, stepping(storesOf(database), before))
}

class SteppingQueue extends HashQueue {
  readonly #before: Before

  constructor(before: Before) {
    super()
    this.#before = before
  }

  override async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#before('hash')
    return super.run(work)
  }
}

function stepping(stores: Stores, before: Before): Stores {
  const stepped = Object.entries(stores).map(([name, store]) => [
    name,
    new Proxy(store, {
      get: (target: object, method: string) => {
        const work = (target as Record<string, ((...values: unknown[]) => unknown) | undefined>)[
          method
        ]
        if (work === undefined) return undefined
        return async (...values: unknown[]) => {
          await before(`${name}.${method}`)
          return work.apply(target, values)
        }
      },
    }),
  ])
  return Object.fromEntries(stepped)
}

/** What begins by a password. The cookie or the key; `null`: refused. */
type Begin = (accounts: Accounts, username: string) => Promise<string | null>

/** MariaDB gives one of two statements up that wait for each other (503); nothing of it was written. */
const isGivenUp = (error: unknown): boolean => error instanceof DatabaseUnavailable

async function unlessRefused<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (!isGivenUp(error)) expect(error).toBeInstanceOf(AuthenticationFailed)
    return null
  }
}

const BEGINNINGS: readonly (readonly [name: string, begin: Begin])[] = [
  [
    'a session',
    async ({ users, sessions }, username) => {
      const user = await users.authenticate(username, OLD)
      return user === null ? null : unlessRefused(sessions.start(user))
    },
  ],
  [
    'the usual token',
    async ({ users, tokens }, username) => {
      const user = await users.authenticate(username, OLD)
      return user === null ? null : ((await unlessRefused(tokens.obtain(user)))?.key ?? null)
    },
  ],
  [
    'a named token',
    async ({ users, tokens }, username) => {
      const user = await users.authenticate(username, OLD)
      if (user === null) return null
      return (await unlessRefused(tokens.issue(user, { name: 'ci' })))?.key ?? null
    },
  ],
  [
    'a new key',
    async ({ users, tokens }, username) => {
      const user = await users.authenticate(username, OLD)
      return user === null ? null : ((await unlessRefused(tokens.regenerate(user)))?.key ?? null)
    },
  ],
]

/** Gives a key to a user who has been let in; `obtain` makes none where there is a token. */
type Give = (accounts: Accounts, user: User) => Promise<{ readonly key: string } | null>

const GIVEN: readonly (readonly [name: string, give: Give])[] = [
  ['obtain', ({ tokens }, user) => tokens.obtain(user)],
  ['regenerate', ({ tokens }, user) => tokens.regenerate(user)],
  ['rotate', ({ tokens }, user) => tokens.rotate(user)],
  ['rotate with an overlap', ({ tokens }, user) => tokens.rotate(user, '', { overlap: 60_000 })],
  ['issue', ({ tokens }, user) => tokens.issue(user, { name: 'ci' })],
]

/** The owner sets another password, and ends all that there is. */
async function change({ users, tokens, sessions }: Accounts, alice: User): Promise<void> {
  await users.setPassword(alice, NEW)
  await sessions.endAllOf(alice)
  await tokens.revokeAll(alice)
}

/** As a person does, who is told to try again. */
async function persistently(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isGivenUp(error)) throw error
    await work()
  }
}

/** Does what came out of a login still open anything? */
async function opens({ tokens, sessions }: Accounts, secret: string | null): Promise<boolean> {
  if (secret === null) return false
  return (await sessions.read(secret)) !== null || (await tokens.verify(secret)) !== null
}

const HASHES: readonly (readonly [name: string, hash: () => Promise<string>])[] = [
  ['a hash of today', () => hashPassword(OLD, CHEAP)],
  [
    'an outdated hash',
    async () => {
      const tag = pbkdf2Sync(OLD, 'salt', 1000, 32, 'sha256').toString('base64')
      return `pbkdf2_sha256$1000$salt$${tag}`
    },
  ],
]

describe.each(DATABASES)('a change of the password on %s', (_, open) => {
  let database: AccountsDatabase
  let owner: Accounts
  let people = 0

  beforeAll(async () => {
    database = await open()
    owner = accountsOn(database)
  })

  /** Somebody of this file's own, with or without a token. */
  async function somebody(hash: string, hasToken = false): Promise<User> {
    const user = await owner.users.create({ username: `alice${people++}` })
    await storesOf(database).users.update(user.id, { password: hash })
    if (hasToken) await owner.tokens.obtain(user)
    return user
  }

  describe.each(HASHES)('from %s', (_name, hash) => {
    describe.each(BEGINNINGS)('ends %s', (kind, begin) => {
      test.each([false, true])(
        'at whichever step it comes (a token before: %j)',
        async (hasToken) => {
          let last = ''
          for (let at = 0; last !== 'over'; at++) {
            const alice = await somebody(await hash(), hasToken)
            let step = 0
            last = 'over'
            const before: Before = async (name) => {
              if (step++ !== at) return
              last = name
              await change(owner, alice)
            }
            const secret = await begin(accountsOn(database, before), alice.username)
            if (last === 'over') {
              expect(await opens(owner, secret)).toBe(true)
              await change(owner, alice)
            }
            const left = {
              changedBefore: last,
              opens: await opens(owner, secret),
              sessions: await storesOf(database).sessions.deleteOfUser(alice.id),
              tokens: kind === 'a new key' ? [] : await owner.tokens.of(alice),
            }
            expect(left).toEqual({ changedBefore: last, opens: false, sessions: 0, tokens: [] })
          }
        },
      )
    })
  })

  test.each(GIVEN)(
    'leaves the tokens, and yet shows no key to who came in by the old one: %s',
    async (_name, give) => {
      const alice = await somebody(await hashPassword(OLD, CHEAP), true)
      const { key } = await owner.tokens.obtain(alice)
      const user = (await owner.users.authenticate(alice.username, OLD))!
      await owner.users.setPassword(alice, NEW)
      const listed = await owner.tokens.of(alice)
      await expect(give(owner, user)).rejects.toThrow(AuthenticationFailed)
      expect((await owner.tokens.verify(key))?.user.id).toBe(alice.id)
      expect(await owner.tokens.of(alice)).toEqual(listed)
      // The owner, who came in by the new one, is shown it.
      const own = (await owner.users.authenticate(alice.username, NEW))!
      expect((await give(owner, own))?.key).toHaveLength(40)
    },
  )

  test('shows no key to who came in by the old one either where it comes while the key is made', async () => {
    const alice = await somebody(await hashPassword(OLD, CHEAP), true)
    const { users, tokens } = accountsOn(database, async (step) => {
      if (step === 'tokens.rekey') await owner.users.setPassword(alice, NEW)
    })
    const user = (await users.authenticate(alice.username, OLD))!
    await expect(tokens.rotate(user)).rejects.toThrow(AuthenticationFailed)
  })

  test('that is not committed yet holds up what begins, and then refuses it', async () => {
    const alice = await somebody('hash')
    const settled: string[] = []
    const changed = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const transaction = database.transaction(async (executor) => {
      const sql = `update colophon_user set password = 'another hash' where id = ${alice.id}`
      await executor.write({ sql, parameters: [] })
      changed.resolve()
      await commit.promise
    })
    await changed.promise
    const now = new Date()
    const session = { digest: `d${alice.id}`, userId: alice.id, created: now, expires: now }
    const token = {
      digest: `d${alice.id}`,
      sealed: 's',
      name: '',
      scopes: null,
      created: now,
      expires: null,
    }
    const begun = [
      (async () => storesOf(database).sessions.insert(session, 'hash'))(),
      (async () => storesOf(database).tokens.insert(alice.id, token, 'hash'))(),
    ].map(async (written) => {
      const inserted = await written
      settled.push(String(inserted))
    })
    // Ten round trips to the database: whatever does not wait is over by then.
    for (let round = 0; round < 10; round++) {
      await storesOf(database).users.count()
      await nextTurn()
    }
    expect(settled).toEqual([])
    commit.resolve()
    await Promise.all([transaction, ...begun])
    expect(settled).toEqual(['false', 'false'])
  })

  test('ends everything, in whatever order things happen', async () => {
    const elsewhere = accountsOn(database)
    for (let round = 0; round < 15; round++) {
      const alice = await somebody(await HASHES[round % 2]![1](), round % 3 === 0)
      const begun = BEGINNINGS.slice(0, 3).map(async ([, begin], at) => {
        for (let turn = 0; turn < (round * at) % 5; turn++) await nextTurn()
        return begin(elsewhere, alice.username)
      })
      for (let turn = 0; turn < round % 7; turn++) await nextTurn()
      const [, ...secrets] = await Promise.all([persistently(() => change(owner, alice)), ...begun])
      for (const secret of secrets) expect(await opens(owner, secret)).toBe(false)
      expect(await storesOf(database).sessions.deleteOfUser(alice.id)).toBe(0)
      expect(await owner.tokens.of(alice)).toEqual([])
    }
  })

  test('is made once by those who know the old password: one of two that come at once', async () => {
    const alice = await somebody(await hashPassword(OLD, CHEAP))
    const both = await Promise.all([1, 2].map(() => owner.users.authenticate(alice.username, OLD)))
    const [one, other] = both as [User, User]
    expect(await owner.users.setPassword(one, NEW)).toBe(true)
    await expect(owner.users.setPassword(other, 'a third')).rejects.toThrow(AuthenticationFailed)
    expect(await owner.users.authenticate(alice.username, NEW)).not.toBeNull()
    // Whoever made it goes on.
    expect(await owner.sessions.read(await owner.sessions.start(one))).not.toBeNull()
    await expect(owner.sessions.start(other)).rejects.toThrow(AuthenticationFailed)
  })

  test('is none, where two first logins keep the same password anew', async () => {
    const alice = await somebody(await HASHES[1]![1]())
    const logins = [1, 2, 3].map(() => BEGINNINGS[0]![1](owner, alice.username))
    for (const cookie of await Promise.all(logins)) expect(await opens(owner, cookie)).toBe(true)
  })
})
