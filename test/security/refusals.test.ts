// What wrong requests cost: clients may send as many as they like.
import { afterAll, describe, expect, test } from 'vitest'
import {
  IsAuthenticated,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  handleException,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { client } from 'colophon/testing'
import type { Generated } from 'kysely'
import { SqlTokens } from '../../src/accounts/tables/stores.ts'
import { AuthenticationFailed, NotFound, stackless } from '../../src/core/errors/api-errors.ts'
import type { Statement } from '../../src/core/ports/database.ts'
import type { Incoming } from '../../src/core/ports/request.ts'
import { temporaryPath, temporarySqlite } from '../contract/temporary.ts'

test('SQLite looks a wrong key up in an index, also when ANALYZE saw that most rows have none of its kind', async () => {
  const database = temporarySqlite()
  await database.migrate()
  const { users, tokens } = defineAccounts({ database, secretKey: 'a secret of this test' })
  for (let at = 0; at < 60; at++) await tokens.obtain(await users.create({ username: `u${at}` }))
  await database.write({ sql: 'analyze', parameters: [] })
  const asked: Statement[] = []
  const store = new SqlTokens({
    dialect: database.dialect,
    rows: (statement) => {
      asked.push(statement)
      return database.rows(statement)
    },
    write: (statement) => database.write(statement),
  })
  expect([await store.byDigest('none'), await store.byClearKey('none')]).toEqual([null, null])
  for (const { sql, parameters } of asked) {
    const plan = database.rows({ sql: `explain query plan ${sql}`, parameters })
    const steps = plan.values.map((row) => String(row.at(-1)))
    expect(steps[0]).toMatch(/^SEARCH colophon_token USING INDEX/)
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
  }
  expect(asked).toHaveLength(2)
})

describe('an error that a client caused is made without a stack', async () => {
  interface Tables {
    note: { id: Generated<number>; text: string }
  }
  const database = openSqlite({ path: temporaryPath(afterAll) })
  afterAll(() => database.close())
  await database.migrate()
  const create = 'create table note (id integer primary key, text text not null)'
  await database.write({ sql: create, parameters: [] })
  const accounts = defineAccounts({ database, secretKey: 'a secret of this test' })
  const { key } = await accounts.tokens.obtain(await accounts.users.create({ username: 'ada' }))
  const stacks: string[] = []
  const api = defineApi({
    urls: defineUrls({ ...resourceUrls('note', '/notes/', ':id<int>'), open: '/open/' }),
    authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
    permissions: [new IsAuthenticated()],
    exceptionHandler: (error, request) => {
      stacks.push(error instanceof Error ? String(error.stack) : '')
      return handleException(error, request)
    },
  })
  const notes = sqlTable({ database, db: database.kysely<Tables>(), table: 'note', key: 'id' })
  const note = serializer({ id: field.integer({ readOnly: true }), text: field.text() })
  const open = api.endpoint('open', { permissions: [] }).get(() => {
    throw new NotFound()
  })
  const app = api.serve([...resource(api, 'note', { store: notes, serializer: note }), open], {
    configuration: configurationOf(),
  })
  const { get, post } = client(app)
  const own = { authorization: `Token ${key}` }

  test.each([
    ['no such row', 404, () => get('/notes/9/', { headers: own })],
    ['no such address', 404, () => get('/nowhere/', { headers: own })],
    ['an invalid body', 400, () => post('/notes/', { headers: own, json: { text: '' } })],
  ] as const)('%s: %i', async (_name, status, ask) => {
    stacks.length = 0
    expect((await ask()).status).toBe(status)
    expect(stacks).toHaveLength(1)
    expect(stacks[0]).not.toContain('\n    at ')
  })

  test.each(['Token unknown', 'Token', 'Token with spaces'])('the key in %j', async (header) => {
    const scheme = new TokenAuthentication({ tokens: { verify: () => null } })
    const request = { guesses: null, header: () => header } as unknown as Incoming
    const asking = async (): Promise<unknown> => scheme.authenticate(request)
    const refused = await asking().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(AuthenticationFailed)
    expect((refused as Error).stack).not.toContain('\n    at ')
  })

  test('what the application throws has one', async () => {
    stacks.length = 0
    expect((await get('/open/')).status).toBe(404)
    expect(stacks[0]).toContain('refusals.test.ts')
  })

  test('also where making the error fails', () => {
    const failing = (): never => {
      throw new Error('inside')
    }
    expect(() => stackless(failing)).toThrow('inside')
    expect(new Error('after').stack).toContain('\n    at ')
  })
})
