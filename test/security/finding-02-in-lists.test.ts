// However long the lists of clients are, the database sees few texts, small ones, and uses its indexes;
// what a list means does not depend on how it travels.
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  FieldFilter,
  SearchFilter,
  configurationOf,
  defineApi,
  defineUrls,
  list,
} from '../../src/index.ts'
import { type Statement, sqlSource } from '../../src/sql.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { client } from '../../src/testing.ts'
import { noting } from '../behaviour/filter-sources.ts'
import { ask } from '../policies/filters/asked.ts'
import { emptyDatabase, dialectOf } from '../setup/databases.ts'
import {
  DATABASES,
  type Dialect,
  freshDatabase,
  run,
  sourceOf,
  withValues,
} from '../storage/sql/query/query-fixture.ts'

const numbers = (length: number): readonly number[] =>
  Array.from({ length }, (_, index) => index + 1)

const ROWS = 3000

/** A numbered table, large enough for an index to be worth it. */
async function numbered(database: SqlDatabase): Promise<SqlDatabase> {
  await run(database, 'create table item (id integer not null primary key, kind integer)')
  for (let from = 0; from < ROWS; from += 1000) {
    const rows = numbers(1000).map((id) => `(${from + id}, ${(from + id) % 7})`)
    await run(database, `insert into item values ${rows.join()}`)
  }
  if (dialectOf(database) !== 'mysql') await run(database, 'analyze item')
  return database
}

/** A service that lists the items, and the statements that it sends. */
function serving(database: SqlDatabase, filter = new FieldFilter()) {
  const statements: Statement[] = []
  const noted = noting(database, (statement) => statements.push(statement))
  const query = database
    .kysely<{ item: { id: number; kind: number } }>()
    .selectFrom('item')
    .select(['id', 'kind'])
  const source = sqlSource({ database: noted, query, key: 'id' })
  const api = defineApi({ urls: defineUrls({ items: '/items/' }), filters: [filter] })
  const items = list({
    source,
    filterFields: ['id__in', 'kind'],
    serializer: { represent: ({ id }) => id },
  })
  const app = api.serve([api.endpoint('items').get(items)], { configuration: configurationOf() })
  return { ...client(app), statements }
}

const asked = (length: number): string => `/items/?id__in=${numbers(length).join()}`

const equalTo = (source: ReturnType<typeof sourceOf>, value: unknown) =>
  source.where([{ field: 'value', operator: 'equals', value }]).slice(0, 99)

/** Texts for lists of 1 to 100 values: 1, 2, 4 … 128 parameters, or one value and any number of them in one parameter. */
const TEXTS: Readonly<Record<Dialect, number>> = { sqlite: 2, postgres: 2, mysql: 8 }

const PLANS: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /SEARCH item USING INTEGER PRIMARY KEY/,
  postgres: /Index (?:Only )?Cond|Index Cond/,
  mysql: /"type":"range","possible_keys":"PRIMARY","key":"PRIMARY"/,
}

type Case = readonly [type: string, stored: readonly string[], list: readonly unknown[]]

const BEYOND = ['9007199254740993', '9007199254740992', '9223372036854775807', '7']

const VALUES: Readonly<Record<Dialect, readonly Case[]>> = {
  sqlite: [
    ['bigint', BEYOND, ['9007199254740993', '+9223372036854775807']],
    ['text', [`'a'`, `'A'`, `'7'`, `'07'`, `'"\\,😀'`, `'b'`], ['a', '7', '"\\,😀']],
    ['text collate nocase', [`'Straw'`, `'STRAW'`, `'hay'`], ['straw', 'x']],
    ['decimal(30,20)', ['12.50', '0.30000000000000004', '3'], ['12.5', '0.30000000000000004']],
    ['real', ['0.1', '0.30000000000000004', '0.3', '1e300'], ['0.30000000000000004', '1e300']],
    ['', ['5', `'5'`, '5.5', `'x'`, `x'35'`, '6'], ['5', 'x', '5.50']],
    ['', ['5', `'5'`, `'05'`, '5.0', `'7.0'`, '7'], ['05', '7']],
    [
      'blob',
      ['5', `'05'`, `'5'`, '9007199254740993', '9007199254740992'],
      ['05', '9007199254740993'],
    ],
    ['date', [`'2026-03-01'`, `'2026-03-02'`], ['2026-03-01']],
    ['boolean', ['true', 'false'], ['true', '1']],
    ['integer', ['1', '2'], [1n, 1]],
    ['', [`x'0102'`, `x'03'`], [Uint8Array.of(1, 2)]],
    ['numeric', ['0.1', '0.2', '5'], [0.1, 5]],
  ],
  postgres: [
    ['bigint', BEYOND, ['9007199254740993', '+9223372036854775807']],
    ['smallint', ['7', '8'], ['7', '9007199254740993']],
    ['text', [`'a'`, `'A'`, `'{"\\,}'`, `'null'`, `''`], ['a', '{"\\,}', 'null']],
    ['char(3)', [`'a'`, `'b'`], ['a', 'ab']],
    ['varchar(10) collate "C"', [`'é'`, `'e'`], ['é']],
    ['numeric(38,20)', ['12.50', '0.30000000000000004', '3'], ['12.5', '0.30000000000000004']],
    ['real', ['0.1', '0.5', '2'], ['0.5', '0.1']],
    ['double precision', ['0.1', '0.30000000000000004', '0.3'], ['0.30000000000000004']],
    ['boolean', ['true', 'false'], ['true', '1']],
    ['date', [`'2026-03-01'`, `'2026-03-02'`], ['2026-03-01']],
    ['time', [`'10:00'`, `'11:00'`], ['10:00:00']],
    ['timestamptz', [`'2026-03-01 11:00+00'`, 'now()'], ['2026-03-01T12:00:00+01:00']],
    ['timestamp', [`'2026-03-01 11:00'`, 'now()'], ['2026-03-01T12:00:00+01:00']],
    [
      'uuid',
      [`'123e4567-e89b-12d3-a456-426614174000'`, 'gen_random_uuid()'],
      ['123E4567-E89B-12D3-A456-426614174000'],
    ],
    ['bytea', [`'\\x0102'`, `'\\x03'`], [Uint8Array.of(1, 2), Uint8Array.of(7)]],
    ['int[]', [`'{1,2}'`, `'{3}'`], ['{1,2}', '{4}', '{5}']],
    ['inet', [`'127.0.0.1'`, `'10.0.0.1'`], ['127.0.0.1', '10.0.0.2', '10.0.0.3']],
  ],
  mysql: [
    ['bigint', BEYOND, ['9007199254740993', '+9223372036854775807', '1']],
    ['varchar(20) collate utf8mb4_bin', [`'a'`, `'A'`, `'"\\\\,😀'`], ['a', '"\\,😀', 'x']],
    ['varchar(20) collate utf8mb4_general_ci', [`'a'`, `'A'`, `'b'`], ['a', 'x', 'y']],
    ['decimal(38,20)', ['12.50', '0.30000000000000004', '3'], ['12.5', '0.30000000000000004']],
    ['decimal(9,1)', ['1.5', '1.6'], ['1.54', '1.500', '1']],
    ['decimal(65,0)', ['9'.repeat(60), '1'], ['9'.repeat(60), '1.5', `${'9'.repeat(59)}8.25`]],
    ['double', ['0.1', '0.30000000000000004', '0.3'], ['0.30000000000000004', '7', '8']],
    ['date', [`'2026-03-01'`, `'2026-03-02'`], ['2026-03-01', '2025-03-01']],
    ['datetime(6)', [`'2026-03-01 11:00'`, 'now()'], ['2026-03-01T12:00:00+01:00']],
    ['boolean', ['true', 'false'], ['true', '1']],
  ],
}

describe.each(DATABASES)('%s', (_name, dialect) => {
  test('lists of 1 to 100 values are few statements, of bounded length', async () => {
    const { get, statements } = serving(await numbered(await freshDatabase(dialect)))
    for (const length of numbers(100)) {
      expect((await get(asked(length))).data).toEqual(numbers(length))
    }
    const texts = new Set(statements.map(({ sql }) => sql).filter((sql) => sql.includes('where')))
    expect(texts.size).toBe(TEXTS[dialect])
    expect(Math.max(...[...texts].map((text) => text.length))).toBeLessThan(3000)
  })

  test('the index is used', async () => {
    const database = await numbered(await freshDatabase(dialect))
    const { get, statements } = serving(database)
    await get(asked(3))
    const { sql, parameters } = statements.findLast((statement) => statement.sql.includes('where'))!
    const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain'
    const plan = JSON.stringify(await database.read({ sql: `${explain} ${sql}`, parameters }))
    expect(plan).toMatch(PLANS[dialect])
  })

  test.each(VALUES[dialect])(
    '%s: %j in a list is what it is alone',
    async (type, stored, values) => {
      const source = sourceOf(await withValues(dialect, type, stored))
      const alone = new Set<number>()
      for (const value of values) for (const { id } of await equalTo(source, value)) alone.add(id)
      const among = await source
        .where([{ field: 'value', operator: 'in', value: values }])
        .slice(0, 99)
      expect(new Set(among.map(({ id }) => id))).toEqual(alone)
      expect(alone.size).toBeGreaterThan(0)
      expect(alone.size).toBeLessThan(stored.length)
    },
  )

  test('a list of a program has any length', async () => {
    const source = sourceOf(await withValues(dialect, 'integer', ['7', '9']))
    const value = [...numbers(8), ...Array<number>(20_000).fill(8)]
    expect(await source.where([{ field: 'value', operator: 'in', value }]).count()).toBe(1)
  })
})

test('PostgreSQL prepares one list on a connection, whatever lengths are asked for', async () => {
  const database = await numbered(await emptyDatabase('postgres', { connections: 1 }))
  const { get } = serving(database)
  for (const length of [...numbers(100), ...numbers(100)]) await get(asked(length))
  const [kept] = await database.read<{ count: string }>({
    sql: `select count(*) from pg_prepared_statements where statement like '%any(%'`,
    parameters: [],
  })
  expect(Number(kept!.count)).toBe(1)
})

test('MariaDB: however many digits clients send, a decimal has few texts', async () => {
  const database = await withValues('mysql', 'decimal(9,1)', ['1.5'])
  const statements: Statement[] = []
  const noted = noting(database, (statement) => statements.push(statement))
  const source = sourceOf(noted)
  for (const places of numbers(60)) {
    const value = `1.${'5'.padEnd(places, '0')}`
    expect(await source.where([{ field: 'value', operator: 'equals', value }]).count()).toBe(1)
  }
  const texts = new Set(statements.map(({ sql }) => sql).filter((sql) => sql.includes('where')))
  expect(texts.size).toBe(2)
})

describe('what is too much is 400, under the name of the parameter', () => {
  async function answerTo(query: string, filter = new FieldFilter()) {
    const { get, statements } = serving(await freshDatabase('sqlite'), filter)
    const { status, data } = await get(`/items/?${query}`)
    return { status, data, asked: statements.length }
  }

  test.each([
    ['101 values', `id__in=${numbers(101).join()}`, 'id__in'],
    ['a list of commas', `id__in=${','.repeat(200_000)}`, 'id__in'],
    ['a long value', `kind=${'1'.repeat(1001)}`, 'kind'],
  ])('%s, before the database is asked', async (_what, query, parameter) => {
    const data = { [parameter]: [expect.any(String)] }
    expect(await answerTo(query)).toEqual({ status: 400, data, asked: 0 })
  })

  test('a filter may take more', async () => {
    const { get } = serving(
      await numbered(await freshDatabase('sqlite')),
      new FieldFilter({ maxValues: 700 }),
    )
    expect((await get(asked(700))).data).toHaveLength(700)
    expect((await get(asked(701))).status).toBe(400)
  })

  test.each([
    ['a long search', 'title', 'a'.repeat(201)],
    ['a long search of a few terms', 'title', 'a '.repeat(101)],
    ['a long pattern', '$title', 'a'.repeat(201)],
    ['too many terms', 'title', numbers(33).join(' ')],
  ])('%s', async (_what, field, text) => {
    const asking = ask(new SearchFilter(), { searchFields: [field] }, `search=${text}`)
    expect(await asking).toEqual({ status: 400, data: { search: [expect.any(String)] } })
  })

  test.each(['title__iregex', 'title__icontains'])('a long text for %s', async (name) => {
    const asking = (length: number) =>
      ask(new FieldFilter(), { filterFields: [name] }, `${name}=${'a'.repeat(length)}`)
    expect(await asking(201)).toEqual({ status: 400, data: { [name]: [expect.any(String)] } })
    expect(await asking(200)).not.toHaveProperty('status')
  })

  test('a search of 200 characters is asked, and a filter may take more', async () => {
    const asking = (length: number, filter: SearchFilter) =>
      ask(filter, { searchFields: ['title'] }, `search=${'a'.repeat(length)}`)
    expect(await asking(200, new SearchFilter())).not.toHaveProperty('status')
    expect(await asking(201, new SearchFilter({ maxLength: 201 }))).not.toHaveProperty('status')
  })

  test.each([0, 1.5, '3', null])('%j is no number of values', (maxValues) => {
    expect(() => new FieldFilter({ maxValues: maxValues as number })).toThrow(ConfigurationError)
  })
})
