// I2: values of positions come from the database and go back without losing anything.
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../../src/core/ports/database.ts'
import type { Portion, Position } from '../../../../src/core/ports/list-source.ts'
import { InvalidPosition } from '../../../../src/core/errors/api-errors.ts'
import type { ListDatabase, SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { toRowObjects } from '../../../../src/core/std/row-objects.ts'
import {
  DATABASES,
  type Dialect,
  freshDatabase,
  run,
  sourceOf,
  withValues,
} from '../query/query-fixture.ts'

const keys = [{ field: 'value', descending: false, nulls: 'first' }] as const

/** Ids of all rows, one at a time, and the positions that were met. */
async function walk(source: ReturnType<typeof sourceOf>, reverse: boolean) {
  const [ids, positions]: [number[], Position[]] = [[], []]
  for (let position: Position | null = null, more = true; more;) {
    const stretch = await source.seek({ keys, position, reverse, limit: 1 })
    ids.push(...stretch.rows.map(({ id }) => id))
    ;[position, more] = [stretch.last, stretch.more]
    if (position !== null) positions.push(position)
  }
  return { ids, positions }
}

/** Neighbours that a careless way cannot tell apart, in ascending order, and how the first one is kept. */
type Row = readonly [what: string, type: string, values: readonly string[], kept: unknown]

const microseconds = ['000001', '000999', '123455', '123456', '123457'].map(
  (digits) => `'2026-03-01 12:00:00.${digits}'`,
)
const decimals = [
  '-12345678901234567890123456.0000000002',
  '-12345678901234567890123456.0000000001',
  '12345678901234567890123456.0000000001',
  '12345678901234567890123456.0000000002',
]
const big = ['-9223372036854775808', '9007199254740992', '9007199254740993', '9223372036854775807']

const TYPES: Readonly<Record<Dialect, readonly Row[]>> = {
  sqlite: [
    [
      'integers',
      'integer',
      big.map((text) => text.replace('-9223372036854775808', '-9223372036854775807 - 1')),
      -(2n ** 63n),
    ],
    ['floating point numbers', 'real', ['-1e300', '0.1', '0.30000000000000004', '9e999'], -1e300],
    ['texts', 'text', [`''`, `'A'`, `'a'`, `'é'`, `'😀'`], ''],
    ['bytes', 'blob', [`x''`, `x'00'`, `x'00ff'`, `x'ff'`], new Uint8Array()],
    ['anything', '', ['-1', '1.5', `'1'`, `'x'`, `x'31'`], -1],
  ],
  postgres: [
    ['integers', 'bigint', big, -(2n ** 63n)],
    ['small integers', 'smallint', ['-2', '7'], -2],
    ['decimals', 'numeric(38,10)', [...decimals, `'NaN'`], decimals[0]],
    [
      'floating point numbers',
      'double precision',
      [`'-Infinity'`, '0.1', '0.30000000000000004', `'NaN'`],
      '-Infinity',
    ],
    ['short floating point numbers', 'real', ['0.1', '16777216', '16777218'], '0.1'],
    ['moments', 'timestamp', [`'-infinity'`, ...microseconds], '-infinity'],
    ['moments with a zone', 'timestamptz', microseconds, '2026-03-01 12:00:00.000001+00'],
    ['days', 'date', [`'0044-03-15 BC'`, `'2026-03-01'`, `'2026-03-02'`], '0044-03-15 BC'],
    ['times', 'time', [`'12:00:00.000001'`, `'12:00:00.000002'`], '12:00:00.000001'],
    ['intervals', 'interval', [`'1 day'`, `'1 month'`], '1 day'],
    ['texts', 'text collate "C"', [`''`, `'A'`, `'a'`, `'é'`, `'😀'`], ''],
    [
      'UUIDs',
      'uuid',
      [`'00000000-0000-0000-0000-000000000001'`, `'ffffffff-0000-0000-0000-000000000000'`],
      '00000000-0000-0000-0000-000000000001',
    ],
    ['bytes', 'bytea', [`'\\x'`, `'\\x00'`, `'\\xff'`], Buffer.alloc(0)],
    ['truth', 'boolean', ['false', 'true'], false],
    ['choices', 'mood', [`'low'`, `'high'`], 'low'],
    ['rows of values', 'address', [`('A', 1)`, `('B', 1)`], '(A,1)'],
    ['JSON', 'json', [`'1'`, `'2'`], '1'],
  ],
  mysql: [
    ['integers', 'bigint', big, -(2n ** 63n)],
    [
      'integers without a sign',
      'bigint unsigned',
      ['0', '9223372036854775808', '18446744073709551615'],
      0,
    ],
    ['decimals', 'decimal(38,10)', decimals, decimals[0]],
    [
      'long decimals',
      'decimal(38,0)',
      ['99999999999999999999999999999999999998', '99999999999999999999999999999999999999'],
      '99999999999999999999999999999999999998',
    ],
    ['floating point numbers', 'double', ['-1e300', '0.1', '0.30000000000000004'], -1e300],
    [
      'short floating point numbers',
      'float',
      ['0.1', '0.1000001', '16777216', '16777218'],
      Math.fround(0.1),
    ],
    ['moments', 'datetime(6)', microseconds, '2026-03-01 12:00:00.000001'],
    ['moments with a zone', 'timestamp(6) null', microseconds, '2026-03-01 12:00:00.000001'],
    ['days', 'date', [`'1000-01-01'`, `'2026-03-01'`], '1000-01-01'],
    [
      'times',
      'time(6)',
      [`'-12:00:00.000002'`, `'-12:00:00.000001'`, `'123:00:00.000002'`],
      '-12:00:00.000002',
    ],
    [
      'texts',
      'varchar(20) character set utf8mb4 collate utf8mb4_bin',
      [`''`, `'A'`, `'a'`, `'é'`, `'😀'`],
      '',
    ],
    [
      'UUIDs',
      'uuid',
      [`'00000000-0000-0000-0000-000000000001'`, `'ffffffff-0000-0000-0000-000000000000'`],
      '00000000-0000-0000-0000-000000000001',
    ],
    ['bytes', 'varbinary(9)', [`x''`, `x'00'`, `x'00ff'`, `x'ff'`], Buffer.alloc(0)],
    ['truth', 'boolean', ['false', 'true'], 0],
    ['bits', 'bit(9)', [`b'1'`, `b'10'`, `b'100000000'`], 1],
    ['choices', `enum('low', 'high')`, [`'low'`, `'high'`], 1],
    ['sets', `set('low', 'high')`, [`'low'`, `'high'`, `'low,high'`], 1],
  ],
}

/** A table with NULL and then these values. */
async function withNeighbours(dialect: Dialect, type: string, values: readonly string[]) {
  const database = await freshDatabase(dialect)
  if (type === 'address')
    await run(database, 'create type address as (street text, number integer)')
  if (type === 'mood') await run(database, `create type mood as enum ('low', 'high')`)
  await run(database, `create table item (id integer not null primary key, value ${type})`)
  for (const [index, value] of ['null', ...values].entries())
    await run(database, `insert into item values (${index + 1}, ${value})`)
  return database
}

/** The database as drivers are that know no texts as written; `until`: from that statement on. */
function withoutTexts(
  database: SqlDatabase,
  until = 0,
): ListDatabase & Pick<SqlDatabase, 'kysely'> {
  let asked = 0
  const plain = ({ sql, parameters, asWritten = false }: Statement): Statement => {
    const asText = asWritten && asked++ < until
    return { sql, parameters, asWritten: asText }
  }
  return {
    dialect: database.dialect,
    rows: (statement) => database.rows(plain(statement)),
    describe: (statement) => database.describe!(statement),
    kysely: () => database.kysely(),
  }
}

/** A copy that has both: the table is gone once its rows were made. */
function withTable<P extends Portion>(portion: P): P {
  const { table } = portion
  return { ...portion, table }
}

async function portionsOf(source: ReturnType<typeof sourceOf>) {
  const found = []
  for (const reverse of [false, true]) {
    for (let position: Position | null = null, more = true; more;) {
      const stretch = await source.seek({ keys, position, reverse, limit: 2 })
      found.push(withTable(stretch))
      ;[position, more] = [reverse ? stretch.first : stretch.last, stretch.more]
    }
  }
  const at = [() => ({ offset: 0, limit: 2 }), (count: number) => ({ offset: count - 2, limit: 2 })]
  for (const each of at) found.push(withTable(await source.page(each)))
  return [...found, withTable(await source.cut(1, 2)), { rows: await source.slice(1, 2) }]
}

describe.each(DATABASES)('portions on %s', (_, dialect) => {
  test.each(TYPES[dialect])(
    'I2 %s are in tables what they are in rows',
    async (_what, type, values) => {
      // The driver of SQLite makes a number of -2^63, where it meets no other integer beyond numbers.
      const common = values.filter((value) => !value.endsWith('- 1'))
      const database = await withNeighbours(dialect, type, common)
      const portions = await portionsOf(sourceOf(database))
      const others = await portionsOf(sourceOf(withoutTexts(database)))
      const shown = (all: typeof portions) => all.map(({ table: _table, ...rest }) => rest)
      expect(shown(portions)).toEqual(shown(others))
      for (const { table, rows } of portions) {
        if (table === undefined) continue
        expect(toRowObjects(table)).toEqual(rows)
        expect(table.written ?? table.columns).toHaveLength(table.columns.length)
      }
      expect(portions.filter(({ table }) => table === undefined)).toHaveLength(1)
    },
  )

  test.each([1, 2, 3])(
    'I2 values that come as texts no more after %i statements',
    async (until) => {
      const [, type, values] =
        TYPES[dialect].find(([what]) => what === 'moments') ?? TYPES[dialect][0]!
      const database = await withNeighbours(dialect, type, values)
      const { ids, positions } = await walk(sourceOf(withoutTexts(database, until)), false)
      expect(ids).toEqual(['null', ...values].map((_value, index) => index + 1))
      expect(positions).toEqual((await walk(sourceOf(database), false)).positions)
    },
  )
})

describe.each(DATABASES)('positions on %s', (_, dialect) => {
  test.each(TYPES[dialect])('I2 %s lose nothing', async (_what, type, values, kept) => {
    const database = await withNeighbours(dialect, type, values)
    const source = sourceOf(database)
    const expected = ['null', ...values].map((_value, index) => index + 1)
    const { ids, positions } = await walk(source, false)
    expect(ids).toEqual(expected)
    expect(positions[0]).toEqual([null, 1])
    expect(positions[1]).toEqual([kept, 2])
    expect((await walk(source, true)).ids).toEqual(expected.toReversed())
  })

  test('I2 200 rows of one millisecond', async () => {
    const type = { sqlite: 'text', postgres: 'timestamptz', mysql: 'datetime(6)' }[dialect]
    const database = await withValues(dialect, `${type} not null`, [])
    const rows = Array.from({ length: 200 }, (_row, index) => {
      const digits = String((index * 37) % 1000).padStart(3, '0')
      return `(${index + 1}, '2026-03-01 12:00:00.123${digits}')`
    })
    await run(database, `insert into item values ${rows.join(', ')}`)
    const all = await database.rows({
      sql: 'select id from item order by value, id',
      parameters: [],
    })
    const ids: number[] = []
    for (let position: Position | null = null, more = true; more;) {
      const found = await sourceOf(database).seek({ keys, position, reverse: false, limit: 7 })
      ids.push(...found.rows.map(({ id }) => id))
      ;[position, more] = [found.last, found.more]
    }
    expect(ids).toEqual(all.values.flat())
  })
})

/** Positions that are none: nothing is read for the first ones, the last is what only the database can judge. */
const NONE: Readonly<Record<Dialect, readonly (readonly [string, Position])[]>> = {
  sqlite: [
    ['text', ['x', NaN]],
    ['text', ['x', true]],
    ['text', ['x', null]],
    ['text', ['x', 2n ** 64n]],
  ],
  postgres: [
    ['text', [1, 1]],
    ['text', ['x', '1']],
    ['text', ['x', 1.5]],
    ['text not null', [null, 1]],
    ['bigint', ['1', 1]],
    ['bytea', ['x', 1]],
    ['boolean', ['true', 1]],
    ['uuid', ['no uuid', 1]],
    ['timestamptz', ['2026-13-01', 1]],
    ['timestamptz', ["'; drop table item", 1]],
    ['numeric', ['x', 1]],
    ['text', ['a\0b', 1]],
  ],
  mysql: [
    ['text', [1, 1]],
    ['text', ['x', '1']],
    ['bigint', ['1', 1]],
    ['decimal(9,2)', ['x', 1]],
    ['double', [Infinity, 1]],
    ['datetime', ["'; drop table item", 1]],
    ['varbinary(9)', ['x', 1]],
  ],
}

describe.each(DATABASES)('a position that is none on %s', (_, dialect) => {
  test.each(NONE[dialect])('I2 is refused for %s: %o', async (type, position) => {
    const source = sourceOf(await withValues(dialect, type, []))
    for (const reverse of [false, true]) {
      const seek = async () => source.seek({ keys, position, reverse, limit: 1 })
      await expect(seek).rejects.toThrow(InvalidPosition)
    }
  })
})
