import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../../src/core/ports/database.ts'
import { sqlSource } from '../../../../src/storage/sql/query/sql-source.ts'
import {
  NAMES,
  SERVERS,
  type ServerDialect,
  emptyDatabase,
  DIALECTS,
} from '../../../setup/databases.ts'

interface Tables {
  item: { id: number; kind: number; name: string }
  other: { id: number; item: number }
}

const run = (text: string, ...parameters: unknown[]): Statement => ({ sql: text, parameters })

const NUMBERS: Readonly<Record<ServerDialect, (size: number) => string>> = {
  postgres: (size) => `generate_series(1, ${size}) as numbers (n)`,
  mysql: (size) => `(select seq as n from seq_1_to_${size}) as numbers`,
}

async function withItems(dialect: ServerDialect, size: number) {
  const database = await emptyDatabase(dialect)
  await database.write(
    run('create table item (id integer primary key, kind integer, name varchar(20))'),
  )
  await database.write(run('create table other (id integer primary key, item integer)'))
  await database.write(run('create index item_kind on item (kind)'))
  const numbers = NUMBERS[dialect](size)
  await database.write(run(`insert into item select n, n % 10, concat('n', n) from ${numbers}`))
  const db = database.kysely<Tables>()
  const items = db.selectFrom('item').select(['item.id', 'item.name'])
  return { database, db, items }
}

const ANALYZE: Readonly<Record<ServerDialect, string>> = {
  postgres: 'analyze',
  mysql: 'analyze table item, other',
}

describe.each(SERVERS)('counting on %s', (dialect) => {
  const name = NAMES[dialect]

  test(`I16 up to a cap is exact up to it, and one more beyond it (${name})`, async () => {
    const { database, db, items } = await withItems(dialect, 100)
    const tens = items.where('kind', '=', 0)
    const cases = [
      [items, 99, 100],
      [items, 100, 100],
      [items, 30, 31],
      [items.offset(3).limit(8), 20, 8],
      [items.offset(3).limit(8), 5, 6],
      [tens, 10, 10],
      [tens, 9, 10],
      [tens, 3, 4],
      [tens.union(items.where('id', '<', 5)), 100, 14],
      [tens.union(items.where('id', '<', 5)), 11, 12],
      [db.selectFrom('item').select('kind as id').distinct(), 100, 10],
      [db.selectFrom('item').select('kind as id').groupBy('kind'), 4, 5],
    ] as const
    for (const [query, cap, expected] of cases)
      expect(await sqlSource({ database, query, key: 'id' }).count(cap)).toBe(expected)
  })

  test(`I16 an estimate is near the truth once tables are analysed (${name})`, async () => {
    const { database, items } = await withItems(dialect, 5000)
    await database.write(run(ANALYZE[dialect]))
    const estimates: readonly [number, Parameters<typeof sqlSource>[0]['query']][] = [
      [5000, items],
      [70, items.limit(70)],
      [500, items.where('kind', '=', 3)],
      [1000, items.where('id', '>', 4000)],
      [1, items.where('id', '=', 7)],
      [5000, items.leftJoin('other', 'other.id', 'item.kind')],
      [0, items.where(sql<boolean>`1 = 0`)],
    ]
    for (const [truth, query] of estimates) {
      const estimate = await sqlSource({ database, query, key: 'item.id' }).estimate?.()
      expect(estimate).toBeGreaterThanOrEqual(truth * 0.7)
      expect(estimate).toBeLessThanOrEqual(truth * 1.4)
    }
  })
})

test('I16 PostgreSQL: what was never analysed is not known, even beside what was', async () => {
  const { database, items } = await withItems('postgres', 50)
  const joined = items.innerJoin('other', 'other.item', 'item.id')
  const estimates = async () => [
    await sqlSource({ database, query: items, key: 'item.id' }).estimate?.(),
    await sqlSource({ database, query: joined, key: 'item.id' }).estimate?.(),
  ]
  expect(await estimates()).toEqual([null, null])
  await database.write(run('analyze item'))
  expect(await estimates()).toEqual([50, null])
  await database.write(run('analyze other'))
  expect(await estimates()).toEqual([50, expect.any(Number)])
})

test('I16 PostgreSQL: an estimate follows what was inserted since', async () => {
  const { database, items } = await withItems('postgres', 5000)
  const source = sqlSource({ database, query: items, key: 'item.id' })
  await database.write(run('analyze'))
  await database.write(
    run(`insert into item select n, 1, 'new' from generate_series(5001, 10000) as n`),
  )
  expect(await source.estimate?.()).toBeGreaterThan(9000)
})

test('I16 PostgreSQL: tables and names of any schema', async () => {
  const { database, db } = await withItems('postgres', 10)
  await database.write(run('create schema "odd ""one"'))
  await database.write(run('create table "odd ""one"."Item" as select * from item'))
  const query = db
    .withSchema('odd "one')
    .selectFrom('Item' as 'item')
    .select('id')
  const source = sqlSource({ database, query, key: 'id' })
  expect(await source.estimate?.()).toBe(null)
  await database.write(run('analyze "odd ""one"."Item"'))
  expect(await source.estimate?.()).toBe(10)
})

test('I16 MariaDB: a condition that no index knows anything of has no estimate', async () => {
  const { database, items, db } = await withItems('mysql', 5000)
  await database.write(run(ANALYZE.mysql))
  for (const query of [
    items.where('name', 'like', '%7%'),
    items.distinct(),
    db.selectFrom('item').select('kind as id').groupBy('kind'),
    items.where('id', 'in', db.selectFrom('other').select('item').where('id', '>', 4)),
  ]) {
    expect(await sqlSource({ database, query, key: 'id' }).estimate?.()).toBe(null)
  }
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Scan Direction'?: string
  readonly 'Actual Rows': number
  readonly Plans?: readonly Plan[]
}

test('PostgreSQL: the last page is read as the first is, by the index and from its end', async () => {
  const { database, items } = await withItems('postgres', 20_000)
  await database.write(run('vacuum analyze item'))
  const sent: Statement[] = []
  const heard = {
    dialect: DIALECTS.postgres,
    rows: (statement: Statement) => {
      sent.push(statement)
      return database.rows(statement)
    },
  }
  const source = sqlSource({ database: heard, query: items, key: 'item.id' })
  const plans: Plan[] = []
  for (const offset of [0, 19_900]) {
    await source.page?.(() => ({ offset, limit: 100 }))
    const { sql: text, parameters } = sent.at(-1)!
    const { values } = await database.rows(
      run(`explain (analyze, format json) ${text}`, ...parameters),
    )
    plans.push((values[0]![0] as [{ Plan: Plan }])[0].Plan.Plans![0]!)
  }
  for (const plan of plans)
    expect(plan).toMatchObject({ 'Node Type': 'Index Scan', 'Actual Rows': 100 })
  expect(plans.map((plan) => plan['Scan Direction'])).toEqual(['Forward', 'Backward'])
})
