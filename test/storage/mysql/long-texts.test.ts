// MariaDB sorts by the beginning of a text, and compares all of it (I1).
import { sql } from 'kysely'
import { createPool } from 'mysql2/promise'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Position, SeekableSource, SortKey } from '../../../src/core/ports/list-source.ts'
import { openMysql } from '../../../src/storage/mysql/open.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { sqlSource } from '../../../src/storage/sql/query/sql-source.ts'
import { emptyDatabase, emptyDatabaseUrl } from '../../setup/databases.ts'
import { run } from '../sql/query/query-fixture.ts'

interface Row {
  id: number
  value: string | Uint8Array | null
}

async function ownPool(): Promise<SqlDatabase> {
  const uri = await emptyDatabaseUrl('mysql')
  const pool = createPool({ uri, supportBigNumbers: true, timezone: 'Z' })
  const database = openMysql({ pool })
  onTestFinished(() => database.close())
  return database
}

/** With the bytes that they sort by. */
const POOLS = [
  ['our pool', () => emptyDatabase('mysql'), 4096],
  ['a pool of your own', ownPool, 1024],
] as const

const IDS = Array.from({ length: 40 }, (_row, id) => id)
const COUNT_OF_LETTERS = 26

/** In no order of the ids. Some are missing, some are the same, and some are short. */
function valueOf(id: number, type: string, beginning: string): string | null {
  if (id % 10 === 3) return null
  const letter = String.fromCodePoint(97 + ((id * 7919) % COUNT_OF_LETTERS))
  const rest = id % 10 === 7 ? '' : letter
  const value = id % 5 === 4 ? letter : `${beginning}${rest}`
  return type === 'json' ? JSON.stringify(value) : value
}

async function withValues(database: SqlDatabase, type: string, beginning: string): Promise<void> {
  await run(database, `create table item (id integer not null primary key, value ${type})`)
  for (const id of IDS) await insert(database, id, valueOf(id, type, beginning))
}

async function insert(database: SqlDatabase, ...parameters: readonly unknown[]): Promise<void> {
  await database.write({ sql: 'insert into item values (?, ?)', parameters })
}

/** `heard`: the statements that it reads with. */
function sourceOf(database: SqlDatabase, heard: string[] = []) {
  const query = database.kysely<{ item: Row }>().selectFrom('item').select(['id', 'value'])
  const listened = {
    dialect: database.dialect,
    describe: database.describe!.bind(database),
    rows: (statement: Parameters<SqlDatabase['rows']>[0]) => {
      heard.push(statement.sql)
      return database.rows(statement)
    },
  }
  const fields = { twice: sql<string>`concat(value, value)` }
  return sqlSource({ database: listened, query, key: 'id', fields })
}

const by = <Field extends string>(field: Field): readonly SortKey<Field>[] => [
  { field, descending: false, nulls: 'first' },
]

async function walk<Field extends string>(
  source: SeekableSource<Row, Field>,
  keys: readonly SortKey<Field>[],
  reverse: boolean,
) {
  const found: Row[] = []
  for (let position: Position | null = null, more = true; more;) {
    const stretch = await source.seek({ keys, position, reverse, limit: 3 })
    found.push(...(reverse ? stretch.rows.toReversed() : stretch.rows))
    ;[position, more] = [reverse ? stretch.first : stretch.last, stretch.more]
    expect(found.length).toBeLessThanOrEqual(IDS.length)
  }
  return found
}

async function ordered(database: SqlDatabase, order: string): Promise<unknown[]> {
  const { values } = await database.rows({
    sql: `select id from item order by ${order}`,
    parameters: [],
  })
  return values.flat()
}

const text = (collation: string) => `longtext character set utf8mb4 collate utf8mb4_${collation}`

/** Longer than what is sorted by, in characters that take 2, 3, 4 and 16 bytes there. */
const LONG: readonly (readonly [type: string, beginning: string])[] = [
  [text('bin'), 'x'.repeat(1400)],
  [text('general_ci'), 'x'.repeat(2100)],
  [text('general_ci'), '😀'.repeat(2100)],
  [text('unicode_520_ci'), 'é'.repeat(2100)],
  [text('unicode_520_ci'), '日'.repeat(1100)],
  [text('unicode_520_ci'), '\uFDFA'.repeat(257)],
  ['varchar(3000) character set latin1', 'x'.repeat(2990)],
  ['varchar(1500) character set utf8mb4 collate utf8mb4_bin', 'x'.repeat(1400)],
  ['json', 'x'.repeat(1400)],
  ['longblob', 'x'.repeat(4200)],
  ['varbinary(4097)', 'x'.repeat(4096)],
]

describe.each(POOLS)('texts longer than MariaDB sorts by, with %s', (_, open, bytes) => {
  test.each(LONG)('I1 of %s come exactly once, in both directions', async (type, beginning) => {
    const database = await open()
    await withValues(database, type, beginning)
    const expected = await ordered(database, `left(value, ${bytes / 16}), id`)

    const there = await walk(sourceOf(database), by('value'), false)
    expect(new Set(there.map(({ id }) => id))).toEqual(new Set(IDS))
    expect(there.map(({ id }) => id)).toEqual(expected)
    const back = await walk(sourceOf(database), by('value'), true)
    expect(back).toEqual(there.toReversed())
    // Rows have the whole text.
    const shown = type === 'json' ? JSON.stringify : String
    for (const { id, value } of there)
      expect(value && shown(value)).toBe(valueOf(id, type, beginning))
  })

  test('I1 of an expression count by what it may come to', async () => {
    const database = await open()
    const length = bytes / 4
    // Twice as long as what stands there may be.
    await withValues(database, `varchar(${length}) collate utf8mb4_bin`, 'x'.repeat(length - 1))
    const heard: string[] = []
    const found = await walk(sourceOf(database, heard), by('twice'), false)
    expect(found.map(({ id }) => id)).toEqual(
      await ordered(database, `left(concat(value, value), ${bytes / 16}), id`),
    )
    expect(heard.filter((each) => !each.includes('left('))).toEqual([])
  })

  test('I1 of a unique key come exactly once, too', async () => {
    const database = await open()
    await run(database, `create table item (id integer, value ${text('bin')} not null unique)`)
    for (const id of IDS)
      await insert(database, id % 2, `${'x'.repeat(1400)}${(id * 7919) % IDS.length}`)
    const query = database.kysely<{ item: Row }>().selectFrom('item').select(['id', 'value'])
    const source = sqlSource({ database, query, key: 'value' })
    for (const keys of [by('value'), [{ field: 'id', descending: true, nulls: 'last' }] as const]) {
      const there = await walk(source, keys, false)
      expect(new Set(there.map(({ value }) => value)).size).toBe(IDS.length)
      expect(await walk(source, keys, true)).toEqual(there.toReversed())
    }
  })

  const short = [
    `varchar(${bytes / 4}) character set utf8mb4`,
    `varchar(${bytes / 4}) character set latin1`,
    `varbinary(${bytes - 4})`,
    'tinytext',
    `enum('${'x'.repeat(200)}', 'a')`,
    'uuid',
    'bigint',
  ]
  test.each(short)('I1 %s is sorted by whole, as an index has it', async (type) => {
    const heard: string[] = []
    const database = await open()
    await run(database, `create table item (id integer not null primary key, value ${type})`)
    await walk(sourceOf(database, heard), by('value'), false)
    expect(heard.filter((each) => each.includes('left('))).toEqual([])
  })

  test.each([`varchar(${bytes / 4 + 1}) character set utf8mb4`, `varbinary(${bytes - 3})`, 'text'])(
    'I1 %s is sorted by its beginning',
    async (type) => {
      const heard: string[] = []
      const database = await open()
      await run(database, `create table item (id integer not null primary key, value ${type})`)
      await walk(sourceOf(database, heard), by('value'), false)
      expect(heard.filter((each) => !each.includes('left('))).toEqual([])
    },
  )
})

test('I1 a session says what it sorts by', async () => {
  const database = await ownPool()
  await run(database, 'create table item (id integer not null primary key, value varchar(300))')
  const heard: string[] = []
  await run(database, 'set max_sort_length = 2000')
  await walk(sourceOf(database, heard), by('value'), false)
  expect(heard).toHaveLength(1)
  expect(heard[0]).not.toContain('left(')
})
