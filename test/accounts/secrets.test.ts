import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  obtainToken,
} from '../../src/index.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { client } from '../../src/testing.ts'
import { insertClear } from '../contract/token-store.ts'
import { migratedSqlite, nextTurn, writeNow } from '../contract/temporary.ts'
import { CHEAP, openAccounts } from './fixtures.ts'

const PASSWORDS = ['wonderland-7f3a', 'looking-glass-91c2', 'wrong-guess-c4d8', 'jabberwock-5e6f']
const CLEAR = 'c1ea2c1ea2c1ea2c1ea2c1ea2c1ea2c1ea2c1ea2'

/** Everything that is used as a secret in a run of a service, with what the run leaves behind. */
async function run() {
  const lines: string[] = []
  const write = (record: object): void => void lines.push(JSON.stringify(record))
  const database = await migratedSqlite()
  const accounts = defineAccounts({
    database,
    secretKey: 'the secret of the service',
    passwordCost: CHEAP,
    manyTokens: true,
    logger: { error: write, info: write },
  })
  const { users, tokens } = accounts
  const api = defineApi({
    urls: defineUrls({ token: '/token/', me: '/me/', broken: '/broken/' }),
    accounts,
    logger: { error: write, info: write },
    authentication: [new TokenAuthentication({ tokens })],
  })
  const app = api.serve(
    [
      api.endpoint('token').post(obtainToken({ accounts })),
      api.endpoint('me').get(({ user }) => user.username),
      api.endpoint('broken').get(({ auth }) => {
        throw new Error(`Nobody foresaw this: ${JSON.stringify(auth)}`)
      }),
    ],
    { configuration: configurationOf() },
  )
  const [first, second, wrong, imported] = PASSWORDS as [string, string, string, string]
  const alice = await users.create({ username: 'alice', password: first })
  const bob = await users.create({ username: 'bob', password: imported })
  await insertClear(database, bob.id, CLEAR, new Date())
  const ask = (path: string, key: string) =>
    client(app).get(path, { headers: { authorization: `Token ${key}` } })
  const post = (password: string) =>
    client(app).post('/token/', { form: { username: 'alice', password } })

  const { token } = (await post(first)).data as { token: string }
  const keys = [token, CLEAR]
  await post(wrong)
  await post('x'.repeat(5000))
  expect((await ask('/me/', token)).status).toBe(200)
  expect((await ask('/broken/', token)).status).toBe(500)
  expect((await ask('/me/', CLEAR)).status).toBe(200)
  await users.setPassword(alice, second)
  await post(second)
  keys.push((await tokens.regenerate(alice)).key, (await tokens.issue(alice, { name: 'ci' }))!.key)
  keys.push((await tokens.rotate(alice, 'ci'))!.key)
  await ask('/me/', token)
  await ask('/me/', keys.at(-1)!)
  await users.update(alice, { isActive: false })
  await ask('/me/', keys.at(-1)!)
  await tokens.revokeAll(alice)
  await nextTurn()
  return { database, lines, keys }
}

test('a dump of all tables and the captured log of a run hold no secret that was used', async () => {
  const { database, lines, keys } = await run()
  const tables = database.read<{ name: string }>({
    sql: `select name from sqlite_master where type = 'table'`,
    parameters: [],
  })
  const dump = tables
    .map(({ name }) =>
      JSON.stringify(database.read({ sql: `select * from ${name}`, parameters: [] })),
    )
    .join('\n')
  const log = lines.join('\n')
  for (const sign of ['alice', 'bob']) expect(dump).toContain(sign)
  for (const sign of ['token.created', 'token.refused', 'login.failed', 'broken']) {
    expect(log).toContain(sign)
  }
  for (const secret of [...keys, ...PASSWORDS, 'the secret of the service', 'x'.repeat(151)]) {
    for (const form of formsOf(secret)) {
      expect(dump).not.toContain(form)
      expect(log).not.toContain(form)
    }
  }
})

test('nor do the files of the database, once nobody has a clear key any more', async () => {
  const { database, keys } = await run()
  await database.write({ sql: 'vacuum', parameters: [] })
  const folder = dirname(database.path)
  database.close()
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  for (const key of keys) expect(bytes.join('\n')).not.toContain(key)
})

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [secret, bytes.toString('base64').replaceAll('=', ''), bytes.toString('hex')]
}

describe('I3 a sealed token', () => {
  test('that was changed by one bit is not shown, and the digest neither finds it', async () => {
    const { database, users, tokens } = await openAccounts()
    const alice = await users.create({ username: 'alice' })
    const { key } = await tokens.obtain(alice)
    const sql = 'select digest, sealed from colophon_token'
    const [row] = database.read<{ digest: string; sealed: string }>({ sql, parameters: [] })
    const store = (column: 'digest' | 'sealed', text: string): void =>
      void writeNow(database, `update colophon_token set ${column} = ?`, text)
    for (const changed of flipped(row!.sealed)) {
      store('sealed', changed)
      await expect(tokens.obtain(alice)).rejects.toThrow('cannot be read')
    }
    store('sealed', row!.sealed)
    for (const changed of flipped(row!.digest)) {
      store('digest', changed)
      expect(tokens.verify(key)).toBeNull()
    }
    store('digest', row!.digest)
    expect((await tokens.verify(key))?.user).toEqual(alice)
    expect((await tokens.obtain(alice)).key).toBe(key)
  })
})

function* flipped(text: string): Generator<string> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length * 8; at++) {
    const changed = Buffer.from(bytes)
    changed[at >> 3]! ^= 1 << (at & 7)
    yield changed.toString('latin1')
  }
}
