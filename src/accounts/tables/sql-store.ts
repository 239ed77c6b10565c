import { type Compilable, type Insertable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { AuthenticationFailed } from '../../core/errors/api-errors.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import type { TokenFacts, User } from '../../core/ports/credentials.ts'
import type { Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { after, type MaybePromise } from '../../core/std/after.ts'
import { Batch, type BatchOptions } from '../../core/std/batch.ts'
import { lazily } from '../../core/std/once.ts'
import { withFreshReads } from '../../core/std/statements.ts'
import type { ManyKeys } from '../../storage/sql/dialect.ts'
import type { Tables } from '../../storage/sql/migrations/schema.ts'
import { prepare, queryBuilder } from '../../storage/sql/prepared.ts'
import { ConnectionLost, type SqlDatabase } from '../../storage/sql/sql-database.ts'
import { UserShape } from '../user-shape.ts'

/** The part of a database that the stores of accounts need. */
export type AccountsPort = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** Values in the order in which the statement selects them. */
export type RowValues = Rows['values'][number]

export type Read<Found> = (row: RowValues) => Found

export type LookUpByKey<Found> = (key: string) => MaybePromise<Found | null>

/** Makes methods of statements, which are compiled once, when first used; `build` has the parameters of the method. */
export class SqlStore {
  protected readonly database: AccountsPort
  protected readonly builder: Kysely<Tables>
  protected readonly shape: UserShape
  /** The columns that a user is read from, in this order; statements add their own columns behind them. */
  protected readonly userColumns: readonly UserColumn[]

  constructor(database: AccountsPort, shape: UserShape = new UserShape()) {
    const { dialect } = database
    const rows: AccountsPort['rows'] = (asked) => withFreshReads(() => database.rows(asked))
    // Replicas, which handlers may read, do not decide who a user is. A database in the process has none.
    this.database =
      dialect.manyKeys === null
        ? database
        : { dialect, rows, write: (asked) => database.write(asked) }
    this.shape = shape
    this.userColumns = [...USER_COLUMNS, ...shape.columns]
    this.builder = queryBuilder(dialect)
  }

  protected all<Values extends readonly unknown[], Found>(
    read: Read<Found>,
    build: (...values: Values) => Compilable,
  ): (...values: Values) => Promise<readonly Found[]> {
    const statement = prepare(build)
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
    const statement = prepare(build)
    return async (...values) => (await this.changes(statement(...values))) > 0
  }

  /** Asks why a statement failed. In a transaction, PostgreSQL answers nothing more: then `error` is all that is known. */
  protected because<Found>(error: unknown, ask: () => Promise<Found>): Promise<Found> {
    return ask().catch(() => {
      throw error
    })
  }

  protected async changes(statement: Statement): Promise<number> {
    return (await this.database.write(statement)).changes
  }

  /**
   * Only for a user who is active and, with a password hash, has that one; the user stays locked until the row is
   * committed. Without the lock the insert could read the user of before a change, and be committed after all sessions
   * or tokens were ended. With it:
   *
   * - The user changes first: the insert waits, reads the new state, and inserts nothing. (PostgreSQL checks the
   *   condition again under READ COMMITTED; a locking read of MariaDB and MySQL reads what is committed.)
   * - The insert locks first: the change waits. The statement after it that ends all rows sees this one too.
   *
   * A token without a password, and an identity, are made by others, also for a user who is not active: 401 if gone.
   */
  protected async insertForUser<
    Table extends 'colophon_session' | 'colophon_token' | 'colophon_family' | 'colophon_identity',
  >(
    table: Table,
    row: Omit<Insertable<Tables[Table]>, 'user_id'>,
    user: number,
    password: string | null,
  ): Promise<boolean> {
    const isByOthers =
      password === null && (table === 'colophon_token' || table === 'colophon_identity')
    const owner = this.#ofOwner(Object.entries(row), user, password)
    const insertion = this.builder
      .insertInto<keyof Tables>(table)
      .columns([...Object.keys(row), 'user_id'] as never)
      .expression(isByOthers ? owner : owner.where('is_active', '=', sql.lit(true)))
    const isMade = (await this.changes(insertion.compile())) > 0
    if (!isMade && isByOthers) throw new AuthenticationFailed()
    return isMade
  }

  /** The values as a row to insert; no row, if the owner is not as required. */
  #ofOwner(values: readonly (readonly [string, unknown])[], user: number, password: string | null) {
    const owner = this.builder
      .selectFrom('colophon_user')
      .select(values.map(([column, value]) => sql<never>`${value}`.as(column)))
      .select('id as user_id')
      .where('id', '=', user)
      .$if(password !== null, (query) => query.where('password', '=', password))
    return this.database.dialect.lockShared(owner) as SelectQueryBuilder<
      Tables,
      'colophon_user',
      object
    >
  }
}

/** A link by mail, as it is kept once it is used: until it would have ended. */
export interface SpentLink {
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly end: number
}

/** Links by mail that were used. */
export class SpentLinks extends SqlStore {
  /** Was a link with this digest used? */
  async isSpent(digest: string): Promise<boolean> {
    return (await this.#spent(digest)) !== null
  }

  readonly #spent = this.first(
    () => true,
    (digest: string) =>
      this.builder.selectFrom('colophon_spent_link').select('digest').where('digest', '=', digest),
  )

  /** Notes that a link was used; throws if it was used before. */
  readonly spend: (digest: string, expires: number) => Promise<boolean> = this.changing(
    (digest: string, expires: number) =>
      this.builder.insertInto('colophon_spent_link').values({ digest, expires }),
  )

  readonly unspend: (digest: string) => Promise<boolean> = this.changing((digest: string) =>
    this.builder.deleteFrom('colophon_spent_link').where('digest', '=', digest),
  )

  /** Forgets links that have ended. */
  readonly clearSpent: (now: number) => Promise<boolean> = this.changing((now: number) =>
    this.builder.deleteFrom('colophon_spent_link').where('expires', '<=', now),
  )
}

/**
 * Finds a row of `query` by a key that no two rows share; `null`: it is not there. On databases that are far
 * away, look-ups that wait at the same moment travel as one query, and each gets its own answer.
 */
export function lookUpBy<DB, Table extends keyof DB, Output, Found>(
  database: Pick<AccountsPort, 'dialect' | 'rows'>,
  query: () => SelectQueryBuilder<DB, Table, Output>,
  key: string,
  read: Read<Found>,
): LookUpByKey<Found> {
  const { manyKeys } = database.dialect
  const column = sql.ref<string>(key)
  if (manyKeys !== null) {
    // The key itself comes last, so that `read` finds its columns where they were.
    const known = lazily(() => query().select(column.as('looked_up')))
    const find = findMany(database, known, column, read, manyKeys)
    // A message to a server costs as much as a few look-ups: those that come meanwhile go together.
    const batch = new Batch(find, { ...BATCHES, underway: 1 })
    return (looked) => (isStorable(looked) ? batch.lookUp(looked) : null)
  }
  // The condition is a range of one key. Where a column is NULL in most rows, as columns of older forms are, ANALYZE notes
  // most rows for one key. For `=`, SQLite would then read all rows for each wrong key.
  let text: string | undefined
  const textOf = (): string => query().where(column, '>=', '').where(column, '<=', '').compile().sql
  const firstOf = ({ values: [row] }: Rows): Found | null => (row === undefined ? null : read(row))
  return (looked) =>
    isStorable(looked)
      ? after(database.rows({ sql: (text ??= textOf()), parameters: [looked, looked] }), firstOf)
      : null
}

/** Can a database hold the key? No row has any other key, which must not make the query of others fail, or its own. */
function isStorable(key: string): boolean {
  return !key.includes('\0') && key.isWellFormed()
}

/** Finds the rows of many keys; the key is the last column. The text is the same for the same number of parameters. */
function findMany<DB, Table extends keyof DB, Output, Found>(
  database: Pick<AccountsPort, 'rows'>,
  query: () => SelectQueryBuilder<DB, Table, Output>,
  column: ReturnType<typeof sql.ref<string>>,
  read: Read<Found>,
  { parametersFor, isOneOf }: ManyKeys,
) {
  const texts = new Map<number, string>()
  return async (keys: readonly string[]): Promise<ReadonlyMap<string, Found>> => {
    const parameters = parametersFor(keys)
    const slots = parameters.map((parameter) => sql.val(parameter))
    const text = texts.get(slots.length) ?? query().where(isOneOf(column, slots)).compile().sql
    texts.set(slots.length, text)
    const { values } = await database.rows({ sql: text, parameters })
    return new Map(values.map((row) => [row.at(-1) as string, read(row)]))
  }
}

/** The size of joint queries, and the failures that one key or one connection may have caused: then each key is asked alone. */
export const BATCHES: BatchOptions = {
  largest: 512,
  retriesAlone: (error) =>
    !(error instanceof DatabaseUnavailable) || error instanceof ConnectionLost,
}

/** The columns of every user. */
const USER_COLUMNS = [
  'colophon_user.id',
  'colophon_user.username',
  'colophon_user.email',
  'colophon_user.is_active',
  'colophon_user.is_staff',
  'colophon_user.is_superuser',
  'colophon_user.date_joined',
  'colophon_user.last_login',
] as const

export type UserColumn = (typeof USER_COLUMNS)[number] | UserShape['columns'][number]

/** Reads an object and its user, whose columns come first. `read` gets the row, and the place where its own columns begin. */
export function withUser<Own>(
  shape: UserShape,
  read: (row: RowValues, at: number) => Own,
): Read<Own & { readonly user: User }> {
  const at = USER_COLUMNS.length + shape.columns.length
  return (row) => ({ ...read(row, at), user: userInRow(row, shape) })
}

/** Drivers disagree about truth (1 or true) and integers of 64 bits (number or text). */
export function userInRow(row: RowValues, shape: UserShape): User {
  const user: User = {
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
  return shape.columns.length === 0 ? user : shape.read(user, row, USER_COLUMNS.length)
}

export function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds))
}

/** The columns of a token, in this order; statements add their own in front and behind. */
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
    scopes: scopesIn(row[at + 2]),
    created: dateOf(row[at + 3]),
    expires: row[at + 4] === null ? null : dateOf(row[at + 4]),
    lastUsed: row[at + 5] === null ? null : dateOf(row[at + 5]),
  }
}

export function scopesIn(kept: unknown): readonly string[] | null {
  return (kept as string | null)?.split(' ').filter((scope) => scope !== '') ?? null
}

/** Scopes as one text. They are compared with `null`, and `?.` is avoided: missing scopes must not become all scopes. */
export function wordsOf({ scopes }: { readonly scopes: readonly string[] | null }): string | null {
  return scopes === null ? null : scopes.join(' ')
}
