import { type Compilable, type Insertable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { AuditStore } from '../../contract/events.ts'
import type { Statement } from '../../contract/database.ts'
import type { Rows } from '../../contract/list-source.ts'
import type { Tables } from '../migrations/schema.ts'
import { prepared, queryBuilder } from '../prepared.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** What the stores of accounts need of a database. */
export type AccountsPort = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** Values in the order in which the statement selects them. */
export type RowValues = Rows['values'][number]

export type Read<Found> = (row: RowValues) => Found

/** Makes methods of statements, which are compiled once; `build` has the parameters of the method. */
export class SqlStore {
  protected readonly database: AccountsPort
  protected readonly builder: Kysely<Tables>

  constructor(database: AccountsPort) {
    this.database = database
    this.builder = queryBuilder(database.dialect)
  }

  protected all<Values extends readonly unknown[], Found>(
    read: Read<Found>,
    build: (...values: Values) => Compilable,
  ): (...values: Values) => Promise<readonly Found[]> {
    const statement = prepared(build)
    return async (...values) => (await this.database.rows(statement(...values))).values.map(read)
  }

  protected first<Values extends readonly unknown[], Found>(
    read: Read<Found>,
    build: (...values: Values) => Compilable,
  ): (...values: Values) => Promise<Found | null> {
    const find = this.all(read, build)
    return async (...values) => (await find(...values))[0] ?? null
  }

  /** Does it change a row? */
  protected changing<Values extends readonly unknown[]>(
    build: (...values: Values) => Compilable,
  ): (...values: Values) => Promise<boolean> {
    const statement = prepared(build)
    return async (...values) => (await this.changes(statement(...values))) > 0
  }

  protected async changes(statement: Statement): Promise<number> {
    return (await this.database.write(statement)).changes
  }

  /**
   * With a password hash, only where that is the stored hash of the user, who must be active and stays locked
   * until the row is committed. Without the lock the insert could read the old hash while that changes, and be
   * committed after all sessions or tokens were ended. With it:
   *
   * - The hash changes first: the insert waits, reads the new hash, and inserts nothing. (PostgreSQL checks the
   *   condition again under READ COMMITTED; a locking read of MariaDB and MySQL reads what is committed.)
   * - The insert locks first: the change waits. The statement after it that ends all rows sees this one too.
   */
  protected async insertForUser<Table extends 'colophon_session' | 'colophon_token'>(
    table: Table,
    row: Omit<Insertable<Tables[Table]>, 'user_id'>,
    user: number,
    password: string | null,
  ): Promise<boolean> {
    const into = this.builder.insertInto<keyof Tables>(table)
    const insertion =
      password === null
        ? into.values({ ...row, user_id: user })
        : into
            .columns([...Object.keys(row), 'user_id'] as never)
            .expression(this.#ofOwner(Object.entries(row), user, password))
    return (await this.changes(insertion.compile())) > 0
  }

  /** None where the owner is not as required. */
  #ofOwner(values: readonly (readonly [string, unknown])[], user: number, password: string) {
    const owner = this.builder
      .selectFrom('colophon_user')
      .select(values.map(([column, value]) => sql<never>`${value}`.as(column)))
      .select('id as user_id')
      .where('id', '=', user)
      .where('password', '=', password)
      .where('is_active', '=', sql.lit(true))
    return this.database.dialect.lockShared(owner) as SelectQueryBuilder<Tables, never, object>
  }
}

export function createAuditStore(database: AccountsPort): AuditStore {
  return new SqlAudit(database)
}

/** Characters of a name from outside, such as that of an operating system. */
const LONGEST = 150

class SqlAudit extends SqlStore implements AuditStore {
  readonly insert: AuditStore['insert'] = async (
    at,
    actor,
    { subject, action, token, details },
  ) => {
    const row = {
      at: at.getTime(),
      actor_id: actor.user?.id ?? null,
      actor: actor.user?.username ?? '',
      system_user: (actor.operator?.systemUser ?? '').slice(0, LONGEST),
      command: (actor.operator?.command ?? '').slice(0, LONGEST),
      action,
      user_id: subject.id,
      username: subject.username,
      token,
      details: JSON.stringify(details),
      request_id: actor.requestId ?? null,
    }
    await this.changes(this.builder.insertInto('colophon_audit').values(row).compile())
  }
}
