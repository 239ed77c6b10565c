// SEC2, I5: nobody learns who has an account: each refusal costs one hash and reads the same.
// More: test/accounts/logins.test.ts. The hash of an imported password takes its own time (docs/accounts.md).
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HashQueue } from '../../src/accounts.ts'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { openPostgres } from '../../src/postgres.ts'
import { migratedDatabaseUrl } from '../setup/databases.ts'
import { ALICE, IVAN, attacked, basic } from './service.ts'

/** Counts what is hashed. */
class CountingQueue extends HashQueue {
  count = 0

  override run<T>(...[work, client]: Parameters<typeof HashQueue.prototype.run<T>>): Promise<T> {
    this.count++
    return super.run(work, client)
  }
}

const hashQueue = new CountingQueue()
const { accounts, get, post } = await attacked({}, { hashQueue })
await accounts.users.create({ username: 'nopass' })

const REFUSED = [
  ['a wrong password', { ...ALICE, password: 'x' }],
  ['an unknown user', { username: 'nobody', password: 'x' }],
  ['an inactive user with the right password', IVAN],
  ['a user without a password', { username: 'nopass', password: 'x' }],
  ['a name that is too long', { username: 'x'.repeat(200), password: 'x' }],
  ['a password that cannot be', { ...ALICE, password: 'x'.repeat(100_000) }],
] as const

describe.each(REFUSED)('%s', (_, credentials) => {
  test('at the endpoint that gives tokens', async () => {
    const usual = await post('/token/', { json: { username: 'nobody', password: 'x' } })
    hashQueue.count = 0
    const { status, text } = await post('/token/', { json: credentials })
    expect({ hashes: hashQueue.count, status, text }).toEqual({
      hashes: 1,
      status: 400,
      text: usual.text,
    })
  })

  test('by Basic', async () => {
    const usual = await get('/by/basic/', { headers: basic({ username: 'nobody', password: 'x' }) })
    hashQueue.count = 0
    const { status, text } = await get('/by/basic/', { headers: basic(credentials) })
    expect({ hashes: hashQueue.count, status, text }).toEqual({
      hashes: 1,
      status: 401,
      text: usual.text,
    })
  })
})

test('a pool that reads true and false in its own way makes no one of an unknown name', async () => {
  const boolean: number = pg.types.builtins.BOOL
  const getTypeParser = ((id: number, format: 'text') =>
    id === boolean
      ? (text: string) => text
      : pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser
  const connectionString = await migratedDatabaseUrl('postgres')
  const pool = new pg.Pool({ connectionString, types: { getTypeParser } })
  const database = openPostgres({ pool })
  onTestFinished(() => database.close())
  const own = createAccounts({ database, secretKey: () => 'a secret' })
  await own.users.create({ username: 'bob' })
  expect(await own.users.byUsername('alice')).toBeNull()
})
