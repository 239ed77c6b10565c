import { sql } from 'kysely'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Database } from '../../core/ports/database.ts'
import type { AuditTable, Tables } from '../../storage/sql/migrations/schema.ts'
import { sqlSource } from '../../storage/sql/query/sql-source.ts'
import type { SqlDatabase, SqlSource } from '../../storage/sql/sql-database.ts'
import { UserShape } from '../user-shape.ts'

/** Milliseconds since 1970, which some drivers give as text. */
type Moment = number | string

/** A user in a list. */
export interface ListedUser {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly is_active: boolean
  readonly is_staff: boolean
  readonly is_superuser: boolean
  readonly date_joined: Moment
  readonly last_login: Moment | null
}

/** A token in a list, with its user and without its key. */
export interface ListedToken {
  readonly id: number
  readonly user_id: number
  readonly username: string
  readonly name: string
  readonly scopes: string | null
  readonly created: Moment
  readonly expires: Moment | null
  readonly last_used: Moment | null
}

/** A session in a list, by the digest that it is kept under. */
export interface ListedSession {
  readonly digest: string
  readonly user_id: number
  readonly created: Moment
  readonly expires: Moment
}

/** An entry of the audit trail in a list. */
export type ListedChange = {
  readonly [Column in keyof Omit<AuditTable, 'id' | 'at'>]: AuditTable[Column]
} & {
  readonly id: number
  readonly at: Moment
}

/** Accounts as lists. */
export interface AccountLists {
  /** Rows also have the declared columns except secrets. `roles` is one text; `words` has the roles in the form of tokens. */
  readonly users: SqlSource<ListedUser, keyof ListedUser | 'words'>
  /** `words`: the scopes with a space before and behind each. */
  readonly tokens: SqlSource<ListedToken, keyof ListedToken | 'words'>
  readonly sessions: SqlSource<ListedSession, keyof ListedSession>
  readonly audit: SqlSource<ListedChange, keyof ListedChange>
}

/**
 * Users, tokens, sessions and the audit trail of a database as lists, without anything that is secret.
 *
 * @throws ConfigurationError it speaks no SQL
 */
export function accountLists(database: Database, shape: UserShape = new UserShape()): AccountLists {
  if (!speaksSql(database))
    throw new ConfigurationError('The database of the accounts must speak SQL.')
  const db = database.kysely<Tables>()
  const users = db
    .selectFrom('colophon_user')
    .select(['id', 'username', 'email', 'is_active', 'is_staff', 'is_superuser'])
    .select(['date_joined', 'last_login'])
    .select(shape.listed)
  const tokens = db
    .selectFrom('colophon_token')
    .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
    .select(['colophon_token.id', 'colophon_token.user_id', 'colophon_user.username'])
    .select(['colophon_token.name', 'colophon_token.scopes', 'colophon_token.created'])
    .select(['colophon_token.expires', 'colophon_token.last_used'])
  const sessions = db
    .selectFrom('colophon_session')
    .select(['digest', 'user_id', 'created', 'expires'])
  const wordsOf = (column: string) => sql<string>`concat(' ', ${sql.ref(column)}, ' ')`
  const words = wordsOf('colophon_token.scopes')
  const roles = shape.roles.length === 0 ? sql<string>`''` : wordsOf('colophon_user.roles')
  return {
    users: sqlSource({ database, query: users, key: 'id', fields: { words: roles } }),
    tokens: sqlSource({ database, query: tokens, key: 'colophon_token.id', fields: { words } }),
    sessions: sqlSource({ database, query: sessions, key: 'digest' }),
    audit: sqlSource({ database, query: db.selectFrom('colophon_audit').selectAll(), key: 'id' }),
  }
}

function speaksSql(database: Database): database is SqlDatabase {
  return 'kysely' in database
}
