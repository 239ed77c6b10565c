import { DIALECTS } from '../../../setup/dialects.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { ListSource } from '../../../../src/core/ports/list-source.ts'
import type { Statement } from '../../../../src/core/ports/database.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { ConfigurationError } from '../../../../src/core/errors/configuration-error.ts'
import { type SqlSource, sqlSource } from '../../../../src/sql.ts'
import type { SqliteDatabase } from '../../../../src/storage/sqlite/driver.ts'
import { asynchronous } from '../../../contract/asynchronous.ts'
import { shown, testListSource } from '../../../contract/list-source.ts'
import { temporarySqlite, writeNow } from '../../../contract/temporary.ts'

interface Item {
  id: number
  kind: number | null
  name: string | null
}

interface Tables {
  item: Item
}

async function withItems(items: readonly Item[]): Promise<SqliteDatabase> {
  const database = temporarySqlite()
  writeNow(database, 'create table item (id integer primary key, kind integer, name text)')
  await database.transaction(async (transaction) => {
    for (const { id, kind, name } of items) {
      await transaction.write({
        sql: 'insert into item values (?, ?, ?)',
        parameters: [id, kind, name],
      })
    }
  })
  return database
}

function numbered(size: number): Item[] {
  return Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    kind: index % 3,
    name: `n${index % 5}`,
  }))
}

/** What a source asks the database. */
function heard(
  database: SqliteDatabase,
): { readonly statements: Statement[] } & Pick<SqlDatabase, 'dialect' | 'rows'> {
  const statements: Statement[] = []
  return {
    dialect: DIALECTS.sqlite,
    statements,
    rows(statement) {
      statements.push(statement)
      return database.rows(statement)
    },
  }
}

const items = (database: SqliteDatabase) => database.kysely<Tables>().selectFrom('item')

testListSource('a table', async (size) => {
  const database = await withItems(numbered(size))
  return sqlSource({ database, query: items(database).select('id'), key: 'id' })
})

testListSource('a table with an order of its own', async (size) => {
  const database = await withItems(
    numbered(size).map(({ id, ...item }) => ({ ...item, id: size + 1 - id })),
  )
  const query = items(database)
    .select(sql<number>`${size + 1} - id`.as('id'))
    .orderBy('item.id', 'desc')
  return sqlSource({ database, query, key: 'item.id' })
})

testListSource('a table of which a query takes a part', async (size) => {
  const database = await withItems(numbered(size + 20))
  const query = items(database)
    .select(sql<number>`id - 7`.as('id'))
    .offset(7)
    .limit(size)
  return sqlSource({ database, query, key: 'item.id' })
})

testListSource('a DISTINCT', async (size) => {
  const database = await withItems(
    numbered(size).flatMap((item) => [item, { ...item, id: item.id + 1000 }]),
  )
  const query = items(database)
    .select(sql<number>`id % 1000`.as('id'))
    .distinct()
  return sqlSource({ database, query, key: 'id' })
})

testListSource('a database that answers later', async (size) => {
  const database = await withItems(numbered(size))
  return sqlSource({
    database: asynchronous(database),
    query: items(database).select('id'),
    key: 'id',
  })
})

test('rows have the type and the members of the query, in its order', async () => {
  const database = await withItems([{ id: 1, kind: null, name: 'one' }])
  const source = sqlSource({
    database,
    query: items(database).select(['name', 'id', 'kind as sort']),
    key: 'id',
  })
  expectTypeOf(source).toEqualTypeOf<
    SqlSource<{ name: string | null; id: number; sort: number | null }, 'name' | 'id' | 'sort'>
  >()
  expect(JSON.stringify(await source.slice(0, 1))).toBe('[{"name":"one","id":1,"sort":null}]')
})

test('all columns are all columns', async () => {
  const database = await withItems([{ id: 1, kind: 2, name: 'one' }])
  const source = sqlSource({ database, query: items(database).selectAll(), key: 'id' })
  expectTypeOf(source).toEqualTypeOf<
    SqlSource<{ id: number; kind: number | null; name: string | null }, 'id' | 'kind' | 'name'>
  >()
  expect(await source.slice(0, 1)).toEqual([{ id: 1, kind: 2, name: 'one' }])
})

test('on SQLite everything is there at once', async () => {
  const database = await withItems(numbered(3))
  const source = sqlSource({ database, query: items(database).select('id'), key: 'id' })
  expect(source.count()).toBe(3)
  expect(source.slice(2, 1)).toEqual([{ id: 3 }])
  expect(source.page(() => ({ offset: 0, limit: 1 }))).toMatchObject({
    count: 3,
    rows: [{ id: 1 }],
  })
})

describe('pages of any order are slices of the whole list', () => {
  const item = fc.record({
    kind: fc.option(fc.nat(3), { nil: null }),
    name: fc.option(fc.constantFrom('a', 'B', 'b', 'ä', ''), { nil: null }),
  })
  const direction = fc.constantFrom('asc', 'desc')
  const nulls = fc.constantFrom(null, 'first', 'last')
  const order = fc.record({
    column: fc.constantFrom('kind', 'name', 'id'),
    direction,
    nulls,
  } as const)
  const range = fc.record({ offset: fc.nat(45), limit: fc.nat(20) })

  test('with ties, NULLs in every place, mixed directions and conditions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 40, size: 'max' }),
        fc.array(order, { maxLength: 3 }),
        fc.option(fc.nat(3)),
        fc.array(range, { minLength: 1, maxLength: 8 }),
        async (rows, orders, below, ranges) => {
          const database = await withItems(rows.map((row, index) => ({ ...row, id: index + 1 })))
          let query = items(database).select(['id', 'kind', 'name'])
          if (below !== null) query = query.where('kind', '<=', below)
          for (const { column, ...way } of orders) {
            query = query.orderBy(column, (by) => {
              const directed = by[way.direction]()
              if (way.nulls === null) return directed
              return way.nulls === 'first' ? directed.nullsFirst() : directed.nullsLast()
            })
          }
          const source = sqlSource({ database, query, key: 'id' })
          const all = await source.slice(0, 100)
          expect(new Set(all)).toEqual(new Set(await query.execute()))
          for (const { offset, limit } of ranges) {
            const expected = { count: all.length, rows: all.slice(offset, offset + limit) }
            expect(shown(await source.page(() => ({ offset, limit })))).toEqual(expected)
          }
          database.close()
        },
      ),
      { numRuns: 60 },
    )
  })

  const named = (database: SqliteDatabase, name: string) =>
    items(database).select(['id', 'name']).where('name', '=', name)

  test('with UNION', async () => {
    const database = await withItems(numbered(30))
    const query = named(database, 'n0').union(named(database, 'n1')).union(named(database, 'n2'))
    await expectSlices(sqlSource({ database, query, key: 'id' }), 18)
  })

  test('with GROUP BY', async () => {
    const database = await withItems(numbered(30))
    const query = items(database)
      .select((row) => ['kind', row.fn.countAll().as('items')])
      .groupBy('kind')
    await expectSlices(sqlSource({ database, query, key: 'kind' }), 3)
  })

  test('with DISTINCT', async () => {
    const database = await withItems(numbered(30))
    const query = items(database).select('name').distinct()
    await expectSlices(sqlSource({ database, query, key: 'name' }), 5)
  })

  test('with raw SQL in ORDER BY', async () => {
    const database = await withItems(numbered(30))
    const query = items(database)
      .select('id')
      .orderBy(sql`lower(name) desc`)
    await expectSlices(sqlSource({ database, query, key: 'id' }), 30)
  })

  async function expectSlices(source: ListSource<object>, count: number): Promise<void> {
    const all = await source.slice(0, 100)
    expect(all).toHaveLength(count)
    for (let offset = 0; offset <= count; offset++) {
      const page = await source.page?.(() => ({ offset, limit: 2 }))
      expect(shown(page)).toEqual({ count, rows: all.slice(offset, offset + 2) })
    }
  }

  test('an aggregate without GROUP BY is one row', async () => {
    const database = await withItems(numbered(30))
    const query = items(database).select((row) => row.fn.max('id').as('largest'))
    const source = sqlSource({ database, query, key: 'largest' })
    expect(shown(await source.page(() => ({ offset: 0, limit: 5 })))).toEqual({
      count: 1,
      rows: [{ largest: 30 }],
    })
  })
})

describe('the order of a list', () => {
  const orderOf = async (
    make: (query: ReturnType<typeof items>) => ReturnType<typeof items>,
    key: string | string[],
  ) => {
    const database = await withItems(numbered(10))
    const spy = heard(database)
    const source = sqlSource({ database: spy, query: make(items(database)).select('id'), key })
    await source.slice(0, 1)
    await source.page?.(() => ({ offset: 8, limit: 1 }))
    const texts = spy.statements
      .map((statement) => statement.sql)
      .filter((text) => !text.includes('count(*)'))
    return texts.map((text) => text.replace(/.* order by (.*) limit \+\? offset \?/, '$1'))
  }

  test.each([
    ['I15 is the key where the query has none', (query) => query, 'id', ['"id"', '"id" desc']],
    [
      'I15 may be a key of a table',
      (query) => query,
      'item.id',
      ['"item"."id"', '"item"."id" desc'],
    ],
    [
      'may be a key of several columns',
      (query) => query,
      ['kind', 'id'],
      ['"kind", "id"', '"kind" desc, "id" desc'],
    ],
    [
      'ends with the key',
      (query) => query.orderBy('name'),
      'id',
      ['"name", "id"', '"name" desc, "id" desc'],
    ],
    [
      'ends with the key in the direction of the last item',
      (query) => query.orderBy('name').orderBy('kind', 'desc'),
      'id',
      ['"name", "kind" desc, "id" desc', '"name" desc, "kind" asc, "id" asc'],
    ],
    ['names the key once', (query) => query.orderBy('id', 'desc'), 'id', ['"id" desc', '"id" asc']],
    [
      'is not turned round where it is raw SQL',
      (query) => query.orderBy(sql`1`),
      'id',
      ['1, "id"', '1, "id"'],
    ],
    [
      'turns the place of NULLs round, too',
      (query) => query.orderBy('kind', (by) => by.desc().nullsFirst()),
      'id',
      ['"kind" desc nulls first, "id" desc', '"kind" asc nulls last, "id" asc'],
    ],
  ] as const satisfies readonly [
    string,
    (query: ReturnType<typeof items>) => ReturnType<typeof items>,
    string | readonly string[],
    readonly string[],
  ][])('%s', async (_, make, key, expected) => {
    expect(await orderOf(make, typeof key === 'string' ? key : [...key])).toEqual(expected)
  })
})

describe('what a list asks of its database', () => {
  test('a page in the second half is read from the end', async () => {
    const database = await withItems(numbered(100))
    const spy = heard(database)
    const source = sqlSource({ database: spy, query: items(database).select('id'), key: 'id' })
    await source.page?.(() => ({ offset: 90, limit: 5 }))
    expect(spy.statements.map(({ parameters }) => parameters)).toEqual([[], [5, 5]])
    spy.statements.length = 0
    await source.page?.(() => ({ offset: 10, limit: 5 }))
    expect(spy.statements.map(({ parameters }) => parameters)).toEqual([[], [5, 10]])
  })

  test('a page behind the end is not read', async () => {
    const database = await withItems(numbered(10))
    const spy = heard(database)
    await sqlSource({ database: spy, query: items(database).select('id'), key: 'id' }).page?.(
      () => ({ offset: 10, limit: 5 }),
    )
    expect(spy.statements).toHaveLength(1)
  })

  test('values of the query stay bound, in their places', async () => {
    const database = await withItems(numbered(30))
    const query = items(database)
      .select((item) => ['id', item.val('x').as('mark')])
      .where('kind', '=', 1)
      .orderBy((item) => item.fn.coalesce('name', item.val('z')))
    const source = sqlSource({ database, query, key: 'id' })
    const all = await source.slice(0, 100)
    expect(all).toHaveLength(10)
    expect(all[0]).toMatchObject({ mark: 'x' })
    for (const offset of [0, 3, 8]) {
      expect(shown(await source.page(() => ({ offset, limit: 2 })))).toEqual({
        count: 10,
        rows: all.slice(offset, offset + 2),
      })
    }
  })

  test('values of an order may be bigints', async () => {
    const database = await withItems(numbered(4))
    const query = database.kysely<Tables>().selectFrom('item').selectAll()
    const rotated = query.orderBy(sql`(id + ${2n}) % ${4n}`.$castTo<number>(), 'asc')
    const source = sqlSource({ database, query: rotated, key: 'id' })
    const ids = async (of: typeof source) => (await of.slice(0, 9)).map(({ id }) => id)
    expect(await ids(source)).toEqual([2, 3, 4, 1])
    const last = source.where([{ field: 'id', operator: 'gt', value: 1 }])
    expect(await ids(last)).toEqual([2, 3, 4])
  })

  test('count and rows are of one snapshot, and the next page knows what was written', async () => {
    const database = await withItems(numbered(10))
    const source = sqlSource({ database, query: items(database).select('id'), key: 'id' })
    const page = await source.page?.((count) => {
      expect(count).toBe(10)
      return { offset: 8, limit: 5 }
    })
    expect(page?.rows).toHaveLength(2)
    writeNow(database, 'delete from item where id > 5')
    expect(shown(await source.page(() => ({ offset: 4, limit: 5 })))).toEqual({
      count: 5,
      rows: [{ id: 5 }],
    })
  })
})

describe('a query that is no list', () => {
  test('is refused before anything is read', async () => {
    const database = await withItems([])
    const kysely = database.kysely<Tables>()
    const insert = kysely.insertInto('item').values({ id: 1, kind: 1, name: 'one' }).returning('id')
    expect(() => sqlSource({ database, query: insert, key: 'id' })).toThrow(ConfigurationError)
    const cut = items(database)
      .select('id')
      .limit(sql<number>`1 + 1`)
    expect(() => sqlSource({ database, query: cut, key: 'id' })).toThrow('must be plain numbers')
    const fetched = items(database).select('id').fetch(3)
    expect(() => sqlSource({ database, query: fetched, key: 'id' })).toThrow(
      'not with fetch or top',
    )
  })
})
