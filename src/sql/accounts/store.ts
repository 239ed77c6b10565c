// What the stores of users, tokens and sessions share: how their statements run, look-ups, and users in rows.
import { type Compilable, type Insertable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { User } from '../../contract/credentials.ts'
import type { Rows, Statement } from '../../contract/database.ts'
import type { MaybePromise } from '../../contract/request.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import { Batch, type BatchOptions } from '../../std/batch.ts'
import { ConnectionLost } from '../connection-lost.ts'
import type { ManyKeys } from '../dialect.ts'
import type { Tables } from '../migrations/schema.ts'
import { prepared, queryBuilder } from '../prepared.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** What the stores of accounts need of a database. */
export type AccountsPort = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** A row, with its values in the order in which the statement selects them. */
export type RowValues = Rows['values'][number]

type Read<Found> = (row: RowValues) => Found

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

  /** How many rows the statement changed. */
  protected async changes(statement: Statement): Promise<number> {
    return (await this.database.write(statement)).changes
  }

  /**
   * Inserts a row that belongs to a user. With a password hash, only where that is the stored hash of the
   * user, who must be active. The row of the user is locked until what is inserted is committed, so that the
   * statement decides by itself:
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

  /** The values of a row and the number of its owner, who is locked; none where the owner is not as required. */
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
  return (row) => ({ user: userOf(row), ...read(row, USER_COLUMNS.length) })
}

/**
 * A user from the first values of a row. Drivers disagree about truth (1 or true) and about integers
 * of 64 bits (number or text), so both are normalised.
 */
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

/** A point in time from milliseconds, however the driver hands them over. */
export function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds))
}

/** Something by its key; `null`: it is not there. */
export type LookUp<Found> = (key: string) => MaybePromise<Found | null>

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
  database: Pick<AccountsPort, 'dialect' | 'rows'>,
  query: SelectQueryBuilder<DB, Table, Output>,
  key: string,
  read: Read<Found>,
): LookUp<Found> {
  const { manyKeys } = database.dialect
  const column = sql.ref<string>(key)
  if (manyKeys !== null) {
    // The key itself comes last, so that `read` finds its columns where they were.
    const find = findMany(database, query.select(column.as('looked_up')), column, read, manyKeys)
    const batch = new Batch(find, BATCHES)
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
