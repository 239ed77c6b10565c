import type { TokenFacts } from '../../contract/credentials.ts'
import type { FoundToken, StoredToken } from '../../contract/storage.ts'
import { USER_COLUMNS, dateOf, userOf } from './user-row.ts'

type Row = readonly unknown[]

/** What a token is read from, in this order; statements add their own columns in front and behind. */
const TOKEN_COLUMNS = [
  'colophon_token.id',
  'colophon_token.name',
  'colophon_token.scopes',
  'colophon_token.created',
  'colophon_token.expires',
  'colophon_token.last_used',
] as const

type UserColumn = (typeof USER_COLUMNS)[number]
type TokenColumn = (typeof TOKEN_COLUMNS)[number]
type KeyColumn = 'colophon_token.sealed' | 'colophon_token.clear_key'

/** Columns of a token with its owner. */
export const FOUND_COLUMNS: readonly (UserColumn | TokenColumn)[] = [
  ...USER_COLUMNS,
  ...TOKEN_COLUMNS,
]

/** Columns of a token with its key, as it is kept. */
export const STORED_COLUMNS: readonly (TokenColumn | KeyColumn)[] = [
  ...TOKEN_COLUMNS,
  'colophon_token.sealed',
  'colophon_token.clear_key',
]

const USER = USER_COLUMNS.length
const TOKEN = TOKEN_COLUMNS.length

export function foundOf(row: Row): FoundToken {
  return { ...tokenOf(row, USER), user: userOf(row) }
}

/** The value behind the columns of a token with its owner. */
export function behindFound(row: Row): unknown {
  return row[FOUND_COLUMNS.length]
}

export function storedOf(row: Row): StoredToken {
  return {
    ...tokenOf(row, 0),
    sealed: row[TOKEN] as string | null,
    clearKey: row[TOKEN + 1] as string | null,
  }
}

function tokenOf(row: Row, at: number): TokenFacts & { readonly id: number } {
  return {
    id: Number(row[at]),
    name: row[at + 1] as string,
    scopes: scopesOf(row[at + 2] as string | null),
    created: dateOf(row[at + 3]),
    expires: row[at + 4] === null ? null : dateOf(row[at + 4]),
    lastUsed: row[at + 5] === null ? null : dateOf(row[at + 5]),
  }
}

/** Scopes hold no spaces. */
export function scopesText(scopes: readonly string[] | null): string | null {
  return scopes === null ? null : scopes.join(' ')
}

function scopesOf(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ').filter((scope) => scope !== '')
}
