// Values are those that Drizzle itself reads and writes, of every type of column that is not refused.
import { DatabaseSync } from 'node:sqlite'
import {
  type SQL,
  type Table,
  aliasedTable,
  asc,
  count as countOf,
  eq,
  gt,
  max,
  sql,
} from 'drizzle-orm'
import { drizzle as onMysql } from 'drizzle-orm/mysql2'
import { drizzle as onProxy } from 'drizzle-orm/mysql-proxy'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as onPostgres } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as onSqlite } from 'drizzle-orm/sqlite-proxy'
import * as lite from 'drizzle-orm/sqlite-core'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type DrizzleInstance, type DrizzleQuery } from '../../../src/drizzle.ts'
import { drizzleSource, drizzleTable } from '../../../src/drizzle.ts'
import type { SqlDatabase } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { AllowAny, CursorPagination, FieldFilter, OrderingFilter } from '../../../src/index.ts'
import { SearchFilter, configurationOf, defineApi, field, list } from '../../../src/index.ts'
import { resource, resourceUrls, serializer, unique, uniqueTogether } from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { ConstraintViolation } from '../../../src/core/errors/storage-errors.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'
import { type Dialect, freshDatabase, run } from '../sql/query/query-fixture.ts'

const moment = new Date('2026-02-03T04:05:06.700Z')
const second = new Date('2026-02-03T04:05:06Z')
const day = new Date('2026-02-03T00:00:00Z')

const cents = {
  toDriver: (value: number) => Math.round(value * 100),
  fromDriver: (value: unknown) => Number(value) / 100,
}

interface Ours {
  insert(values: object): Promise<object>
  update(key: number, values: object): Promise<object | null>
  find(key: number): Promise<object | null>
  source: { slice(offset: number, limit: number): unknown }
}

/** A row of Drizzle and one of ours are the same to both. */
async function expectSame(
  ours: Ours,
  // What is called alike on every dialect has the types of this one.
  [db, kept]: [ReturnType<typeof onSqlite>, lite.SQLiteTable & { id: lite.AnySQLiteColumn }],
  row: object,
  others: readonly object[] = [],
): Promise<void> {
  const insert = (values: object) => db.insert(kept).values(values)
  for (const [at, other] of others.entries()) {
    await insert({ id: 10 + at, ...other })
    expect(await ours.insert({ id: 20 + at, ...other })).toMatchObject(other)
  }
  await insert({ id: 1, ...row })
  expect(await ours.insert({ id: 2, ...row })).toEqual({ id: 2, ...row })
  await insert({ id: 3 })
  const selected = await db.select().from(kept).orderBy(asc(kept.id))
  expect(await ours.source.slice(0, 40)).toStrictEqual(selected)
  expect(selected[1]).toStrictEqual({ ...selected[0], id: 2 })
  for (const each of selected)
    expect(await ours.find((each as { id: number }).id)).toStrictEqual(each)
  expect(await ours.update(3, row)).toStrictEqual({ ...selected[0], id: 3 })
}

async function inFile(...statements: readonly string[]) {
  const path = temporaryPath()
  const database = openSqlite({ path })
  await run(database, ...statements)
  const file = new DatabaseSync(path)
  onTestFinished(() => {
    database.close()
    file.close()
  })
  const db = onSqlite(
    async (text, values) => {
      const statement = file.prepare(text)
      statement.setReturnArrays(true)
      return { rows: statement.all(...values) }
    },
    undefined,
    { casing: 'snake_case' },
  )
  return { database, db }
}

test('SQLite', async () => {
  const { database, db } =
    await inFile(`create table kept (id integer primary key, whole integer, point real, words text,
    truth integer, moment integer, exact_moment integer, data text, bytes blob, data_bytes blob, large blob, price numeric,
    number numeric, big numeric, own integer)`)
  const kept = lite.sqliteTable('kept', {
    id: lite.integer().primaryKey(),
    whole: lite.integer(),
    point: lite.real(),
    words: lite.text(),
    truth: lite.integer({ mode: 'boolean' }),
    moment: lite.integer({ mode: 'timestamp' }),
    exactMoment: lite.integer({ mode: 'timestamp_ms' }),
    data: lite.text({ mode: 'json' }),
    bytes: lite.blob({ mode: 'buffer' }),
    dataBytes: lite.blob({ mode: 'json' }),
    large: lite.blob({ mode: 'bigint' }),
    price: lite.numeric(),
    number: lite.numeric({ mode: 'number' }),
    big: lite.numeric({ mode: 'bigint' }),
    own: lite.customType<{ data: number; driverData: number }>({
      dataType: () => 'integer',
      ...cents,
    })(),
  })
  const ours = drizzleTable({ database, db, table: kept, key: 'id' })
  // As a resource asks at its start: later, it would read in the turn in which Drizzle writes.
  await ours.columns!()
  await expectSame(ours as never, [db, kept] as never, {
    whole: 7,
    point: 1.5,
    words: 'seven',
    truth: true,
    moment: second,
    exactMoment: moment,
    data: { a: [1, null] },
    bytes: Buffer.from([0, 255]),
    dataBytes: ['x'],
    large: 2n ** 70n,
    price: '12.5',
    number: 1.25,
    big: 12n,
    own: 12.34,
  })
  const found = (name: string, operator: string, value: unknown) =>
    ours.source.where([{ field: name, operator, value, parameter: name } as never]).count()
  expect(await found('moment', 'equals', '2026-02-03T05:05:06+01:00')).toBe(3)
  expect(await found('truth', 'in', ['true', 'false'])).toBe(3)
  // Between two values of the column: what begins or ends there, begins or ends at one of them.
  for (const [operator, before, after] of [
    ['equals', 0, 0],
    ['gt', 3, 0],
    ['gte', 3, 0],
    ['lt', 0, 3],
    ['lte', 0, 3],
  ] as const) {
    expect(await found('moment', operator, '2026-02-03T04:05:05.5Z')).toBe(before)
    expect(await found('moment', operator, '2026-02-03T04:05:06.000001Z')).toBe(after)
    expect(await found('exactMoment', operator, '2026-02-03T04:05:06.699999Z')).toBe(before)
    expect(await found('exactMoment', operator, '2026-02-03T04:05:06.700001Z')).toBe(after)
    expect(await found('moment', operator, new Date('2026-02-03T04:05:06.5Z'))).toBe(after)
  }
  const either = ['2026-02-03T04:05:06.5Z', '2026-02-03T04:05:06Z']
  expect(await found('moment', 'in', either)).toBe(3)
  expect(() => found('moment', 'gt', 'today')).toThrow(expect.objectContaining({ status: 400 }))
  expect(() => found('truth', 'equals', 'perhaps')).toThrow(
    expect.objectContaining({ status: 400 }),
  )
  for (const [name, operator] of [
    ['own', 'equals'],
    ['large', 'lt'],
    ['moment', 'icontains'],
  ] as const)
    expect(() => found(name, operator, null)).toThrow(/cannot be filtered by/)
  expect(() => found('own', 'in', [])).toThrow(/cannot be filtered by/)
  expect(() => found('own', 'gt', 12)).toThrow(/cannot be filtered by/)
  expect(await found('own', 'isNull', false)).toBe(3)
  // A program has values of Drizzle: those of a row that it looks up again, or compares with others.
  for (const [operator, value, count] of [
    ['equals', 12.34, 3],
    ['in', [12.34, 1, null], 3],
    ['in', [], 0],
  ] as const)
    expect(await ours.source.where([{ field: 'own', operator, value }]).count()).toBe(count)
  expect(await found('large', 'equals', 2n ** 70n)).toBe(3)
  expect(await ours.within({ own: 12.34 }).source.count()).toBe(3)
})

test.each(['json', 'json_text', 'text'])('JSON in a column declared %s', async (type) => {
  const { database, db } = await inFile(`create table kept (id integer primary key, data ${type})`)
  const data = lite.text({ mode: 'json' })
  const kept = lite.sqliteTable('kept', { id: lite.integer().primaryKey(), data })
  const ours = drizzleTable({ database, db, table: kept, key: 'id' })
  const others = ['"x"', 'null', '1', 1, false, [], { a: null }].map((each) => ({ data: each }))
  await ours.columns!()
  await expectSame(ours as never, [db, kept] as never, { data: { a: [1, 'x'] } }, others)
  await ours.update(1, { data: ['seen'] }, await ours.find(1))
  const query = db.select({ id: kept.id, data: kept.data }).from(kept)
  const listed = drizzleSource({ database, db, query, key: ['id'] })
  expect(await listed.slice(0, 40)).toStrictEqual(await query)
})

test('PostgreSQL', async () => {
  const url = await emptyDatabaseUrl('postgres')
  const database = opened('postgres', url)
  await run(
    database,
    "create type mood as enum ('good', 'bad')",
    'create schema "own"',
    `create table own.kept (id integer primary key, whole integer, small smallint, large bigint, larger bigint, counter bigint,
      point double precision, single real, price numeric(12,3), amount numeric(12,3), huge numeric(40), words text, short varchar(9),
      fixed char(5), truth boolean, mood mood, key uuid, address inet, net cidr, clock time, moment timestamp, moment_of_zone timestamptz,
      moment_text timestamp, zone_text timestamptz(3), day date, day_text date, data jsonb, data_text json, tags text[], numbers integer[],
      bytes bytea, own integer)`,
  )
  const own = pg.pgSchema('own')
  const mood = pg.pgEnum('mood', ['good', 'bad'])
  const kept = own.table('kept', {
    id: pg.integer().primaryKey(),
    whole: pg.integer(),
    small: pg.smallint(),
    large: pg.bigint({ mode: 'number' }),
    larger: pg.bigint({ mode: 'bigint' }),
    counter: pg.bigint({ mode: 'number' }),
    point: pg.doublePrecision(),
    single: pg.real(),
    price: pg.numeric(),
    amount: pg.numeric({ mode: 'number' }),
    huge: pg.numeric({ mode: 'bigint' }),
    words: pg.text(),
    short: pg.varchar(),
    fixed: pg.char({ length: 5 }),
    truth: pg.boolean(),
    mood: mood(),
    key: pg.uuid(),
    address: pg.inet(),
    net: pg.cidr(),
    clock: pg.time(),
    moment: pg.timestamp(),
    momentOfZone: pg.timestamp({ withTimezone: true }),
    momentText: pg.timestamp({ mode: 'string' }),
    zoneText: pg.timestamp({ mode: 'string', withTimezone: true, precision: 3 }),
    day: pg.date({ mode: 'date' }),
    dayText: pg.date(),
    data: pg.jsonb(),
    dataText: pg.json(),
    tags: pg.text().array(),
    numbers: pg.integer().array(),
    bytes: pg.customType<{ data: Buffer }>({ dataType: () => 'bytea' })(),
    own: pg.customType<{ data: number; driverData: number }>({
      dataType: () => 'integer',
      ...cents,
    })(),
  })
  const pool = new Pool({ connectionString: url, max: 1, options: '-c timezone=UTC' })
  // Its database may go before the last of its connections does.
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  const db = onPostgres({ client: pool, casing: 'snake_case' })
  const ours = drizzleTable({ database, db, table: kept, key: 'id' })
  await expectSame(
    ours as never,
    [db, kept] as never,
    {
      whole: 7,
      small: 1,
      large: 2 ** 40,
      larger: 2n ** 60n,
      counter: 5,
      point: 1.5,
      single: 0.5,
      price: '12.500',
      amount: 1.25,
      huge: 10n ** 30n,
      words: 'seven',
      short: 'x',
      fixed: 'ab   ',
      truth: false,
      mood: 'bad',
      key: '0190a8b2-7e9c-7000-8000-000000000000',
      address: '10.0.0.1',
      net: '10.0.0.0/8',
      clock: '12:30:00',
      moment,
      momentOfZone: moment,
      momentText: '2026-02-03 04:05:06.7',
      zoneText: '2026-02-03 04:05:06.25+00',
      day,
      dayText: '2026-02-03',
      data: { a: [1, null, 'x'] },
      dataText: [true],
      tags: ['a "b"', 'c,d'],
      numbers: [1, 2],
      bytes: Buffer.from([0, 255]),
      own: 12.34,
    },
    [
      { dayText: 'infinity', momentText: 'infinity', zoneText: '-infinity' },
      {
        dayText: '10001-01-01',
        momentText: '10001-01-01 00:00:00',
        zoneText: '10001-01-01 00:00:00.5+00',
      },
      {
        dayText: '0044-03-15 BC',
        momentText: '0044-03-15 00:00:00 BC',
        zoneText: '0001-03-15 00:00:00+00 BC',
      },
      { dayText: '0001-01-01', momentText: '0050-01-01 00:00:00.123456' },
    ],
  )
  const only = drizzleTable({ database, db, table: kept, key: 'id', only: gt(kept.whole, 100) })
  expect(await only.source.count()).toBe(0)
  await db.update(kept).set({ whole: 101 }).where(eq(kept.id, 2))
  expect((await only.source.slice(0, 5)).map(({ id }) => id)).toEqual([2])
  // A query of a table and a view of a schema.
  await run(database, 'create view own.large as select id, moment from own.kept where whole > 7')
  const large = own
    .view('large', { id: pg.integer('id'), moment: pg.timestamp('moment') })
    .existing()
  const query = db
    .select({ id: kept.id, moment: aliasedTable(large, 'seen').moment, tags: kept.tags })
    .from(kept)
    .innerJoin(large, eq(large.id, kept.id))
    .innerJoin(aliasedTable(large, 'seen'), gt(kept.whole, 100))
  const found = await drizzleSource({ database, db, query, key: ['id'] }).slice(0, 5)
  expect(found).toStrictEqual(await query)
  expect(found).toMatchObject([{ id: 2, moment }])
})

test('infinity of PostgreSQL has its place in pages, and is shown as nothing', async () => {
  const database = opened('postgres', await emptyDatabaseUrl('postgres'))
  await run(
    database,
    'create table kept (id integer primary key, moment timestamptz, day date)',
    `insert into kept values (1, 'infinity', '-infinity'), (2, '-infinity', 'infinity'),
      (3, '2026-01-01Z', '2026-01-01'), (4, null, null), (5, 'infinity', 'infinity')`,
  )
  const kept = pg.pgTable('kept', {
    id: pg.serial().primaryKey(),
    moment: pg.timestamp({ withTimezone: true }),
    day: pg.date({ mode: 'date' }),
  })
  const db = onPostgres({ client: {} as never })
  const store = drizzleTable({ database, db, table: kept, key: 'id' })
  const events: unknown[] = []
  const api = defineApi({
    urls: { ...resourceUrls('kept', '/kept/', ':id<int>') },
    permissions: [new AllowAny()],
    logger: { error: ({ event, field: name }) => events.push([event, name]) },
    filters: [new OrderingFilter(), new FieldFilter()],
    pagination: new CursorPagination({ pageSize: 1, ordering: ['id'] }),
  })
  const keptRows = resource(api, 'kept', {
    store,
    serializer: serializer({
      id: field.integer({ readOnly: true }),
      moment: field.dateTime({ nullable: true, as: 'date' }),
      day: field.date({ nullable: true, readOnly: true }),
    }),
    orderingFields: ['moment', 'day'],
    filterFields: ['moment__gt'],
  })
  const { get, patch } = client(api.serve(keptRows, { configuration: configurationOf() }))
  const pages = async (address: string) =>
    (await walked(get, address)).map(({ id, moment: shown }) => [id, shown])
  const [seen, none] = [[3, '2026-01-01T00:00:00Z'], null]
  const rising = [[4, none], [2, none], seen, [1, none], [5, none]]
  expect(await pages('/kept/?ordering=moment')).toEqual(rising)
  expect(await pages('/kept/?ordering=-moment')).toEqual(rising.toReversed())
  const days = [[4, none], [1, none], seen, [2, none], [5, none]]
  expect(await pages('/kept/?ordering=day')).toEqual(days)
  const late = '/kept/?ordering=moment&moment__gt=2026-01-01T00:00:00Z'
  expect(await pages(late)).toEqual(rising.slice(3))
  expect(events).toContainEqual(['value.unshowable', 'moment'])
  expect((await patch('/kept/1/', { json: { moment: '2026-02-03T00:00:00Z' } })).status).toBe(200)
  expect(await store.find(1)).toEqual({ id: 1, moment: day, day: -Infinity })
})

interface Page {
  readonly next: string | null
  readonly results: readonly { readonly id: number; readonly moment?: string | null }[]
}

/** The rows of all pages. */
async function walked(
  get: ReturnType<typeof client>['get'],
  address: string,
): Promise<Page['results']> {
  const { status, data } = await get(address)
  expect(status).toBe(200)
  const { next, results } = data as Page
  if (next === null) return results
  return [...results, ...(await walked(get, next.replace('http://localhost', '')))]
}

test('MariaDB', async () => {
  const url = await emptyDatabaseUrl('mysql')
  const database = opened('mysql', url)
  await run(
    database,
    `create table kept (id int primary key, whole int, tiny tinyint, large bigint, larger bigint, point double, single float,
    price decimal(12,3), amount decimal(12,3), huge decimal(40), words text, short varchar(9), fixed char(5), truth boolean,
    mood enum('good', 'bad'), clock time, year year, moment datetime(3), stamp timestamp(3) null, moment_text datetime(3), stamp_text timestamp null,
    exact_clock time(3), scaled float(9,2), long_one float(30), no_sign bigint unsigned,
    day date, day_text date, data json, bytes varbinary(9), own int)`,
  )
  const kept = my.mysqlTable('kept', {
    id: my.int().primaryKey(),
    whole: my.int(),
    tiny: my.tinyint(),
    large: my.bigint({ mode: 'number' }),
    larger: my.bigint({ mode: 'bigint' }),
    point: my.double(),
    single: my.float(),
    price: my.decimal(),
    amount: my.decimal({ mode: 'number' }),
    huge: my.decimal({ mode: 'bigint' }),
    words: my.text(),
    short: my.varchar({ length: 9 }),
    fixed: my.char({ length: 5 }),
    truth: my.boolean(),
    mood: my.mysqlEnum(['good', 'bad']),
    clock: my.time(),
    exactClock: my.time({ fsp: 3 }),
    scaled: my.float({ precision: 9, scale: 2 }),
    longOne: my.float({ precision: 30 }),
    noSign: my.bigint({ mode: 'bigint', unsigned: true }),
    year: my.year(),
    moment: my.datetime({ fsp: 3 }),
    stamp: my.timestamp({ fsp: 3 }),
    momentText: my.datetime({ fsp: 3, mode: 'string' }),
    stampText: my.timestamp({ mode: 'string' }),
    day: my.date(),
    dayText: my.date({ mode: 'string' }),
    data: my.json(),
    bytes: my.varbinary({ length: 9 }),
    own: my.customType<{ data: number; driverData: number }>({ dataType: () => 'int', ...cents })(),
  })
  const pool = createPool({ uri: url, connectionLimit: 1, timezone: 'Z', supportBigNumbers: true })
  onTestFinished(() => pool.end())
  await pool.query("set time_zone = '+00:00'")
  const db = onMysql({ client: pool, casing: 'snake_case' })
  const ours = drizzleTable({ database, db, table: kept, key: 'id' })
  await expectSame(
    ours as never,
    [db, kept] as never,
    {
      whole: 7,
      tiny: 1,
      large: 2 ** 40,
      larger: 2n ** 50n,
      point: 1.5,
      single: 0.5,
      price: '12.500',
      amount: 1.25,
      huge: 10n ** 30n,
      words: 'seven',
      short: 'x',
      fixed: 'ab',
      truth: true,
      mood: 'bad',
      clock: '12:30:00',
      year: 2026,
      exactClock: '12:30:00.250',
      scaled: 1.25,
      longOne: 0.1,
      noSign: 7n,
      moment,
      stamp: moment,
      momentText: '2026-02-03 04:05:06.700',
      stampText: '2026-02-03 04:05:06',
      day,
      dayText: '2026-02-03',
      data: { a: [1, null, 'x'] },
      bytes: 'abc',
      own: 12.34,
    },
    [
      { single: 0.1, clock: '-838:59:59', exactClock: '-838:59:59.500', noSign: 2n ** 64n - 1n },
      { single: 3.4e38, scaled: 12345.67, longOne: 0.1, exactClock: '24:00:00.000', noSign: 5n },
      { day: new Date('0001-01-01'), moment: new Date('0050-01-01T00:00:00Z') },
      { dayText: '0001-01-01', momentText: '0004-02-29 01:02:03.000' },
      { dayText: '0000-00-00', momentText: '0000-00-00 00:00:00.000' },
    ],
  )
  // Drizzle on the same connections, whose values it reads as texts.
  const proxy = onProxy(
    async (text, parameters) => {
      const found = await database.rows({ sql: text, parameters, asWritten: true })
      return { rows: [...found.values] }
    },
    { casing: 'snake_case' },
  )
  expect(await proxy.select().from(kept)).toStrictEqual(await db.select().from(kept))
  const found = (name: string, operator: string, value: unknown) =>
    ours.source.where([{ field: name, operator, value, parameter: name } as never]).count()
  for (const value of ['0.1', 0.1]) expect(await found('single', 'equals', value)).toBe(2)
  expect(await found('bytes', 'equals', 'abc')).toBe(3)
  expect(await found('bytes', 'in', ['ab', 'abc'])).toBe(3)
  expect(() => found('bytes', 'contains', 'b')).toThrow(ConfigurationError)
  expect(await found('noSign', 'equals', '18446744073709551615')).toBe(2)
  expect(await found('noSign', 'in', ['18446744073709551615', '5'])).toBe(4)
  await expect(ours.insert({ id: 40, noSign: 2n ** 64n })).rejects.toThrow(ConstraintViolation)
})

describe('a type of its own', () => {
  const loud = lite.customType<{ data: string; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value): SQL => sql`upper(${value})`,
  })
  const user = lite.sqliteTable('user', {
    code: lite
      .customType<{ data: string; driverData: string }>({
        dataType: () => 'text',
        toDriver: (value) => value.replace('usr_', ''),
        fromDriver: (value) => `usr_${value}`,
      })()
      .primaryKey(),
    name: loud().notNull(),
    title: lite.text().notNull(),
    data: lite.text({ mode: 'json' }),
  })
  const users = async () => {
    const { database, db } = await inFile(
      'create table user (code text primary key, name text, title text, data text)',
    )
    return { database, db, table: drizzleTable({ database, db, table: user, key: 'code' }) }
  }

  test('is a key in every request, also where a filter narrows it', async () => {
    const { table } = await users()
    const api = defineApi({
      urls: resourceUrls('user', '/users/', ':code'),
      permissions: [new AllowAny()],
      filters: [new SearchFilter()],
      pagination: null,
    })
    const fields = { code: field.text(), name: field.text(), title: field.text() }
    const shown = serializer({ ...fields, data: field.json({ required: false }) })
    const served = resource(api, 'user', {
      store: table,
      serializer: shown,
      searchFields: ['title'],
    })
    const { get, post, patch } = client(api.serve(served, { configuration: configurationOf() }))
    // A number with more digits than a double has is an object without a prototype.
    for (const [code, data] of [
      ['usr_1', '12345678901234567890'],
      ['usr_2', '{"a":0.1000000000000000000001}'],
    ]) {
      const body = `{"code":"${code}","name":"ada","title":"Of ${code}","data":${data}}`
      const headers = { 'content-type': 'application/json' }
      expect((await post('/users/', { body, headers })).status).toBe(201)
    }
    expect((await get('/users/usr_1/?search=usr_1')).data).toMatchObject({ name: 'ADA' })
    expect((await get('/users/usr_2/?search=usr_1')).status).toBe(404)
    const changed = await patch('/users/usr_2/?search=usr_2', { json: { data: 1 } })
    expect(changed.status).toBe(200)
    expect(await table.find('usr_2')).toMatchObject({ code: 'usr_2', data: 1 })
  })

  test('that writes SQL is written, and compared nowhere', async () => {
    const { table, database, db } = await users()
    expect(await table.insert({ code: 'usr_1', name: 'ada', title: '' })).toMatchObject({
      name: 'ADA',
    })
    const refusing = /"name" of "user" writes SQL.*no key, no scope and no filter/
    expect(() => drizzleTable({ database, db, table: user, key: 'name' })).toThrow(refusing)
    expect(() => table.within({ name: 'ada' })).toThrow(refusing)
    const condition = { field: 'name', operator: 'equals', value: 'ada' } as const
    expect(() => table.source.where([condition])).toThrow(refusing)
  })

  test('has no case that unique() could ignore', async () => {
    const { table } = await users()
    const refusing = /"code" of "user" cannot be filtered by "iequals" \(__iexact, =\)/
    expect(() => unique(table, 'code', { ignoreCase: true })).toThrow(refusing)
    expect(() => uniqueTogether(table, ['code', 'title'], { ignoreCase: ['code'] })).toThrow(
      refusing,
    )
    expect(() => uniqueTogether(table, ['code', 'title'], { ignoreCase: ['title'] })).not.toThrow()
  })
})

test('a table whose key are several columns is a list', async () => {
  const { database, db } = await inFile(
    'create table cast_of (film_id integer, actor_id integer, is_lead integer, primary key (film_id, actor_id))',
    'insert into cast_of values (1, 1, 1), (1, 2, 0), (2, 1, 1), (2, 2, 1)',
  )
  const [filmId, actorId] = [lite.integer(), lite.integer()]
  const table = lite.sqliteTable('cast_of', {
    filmId,
    actorId,
    lead: lite.integer('is_lead', { mode: 'boolean' }),
  })
  const films = drizzleSource({ database, db, table, key: ['filmId', 'actorId'] })
  expect(films.unique).toEqual(['filmId', 'actorId'])
  const found = await films.seek({ keys: [], position: null, reverse: false, limit: 3 })
  expect(found.rows.at(-1)).toEqual({ filmId: 2, actorId: 1, lead: true })
  const rest = await films.seek({ keys: [], position: found.last, reverse: false, limit: 3 })
  expect(rest.rows).toEqual([{ filmId: 2, actorId: 2, lead: true }])
  const leads = drizzleSource({
    database,
    db,
    table,
    key: ['filmId', 'actorId'],
    only: eq(table.lead, true),
  })
  expect(await leads.where([{ field: 'filmId', operator: 'equals', value: '1' }]).count()).toBe(1)
})

describe('a query', () => {
  const doctor = lite.sqliteTable('doctor', {
    id: lite.integer().primaryKey(),
    name: lite.text().notNull(),
  })
  const visit = lite.sqliteTable('visit', {
    id: lite.integer().primaryKey(),
    doctorId: lite.integer(),
    startsAt: lite.integer({ mode: 'timestamp' }).notNull(),
    paid: lite.integer({ mode: 'boolean' }).notNull(),
  })
  const interval = lite.customType<{ data: string }>({ dataType: () => 'interval' })
  const odd = lite.sqliteTable('odd', { id: interval() })
  const clinic = async () => {
    const { database, db } = await inFile(
      'create table doctor (id integer primary key, name text not null)',
      'create table visit (id integer primary key, doctor_id integer, starts_at integer not null, paid integer not null)',
      'create index visits_in_time on visit (starts_at, id)',
      "insert into doctor values (1, 'Ada'), (2, 'Grace')",
      'insert into visit values (1, 1, 1700000000, 0), (2, 1, 1700003600, 1), (3, 2, 1700000000, 1), (4, null, 1700007200, 0)',
    )
    const listed = <Row extends { id: unknown }>(query: DrizzleQuery<Row>) =>
      drizzleSource({ database, db, query, key: ['id'] })
    return { database, db, listed }
  }
  const key = (name: string, descending = false) =>
    ({ field: name, descending, nulls: 'last' }) as never

  test('has expressions, groups, subqueries and other names', async () => {
    const { db, listed } = await clinic()
    const grouped = db
      .select({
        id: doctor.id,
        visits: countOf(visit.id).as('visit_count'),
        last: max(visit.startsAt).as('last'),
        name: sql<string>`lower(${doctor.name})`.as('small'),
      })
      .from(doctor)
      .leftJoin(visit, eq(visit.doctorId, doctor.id))
      .groupBy(doctor.id)
      .having(sql`visit_count > 0`)
    const groups = listed(grouped)
    expect(await groups.slice(0, 9)).toStrictEqual(await grouped)
    expect(await groups.orderBy([key('visits'), key('name')]).slice(0, 1)).toMatchObject([
      { name: 'grace' },
    ])
    const late = { field: 'last', operator: 'gte', value: '2023-11-14T23:13:20Z' } as const
    expect(await groups.where([late]).slice(0, 9)).toStrictEqual((await grouped).slice(0, 1))
    // SQL names columns of tables, whatever rows call theirs, and an alias may come twice.
    const days = db
      .select({
        id: max(visit.id).as('same'),
        paid: visit.doctorId,
        own: sql<number>`count(*)`.as('same'),
      })
      .from(visit)
      .groupBy(sql`paid`)
    expect(await listed(days).slice(0, 9)).toEqual([
      { id: 3, paid: expect.anything(), own: 2 },
      { id: 4, paid: null, own: 2 },
    ])
    const clashing = { same: sql<number>`1`.as('$id'), id: visit.id, $id: sql<number>`2` }
    expect(await listed(db.select(clashing).from(visit)).slice(0, 1)).toEqual([
      { id: 1, same: 1, $id: 2 },
    ])
    const named = grouped.limit(1).as('rows')
    const sizes = db
      .select({ id: named.visits, of: countOf() })
      .from(named)
      .groupBy(({ id }) => id)
    expect(await listed(sizes).slice(0, 9)).toStrictEqual(await sizes)
    const [own, rest] = [aliasedTable(doctor, 'own'), db.select().from(named)]
    expect(await listed(rest).slice(0, 9)).toStrictEqual(await rest)
    const both = db
      .selectDistinct({ id: own.id, own: own.name, total: named.visits })
      .from(own)
      .leftJoin(named, eq(named.id, own.id))
    const [all, found] = [await both, listed(both)]
    expect(all).toContainEqual({ id: 2, own: 'Grace', total: null })
    expect(await found.orderBy([key('total', true), key('own')]).slice(0, 9)).toStrictEqual(all)
    expect(await found.count()).toBe(2)
  })

  test('with what a program makes of an expression is ordered by it, and not filtered', async () => {
    const { db, listed } = await clinic()
    const fee = sql`${visit.id} * 250`.mapWith((value: number) => `${value / 100} €`)
    const source = listed(db.select({ id: visit.id, fee: fee.as('fee') }).from(visit))
    expect(await source.orderBy([key('fee', true)]).slice(0, 1)).toEqual([{ id: 4, fee: '10 €' }])
    const tried = { field: 'fee', operator: 'equals', value: null, parameter: 'fee' } as const
    expect(() => source.where([tried])).toThrow(/"fee" of "query" cannot be filtered by/)
    const { parameter: _, ...given } = { ...tried, value: '10 €' }
    expect(() => source.where([given])).toThrow(/a value that is none of its type/)
  })

  test('is listed, ordered, filtered and searched by clients', async () => {
    const { db, listed } = await clinic()
    const query = db
      .select({
        id: visit.id,
        startsAt: visit.startsAt,
        paid: visit.paid,
        doctor: doctor.name,
        hour: sql<number>`${visit.startsAt} / 3600`.mapWith(Number),
      })
      .from(visit)
      .leftJoin(doctor, eq(doctor.id, visit.doctorId))
    const api = defineApi({
      urls: { visits: '/visits/' },
      permissions: [new AllowAny()],
      filters: [new OrderingFilter(), new FieldFilter(), new SearchFilter()],
      pagination: new CursorPagination({ pageSize: 1, ordering: ['-startsAt'] }),
    })
    const visits = api.endpoint('visits').get(
      list({
        source: listed(query),
        serializer: serializer({
          id: field.integer(),
          startsAt: field.dateTime({ as: 'date' }),
          paid: field.boolean(),
          doctor: field.text({ nullable: true }),
          hour: field.integer(),
        }),
        orderingFields: ['doctor', 'startsAt'],
        filterFields: ['hour', 'paid', 'startsAt__lte'],
        searchFields: ['doctor'],
      }),
    )
    const { get } = client(api.serve([visits], { configuration: configurationOf() }))
    const ids = async (address: string) => (await walked(get, address)).map(({ id }) => id)
    expect(await ids('/visits/')).toEqual([4, 2, 3, 1])
    expect(await ids('/visits/?ordering=doctor,-startsAt')).toEqual([4, 2, 1, 3])
    expect(await ids('/visits/?search=AD&ordering=startsAt')).toEqual([1, 2])
    expect(await ids('/visits/?paid=true&hour=472222')).toEqual([3])
    expect(await ids('/visits/?startsAt__lte=2023-11-14T22:13:20Z')).toEqual([3, 1])
    for (const wrong of ['paid=perhaps', 'startsAt__lte=today'])
      expect((await get(`/visits/?${wrong}`)).status).toBe(400)
  })

  test.each<[string, Dialect, () => DrizzleInstance, () => Table]>([
    [
      'SQLite',
      'sqlite',
      () => onSqlite(() => Promise.resolve({ rows: [] })),
      () => lite.sqliteTable('member', { team: lite.text() }),
    ],
    [
      'PostgreSQL',
      'postgres',
      () => onPostgres({ client: {} as never }),
      () => pg.pgTable('member', { team: pg.text() }),
    ],
    [
      'MariaDB',
      'mysql',
      () => onMysql({ client: {} as never }),
      () => my.mysqlTable('member', { team: my.text() }),
    ],
  ])(
    'is grouped by what its own SQL makes of a value, on %s',
    async (_, dialect, dbOf, tableOf) => {
      const database = await freshDatabase(dialect)
      await run(
        database,
        'create table member (team varchar(9))',
        "insert into member values ('red'), ('blue'), ('red'), (null), ('green'), (null), (null)",
      )
      // What is called alike on every dialect has the types of this one.
      const [db, member] = [dbOf(), tableOf()] as unknown as [
        ReturnType<typeof onSqlite>,
        lite.SQLiteTable & { team: lite.AnySQLiteColumn },
      ]
      const team = sql<string>`coalesce(${member.team}, ${'none'})`.as('named')
      const query = db
        .select({ team, members: countOf().as('members') })
        .from(member)
        .groupBy((given) => given.team)
        .having(gt(countOf(), 0))
      const source = drizzleSource({ database, db, query, key: ['team'] })
      const all = ['blue', 'green', 'none', 'red'].map((name, at) => ({
        team: name,
        members: [1, 1, 3, 2][at],
      }))
      expect(await source.slice(0, 9)).toEqual(all)
      expect(await source.slice(1, 2)).toEqual(all.slice(1, 3))
      expect([await source.count(), await source.count(2)]).toEqual([4, 3])
      const many = source.where([{ field: 'members', operator: 'gte', value: 2, parameter: 'n' }])
      expect([await many.count(), await many.slice(0, 9)]).toEqual([2, all.slice(2)])
      const api = defineApi({
        urls: { teams: '/teams/' },
        permissions: [new AllowAny()],
        filters: [new OrderingFilter(), new FieldFilter(), new SearchFilter()],
        pagination: new CursorPagination({ pageSize: 1, ordering: ['team'] }),
      })
      const teams = api.endpoint('teams').get(
        list({
          source,
          serializer: serializer({ team: field.text(), members: field.integer() }),
          orderingFields: ['members', 'team'],
          filterFields: ['members', 'team'],
          searchFields: ['team'],
        }),
      )
      const { get } = client(api.serve([teams], { configuration: configurationOf() }))
      const found = async (asked: string) =>
        (await walked(get, `/teams/${asked}`)).map(
          (each) => (each as unknown as { team: string }).team,
        )
      expect(await found('')).toEqual(['blue', 'green', 'none', 'red'])
      expect(await found('?ordering=-members,team')).toEqual(['none', 'red', 'blue', 'green'])
      expect(await found('?search=RE&ordering=-members')).toEqual(['red', 'green'])
      expect(await found('?members=1')).toEqual(['blue', 'green'])
      expect(await found('?team=none')).toEqual(['none'])
    },
  )

  test('far away begins in an index', async () => {
    const { database, db, listed } = await clinic()
    const query = db
      .select({ id: visit.id, startsAt: visit.startsAt, doctor: doctor.name })
      .from(visit)
      .leftJoin(doctor, eq(doctor.id, visit.doctorId))
    const rows = vi.spyOn(database, 'rows')
    const at = { position: [1_700_003_600, 2], reverse: false, limit: 2 }
    const found = await listed(query).seek({ keys: [key('startsAt')], ...at })
    expect(found.rows).toEqual((await query).slice(3))
    const { sql: text, parameters } = rows.mock.lastCall![0]
    const plan = database.read<{ detail: string }>({
      sql: `explain query plan ${text}`,
      parameters,
    })
    expect(plan[0]!.detail).toBe('SEARCH visit USING INDEX visits_in_time (starts_at>?)')
  })

  test.each<[string, (db: Awaited<ReturnType<typeof clinic>>['db']) => unknown, string]>([
    [
      'an order',
      (db) => db.select().from(visit).orderBy(visit.id),
      'has an order, which the endpoint gives. Leave it out, or select',
    ],
    ['a limit', (db) => db.select().from(visit).limit(3), 'has a limit'],
    ['an offset', (db) => db.select().from(visit).limit(3).offset(3), 'has a limit'],
    ['a UNION', (db) => db.select().from(visit).union(db.select().from(visit)), 'has a UNION'],
    [
      'a WITH',
      (db) => {
        const all = db.$with('all').as(db.select().from(visit))
        return db.with(all).select().from(all)
      },
      'has a WITH',
    ],
    ['SQL as a table', (db) => db.select({ id: sql`1` }).from(sql`visit`), 'reads from SQL'],
    [
      'a table in a table',
      (db) =>
        db
          .select()
          .from(visit)
          .leftJoin(doctor, sql`true`),
      'gives "visit" as an object',
    ],
    [
      'a placeholder',
      (db) =>
        db
          .select()
          .from(visit)
          .where(eq(visit.id, sql.placeholder('id'))),
      'has a placeholder',
    ],
    [
      'a column without its values',
      (db) => db.select({ id: odd.id }).from(odd),
      'the column "id" of "query" is interval',
    ],
    ['no select', () => ({ _: {} }), 'is no select of db.select()'],
    [
      'no key',
      (db) => db.select({ day: visit.startsAt }).from(visit),
      '"query" of Drizzle has no column "id". It has: day.',
    ],
  ])('with %s is refused', async (_, make, message) => {
    const { db, listed } = await clinic()
    expect(() => listed(make(db) as never)).toThrow(message)
  })

  test('with a condition beside it is refused', async () => {
    const { database, db } = await clinic()
    const query = db.select().from(visit)
    const given = { database, db, query, key: ['id'], only: eq(visit.paid, true) } as never
    expect(() => drizzleSource(given)).toThrow('"only" of a query belongs into its where()')
  })
})

describe('what Drizzle makes up', () => {
  let calls = 0
  const note = lite.sqliteTable('note', {
    id: lite.integer().primaryKey(),
    text: lite.text().notNull(),
    code: lite
      .text()
      .notNull()
      .$defaultFn(() => `code ${++calls}`),
    changed: lite
      .integer({ mode: 'timestamp' })
      .notNull()
      .$onUpdate(() => new Date(1000 * ++calls)),
    size: lite.integer().notNull().default(3),
    length: lite.integer().$onUpdate((): SQL => sql`length(text)`),
  })
  const notes = async () => {
    calls = 0
    const { database, db } = await inFile(
      'create table note (id integer primary key, text text not null, code text not null, changed integer not null, size integer not null default 3, length integer)',
    )
    return drizzleTable({ database, db, table: note, key: 'id' })
  }

  test('values of a new row, and of a changed one', async () => {
    const table = await notes()
    const { length, ...first } = await table.insert({ text: 'four', length: 1 })
    expect([first, length]).toEqual([
      { id: 1, text: 'four', code: 'code 1', changed: new Date(2000), size: 3 },
      1,
    ])
    expect(await table.update(1, { text: 'seven' })).toEqual({
      ...first,
      text: 'seven',
      changed: new Date(3000),
      length: 4,
    })
    expect(await table.update(1, { changed: new Date(9000), length: null })).toMatchObject({
      changed: new Date(9000),
      length: null,
    })
  })

  test('nothing where a scope says it', async () => {
    const table = (await notes()).within({ code: 'ours', size: [3, 4] })
    expect(await table.insert({ text: 'four', length: 1, size: 4 })).toMatchObject({ code: 'ours' })
    expect(calls).toBe(1)
    await expect(table.insert({ text: 'x', length: 1, size: 4, code: 'x' })).rejects.toThrow(
      expect.objectContaining({ status: 403 }),
    )
  })

  test('nothing for a change of nothing', async () => {
    const table = await notes()
    const row = await table.insert({ text: 'four', length: 1 })
    expect(await table.update(1, {})).toEqual(row)
  })

  test('what Drizzle cannot write is refused with its property', async () => {
    const table = await notes()
    const wrong = table.insert({ text: 'four', changed: 'today' as never })
    await expect(wrong).rejects.toThrow(ConstraintViolation)
    await expect(wrong).rejects.toMatchObject({ kind: 'invalid', columns: ['changed'] })
  })
})

describe('at the start is refused', () => {
  const db = onPostgres({ client: {} as never })
  const refusing = (
    table: Table,
    given: Partial<{ database: unknown; db: unknown; key: string }> = {},
  ) => {
    const database = {
      dialect: { name: 'PostgreSQL' },
      kysely: () => ({}),
    } as unknown as SqlDatabase
    return () =>
      drizzleTable({ database, db: db as DrizzleInstance, table, key: 'id', ...given } as never)
  }
  const id = pg.integer().primaryKey()

  test.each<[string, () => unknown, string]>([
    [
      'an interval',
      refusing(pg.pgTable('t', { id, lasts: pg.interval() })),
      '"lasts" of "t" is interval (PgInterval)',
    ],
    ['a point', refusing(pg.pgTable('t', { id, at: pg.point() })), '"at" of "t" is point'],
    [
      'a list of moments',
      refusing(pg.pgTable('t', { id, at: pg.timestamp().array() })),
      '"at" of "t" is timestamp[]',
    ],
    [
      'a type of its own',
      refusing(
        pg.pgTable('t', {
          id,
          at: pg.customType<{ data: string }>({ dataType: () => 'timestamptz' })(),
        }),
      ),
      '"at" of "t" is timestamptz',
    ],
    [
      'another database',
      refusing(lite.sqliteTable('t', { id: lite.integer() })),
      'of another kind of database than PostgreSQL',
    ],
    [
      'something else as db',
      refusing(pg.pgTable('t', { id }), { db: {} }),
      '"db" of the table "t"',
    ],
    [
      'a key that is no property',
      refusing(pg.pgTable('t', { id }), { key: 'ID' }),
      'has no column "ID". It has: id.',
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })

  test.each<[string, Dialect, unknown]>([
    ['json', 'sqlite', lite.text()],
    ['json_text', 'sqlite', lite.text()],
    ['json', 'sqlite', lite.blob({ mode: 'json' })],
    ['datetime_ms', 'sqlite', lite.text()],
    ['jsonb', 'postgres', pg.text()],
    ['text', 'postgres', pg.json()],
    ['json', 'mysql', my.text()],
    ['longtext', 'mysql', my.json()],
  ])('%s of %s as another type', async (type, dialect, other) => {
    const database = await freshDatabase(dialect)
    await run(database, `create table kept (id integer primary key, other ${type})`)
    const on = {
      sqlite: [lite.sqliteTable, lite.integer().primaryKey(), onSqlite(async () => ({ rows: [] }))],
      postgres: [pg.pgTable, id, db],
      mysql: [my.mysqlTable, my.int().primaryKey(), onMysql({ client: {} as never })],
    } as const
    const [tableOf, key, theirs] = on[dialect] as [typeof pg.pgTable, typeof id, typeof db]
    const table = tableOf('kept', { id: key, other: other as never })
    const refused = drizzleTable({ database, db: theirs, table, key: 'id' }).columns!()
    await expect(refused).rejects.toThrow(ConfigurationError)
    await expect(refused).rejects.toThrow(
      new RegExp(`column "other" of "kept" is .* in Drizzle and \\w+ in the database`),
    )
  })
})

test.each([
  ['text', `'nope'`, lite.text({ mode: 'json' }), 'SyntaxError'],
  ['integer', '9999999999999999', lite.integer({ mode: 'timestamp' }), 'TypeError'],
])('a %s %s, which Drizzle cannot read, names its column', async (type, value, other, cause) => {
  const { database, db } = await inFile(
    `create table kept (id integer primary key, other ${type})`,
    `insert into kept values (1, ${value})`,
  )
  const table = lite.sqliteTable('kept', { id: lite.integer().primaryKey(), other })
  const { source } = drizzleTable({ database, db, table, key: 'id' })
  for (const rows of [source, drizzleSource({ database, db, table, key: ['id'] })])
    await expect((async () => rows.slice(0, 9))()).rejects.toThrow(
      `Drizzle cannot read a value in the column "other" of "kept": ${cause}`,
    )
})
