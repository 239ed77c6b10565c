import { expect, onTestFinished, test } from 'vitest'
import {
  BasicAuthentication,
  PageNumberPagination,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  list,
  obtainToken,
} from 'colophon'
import { type Accounts, defineAccounts } from 'colophon/accounts'
import {
  type SqlDatabase,
  column,
  createTable,
  defineMigrations,
  migration,
  sqlTable,
} from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { client } from 'colophon/testing'
import { temporaryPath } from '../../contract/temporary.ts'
import { ourTables } from '../../storage/sql/migrations/place.ts'

const SECRET = 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s'

function accountsWith(
  options: { readonly uses?: readonly ('tokens' | 'sessions')[] } = {},
): Accounts & {
  readonly database: SqlDatabase
} {
  const database = openSqlite({ path: temporaryPath() })
  onTestFinished(() => database.close())
  return defineAccounts({ database, secretKey: SECRET, ...options }) as never
}

async function tablesOf(
  accounts: ReturnType<typeof accountsWith>,
  layer: (accounts: Accounts) => object,
  keys: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const api = defineApi({ urls: { home: '/' }, accounts, ...layer(accounts) })
  const configuration = configurationOf(keys)
  api.serve([api.endpoint('home').get(() => 'here')], { configuration })
  await accounts.database.migrate()
  return (await ourTables(accounts.database)).map((name) => name.slice('colophon_'.length))
}

const basic = ({ users }: Accounts) => ({ authentication: [new BasicAuthentication({ users })] })

test.each([
  ['the default schemes', () => ({}), ['audit', 'session', 'user']],
  ['Basic alone', basic, ['audit', 'user']],
  [
    'tokens',
    ({ tokens }: Accounts) => ({ authentication: [new TokenAuthentication({ tokens })] }),
    ['audit', 'token', 'user'],
  ],
  [
    'sessions',
    (accounts: Accounts) => ({ authentication: [new SessionAuthentication(accounts)] }),
    ['audit', 'session', 'user'],
  ],
  [
    'counters',
    (accounts: Accounts) => ({ ...basic(accounts), counters: accounts.database.counters }),
    ['audit', 'counter', 'user'],
  ],
])('an application with %s has their tables and no others', async (_, layer, tables) => {
  expect(await tablesOf(accountsWith(), layer)).toEqual(tables)
})

test('keys of the operator count: a class that is named, and counters in the database', async () => {
  const tokens = { DEFAULT_AUTHENTICATION_CLASSES: ['TokenAuthentication'] }
  expect(await tablesOf(accountsWith(), () => ({}), tokens)).toEqual(['audit', 'token', 'user'])
  const counters = { THROTTLE_STORE: 'database' }
  expect(await tablesOf(accountsWith(), basic, counters)).toEqual(['audit', 'counter', 'user'])
})

test('a ready-made handler counts, and what the accounts are told to use', async () => {
  const accounts = accountsWith()
  const api = defineApi({ urls: { token: '/token/' }, accounts, ...basic(accounts) })
  api.serve([api.endpoint('token').post(obtainToken({ accounts }))])
  await accounts.database.migrate()
  expect(await ourTables(accounts.database)).toEqual([
    'colophon_audit',
    'colophon_token',
    'colophon_user',
  ])
  expect(await tablesOf(accountsWith({ uses: ['sessions'] }), basic)).toEqual([
    'audit',
    'session',
    'user',
  ])
})

test('a password is changed where there is no table of sessions', async () => {
  const accounts = accountsWith()
  await tablesOf(accounts, basic)
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  await accounts.users.setPassword(alice, 'looking-glass')
  expect(await accounts.users.authenticate('alice', 'looking-glass')).not.toBeNull()
})

test('a password change ends sessions in a table that another application uses', async () => {
  const accounts = accountsWith()
  await accounts.database.migrate()
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  const cookie = await accounts.sessions.start(alice)
  expect(await accounts.sessions.read(cookie)).not.toBeNull()
  const other = defineAccounts({ database: accounts.database, secretKey: SECRET })
  const api = defineApi({ urls: { home: '/' }, accounts: other, ...basic(other) })
  api.serve([api.endpoint('home').get(() => 'here')])
  await other.users.setPassword(alice, 'looking-glass')
  expect(await accounts.sessions.read(cookie)).toBeNull()
})

interface Tables {
  note: { id: number; text: string }
}

function notes(isMigrated: boolean) {
  const migrations = defineMigrations([
    migration('0001_notes', [createTable('note', { id: column.id(), text: column.text() })]),
  ])
  const own = isMigrated ? { migrations } : {}
  const database = openSqlite({ path: temporaryPath(), ...own })
  onTestFinished(() => database.close())
  const records: object[] = []
  const logger = { error: (record: object) => records.push(record) }
  const api = defineApi({ urls: { notes: '/notes/' }, database, logger })
  const table = sqlTable({ database, db: database.kysely<Tables>(), table: 'note', key: 'id' })
  const app = api.serve([
    api
      .endpoint('notes', { pagination: new PageNumberPagination({ pageSize: 5 }) })
      .get(list({ source: table.source, serializer: { represent: ({ text }) => text } }))
      .post(async () => table.insert({ id: 1, text: 'x' })),
  ])
  return { app, database, records }
}

test.each(['get', 'post'] as const)(
  '%s of a table that is not there: 503, and the log has the remedy',
  async (verb) => {
    const { app, records } = notes(false)
    const { status } = await client(app)[verb]('/notes/')
    expect(status).toBe(503)
    const log = JSON.stringify(
      records.map((record) => String((record as { error?: unknown }).error)),
    )
    expect(log).toContain('has no table')
    expect(log).toContain('note')
    expect(log).toContain('createTable(')
  },
)

test('a database without accounts has the tables of the application and none of ours', async () => {
  const { app, database } = notes(true)
  expect(app.databases).toEqual([database])
  expect(await database.migrate()).toEqual(['0001_notes'])
  expect(await ourTables(database)).toEqual([])
  expect((await client(app).get('/notes/')).status).toBe(200)
})
