import { type SelectQueryBuilder, sql } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Rows } from '../../contract/storage.ts'
import { ConnectionLost } from '../../databases/pooled/connection-lost.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { Batch, type BatchOptions, type FindMany } from '../../std/batch.ts'
import { slot, textOf } from '../compile.ts'
import type { SqlDatabase } from '../sql-database.ts'

type Port = Pick<SqlDatabase, 'dialect' | 'rows'>
type Row = readonly unknown[]

/**
 * Finds a row of `query` by a key that no two rows share. On databases that are far away, look-ups that
 * wait at the same moment travel as one query, and each gets its own answer.
 *
 * @example
 * const byDigest = lookUpBy(database, builder.selectFrom('note').select(['id', 'text']), 'note.digest')
 * const [id, text] = (await byDigest(digest)) ?? []
 */
export function lookUpBy<DB, Table extends keyof DB, Output>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
): LookUp {
  const find = finder(database, query, key)
  return (value) => (isStorable(value) ? find(value) : null)
}

/** A row by its key; `null`: it is not there. */
export type LookUp = (value: string) => MaybePromise<Row | null>

/** What no database can hold is in none of them, and no reason for a failure (or for that of others). */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function finder<DB, Table extends keyof DB, Output>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
): LookUp {
  if (database.dialect.id === 'sqlite') return oneByOne(database, query, key)
  // The key itself comes last, so that whoever reads the row finds his columns where they were.
  const keyed = query.select(sql.ref<string>(key).as('looked_up'))
  const batch = new Batch(
    database.dialect.id === 'postgres'
      ? inArray(database, keyed, key)
      : inLists(database, keyed, key),
    BATCHES,
  )
  return (value) => batch.lookUp(value)
}

/** The size of joint queries, and which of their failures one key or one connection may have caused. */
export const BATCHES: BatchOptions = {
  largest: 512,
  retriesAlone: (error) =>
    !(error instanceof DatabaseUnavailable) || error instanceof ConnectionLost,
}

function oneByOne<DB, Table extends keyof DB, Output>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
): LookUp {
  const text = textOf(query.where(sql.ref(key), '=', slot<string>()))
  return (value) => {
    const found = database.rows({ sql: text, parameters: [value] })
    return found instanceof Promise ? found.then(firstOf) : firstOf(found)
  }
}

function firstOf({ values }: Rows): Row | null {
  return values[0] ?? null
}

/** One text for any number of keys. */
function inArray<DB, Table extends keyof DB, Output>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
): FindMany<string, Row> {
  const text = textOf(query.where(sql<boolean>`${sql.ref(key)} = any(${slot<string[]>()})`))
  return async (keys) => byKey(await database.rows({ sql: text, parameters: [keys] }))
}

/** A text for 1, 2, 4, 8 … keys, so that there are few to be prepared; the last key fills up. */
function inLists<DB, Table extends keyof DB, Output>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
): FindMany<string, Row> {
  const texts = new Map<number, string>()
  const textFor = (size: number): string => {
    const slots = Array.from({ length: size }, () => slot<string>())
    const text = texts.get(size) ?? textOf(query.where(sql.ref<string>(key), 'in', slots))
    texts.set(size, text)
    return text
  }
  return async (keys) => {
    const size = 2 ** Math.ceil(Math.log2(keys.length))
    const parameters = [...keys, ...Array<unknown>(size - keys.length).fill(keys.at(-1))]
    return byKey(await database.rows({ sql: textFor(size), parameters }))
  }
}

function byKey({ values }: Rows): ReadonlyMap<string, Row> {
  return new Map(values.map((row) => [row.at(-1) as string, row]))
}
