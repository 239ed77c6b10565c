import { type Insertable, type SelectQueryBuilder, sql } from 'kysely'
import type { Statement } from '../../contract/database.ts'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../migrations/schema.ts'
import { prepared, queryBuilder } from '../prepared.ts'

/** A row of the table for a user, and the hash that the user must have; `null`: any user will do. */
type Insert<Table extends keyof Tables> = (
  row: Insertable<Tables[Table]>,
  password: string | null,
) => Statement

/**
 * Inserts rows that belong to a user, `columns` and `user_id`. With a password hash, only where that is the
 * stored hash of the user, who must be active. The row of the user is locked until what is inserted is
 * committed, so that the statement decides by itself:
 *
 * - The hash changes first: the lock waits for that to be committed, and the row is read as it is then. It
 *   has another hash, nothing is inserted. (PostgreSQL checks the condition again under READ COMMITTED;
 *   a locking read of MariaDB and MySQL reads what is committed, at every level.)
 * - The insert locks first: the change waits until it is committed. What ends all sessions or tokens of the
 *   user, with a statement of its own after the change, sees this one and ends it.
 *
 * Without the lock the insert could read the old hash while the change is under way, and be committed
 * after everything was ended.
 */
export function insertForUser<Table extends 'colophon_session' | 'colophon_token'>(
  dialect: Dialect,
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): Insert<Table> {
  const builder = queryBuilder(dialect)
  const all = [...columns, 'user_id']
  const always = prepared<Record<string, never>>((given) =>
    builder
      .insertInto<keyof Tables>(table)
      .values(Object.fromEntries(all.map((column) => [column, given(column)]))),
  )
  const guarded = prepared<Record<string, never>>((given) => {
    const user = builder
      .selectFrom('colophon_user')
      .select(columns.map((column) => sql<never>`${given(column)}`.as(column)))
      .select('id as user_id')
      .where('id', '=', given('user_id'))
      .where('password', '=', given('password'))
      .where('is_active', '=', sql.lit(true))
    return builder
      .insertInto<keyof Tables>(table)
      .columns(all as never)
      .expression(dialect.lockShared(user) as SelectQueryBuilder<Tables, never, object>)
  })
  return (row, password) => (password === null ? always(row) : guarded({ ...row, password }))
}
