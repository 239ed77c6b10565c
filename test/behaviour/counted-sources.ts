import { arraySource } from '../../src/index.ts'
import type { ListSource, Serializer } from '../../src/types.ts'
import { sqlSource } from '../../src/sql.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { DATABASES } from './databases.ts'

/** A row with a number; `byId` shows the number alone. */
export interface Row {
  readonly id: number
}
export const byId: Serializer<Row, number> = { represent: ({ id }) => id }

/** The rows 1 … `count`, of at most `SIZE`. */
export type SourceOf = (count: number) => ListSource<Row>

export const SIZE = 137

/** The same lists in memory and on every database, for `describe.each` with `$on` in its title. */
export async function onSources(): Promise<
  readonly { readonly on: string; readonly sourceOf: SourceOf }[]
> {
  const rows = Array.from({ length: SIZE }, (_, index) => ({ id: index + 1 }))
  const tables = DATABASES.map(async ([on, open]) => ({
    on,
    sourceOf: await tableOf(await open()),
  }))
  return [
    { on: 'an array', sourceOf: (count) => arraySource(rows.slice(0, count)) },
    ...(await Promise.all(tables)),
  ]
}

async function tableOf(database: SqlDatabase): Promise<SourceOf> {
  const run = (sql: string) => database.write({ sql, parameters: [] })
  const values = Array.from({ length: SIZE }, (_, index) => `(${index + 1})`).join()
  await run('create table numbered (id integer primary key)')
  await run(`insert into numbered values ${values}`)
  const query = database.kysely<{ numbered: Row }>().selectFrom('numbered').select('id')
  return (count) => sqlSource({ database, query: query.where('id', '<=', count), key: 'id' })
}
