// Look-ups by a key, and what users and tokens are read from.
import { type SelectQueryBuilder, sql } from 'kysely'
import type { TokenFacts, User } from '../../contract/credentials.ts'
import type { Rows } from '../../contract/list-source.ts'
import type { MaybePromise } from '../../contract/request.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import { Batch, type BatchOptions } from '../../std/batch.ts'
import { ConnectionLost } from '../connection-lost.ts'
import type { ManyKeys } from '../dialect.ts'
import type { AccountsPort, Read, RowValues } from './store.ts'

/**
 * Finds a row of `query` by a key that no two rows share; `null`: it is not there. On databases that are far
 * away, look-ups that wait at the same moment travel as one query, and each gets its own answer.
 */
export function lookUpBy<DB, Table extends keyof DB, Output, Found>(
  database: Pick<AccountsPort, 'dialect' | 'rows'>,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
  read: Read<Found>,
): (key: string) => MaybePromise<Found | null> {
  const { manyKeys } = database.dialect
  const column = sql.ref<string>(key)
  if (manyKeys !== null) {
    // The key itself comes last, so that `read` finds its columns where they were.
    const find = findMany(database, query.select(column.as('looked_up')), column, read, manyKeys)
    // A message to a server costs as much as a few look-ups: those that come meanwhile go together.
    const batch = new Batch(find, { ...BATCHES, underway: 1 })
    return (looked) => (isStorable(looked) ? batch.lookUp(looked) : null)
  }
  const text = query.where(column, '=', '').compile().sql
  const firstOf = ({ values: [row] }: Rows): Found | null => (row === undefined ? null : read(row))
  return (looked) =>
    isStorable(looked) ? after(database.rows({ sql: text, parameters: [looked] }), firstOf) : null
}

/** What no database can hold is in none of them, and no reason for a failure (or for that of others). */
function isStorable(key: string): boolean {
  return !key.includes('\0') && key.isWellFormed()
}

/** The rows of many keys, which come as the last column. The text is the same for as many parameters. */
function findMany<DB, Table extends keyof DB, Output, Found>(
  database: Pick<AccountsPort, 'rows'>,
  query: SelectQueryBuilder<DB, Table, Output>,
  column: ReturnType<typeof sql.ref<string>>,
  read: Read<Found>,
  { parametersFor, isOneOf }: ManyKeys,
) {
  const texts = new Map<number, string>()
  return async (keys: readonly string[]): Promise<ReadonlyMap<string, Found>> => {
    const parameters = parametersFor(keys)
    const slots = parameters.map((parameter) => sql.val(parameter))
    const text = texts.get(slots.length) ?? query.where(isOneOf(column, slots)).compile().sql
    texts.set(slots.length, text)
    const { values } = await database.rows({ sql: text, parameters })
    return new Map(values.map((row) => [row.at(-1) as string, read(row)]))
  }
}

/** The size of joint queries, and which of their failures one key or one connection may have caused. */
export const BATCHES: BatchOptions = {
  largest: 512,
  retriesAlone: (error) =>
    !(error instanceof DatabaseUnavailable) || error instanceof ConnectionLost,
}

/** What a user is read from, in this order; statements add their own columns behind. */
export const USER_COLUMNS = [
  'colophon_user.id',
  'colophon_user.username',
  'colophon_user.email',
  'colophon_user.is_active',
  'colophon_user.is_staff',
  'colophon_user.is_superuser',
  'colophon_user.date_joined',
  'colophon_user.last_login',
] as const

/** Something with its user, who is read first; `read` gets the row, and where the columns of its own begin. */
export function withUser<Own>(
  read: (row: RowValues, at: number) => Own,
): Read<Own & { readonly user: User }> {
  return (row) => ({ ...read(row, USER_COLUMNS.length), user: userOf(row) })
}

/** Drivers disagree about truth (1 or true) and integers of 64 bits (number or text). */
export function userOf(row: RowValues): User {
  return {
    isAuthenticated: true,
    id: Number(row[0]),
    username: row[1] as string,
    email: row[2] as string,
    isActive: Boolean(row[3]),
    isStaff: Boolean(row[4]),
    isSuperuser: Boolean(row[5]),
    dateJoined: dateOf(row[6]),
    lastLogin: row[7] === null ? null : dateOf(row[7]),
  }
}

export function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds))
}

/** What a token is read from, in this order; statements add their own columns in front and behind. */
export const TOKEN_COLUMNS = [
  'colophon_token.id',
  'colophon_token.name',
  'colophon_token.scopes',
  'colophon_token.created',
  'colophon_token.expires',
  'colophon_token.last_used',
] as const

/** A token from the values of a row from `at` on. */
export function tokenOf(row: RowValues, at: number): TokenFacts & { readonly id: number } {
  return {
    id: Number(row[at]),
    name: row[at + 1] as string,
    scopes: (row[at + 2] as string | null)?.split(' ').filter((scope) => scope !== '') ?? null,
    created: dateOf(row[at + 3]),
    expires: row[at + 4] === null ? null : dateOf(row[at + 4]),
    lastUsed: row[at + 5] === null ? null : dateOf(row[at + 5]),
  }
}
