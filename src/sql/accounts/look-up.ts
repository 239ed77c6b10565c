import { type SelectQueryBuilder, sql } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Rows } from '../../contract/database.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import { Batch, type BatchOptions } from '../../std/batch.ts'
import { ConnectionLost } from '../connection-lost.ts'
import type { ManyKeys } from '../dialect.ts'
import type { AccountsPort, RowValues } from './store.ts'

/** Something by its key; `null`: it is not there. */
export type LookUp<Found> = (key: string) => MaybePromise<Found | null>

type Port = Pick<AccountsPort, 'dialect' | 'rows'>

/**
 * Finds a row of `query` by a key that no two rows share. On databases that are far away, look-ups that
 * wait at the same moment travel as one query, and each gets its own answer.
 *
 * @example
 * const notes = builder.selectFrom('note').select(['id', 'text'])
 * const byDigest = lookUpBy(database, notes, 'note.digest', ([id, text]) => ({ id, text }))
 * const note = await byDigest(digest)
 */
export function lookUpBy<DB, Table extends keyof DB, Output, Found>(
  database: Port,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
  read: (row: RowValues) => Found,
): LookUp<Found> {
  const { manyKeys } = database.dialect
  const column = sql.ref<string>(key)
  if (manyKeys === null)
    return storable(oneByOne(database, query.where(column, '=', '').compile().sql, read))
  // The key itself comes last, so that `read` finds its columns where they were.
  const keyed = query.select(column.as('looked_up'))
  const textFor = (parameters: readonly unknown[]): string => {
    const slots = parameters.map((parameter) => sql.val(parameter))
    return keyed.where(manyKeys.isOneOf(column, slots)).compile().sql
  }
  return storable(together(database, textFor, read, manyKeys))
}

/** What no database can hold is in none of them, and no reason for a failure (or for that of others). */
function storable<Found>(find: LookUp<Found>): LookUp<Found> {
  return (key) => (key.includes('\0') || !key.isWellFormed() ? null : find(key))
}

function oneByOne<Found>(
  database: Port,
  text: string,
  read: (row: RowValues) => Found,
): LookUp<Found> {
  const firstOf = ({ values }: Rows): Found | null =>
    values[0] === undefined ? null : read(values[0])
  return (key) => after(database.rows({ sql: text, parameters: [key] }), firstOf)
}

/** `textFor`: the same for the same number of parameters. */
function together<Found>(
  database: Port,
  textFor: (parameters: readonly unknown[]) => string,
  read: (row: RowValues) => Found,
  { parametersFor }: ManyKeys,
): LookUp<Found> {
  const texts = new Map<number, string>()
  const find = async (keys: readonly string[]): Promise<ReadonlyMap<string, Found>> => {
    const parameters = parametersFor(keys)
    const text = texts.get(parameters.length) ?? textFor(parameters)
    texts.set(parameters.length, text)
    const { values } = await database.rows({ sql: text, parameters })
    return new Map(values.map((row) => [row.at(-1) as string, read(row)]))
  }
  const batch = new Batch(find, BATCHES)
  return (key) => batch.lookUp(key)
}

/** The size of joint queries, and which of their failures one key or one connection may have caused. */
export const BATCHES: BatchOptions = {
  largest: 512,
  retriesAlone: (error) =>
    !(error instanceof DatabaseUnavailable) || error instanceof ConnectionLost,
}
