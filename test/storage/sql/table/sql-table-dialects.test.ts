// What only one database does.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ConstraintViolation,
  type SqlDatabase,
  type Executor,
  sqlTable,
} from '../../../../src/sql.ts'
import { ChangedMeanwhile } from '../../../../src/core/errors/api-errors.ts'
import { openSqlite } from '../../../../src/sqlite.ts'
import { ServerConnection } from '../../../../src/storage/pooled/server-connection.ts'
import { emptyDatabase, DIALECTS } from '../../../setup/databases.ts'

interface Tables {
  item: { id: number; code: string; size: number; day: string; shape: string }
}

async function refused(work: () => unknown): Promise<readonly unknown[]> {
  try {
    await work()
    return ['nothing']
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    return [error.kind, ...error.columns]
  }
}

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  return database
}

describe('SQLite', () => {
  test('a strict table, and indexes over expressions', async () => {
    const database = sqlite()
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run(`create table item (id integer primary key, code text not null, size integer not null,
      day text not null, shape text not null check (shape <> '' and size > 0)) strict`)
    await run('create unique index code_index on item (lower(code))')
    const db = database.kysely<Tables>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    const item = { id: 1, code: 'a', size: 1, day: '', shape: 'round' }
    await items.insert(item)
    expect(await refused(() => items.insert({ ...item, id: 2, code: 'A' }))).toEqual(['unique'])
    expect(await refused(() => items.insert({ ...item, id: 2, size: 'x' as never }))).toEqual([
      'invalid',
      'size',
    ])
    // A CHECK over two columns belongs to none of them.
    expect(await refused(() => items.insert({ ...item, id: 2, code: 'b', size: 0 }))).toEqual([
      'invalid',
    ])
    expect(await refused(() => items.insert({ ...item, code: 'b' }))).toEqual(['unique', 'id'])
  })

  test('a reference of several columns, and one to no named column', async () => {
    const database = sqlite()
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run('create table place (row integer, seat integer, primary key (row, seat))')
    await run('create table hall (id integer primary key)')
    await run(`create table ticket (id integer primary key, row integer, seat integer,
      hall integer references hall, foreign key (row, seat) references place)`)
    await run('insert into place values (1, 1)')
    await run('insert into hall values (1)')
    type Ticket = { id?: number; row: number | null; seat: number | null; hall: number | null }
    const db = database.kysely<{ ticket: Ticket }>()
    const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
    const kept = await tickets.insert({ row: 1, seat: 1, hall: 1 })
    expect(kept).toEqual({ id: 1, row: 1, seat: 1, hall: 1 })
    expect(await refused(() => tickets.insert({ row: 1, seat: 2, hall: 1 }))).toEqual([
      'does_not_exist',
      'row',
      'seat',
    ])
    expect(await refused(() => tickets.insert({ row: null, seat: 2, hall: 9 }))).toEqual([
      'does_not_exist',
      'hall',
    ])
  })

  test('what is checked at the end only', async () => {
    const database = sqlite()
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run('create table hall (id integer primary key)')
    await run(`create table ticket (id integer primary key,
      hall integer references hall deferrable initially deferred)`)
    const db = database.kysely<{ ticket: { id: number; hall: number } }>()
    const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
    expect(await refused(() => tickets.insert({ id: 1, hall: 9 }))).toEqual([
      'does_not_exist',
      'hall',
    ])
    expect(await tickets.find(1)).toBe(null)
  })

  test('what a trigger fails to write elsewhere', async () => {
    const database = sqlite()
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run('create table item (id integer primary key, code text)')
    await run('create table log (text text not null unique)')
    await run(`create trigger noted after insert on item begin
      insert into log values (new.code); end`)
    const db = database.kysely<{ item: { id?: number; code: string | null } }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    await items.insert({ code: 'a' })
    expect(await refused(() => items.insert({ code: 'a' }))).toEqual(['unique'])
    await expect(async () => items.insert({ code: null })).rejects.toThrow(/NOT NULL/)
    expect(await items.source.count()).toBe(1)
  })

  test('what a trigger makes of a row that was written', async () => {
    const database = sqlite()
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run('create table item (id integer primary key, code text, size integer default 0)')
    await run(`create trigger counted after update of code on item begin
      update item set size = size + 1 where id = new.id; end`)
    await run(`create trigger measured after insert on item begin
      update item set size = length(new.code) where id = new.id; end`)
    const db = database.kysely<{ item: { id: number; code: string; size?: number } }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    expect(await items.insert({ id: 1, code: 'abc' })).toEqual({ id: 1, code: 'abc', size: 3 })
    expect(await items.update(1, { code: 'b' })).toEqual({ id: 1, code: 'b', size: 4 })
  })

  test('expressions among the values, and keys of a column without a type', async () => {
    const database = sqlite()
    await database.write({ sql: 'create table item (id primary key, code text)', parameters: [] })
    const db = database.kysely<{ item: { id: number | string; code: string } }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    for (const id of [7, '7', 'seven']) await items.insert({ id, code: typeof id })
    expect(await items.find(7)).toEqual({ id: 7, code: 'number' })
    expect(await items.find('seven')).toEqual({ id: 'seven', code: 'string' })
    expect(await items.within({ code: 'string' }).find('seven')).toMatchObject({ id: 'seven' })
    expect(await items.within({ code: 'number' }).find('seven')).toBe(null)
    // As in a list of several.
    const oneOf = (...value: number[]) =>
      items.source.where([{ field: 'id', operator: 'in', value }]).count()
    expect([await oneOf(7), await oneOf(7, 8)]).toEqual([2, 2])
    const last = items.only((rows) => rows.orderBy('code', 'desc'))
    const found = await last.manyByKey(['7'], { column: 'id', limit: 2 })
    expect(found).toMatchObject({ rows: [{ code: 'string' }, { code: 'number' }] })
    expect(await items.update('seven', { code: 'x' })).toEqual({ id: 'seven', code: 'x' })
    expect(await items.remove('seven')).toBe(true)
    expect(await items.find('seven')).toBe(null)
  })

  test('integers beyond 2^53', async () => {
    const database = sqlite()
    await database.write({
      sql: 'create table big (id integer primary key, size integer)',
      parameters: [],
    })
    const db = database.kysely<{ big: { id: number | bigint; size: number | bigint } }>()
    const bigs = sqlTable({ database, db, table: 'big', key: 'id' })
    const id = 9_007_199_254_740_993n
    expect(await bigs.insert({ id, size: 1 })).toEqual({ id, size: 1 })
    expect(await bigs.find('9007199254740993')).toEqual({ id, size: 1 })
    expect(await bigs.update(id, { size: id }, await bigs.find(id))).toEqual({ id, size: id })
  })
})

describe('PostgreSQL', () => {
  test('schemas, domains, uuids, expressions, exclusions and triggers', async () => {
    const database = await emptyDatabase('postgres')
    const run = async (sql: string): Promise<void> => {
      await database.write({ sql, parameters: [] })
    }
    await run('create schema "Shop"')
    await run('create domain code_text as varchar(5)')
    await run(`create table "Shop"."Item" (
      id uuid primary key default gen_random_uuid(), code code_text not null, size smallint not null,
      day date not null, shape text not null, constraint whole check (shape <> '' and size > 0),
      exclude using btree (day with =))`)
    await run('create unique index code_index on "Shop"."Item" (lower(code))')
    type Item = { id?: string; code: string; size: number; day: string; shape: string }
    const db = database.kysely<{ 'Shop.Item': Item }>()
    const items = sqlTable({ database, db, table: 'Shop.Item', key: 'id' })
    const item = { code: 'a', size: 1, day: '2024-01-01', shape: 'round' }
    const kept = await items.insert(item)
    expect(await items.find(kept.id)).toEqual(kept)
    expect(await items.find('no uuid')).toBe(null)
    const next = { ...item, day: '2024-01-02' }
    expect(await refused(() => items.insert({ ...next, code: 'A' }))).toEqual(['unique', 'code'])
    expect(await refused(() => items.insert({ ...item, code: 'b' }))).toEqual(['unique', 'day'])
    expect(await refused(() => items.insert({ ...next, code: 'b', size: 40_000 }))).toEqual([
      'invalid',
      'size',
    ])
    expect(await refused(() => items.insert({ ...next, code: 'b', day: '2024-02-30' }))).toEqual([
      'invalid',
      'day',
    ])
    expect(await refused(() => items.insert({ ...next, code: 'b', shape: 'a\0' }))).toEqual([
      'invalid',
      'shape',
    ])
    expect(await refused(() => items.insert({ ...next, code: 'b', shape: '' }))).toEqual([
      'invalid',
      'size',
      'shape',
    ])
  })

  test('what a trigger makes of a row that was written', async () => {
    const database = await emptyDatabase('postgres')
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run('create table item (id integer primary key, code text, size integer default 0)')
    await run(`create function measure() returns trigger language plpgsql as $$
      begin update item set size = size + length(new.code) where id = new.id; return null; end $$`)
    await run(`create trigger measured after insert or update of code on item for each row
      execute function measure()`)
    const db = database.kysely<{ item: { id: number; code: string; size?: number } }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    expect(await items.insert({ id: 1, code: 'abc' })).toEqual({ id: 1, code: 'abc', size: 3 })
    expect(await items.update(1, { code: 'b' })).toEqual({ id: 1, code: 'b', size: 4 })
  })

  /** A table, and how many statements were sent and transactions begun since this was asked last. */
  async function counted() {
    const database = await emptyDatabase('postgres')
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run(`create table item (id integer primary key, code text, size integer default 0,
      made timestamptz default '2026-01-31 08:00:00.123456Z', clock timestamp default '2026-01-31 08:00:00.000001',
      day date default '2026-01-31', share double precision default 0.1, price numeric default 1.10)`)
    type Item = { id: number; code: string | null; size?: number }
    const db = database.kysely<{ item: Item }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    await items.find(1)
    const spies = [
      vi.spyOn(ServerConnection.prototype, 'execute'),
      vi.spyOn(ServerConnection.prototype, 'begin'),
    ]
    onTestFinished(() => void vi.restoreAllMocks())
    const since = () =>
      spies.map((spy) => {
        const count = spy.mock.calls.length
        spy.mockClear()
        return count
      })
    return { items, run, since, database, db }
  }

  test('one statement to insert, to change and to delete, within a scope too', async () => {
    const { items, since } = await counted()
    const sized = items.within({ size: 2 })
    const kept = await sized.insert({ id: 1, code: 'a' })
    expect(since()).toEqual([1, 0])
    const changed = await sized.update(1, { code: null }, kept)
    expect(changed).toMatchObject({ id: 1, code: null, size: 2 })
    expect(since()).toEqual([1, 0])
    expect(await sized.update(1, { code: 'c' })).toMatchObject({ id: 1, code: 'c', size: 2 })
    expect(await sized.remove(1, { ...changed, code: 'c' })).toBe(true)
    expect(since()).toEqual([2, 0])
  })

  test('a row that a trigger keeps was not removed', async () => {
    const { items, run } = await counted()
    await run(
      'create function keep() returns trigger language plpgsql as $$ begin return null; end $$',
    )
    await run('create trigger kept before delete on item for each row execute function keep()')
    const kept = await items.insert({ id: 1, code: 'a' })
    expect(await items.remove(1)).toBe(false)
    expect(await items.remove(1, kept)).toBe(false)
    expect(await items.find(1)).toEqual(kept)
  })

  test('a row that a trigger has marked in its own way was removed', async () => {
    const { run, database, db } = await counted()
    await run(`create function mark() returns trigger language plpgsql as $$
      begin update item set size = -1 where id = old.id; return null; end $$`)
    await run('create trigger marked before delete on item for each row execute function mark()')
    // Another one: the first has looked for triggers already.
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    const kept = await items.insert({ id: 1, code: 'a' })
    expect(await items.remove(1, kept)).toBe(true)
    expect(await items.find(1)).toEqual({ ...kept, size: -1 })
  })

  test('what one statement does not find is looked for: gone, of another scope, or changed', async () => {
    const { items, run } = await counted()
    const kept = await items.insert({ id: 1, code: 'a' })
    expect(await items.within({ size: 7 }).update(1, { code: 'b' }, kept)).toBeNull()
    expect(await items.within({ size: 7 }).remove(1, kept)).toBe(false)
    await run('update item set size = 1')
    await expect(items.update(1, { code: 'b' }, kept)).rejects.toThrow(ChangedMeanwhile)
    await expect(items.remove(1, kept)).rejects.toThrow(ChangedMeanwhile)
    // None of the column's type: it can only be another row.
    await expect(items.remove(1, { ...kept, size: 2 ** 40 })).rejects.toThrow(ChangedMeanwhile)
    await run('delete from item')
    expect([await items.update(1, { code: 'b' }, kept), await items.remove(1, kept)]).toEqual([
      null,
      false,
    ])
  })

  // What was seen, what it is by now, and its type.
  test.each([
    ['text', `'a'`, `'A'`],
    ['text collate blind', `'a'`, `'A'`],
    ['text collate blind', 'null', `'a'`],
    ['timestamptz', `'2026-01-01 00:00:00.001007Z'`, `'2026-01-01 00:00:00.002007Z'`],
    ['timestamp', `'2026-01-01 00:00:00.001007'`, `'2026-01-01 00:00:00.002007'`],
    ['numeric', '0.10000000000000000001', '0.1'],
    ['double precision', '0.1', '0.1::real'],
    ['bigint', '9007199254740993', '9007199254740992'],
    ['bytea', `'a'`, `'b'`],
    ['jsonb', `'{"a": 1}'`, `'{"a": 2}'`],
    ['text[]', `'{a}'`, `'{b}'`],
  ])('a row whose %s was %s is another with %s', async (type, before, after) => {
    const database = await emptyDatabase('postgres')
    const run = (sql: string) => database.write({ sql, parameters: [] })
    await run(
      `create collation blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
    )
    await run(`create table item (id integer primary key, code text, size ${type})`)
    await run(`insert into item values (1, 'a', ${before})`)
    const db = database.kysely<{ item: { id: number; code: string; size: unknown } }>()
    const items = sqlTable({ database, db, table: 'item', key: 'id' })
    const seen = await items.find(1)
    expect(await items.update(1, { code: 'b' }, seen!)).toEqual({ ...seen, code: 'b' })
    await run(`update item set code = 'a', size = ${after}`)
    await expect(items.update(1, { code: 'c' }, seen!)).rejects.toThrow(ChangedMeanwhile)
    await expect(items.remove(1, seen!)).rejects.toThrow(ChangedMeanwhile)
  })

  test('a table that refers to itself', async () => {
    const database = await emptyDatabase('postgres')
    await database.write({
      sql: 'create table node (id integer primary key, parent integer references node)',
      parameters: [],
    })
    const db = database.kysely<{ node: { id: number; parent: number | null } }>()
    const nodes = sqlTable({ database, db, table: 'node', key: 'id' })
    await nodes.insert({ id: 1, parent: null })
    await nodes.insert({ id: 2, parent: 1 })
    expect(await refused(() => nodes.insert({ id: 3, parent: 9 }))).toEqual([
      'does_not_exist',
      'parent',
    ])
    expect(await refused(() => nodes.remove(1))).toEqual(['protected'])
  })
})

describe('MySQL and MariaDB', () => {
  async function items() {
    const database = await emptyDatabase('mysql')
    await database.write({
      sql: `create table item (id integer auto_increment primary key, code varchar(5) not null unique,
        size tinyint unsigned not null check (size <> 7), day datetime(6) not null,
        shape enum('round', 'square') not null)`,
      parameters: [],
    })
    return database
  }
  const item = { code: 'a', size: 1, day: '2024-01-25T16:00:00.123456Z', shape: 'round' }
  type Item = Partial<Tables['item']>

  test('points in time as ISO 8601 has them', async () => {
    const database = await items()
    const db = database.kysely<{ item: Item }>()
    const table = sqlTable({ database, db, table: 'item', key: 'id' })
    const kept = await table.insert(item)
    expect(await table.update(kept.id, { size: 2 }, kept)).toMatchObject({ size: 2 })
    const { rows } = await db
      .selectFrom('item')
      .select(({ cast, ref }) => cast<string>(ref('day'), 'char').as('text'))
      .execute()
      .then((found) => ({ rows: found }))
    expect(rows).toEqual([{ text: '2024-01-25 16:00:00.123456' }])
  })

  test('what its messages say', async () => {
    const database = await items()
    const db = database.kysely<{ item: Item }>()
    const table = sqlTable({ database, db, table: 'item', key: 'id' })
    const trying = (values: object) => refused(() => table.insert({ ...item, ...values }))
    expect(await trying({ size: 300 })).toEqual(['invalid', 'size'])
    expect(await trying({ size: -1 })).toEqual(['invalid', 'size'])
    expect(await trying({ size: 7 })).toEqual(['invalid', 'size'])
    expect(await trying({ day: '2024-02-30' })).toEqual(['invalid', 'day'])
    expect(await trying({ shape: 'triangle' })).toEqual(['invalid', 'shape'])
    expect(await trying({ code: 'aaaaaa' })).toEqual(['max_length', 'code'])
    expect(await trying({ code: null })).toEqual(['null', 'code'])
    expect(await trying({ day: undefined })).toEqual(['required', 'day'])
  })

  test('a server that gives nothing back reads it in the same transaction', async () => {
    const database = await items()
    const asked: string[] = []
    const old = asMysql(database, asked)
    const db = database.kysely<{ item: Item }>()
    const table = sqlTable({ database: old, db, table: 'item', key: 'id' })
    expect(await table.insert(item)).toMatchObject({ id: 1, code: 'a' })
    expect(await table.insert({ ...item, id: 40, code: 'b' })).toMatchObject({ id: 40, code: 'b' })
    expect(await refused(() => table.insert(item))).toEqual(['unique', 'code'])
    expect(asked.some((sql) => sql.includes('returning'))).toBe(false)
    expect(asked.filter((sql) => sql.includes('last_insert_id'))).toHaveLength(1)
  })

  /** The same server, as if it were MySQL 8. */
  function asMysql(database: SqlDatabase, asked: string[]): SqlDatabase {
    const noting = (executor: Executor): Executor => ({
      read: (statement) => executor.read(statement),
      write: (statement) => (asked.push(statement.sql), executor.write(statement)),
      rows: async (statement) => {
        asked.push(statement.sql)
        const { columns, values } = await executor.rows(statement)
        const isVersion = columns.at(-1) === 'version()'
        return {
          columns,
          values: isVersion ? values.map((row) => [...row.slice(0, -1), '8.4.0']) : values,
        }
      },
    })
    return {
      ...noting(database),
      dialect: DIALECTS.mysql,
      transaction: (work: (executor: Executor) => unknown) =>
        database.transaction((executor) => work(noting(executor)) as never),
    } as unknown as SqlDatabase
  }
})
