import { DIALECTS } from '../setup/dialects.ts'
import { describe, expect, test } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import type { User } from '../../src/core/ports/credentials.ts'
import type { Statement } from '../../src/core/ports/database.ts'
import { SqlTokens, storesOf } from '../../src/accounts/tables/stores.ts'
import { insertClear } from '../contract/token-store.ts'
import { nextTurn, writeNow } from '../contract/temporary.ts'
import { type TestAccounts, openAccounts } from './fixtures.ts'

const CREATED = new Date('2020-01-02T03:04:05.678Z')
const KEY = 'e942227b787ed8642b80da481a836b886990c737'

/** The same database under other secrets; what it is asked is counted. */
function under(
  { database }: TestAccounts,
  secret: string,
  fallbacks: readonly string[] = [],
  asked: string[] = [],
) {
  const count = (statement: Statement): Statement => {
    asked.push(statement.sql.split(' ')[0]!)
    return statement
  }
  const options = { secretKey: () => secret, secretKeyFallbacks: () => fallbacks, noteTokenUse: 0 }
  const stores = { ...storesOf(database), tokens: countingStore(database, count) }
  return createAccounts({ database, ...options }, stores)
}

function countingStore(
  database: TestAccounts['database'],
  count: (statement: Statement) => Statement,
) {
  return new SqlTokens({
    dialect: DIALECTS.sqlite,
    rows: (statement) => database.rows(count(statement)),
    write: (statement) => database.write(count(statement)),
  })
}

async function withAlice(): Promise<TestAccounts & { alice: User }> {
  const accounts = await openAccounts({ secretKey: () => 'first' })
  return { ...accounts, alice: await accounts.users.create({ username: 'alice' }) }
}

describe('SECRET_KEY_FALLBACKS', () => {
  test('a token that was made under an older secret works, and is kept under the new one from then on', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    const asked: string[] = []
    const rotated = under(accounts, 'third', ['second', 'first'], asked)
    expect((await rotated.tokens.verify(key))?.user).toEqual(accounts.alice)
    expect(asked).toEqual(['select', 'select', 'select', 'update'])
    asked.length = 0
    expect((await rotated.tokens.verify(key))?.user).toEqual(accounts.alice)
    expect(asked).toEqual(['select'])
    const later = under(accounts, 'third')
    expect((await later.tokens.verify(key))?.user).toEqual(accounts.alice)
    expect((await later.tokens.obtain(accounts.alice)).key).toBe(key)
    expect(accounts.tokens.verify(key)).toBeNull()
  })

  test('showing a token is a use too', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    expect((await under(accounts, 'second', ['first']).tokens.obtain(accounts.alice)).key).toBe(key)
    expect((await under(accounts, 'second').tokens.verify(key))?.user).toEqual(accounts.alice)
  })

  test('synchronously where the database is, also for what is not there', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    const { tokens } = under(accounts, 'second', ['first'])
    expect(tokens.verify('nope')).toBeNull()
    expect(tokens.verify(key)).not.toBeInstanceOf(Promise)
  })

  test('without the older secret the token is not known', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    expect(under(accounts, 'second', ['other']).tokens.verify(key)).toBeNull()
  })

  test('a token that is replaced while it is kept anew stays dead', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    const { tokens } = under(accounts, 'second', ['first'])
    const other = { sql: `update colophon_token set digest = 'other'`, parameters: [] }
    // Keeping it anew has to wait for the transaction, in which it gets another key.
    const verified = await accounts.database.transaction(async (transaction) => {
      const found = [tokens.verify(key)]
      await transaction.write(other)
      return found
    })
    expect((await verified[0])?.user).toEqual(accounts.alice)
    expect(tokens.verify(key)).toBeNull()
  })

  test('a database that cannot be written hinders nobody', async () => {
    const accounts = await withAlice()
    const { key } = await accounts.tokens.obtain(accounts.alice)
    const refuse = `create trigger refuse before update on colophon_token begin select raise(abort, 'no'); end`
    writeNow(accounts.database, refuse)
    const { tokens } = under(accounts, 'second', ['first'])
    for (const _ of [1, 2]) expect((await tokens.verify(key))?.user).toEqual(accounts.alice)
  })
})

describe('I3 a key in clear, as DRF keeps it', () => {
  test('works as it was, and is sealed on its first use', async () => {
    const accounts = await withAlice()
    const { database, tokens, alice } = accounts
    await insertClear(database, alice.id, KEY, CREATED)
    const token = await tokens.verify(KEY)
    expect([token?.key, token?.user, token?.created]).toEqual([KEY, alice, CREATED])
    await nextTurn()
    expect(rowsOf(accounts)).not.toContain(KEY)
    expect((await tokens.verify(KEY))?.created).toEqual(CREATED)
    expect((await tokens.obtain(alice)).key).toBe(KEY)
  })

  test('is shown, and sealed then', async () => {
    const accounts = await withAlice()
    await insertClear(accounts.database, accounts.alice.id, KEY, CREATED)
    expect((await accounts.tokens.obtain(accounts.alice)).key).toBe(KEY)
    expect(rowsOf(accounts)).not.toContain(KEY)
    expect((await accounts.tokens.verify(KEY))?.user).toEqual(accounts.alice)
  })

  test('works at once when somebody inserts it, also after it was looked for', async () => {
    const { database, tokens, alice } = await withAlice()
    expect(tokens.verify(KEY)).toBeNull()
    await insertClear(database, alice.id, KEY, CREATED)
    expect((await tokens.verify(KEY))?.user).toEqual(alice)
  })

  test('can be any text of 40 characters', async () => {
    const { database, tokens, alice } = await withAlice()
    await insertClear(database, alice.id, 'schlüssel', CREATED)
    expect(tokens.verify('Schlüssel')).toBeNull()
    expect((await tokens.verify('schlüssel'))?.key).toBe('schlüssel')
  })

  test('dies when the user gets another token', async () => {
    const accounts = await withAlice()
    const { database, tokens, alice } = accounts
    await insertClear(database, alice.id, KEY, CREATED)
    const { key } = await tokens.regenerate(alice)
    expect(tokens.verify(KEY)).toBeNull()
    expect((await tokens.verify(key))?.user).toEqual(alice)
    expect(rowsOf(accounts)).not.toContain(KEY)
  })

  test('is refused, sealed or not, when its user is not there', async () => {
    const { database, tokens, alice } = await withAlice()
    await insertClear(database, alice.id, KEY, CREATED)
    writeNow(database, 'delete from colophon_user')
    expect(tokens.verify(KEY)).toBeNull()
  })

  test.each([
    ['a guess', 'x'.repeat(40), 2],
    ['an empty text', '', 1],
    ['a long text', 'x'.repeat(41), 1],
    ['a null character', 'a\u0000b', 1],
    ['a lone surrogate', '\ud800', 1],
  ])('%s costs a bounded number of look-ups', async (_, key, lookUps) => {
    const asked: string[] = []
    const { tokens } = under(await withAlice(), 'first', [], asked)
    expect(tokens.verify(key)).toBeNull()
    expect(asked).toEqual(Array(lookUps).fill('select'))
  })
})

describe('a token that is imported', () => {
  test('is sealed at once, and keeps its time', async () => {
    const accounts = await withAlice()
    const { tokens, alice } = accounts
    expect((await tokens.import(alice, { key: KEY, created: CREATED }))?.key).toBe(KEY)
    expect(rowsOf(accounts)).not.toContain(KEY)
    expect((await tokens.verify(KEY))?.created).toEqual(CREATED)
    expect(await tokens.import(alice, { key: 'other' })).toBeNull()
    await expect(tokens.import(alice, { key: '' })).rejects.toThrow('between 1 and 40 characters')
  })

  test('may have a name', async () => {
    const { users, tokens } = await openAccounts({ manyTokens: true })
    const bob = await users.create({ username: 'bob' })
    await tokens.import(bob, { key: KEY, name: 'ci', scopes: ['read'] })
    expect(await tokens.verify(KEY)).toMatchObject({ name: 'ci', scopes: ['read'] })
    expect((await tokens.obtain(bob)).key).not.toBe(KEY)
  })
})

/** Everything that the table of tokens holds. */
function rowsOf({ database }: TestAccounts): string {
  return JSON.stringify(database.read({ sql: 'select * from colophon_token', parameters: [] }))
}
