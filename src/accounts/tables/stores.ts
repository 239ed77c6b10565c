import { type Compilable, type Insertable, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { DatabaseUnavailable, UsernameTaken } from '../../core/errors/storage-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type {
  FoundToken,
  NewToken,
  NewUser,
  SealedKey,
  StoredSession,
  StoredToken,
  StoredUser,
} from '../../core/ports/account-stores.ts'
import type { TokenFacts, User } from '../../core/ports/credentials.ts'
import type { Database, Executor, Statement } from '../../core/ports/database.ts'
import type { Actor, AuditEntry } from '../../core/ports/events.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { after, type MaybePromise } from '../../core/std/after.ts'
import { Batch, type BatchOptions } from '../../core/std/batch.ts'
import { lazily } from '../../core/std/once.ts'
import { reading } from '../../core/std/statements.ts'
import type { ManyKeys, TableFacts } from '../../storage/sql/dialect.ts'
import type { Tables } from '../../storage/sql/migrations/schema.ts'
import { PAGE, prepared, queryBuilder } from '../../storage/sql/prepared.ts'
import { ConnectionLost, type SqlDatabase } from '../../storage/sql/sql-database.ts'
import { ACCOUNT_LIMITS, InvalidAccount } from '../account-input.ts'
import { UserShape, keptAs } from '../user-shape.ts'

/** What the stores of accounts need of a database. */
export type AccountsPort = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** Values in the order in which the statement selects them. */
type RowValues = Rows['values'][number]

type Read<Found> = (row: RowValues) => Found

/** Makes methods of statements, which are compiled once, when first used; `build` has the parameters of the method. */
class SqlStore {
  protected readonly database: AccountsPort
  protected readonly builder: Kysely<Tables>
  protected readonly shape: UserShape
  /** What a user is read from, in this order; statements add their own columns behind. */
  protected readonly userColumns: readonly UserColumn[]

  constructor(database: AccountsPort, shape: UserShape = new UserShape()) {
    this.database = database
    this.shape = shape
    this.userColumns = [...USER_COLUMNS, ...shape.columns]
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

/** Keeps what was done by whom. Entries are added, and never changed. */
class SqlAudit extends SqlStore {
  async insert(at: Date, actor: Actor, entry: AuditEntry): Promise<void> {
    const { subject, action, token, details } = entry
    const row = {
      at: at.getTime(),
      actor_id: actor.user?.id ?? null,
      actor: actor.user?.username ?? '',
      // Names of an operating system, which may be longer.
      system_user: (actor.operator?.systemUser ?? '').slice(0, ACCOUNT_LIMITS.username),
      command: (actor.operator?.command ?? '').slice(0, ACCOUNT_LIMITS.username),
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

/** A database that accounts can be kept in: one that speaks SQL. */
export type AccountsDatabase = Database & AccountsPort

/** What a store is to others: it may have another one behind it, which also writes the audit trail. */
type Public<Store> = Pick<Store, keyof Store>
export type UserStore<U extends User = User> = Public<SqlUsers<U>>
export type TokenStore = Public<SqlTokens>
export type SessionStore = Public<SqlSessions>

/** Where accounts are read and changed. */
export interface Stores {
  readonly users: UserStore
  readonly tokens: TokenStore
  readonly sessions: SessionStore
}

/** The stores in a database. Each is made when it is first asked for, and then `migrate` makes its tables. */
export function storesOf(database: AccountsDatabase, shape?: UserShape): Stores {
  const made: { -readonly [Part in keyof Stores]?: Stores[Part] } = {}
  return {
    get users() {
      database.uses?.('users')
      if (shape !== undefined && shape.roles.length > 0) database.uses?.('roles')
      return (made.users ??= new SqlUsers(database, shape))
    },
    get tokens() {
      database.uses?.('tokens')
      return (made.tokens ??= new SqlTokens(database, shape))
    },
    get sessions() {
      database.uses?.('sessions')
      return (made.sessions ??= new SqlSessions(database, shape))
    },
  }
}

/** Those within a transaction, and the audit trail: what they write is kept together or not at all. */
export function storesIn(
  transaction: Executor,
  dialect: AccountsPort['dialect'],
  shape: UserShape,
): Stores & { readonly audit: SqlAudit } {
  const port: AccountsPort = {
    dialect,
    rows: (statement) => transaction.rows(statement),
    write: (statement) => transaction.write(statement),
  }
  return {
    users: new SqlUsers(port, shape),
    tokens: new SqlTokens(port, shape),
    sessions: new SqlSessions(port, shape),
    audit: new SqlAudit(port),
  }
}

export type StoredChanges = Partial<NewUser & { readonly lastLogin: Date | null }>

class SqlUsers<U extends User> extends SqlStore {
  readonly #users = this.builder.selectFrom('colophon_user')
  readonly #stored = lazily(() => this.#users.select([...this.userColumns, 'password']))
  readonly #changed = this.builder.updateTable('colophon_user')
  readonly #storedOf = withUser(this.shape, (row, at) => ({
    password: row[at] as string,
  })) as Read<StoredUser<U>>
  readonly #userOf = (row: RowValues): U => userOf(row, this.shape) as U

  readonly byUsername = this.first(this.#storedOf, (username: string) =>
    this.#stored().where('username', '=', username),
  )

  readonly byId = this.first(this.#storedOf, (id: number) => this.#stored().where('id', '=', id))

  /** Those with these numbers, in their order. In a transaction no one else changes them before it ends. */
  async locked(ids: readonly number[]): Promise<readonly U[]> {
    if (ids.length === 0) return []
    const query = this.#users.select(this.userColumns).where('id', 'in', ids).orderBy('id')
    const locked = this.database.dialect.locked(query, 'update')
    return (await this.database.rows(locked.compile())).values.map(this.#userOf)
  }

  /** Is there an active member of staff beside this one? */
  async hasOtherStaff(id: number): Promise<boolean> {
    return (await this.#otherStaff(id)) !== null
  }

  readonly #otherStaff = this.first(this.#userOf, (id: number) =>
    this.#users
      .select(this.userColumns)
      .where('is_active', '=', sql.lit(true))
      .where('is_staff', '=', sql.lit(true))
      .where('id', '!=', id)
      .limit(sql.lit(1)),
  )

  /** The next few hundred users behind one, by number. */
  readonly after = this.all(this.#userOf, (id: number) =>
    this.#stored().where('id', '>', id).orderBy('id').limit(PAGE),
  )

  /** @throws UsernameTaken */
  async insert(user: NewUser): Promise<U> {
    await this.#factsFor(user)
    const insertion = this.builder.insertInto('colophon_user').values(columnsOf(user) as never)
    try {
      await this.changes(insertion.compile())
    } catch (error) {
      await this.#refuseUnfit(error, 'insert', user)
      throw await this.#refusal(error, user.username, () => true)
    }
    return (await this.byUsername(user.username))!.user
  }

  /** `false`: no such user. */
  async update(id: number, changes: StoredChanges): Promise<boolean> {
    const columns = columnsOf(changes)
    if (Object.keys(columns).length === 0) return (await this.byId(id)) !== null
    await this.#factsFor(changes)
    try {
      const statement = this.#changed.set(columns).where('id', '=', id).compile()
      return (await this.changes(statement)) > 0
    } catch (error) {
      await this.#refuseUnfit(error, 'update', changes)
      throw await this.#refusal(error, changes.username, (user) => user.id !== id)
    }
  }

  /** Another hash in place of `current`. `false`: that is not the hash any more, nothing was written. */
  readonly rehash = this.changing((id: number, current: string, next: string) =>
    this.#changed.set({ password: next }).where('id', '=', id).where('password', '=', current),
  )

  async count(): Promise<number> {
    const counting = this.#users.select(({ fn }) => fn.countAll().as('users')).compile()
    return Number((await this.database.rows(counting)).values[0]![0])
  }

  /** Before the statement: PostgreSQL answers nothing more in a transaction in which one has failed. */
  async #factsFor({ own = {} }: StoredChanges): Promise<TableFacts | null> {
    return Object.keys(own).some((name) => Object.hasOwn(this.shape.own, name))
      ? this.shape.facts(this.database)
      : null
  }

  /** @throws InvalidAccount a column of the application refuses its value: nothing is there that it refers to */
  async #refuseUnfit(
    error: unknown,
    verb: 'insert' | 'update',
    user: StoredChanges,
  ): Promise<void> {
    const facts = await this.#factsFor(user)
    if (facts === null || !(error instanceof Error)) return
    const { dialect } = this.database
    const attempt = { verb, table: 'colophon_user', values: columnsOf(user), facts }
    const violation = await dialect.violation(error, { ...attempt, reader: this.database })
    const column = violation?.columns.find((name) => Object.hasOwn(this.shape.own, name))
    if (column !== undefined) throw new InvalidAccount(column, Message.of('invalid.unfit'))
  }

  /** Afterwards: that needs no database's error codes, and a look before could be overtaken. */
  async #refusal(
    error: unknown,
    username: string | undefined,
    isOther: (user: User) => boolean,
  ): Promise<unknown> {
    if (username === undefined) return error
    const found = await this.byUsername(username)
    return found !== null && isOther(found.user) ? new UsernameTaken(username) : error
  }
}

const COLUMNS = {
  username: 'username',
  email: 'email',
  password: 'password',
  isActive: 'is_active',
  isStaff: 'is_staff',
  isSuperuser: 'is_superuser',
  dateJoined: 'date_joined',
  lastLogin: 'last_login',
} as const satisfies Record<keyof Omit<StoredChanges, 'own'>, string>

/** Columns with their values, always in the same order; what `changes` leaves out is left out. */
function columnsOf(changes: StoredChanges): Record<string, unknown> {
  const columns = Object.entries(COLUMNS).map(([member, column]) => {
    const value = changes[member as keyof typeof COLUMNS]
    return [column, value instanceof Date ? value.getTime() : value] as const
  })
  const given = Object.fromEntries(columns.filter(([, value]) => value !== undefined))
  return { ...given, ...keptAs(changes.own ?? {}) }
}

/** At most one of each name for a user (K5). */
export function createTokenStore(database: AccountsPort): TokenStore {
  return new SqlTokens(database)
}

const NULL = sql.lit(null)

class SqlTokens extends SqlStore {
  /** Called before a key that was there already is given away; what throws keeps it. */
  readonly shown?: (userId: number, name: string) => Promise<void>
  readonly #found = lazily(() =>
    this.builder
      .selectFrom('colophon_token')
      .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
      .select([...this.userColumns, ...TOKEN_COLUMNS]),
  )
  readonly #foundOf = withUser(this.shape, tokenOf)
  readonly #stored = lazily(() =>
    this.builder
      .selectFrom('colophon_token')
      .select([...TOKEN_COLUMNS, 'colophon_token.sealed', 'colophon_token.clear_key']),
  )
  readonly #changed = this.builder.updateTable('colophon_token')

  /** One indexed look-up, token joined with user as the user is now. */
  readonly byDigest = lookUpBy(this.database, this.#found, 'colophon_token.digest', this.#foundOf)

  readonly byClearKey = lookUpBy(
    this.database,
    () => this.#found().select('colophon_token.clear_key'),
    'colophon_token.clear_key',
    withUser(this.shape, (row, at) => ({
      ...tokenOf(row, at),
      clearKey: row[at + TOKEN_COLUMNS.length] as string,
    })),
  )

  readonly ofUser = this.first(storedTokenOf, (user: number, name: string) =>
    this.#stored().where('user_id', '=', user).where('name', '=', name),
  )

  async #byIds(ids: readonly number[]): Promise<readonly FoundToken[]> {
    if (ids.length === 0) return []
    const query = this.#found().where('colophon_token.id', 'in', ids).orderBy('colophon_token.id')
    return (await this.database.rows(query.compile())).values.map(this.#foundOf)
  }

  /** By name. */
  readonly allOf = this.all(storedTokenOf, (user: number) =>
    this.#stored().where('user_id', '=', user).orderBy('name'),
  )

  /** The next few hundred behind one, of all users, by number. */
  readonly after = this.all(this.#foundOf, (id: number) =>
    this.#found().where('colophon_token.id', '>', id).orderBy('colophon_token.id').limit(PAGE),
  )

  /**
   * `false`: the user has one of that name, or, with `password`, has another hash or is not active. The
   * statement that writes decides it: a hash that changes at the same moment changes before or after it.
   */
  async insert(user: number, token: NewToken, password: string | null = null): Promise<boolean> {
    const { digest, sealed, name } = token
    // Not `?.`: what is missing must not become all scopes.
    const scopes = token.scopes === null ? null : token.scopes.join(' ')
    const created = token.created.getTime()
    const expires = token.expires?.getTime() ?? null
    const row = { digest, sealed, name, scopes, created, expires }
    try {
      return await this.insertForUser('colophon_token', row, user, password)
    } catch (error) {
      // The reason is looked up afterwards: that needs no error codes of any one database.
      if ((await this.ofUser(user, name)) === null) throw error
      return false
    }
  }

  /** In one step, so that the user never has none; scopes and expiry stay. `false`: there was none before. */
  async replace(user: number, token: NewToken): Promise<boolean> {
    if (await this.rekey(user, token.name, token, token.created)) return true
    if (await this.insert(user, token)) return false
    // Another request has inserted a token meanwhile: that one is replaced.
    return this.replace(user, token)
  }

  /** The same, but `false` writes nothing. */
  rekey(user: number, name: string, key: SealedKey, created: Date): Promise<boolean> {
    return this.#rekey(user, name, key.digest, key.sealed, created.getTime())
  }

  readonly #rekey = this.changing(
    (user: number, name: string, digest: string, sealed: string, created: number) =>
      this.#changed
        .set({ digest, sealed, clear_key: NULL, created, last_used: NULL })
        .where('user_id', '=', user)
        .where('name', '=', name),
  )

  /** Another name and expiry for a token, whose key stays. `false`: there is none of that name. */
  rename(
    user: number,
    name: string,
    next: { readonly name: string; readonly expires: Date | null },
  ): Promise<boolean> {
    return this.#rename(user, name, next.name, next.expires?.getTime() ?? null)
  }

  readonly #rename = this.changing(
    (user: number, name: string, next: string, expires: number | null) =>
      this.#changed
        .set({ name: next, expires })
        .where('user_id', '=', user)
        .where('name', '=', name),
  )

  /** Another seal for the same key. `false`: `kept`, its digest or clear key, is not what it has by now. */
  reseal(id: number, kept: string, { digest, sealed }: SealedKey): MaybePromise<boolean> {
    const statement = this.#resealing(id, kept, digest, sealed)
    return after(this.database.write(statement), ({ changes }) => changes > 0)
  }

  readonly #resealing = prepared((id: number, kept: string, digest: string, sealed: string) =>
    this.#changed
      .set({ digest, sealed, clear_key: NULL })
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('digest', '=', kept), eb('clear_key', '=', kept)])),
  )

  async used(ids: readonly number[], at: Date): Promise<void> {
    await this.changes(
      this.#changed.set({ last_used: at.getTime() }).where('id', 'in', ids).compile(),
    )
  }

  readonly delete = this.changing((user: number, name: string) =>
    this.builder.deleteFrom('colophon_token').where('user_id', '=', user).where('name', '=', name),
  )

  /** The tokens with these numbers, all in one step; those that there were. */
  async deleteAll(ids: readonly number[]): Promise<readonly FoundToken[]> {
    const found = await this.#byIds(ids)
    if (found.length === 0) return []
    const known = found.map(({ id }) => id)
    await this.changes(this.builder.deleteFrom('colophon_token').where('id', 'in', known).compile())
    return found
  }
}

function storedTokenOf(row: RowValues): StoredToken {
  return {
    ...tokenOf(row, 0),
    sealed: row[TOKEN_COLUMNS.length] as string | null,
    clearKey: row[TOKEN_COLUMNS.length + 1] as string | null,
  }
}

class SqlSessions extends SqlStore {
  readonly #deletion = this.builder.deleteFrom('colophon_session')
  readonly #deletionFor = prepared((user: number) => this.#deletion.where('user_id', '=', user))
  readonly #deletionBut = prepared((user: number, kept: string) =>
    this.#deletion.where('user_id', '=', user).where('digest', '!=', kept),
  )
  readonly #deletionUntil = prepared((now: number) => this.#deletion.where('expires', '<=', now))

  /** One indexed look-up, session joined with the user as the user is now; both may be over. */
  readonly byDigest = lookUpBy(
    this.database,
    () =>
      this.builder
        .selectFrom('colophon_session')
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_session.user_id')
        .select([...this.userColumns, 'colophon_session.created', 'colophon_session.expires']),
    'colophon_session.digest',
    withUser(this.shape, sessionOf),
  )

  /** `false`: the user has another hash than `password`, or is not active; decided as for tokens. */
  insert(session: StoredSession, password: string | null = null): Promise<boolean> {
    const { digest, userId, created, expires } = session
    const row = { digest, created: created.getTime(), expires: expires.getTime() }
    return this.insertForUser('colophon_session', row, userId, password)
  }

  readonly delete = this.changing((digest: string) => this.#deletion.where('digest', '=', digest))

  /** All but the digest `kept`; how many there were. */
  deleteOfUser(user: number, kept: string | null = null): Promise<number> {
    return this.changes(kept === null ? this.#deletionFor(user) : this.#deletionBut(user, kept))
  }

  /** Those that end at `now` too; how many there were. */
  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#deletionUntil(now.getTime()))
  }
}

function sessionOf(row: RowValues, at: number): Pick<StoredSession, 'created' | 'expires'> {
  return { created: dateOf(row[at]), expires: dateOf(row[at + 1]) }
}

// Look-ups by a key, and what users and tokens are read from.

/**
 * Finds a row of `query` by a key that no two rows share; `null`: it is not there. On databases that are far
 * away, look-ups that wait at the same moment travel as one query, and each gets its own answer.
 */
export function lookUpBy<DB, Table extends keyof DB, Output, Found>(
  database: Pick<AccountsPort, 'dialect' | 'rows'>,
  query: () => SelectQueryBuilder<DB, Table, Output>,
  key: string,
  read: Read<Found>,
): (key: string) => MaybePromise<Found | null> {
  const { manyKeys } = database.dialect
  const column = sql.ref<string>(key)
  if (manyKeys !== null) {
    // The key itself comes last, so that `read` finds its columns where they were.
    const known = lazily(() => query().select(column.as('looked_up')))
    const find = findMany(database, known, column, read, manyKeys)
    // A message to a server costs as much as a few look-ups: those that come meanwhile go together.
    // Replicas, which some of those that wait may read, do not decide who a user is.
    const found = (keys: readonly string[]) => reading(undefined, () => find(keys))
    const batch = new Batch(found, { ...BATCHES, underway: 1 })
    return (looked) => (isStorable(looked) ? batch.lookUp(looked) : null)
  }
  // A range of one key. A column that is NULL in most rows, as those of older forms are, would by what ANALYZE notes have
  // most rows for a key, and SQLite would read all rows for `=`: so many for each wrong key.
  let text: string | undefined
  const textOf = (): string => query().where(column, '>=', '').where(column, '<=', '').compile().sql
  const firstOf = ({ values: [row] }: Rows): Found | null => (row === undefined ? null : read(row))
  return (looked) =>
    isStorable(looked)
      ? after(database.rows({ sql: (text ??= textOf()), parameters: [looked, looked] }), firstOf)
      : null
}

/** What no database can hold is in none of them, and no reason for a failure (or for that of others). */
function isStorable(key: string): boolean {
  return !key.includes('\0') && key.isWellFormed()
}

/** The rows of many keys, which come as the last column. The text is the same for as many parameters. */
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

/** The size of joint queries, and which of their failures one key or one connection may have caused. */
export const BATCHES: BatchOptions = {
  largest: 512,
  retriesAlone: (error) =>
    !(error instanceof DatabaseUnavailable) || error instanceof ConnectionLost,
}

/** What every user is read from. */
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

type UserColumn = (typeof USER_COLUMNS)[number] | UserShape['columns'][number]

/** Something with its user, who is read first; `read` gets the row, and where the columns of its own begin. */
function withUser<Own>(
  shape: UserShape,
  read: (row: RowValues, at: number) => Own,
): Read<Own & { readonly user: User }> {
  const at = USER_COLUMNS.length + shape.columns.length
  return (row) => ({ ...read(row, at), user: userOf(row, shape) })
}

/** Drivers disagree about truth (1 or true) and integers of 64 bits (number or text). */
function userOf(row: RowValues, shape: UserShape): User {
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

function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds))
}

/** What a token is read from, in this order; statements add their own columns in front and behind. */
const TOKEN_COLUMNS = [
  'colophon_token.id',
  'colophon_token.name',
  'colophon_token.scopes',
  'colophon_token.created',
  'colophon_token.expires',
  'colophon_token.last_used',
] as const

/** A token from the values of a row from `at` on. */
function tokenOf(row: RowValues, at: number): TokenFacts & { readonly id: number } {
  return {
    id: Number(row[at]),
    name: row[at + 1] as string,
    scopes: (row[at + 2] as string | null)?.split(' ').filter((scope) => scope !== '') ?? null,
    created: dateOf(row[at + 3]),
    expires: row[at + 4] === null ? null : dateOf(row[at + 4]),
    lastUsed: row[at + 5] === null ? null : dateOf(row[at + 5]),
  }
}
