import { onTestFinished } from 'vitest'
import { type SqlSource, sqlSource } from '../../../../src/sql.ts'
import type { ListDatabase, SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import type { Item } from '../../../contract/seekable-source.ts'
import { temporarySqlite } from '../../../contract/temporary.ts'
import { NAMES, SERVERS, emptyDatabase, type DialectName } from '../../../setup/databases.ts'

export type Dialect = DialectName

export interface Tables {
  item: Item
}

export const DATABASES: readonly (readonly [name: string, dialect: Dialect])[] = [
  ['SQLite', 'sqlite'],
  ...SERVERS.map((dialect) => [NAMES[dialect], dialect] as const),
]

export async function freshDatabase(dialect: Dialect): Promise<SqlDatabase> {
  return dialect === 'sqlite' ? temporarySqlite() : emptyDatabase(dialect)
}

/** Runs statements without values, one after the other. */
export async function run(database: SqlDatabase, ...statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.write({ sql, parameters: [] })
}

/** The table of items on one database after the other: made once in a test, filled anew for each list. */
export function itemTable(dialect: Dialect): (items: readonly Item[]) => Promise<SqlDatabase> {
  let made: Promise<SqlDatabase> | null = null
  return async (items) => {
    if (made === null) onTestFinished(() => void (made = null))
    const database = await (made ??= withTable(dialect))
    await run(database, 'delete from item')
    if (items.length > 0)
      await database.kysely<Tables>().insertInto('item').values(items.slice()).execute()
    return database
  }
}

async function withTable(dialect: Dialect): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  const collation = dialect === 'mysql' ? 'character set utf8mb4 collate utf8mb4_bin' : ''
  await run(
    database,
    `create table item (id integer not null primary key, kind integer, name varchar(40) ${collation})`,
  )
  return database
}

export const removal =
  (database: SqlDatabase) =>
  (id: number): unknown =>
    database.kysely<Tables>().deleteFrom('item').where('id', '=', id).execute()

export interface Value {
  id: number
  value: unknown
}

/** A table with one column of a type. */
export async function withValues(
  dialect: Dialect,
  type: string,
  values: readonly string[],
): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  await run(database, `create table item (id integer not null primary key, value ${type})`)
  for (const [index, value] of values.entries())
    await run(database, `insert into item values (${index + 1}, ${value})`)
  return database
}

export function sourceOf(
  database: ListDatabase & Pick<SqlDatabase, 'kysely'>,
): SqlSource<Value, keyof Value> {
  const query = database.kysely<{ item: Value }>().selectFrom('item').select(['id', 'value'])
  return sqlSource({ database, query, key: 'id' })
}
