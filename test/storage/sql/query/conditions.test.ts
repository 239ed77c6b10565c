// What conditions mean on each database, by the type of the column.
import { describe, expect, test, vi } from 'vitest'
import type { Condition, FilterOperator } from '../../../../src/core/ports/list-source.ts'
import { ValidationError } from '../../../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../../../src/core/errors/configuration-error.ts'
import { expectLinear } from '../../../setup/linear.ts'
import {
  DATABASES,
  type Dialect,
  freshDatabase,
  run,
  sourceOf,
  withValues,
} from './query-fixture.ts'

const CONDITIONS: Readonly<
  Record<
    Dialect,
    readonly (readonly [string, string, FilterOperator, unknown, readonly number[] | 'unfit'])[]
  >
> = {
  sqlite: [
    ['boolean', 'true', 'equals', 'true', [1]],
    ['real', '1.5', 'equals', '1.50', [1]],
    ['decimal(9,1)', '1.5', 'equals', '1.50', [1]],
    ['decimal(9,1)', '1.5', 'in', ['1.50', 2], [1]],
    ['decimal(9,1)', '1.5', 'gt', '1,4', 'unfit'],
    ['', '5', 'equals', '5', [1]],
    ['', `'5'`, 'equals', '5', [1]],
    ['', `'x'`, 'equals', 'x', [1]],
    ['', '0', 'equals', 'x', []],
    ['date', `'2026-03-01'`, 'gte', '2026-01-01', [1]],
    ['datetime_ms', '0', 'lt', '9999-12-31T23:59:59-14:00', 'unfit'],
    ['datetime_ms', '0', 'gt', '0000-12-31T23:00:00Z', [1]],
    ['integer', '1', 'equals', '1.5', 'unfit'],
    ['integer', '1', 'equals', '9223372036854775808', 'unfit'],
    ['text', `'x'`, 'equals', 'a\0b', 'unfit'],
    ['text', `'x'`, 'icontains', 'a\0b', 'unfit'],
  ],
  postgres: [
    ['boolean', 'true', 'equals', 'true', [1]],
    ['boolean', 'true', 'equals', 'maybe', 'unfit'],
    ['integer', '1', 'lt', '9007199254740993', [1]],
    ['numeric(38,10)', '1.5', 'equals', '1.50', [1]],
    ['timestamptz', `'2026-03-01 11:00+00'`, 'equals', '2026-03-01T12:00:00+01:00', [1]],
    ['timestamp', `'2026-03-01 11:00'`, 'equals', '2026-03-01T11:00:00Z', [1]],
    ['timestamptz', `now()`, 'lt', '2026-02-30', 'unfit'],
    ['timestamptz', `now()`, 'lt', '9999-12-31T23:59:59-14:00', 'unfit'],
    ['timestamptz', `now()`, 'in', ['2026-03-01', '9999-12-31T23:59:59-00:01'], 'unfit'],
    ['timestamptz', `'0001-12-31 23:00Z BC'`, 'equals', '0000-12-31T23:00:00Z', [1]],
    ['timestamp', `now()`, 'gt', '0001-01-01T00:00:00+00:01', [1]],
    ['date', `'0001-02-29 BC'`, 'equals', '0000-02-29', [1]],
    ['interval', `'1 day'`, 'lt', '9999999999 years', 'unfit'],
    ['time with time zone', `'12:00Z'`, 'lt', '12:00+99', 'unfit'],
    ['date', `'2026-03-01'`, 'in', ['2026-03-01', '2026-03-02'], [1]],
    ['date', `'2026-03-01'`, 'equals', 'today', 'unfit'],
    ['uuid', `gen_random_uuid()`, 'equals', 'x', 'unfit'],
    ['real', '1', 'lt', '1e300', 'unfit'],
    ['inet', `'127.0.0.1'`, 'equals', '127.0.0.1', [1]],
    ['inet', `'127.0.0.1'`, 'equals', 'nowhere', 'unfit'],
    ['text', `'aXb'`, 'iregex', '^ax.$', [1]],
    ['text', `'aXb'`, 'iregex', '(', 'unfit'],
    ['text', `'a quick fox'`, 'search', 'foxes', [1]],
    ['integer', '12', 'iregex', '^1', [1]],
    ['tsvector', `'fox'`, 'equals', `'fox'`, [1]],
    ['tsvector', `'fox'`, 'equals', `'`, 'unfit'],
    ['address', `('High Street', 7)`, 'equals', '("High Street",7)', 'unfit'],
    ['address', `('High Street', 7)`, 'icontains', 'high', [1]],
    ['json', `'1'`, 'equals', '1', 'unfit'],
    ['jsonb', `'1'`, 'equals', '1', [1]],
    ['point', `'(1,2)'`, 'in', ['(1,2)'], 'unfit'],
    ['polygon', `'((1,2))'`, 'in', ['((1,2))', '((2,2))'], 'unfit'],
    ['xml', `'<a/>'`, 'gt', '<a/>', 'unfit'],
    ['line', `'{1,2,3}'`, 'lt', '{1,2,3}', 'unfit'],
    ['json[]', `'{}'`, 'equals', '{}', 'unfit'],
    ['address[]', `'{}'`, 'equals', '{}', [1]],
    ['text collate nobody', `'AbC'`, 'icontains', 'bc', [1]],
  ],
  mysql: [
    ['boolean', 'true', 'equals', 'true', [1]],
    ['integer', '0', 'equals', 'abc', 'unfit'],
    ['integer', '1', 'lt', '9007199254740993', [1]],
    ['bigint', '9007199254740993', 'equals', '9007199254740992', []],
    ['decimal(9,1)', '1.5', 'equals', '1.54', []],
    ['datetime(6)', `'2026-03-01 11:00'`, 'equals', '2026-03-01T12:00:00+01:00', [1]],
    ['datetime', `now()`, 'lt', '2026-02-30', 'unfit'],
    ['datetime', `now()`, 'lt', '9999-12-31T23:59:59-14:00', 'unfit'],
    ['datetime', `now()`, 'gt', '0000-12-31T23:00:00Z', [1]],
    ['date', `now()`, 'gt', '0000-02-29', [1]],
    ['varchar(9)', `'aXb'`, 'iregex', '^ax.$', [1]],
    ['varchar(9)', `'aXb'`, 'iregex', '(', 'unfit'],
    ['varchar(9) collate utf8mb4_general_ci', `'é'`, 'icontains', 'e', []],
    ['varchar(9) character set latin1', `'ÄPFEL'`, 'icontains', 'äpf', [1]],
    ['varchar(9), fulltext (value)', `'fox'`, 'search', 'fox', [1]],
    [`enum('low', 'high')`, `'high'`, 'equals', 'high', [1]],
    ['uuid', 'uuid()', 'equals', 'x', 'unfit'],
  ],
}

describe.each(DATABASES)('a condition on %s', (_, dialect) => {
  test.each(CONDITIONS[dialect])(
    'on %s %s: %s %j',
    async (type, value, operator, asked, expected) => {
      const database = await freshDatabase(dialect)
      if (type.includes('nobody'))
        await run(
          database,
          `create collation nobody (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
        )
      if (type.startsWith('address'))
        await run(database, 'create type address as (street text, number integer)')
      const [column = '', ...index] = type.split(/(?=,)/)
      const definition = type.includes('fulltext') ? `${column}${index.join('')}` : type
      await run(
        database,
        `create table item (id integer not null primary key, value ${definition})`,
        `insert into item values (1, ${value})`,
      )
      const condition: Condition<'value'> = { field: 'value', operator, value: asked }
      const ask = async (found: Condition<'value'>) =>
        (await sourceOf(database).where([found]).slice(0, 9)).map(({ id }) => id)
      if (expected !== 'unfit') return expect(await ask(condition)).toEqual(expected)
      await expect(ask({ ...condition, parameter: 'q' })).rejects.toThrow(ValidationError)
      await expect(ask(condition)).rejects.toThrow(ConfigurationError)
    },
  )
})

test('SQLite has neither regular expressions nor full text search', async () => {
  const source = sourceOf(await withValues('sqlite', 'text', []))
  for (const operator of ['iregex', 'search'] as const) {
    expect(() => source.where([{ field: 'value', operator, value: 'x' }])).toThrow('SQLite has no')
  }
})

test.each(DATABASES)('a text is found anywhere in others on %s, as it is', async (_, dialect) => {
  const texts = [
    `'50% of A_b! Then more'`,
    `'50 of A!b then more'`,
    `'Straße; and so on'`,
    'null',
    `'100% ${'xY'.repeat(40)}'`,
  ]
  const source = sourceOf(await withValues(dialect, 'varchar(90)', texts))
  const idsWith = async (value: string) => {
    const found = source.where([{ field: 'value', operator: 'icontains', value }])
    return (await found.slice(0, 9)).map(({ id }) => id).toSorted((one, other) => one - other)
  }
  const terms = ['OF a_B! THEN', 'of a!b then MORE', '50% of a_b!', 'then more', 'straße; AND so']
  expect(await Promise.all(terms.map(idsWith))).toEqual([[1], [2], [1], [1, 2], [3]])
  const others = ['of a_b then more', 'of a!b then no more']
  expect(await Promise.all(others.map(idsWith))).toEqual([[], []])
  const long = `% ${'Xy'.repeat(35)}`
  expect(await Promise.all([long, `${long}_`].map(idsWith))).toEqual([[5], []])
})

test.each([
  ['PostgreSQL', 'postgres', 'strpos('],
  ['MariaDB', 'mysql', 'locate('],
] as const)(
  '%s looks for a long text without LIKE, which compares all of it with each place',
  async (_, dialect, name) => {
    const database = await withValues(dialect, 'varchar(90)', [])
    const rows = vi.spyOn(database, 'rows')
    for (const value of ['a'.repeat(70), 'b'.repeat(80)])
      await sourceOf(database)
        .where([{ field: 'value', operator: 'icontains', value }])
        .slice(0, 9)
    const asked = rows.mock.calls.map(([{ sql }]) => sql)
    expect(asked.join()).toContain(name)
    expect(asked.join()).not.toContain('like')
  },
)

test('SQLite looks for a long text in another at a cost that hardly depends on its length', async () => {
  const database = await freshDatabase('sqlite')
  await run(
    database,
    'create table item (id integer primary key, value text)',
    "insert into item values (1, replace(hex(zeroblob(200000)), '00', 'a'))",
  )
  const count = async (size: number) => {
    const value = `${'a'.repeat(size)}b`
    const found = sourceOf(database).where([{ field: 'value', operator: 'icontains', value }])
    expect(await found.count()).toBe(0)
  }
  await expectLinear(count, { size: 120, most: 4 })
})
