import { DIALECTS } from '../../../setup/dialects.ts'
import fc from 'fast-check'
import { type Compilable, type OperationNodeSource, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sqlSource } from '../../../../src/storage/sql/query/sql-source.ts'
import type { SqliteDatabase } from '../../../../src/storage/sqlite/driver.ts'
import { temporarySqlite, writeNow } from '../../../contract/temporary.ts'

interface Tables {
  item: { id: number; kind: number }
  'odd " name': { id: number }
  item_view: { id: number }
  'main.item': { id: number; kind: number }
}

function withItems(size: number): SqliteDatabase {
  const database = temporarySqlite()
  writeNow(database, 'create table item (id integer primary key, kind integer)')
  writeNow(database, 'create table "odd "" name" (id integer primary key)')
  writeNow(database, 'create view item_view as select * from item')
  for (const table of ['item (id, kind)', '"odd "" name" (id)']) {
    const columns = table.startsWith('item') ? 'n, n % 5' : 'n'
    writeNow(
      database,
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${size})
       insert into ${table} select ${columns} from numbers where n <= ${size}`,
    )
  }
  return database
}

type Query = Compilable<object> & OperationNodeSource

/** Queries over so many items, and how many rows they have. */
const queries: readonly [
  string,
  (db: ReturnType<typeof withItems>) => Query,
  (size: number) => number,
][] = [
  ['a table', (database) => items(database), (size) => size],
  [
    'a condition with a value',
    (database) => items(database).where('kind', '=', 0),
    (size) => Math.floor(size / 5),
  ],
  [
    'a part of a table',
    (database) => items(database).offset(3).limit(8),
    (size) => Math.min(Math.max(size - 3, 0), 8),
  ],
  [
    'DISTINCT',
    (database) => items(database).clearSelect().select('kind as id').distinct(),
    (size) => Math.min(size, 5),
  ],
  [
    'GROUP BY',
    (database) => items(database).clearSelect().select('kind as id').groupBy('kind'),
    (size) => Math.min(size, 5),
  ],
  [
    'UNION',
    (database) =>
      items(database)
        .where('id', '<', 4)
        .union(items(database).where('id', '<', 8)),
    (size) => Math.min(size, 7),
  ],
]

function items(database: SqliteDatabase) {
  return database.kysely<Tables>().selectFrom('item').select('item.id')
}

const heard: string[] = []

function sourceOf(database: SqliteDatabase, query: Query) {
  const rows = (statement: Parameters<SqliteDatabase['rows']>[0]) => {
    heard.push(statement.sql)
    return database.rows(statement)
  }
  return sqlSource({ database: { dialect: DIALECTS.sqlite, rows }, query, key: 'id' })
}

describe('I16 counting up to a cap', () => {
  test.each(queries)(
    'of %s is exact up to it, and one more beyond it',
    async (_, make, expected) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(30), fc.nat(12), async (size, cap) => {
          const database = withItems(size)
          const source = sourceOf(database, make(database))
          expect(source.count(cap)).toBe(Math.min(expected(size), cap + 1))
          expect(source.count()).toBe(expected(size))
          database.close()
        }),
        { numRuns: 25 },
      )
    },
  )

  test('looks at no more rows than it counts', () => {
    const database = withItems(1000)
    heard.length = 0
    void sourceOf(database, items(database).orderBy('kind')).count(10)
    expect(heard).toEqual([
      'select count(*) from (select 1 as "one" from "item" limit +?) as capped',
    ])
  })

  test.each([Infinity, Number.MAX_SAFE_INTEGER, 1e300])('takes a cap of %d', (cap) => {
    const database = withItems(10)
    expect(sourceOf(database, items(database)).count(cap)).toBe(10)
    expect(sourceOf(database, items(database).offset(2)).count(cap)).toBe(8)
  })
})

describe('I16 what SQLite believes', () => {
  const db = (database: SqliteDatabase) => database.kysely<Tables>()

  test('is nothing where nobody has analysed', () => {
    const database = withItems(10)
    expect(sourceOf(database, items(database)).estimate?.()).toBe(null)
  })

  test.each([
    ['a table', (database) => items(database), 40],
    [
      'a table by another name',
      (database) => db(database).selectFrom('item as other').select('id'),
      40,
    ],
    [
      'raw SQL',
      (database) =>
        db(database)
          .selectFrom(sql<{ id: number }>`item`.as('x'))
          .select('id'),
      null,
    ],
    [
      'a table with its schema',
      (database) => db(database).selectFrom('main.item').select('id'),
      40,
    ],
    [
      'a table with a name that needs quotes',
      (database) => db(database).selectFrom('odd " name').select('id'),
      40,
    ],
    ['a part of a table', (database) => items(database).limit(7), 7],
    ['rows that fulfil a condition', (database) => items(database).where('kind', '=', 1), null],
    ['DISTINCT', (database) => items(database).distinct(), null],
    [
      'a join',
      (database) => items(database).innerJoin('item as other', 'other.id', 'item.id'),
      null,
    ],
    ['a view', (database) => db(database).selectFrom('item_view').select('id'), null],
    [
      'what a WITH calls by the name of a table',
      (database) =>
        db(database)
          .with('item', (with_) => with_.selectFrom('odd " name').select('id').where('id', '<', 3))
          .selectFrom('item')
          .select('id'),
      null,
    ],
  ] as readonly [string, (database: SqliteDatabase) => Query, number | null][])(
    'of %s, once analysed',
    (_, make, expected) => {
      const database = withItems(40)
      writeNow(database, 'create index part on item (kind) where kind = 1')
      writeNow(database, 'create index whole on item (kind)')
      writeNow(database, 'analyze')
      writeNow(database, 'delete from item where id > 38')
      expect(sourceOf(database, make(database)).estimate?.()).toBe(expected)
    },
  )

  test('is all rows, though the only index has a part of them', () => {
    const database = withItems(40)
    writeNow(database, 'create index part on item (kind) where kind = 1')
    writeNow(database, 'analyze')
    expect(sourceOf(database, items(database)).estimate?.()).toBe(40)
  })

  test('is read without counting', () => {
    const database = withItems(40)
    writeNow(database, 'analyze')
    heard.length = 0
    void sourceOf(database, items(database)).estimate?.()
    for (const text of heard) expect(text).not.toMatch(/count|from "item"/)
  })
})
