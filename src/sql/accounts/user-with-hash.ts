import { type AliasedRawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { queryBuilder, slot } from '../compile.ts'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../migrations/schema.ts'

type UserQuery = SelectQueryBuilder<Tables, 'colophon_user', object>

/**
 * The row of a user (first slot) who is active and has a hash (second slot), for `insert … select`. It is
 * locked until what is inserted is committed, so that the statement decides by itself:
 *
 * - The hash changes first: the lock waits for that to be committed, and the row is read as it is then. It
 *   has another hash, nothing is inserted. (PostgreSQL checks the condition again under READ COMMITTED;
 *   a locking read of MariaDB and MySQL reads what is committed, at every level.)
 * - The insert locks first: the change waits until it is committed. Whoever then ends all sessions or
 *   tokens of the user, with a statement of its own after the change, sees this one and ends it.
 *
 * Without the lock the insert could read the old hash while the change is under way, and be committed
 * after everything was ended. SQLite lets one statement write at a time, and needs none.
 */
export function userWithHash(dialect: Dialect): UserQuery {
  const query = queryBuilder(dialect)
    .selectFrom('colophon_user')
    .where('id', '=', slot<number>())
    .where('password', '=', slot<string>())
    .where('is_active', '=', sql.lit(true))
  if (dialect.id === 'postgres') return query.forShare()
  // MariaDB does not know `for share`.
  return dialect.id === 'mysql' ? query.modifyEnd(sql`lock in share mode`) : query
}

/** A value that is given when the statement runs, as a column of what is selected. */
export function slotAs<Name extends string>(name: Name): AliasedRawBuilder<never, Name> {
  return sql<never>`${slot()}`.as(name)
}
