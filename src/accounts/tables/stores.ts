import { sql } from 'kysely'
import { UsernameTaken } from '../../core/errors/storage-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { randomToken } from '../../core/secrets/keys.ts'
import type {
  FoundToken,
  NewToken,
  NewUser,
  SealedKey,
  StoredSession,
  StoredToken,
  StoredUser,
} from '../../core/ports/account-stores.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Database, Executor, TransactionOptions } from '../../core/ports/database.ts'
import type { Actor, AuditEntry, AuditStore } from '../../core/ports/events.ts'
import { after, type MaybePromise } from '../../core/std/after.ts'
import { lazily, lazyMembers } from '../../core/std/once.ts'
import type { TableFacts } from '../../storage/sql/dialect.ts'
import type { SqlTransaction } from '../../storage/sql/sql-database.ts'
import { PAGE, prepare } from '../../storage/sql/prepared.ts'
import { ACCOUNT_LIMITS, InvalidAccount } from '../account-input.ts'
import { UserShape, keptAs } from '../user-shape.ts'
import { type FamilyStore, SqlFamilies } from './family-store.ts'
import { type FactorStore, SqlFactors } from './factor-store.ts'
import { type IdentityStore, SqlIdentities, type Within } from './identity-store.ts'
import {
  type AccountsPort,
  type LookUpByKey,
  type Read,
  type RowValues,
  type SpentLink,
  SpentLinks,
  SqlStore,
  TOKEN_COLUMNS,
  dateOf,
  lookUpBy,
  tokenOf,
  userInRow,
  withUser,
  wordsOf,
} from './sql-store.ts'

class SqlAudit extends SqlStore implements AuditStore {
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

/** The public members of a store, which another one may implement, such as that of the audit trail. */
type Public<Store> = Pick<Store, keyof Store>
export type UserStore<U extends User = User> = Public<SqlUsers<U>>
export type TokenStore = Public<SqlTokens>
export type SessionStore = Public<SqlSessions>

/** The stores that read and change accounts. */
export interface Stores {
  readonly users: UserStore
  readonly tokens: TokenStore
  readonly sessions: SessionStore
  readonly identities: IdentityStore
  readonly factors: FactorStore
  readonly families: FamilyStore
}

/** A change that has waited for its user ends what others committed meanwhile, whatever the server isolates by. */
export const AS_COMMITTED: TransactionOptions = { isolation: 'read committed' }

/** The stores in a database. Each is made when it is first asked for, and then `migrate` makes its tables. */
export function storesOf(database: AccountsDatabase, shape?: UserShape): Stores {
  const within: Within<Stores> = (work) =>
    database.transaction(
      (transaction) => work(storesIn(transaction, database.dialect, shape)),
      AS_COMMITTED,
    )
  const using =
    <Store>(part: Exclude<keyof Stores, 'users'>, make: () => Store) =>
    (): Store => {
      database.uses?.(part)
      return make()
    }
  return lazyMembers<Stores>({
    users() {
      database.uses?.('users')
      if (shape !== undefined && shape.roles.length > 0) database.uses?.('roles')
      return new SqlUsers(database, shape, within)
    },
    tokens: using('tokens', () => new SqlTokens(database, shape)),
    sessions: using('sessions', () => new SqlSessions(database, shape)),
    identities: using('identities', () => new SqlIdentities(database, shape, within)),
    factors: using('factors', () => new SqlFactors(database, shape, within)),
    families: using('families', () => new SqlFamilies(database, shape)),
  })
}

/** The stores within a transaction, and the audit trail: their writes are kept or undone together. */
export function storesIn(
  transaction: Executor,
  dialect: AccountsPort['dialect'],
  shape?: UserShape,
): Stores & { readonly audit: AuditStore } {
  const port: AccountsPort = {
    dialect,
    rows: (statement) => transaction.rows(statement),
    write: (statement) => transaction.write(statement),
  }
  const stores: ReturnType<typeof storesIn> = {
    users: new SqlUsers(port, shape, (work) => work(stores)),
    tokens: new SqlTokens(port, shape),
    sessions: new SqlSessions(port, shape),
    identities: new SqlIdentities(port, shape, (work) => work(stores)),
    factors: new SqlFactors(port, shape, (work) => work(stores)),
    families: new SqlFamilies(port, shape),
    audit: new SqlAudit(port),
  }
  return stores
}

/** What ends by a change of a user, in the transaction of that change. */
export type Ends = (stores: Stores) => Promise<void>

/** Changes rows of the application, in the transaction that removes a user. */
export type BeforeRemoval = (transaction: SqlTransaction) => unknown

/** `confirmed`: the address that was proved last, in small letters. `epoch`: all links of before another one are dead. */
export interface AddressedUser<U extends User = User> extends StoredUser<U> {
  readonly confirmed: string | null
  readonly epoch: string | null
}

/** The proof of an address; `password`: the hash at the time of the link. */
interface Proof {
  readonly link: SpentLink | null
  readonly password: string | null
}

/** An address is not unique until it is confirmed. */
const MOST_OF_AN_ADDRESS = 10

export type StoredChanges = Partial<NewUser & { readonly lastLogin: Date | null }>

class SqlUsers<U extends User> extends SpentLinks {
  readonly #users = this.builder.selectFrom('colophon_user')
  readonly #stored = lazily(() => this.#users.select([...this.userColumns, 'password']))
  readonly #changed = this.builder.updateTable('colophon_user')
  readonly #storedOf = withUser(this.shape, (row, at) => ({
    password: row[at] as string,
  })) as Read<StoredUser<U>>
  readonly #userOf = (row: RowValues): U => userInRow(row, this.shape) as U
  readonly #within: Within<Stores>

  constructor(database: AccountsPort, shape: UserShape | undefined, within: Within<Stores>) {
    super(database, shape)
    this.#within = within
  }

  /**
   * The user of the next name is read for a name that is unknown, and dropped, so that both take the same time; behind the last
   * name, the first user. A number decides: some pools of applications read truth as a text.
   */
  readonly byUsername: (username: string) => Promise<StoredUser<U> | null> = this.first(
    (row) => {
      const next = this.#storedOf(row)
      return Number(row.at(-1)) === 1 ? next : null
    },
    (username: string) => {
      const next = this.#users.where('username', '>=', username).orderBy('username')
      const first = this.#users.select(({ fn }) => fn.min('id').as('id'))
      return this.#stored()
        .select(sql`case when username = ${username} then 1 else 0 end`.as('is_asked'))
        .where('id', '=', ({ fn }) => fn.coalesce(next.select('id').limit(sql.lit(1)), first))
    },
  )

  readonly byId: (id: number) => Promise<StoredUser<U> | null> = this.first(
    this.#storedOf,
    (id: number) => this.#stored().where('id', '=', id),
  )

  /** The users with these numbers, in order. In a transaction they are locked until it ends. */
  async locked(ids: readonly number[]): Promise<readonly U[]> {
    if (ids.length === 0) return []
    const query = this.#users.select(this.userColumns).where('id', 'in', ids).orderBy('id')
    const locked = this.database.dialect.locked(query, 'update')
    return (await this.database.rows(locked.compile())).values.map(this.#userOf)
  }

  /** The user with all values that links depend on. */
  readonly withAddress: (id: number) => Promise<AddressedUser<U> | null> = this.first(
    withUser(this.shape, (row, at) => ({
      password: row[at] as string,
      confirmed: row[at + 1] as string | null,
      epoch: row[at + 2] as string | null,
    })) as Read<AddressedUser<U>>,
    (id: number) => this.#stored().select(['confirmed_email', 'links_epoch']).where('id', '=', id),
  )

  /** The user who has proved this address, in lower case, last. */
  readonly byConfirmed: (lower: string) => Promise<StoredUser<U> | null> = this.first(
    this.#storedOf,
    (lower: string) => this.#stored().where('confirmed_email', '=', lower),
  )

  /** Gives the address up. `false`: it was another one by now. */
  readonly forgetConfirmed: (id: number, lower: string) => Promise<boolean> = this.changing(
    (id: number, lower: string) =>
      this.#changed
        .set({ confirmed_email: sql.lit(null) })
        .where('id', '=', id)
        .where('confirmed_email', '=', lower),
  )

  /** `false`: it is proved already, the account has changed since `was`, or the link was used. */
  async confirmEmail(
    { id, email: was }: User,
    email: string,
    lower: string,
    { link, password }: Proof = { link: null, password: null },
  ): Promise<boolean> {
    if (link !== null && (await this.isSpent(link.digest))) return false
    if (link !== null) await this.spend(link.digest, link.end)
    let statement = this.#changed
      .set({ email, confirmed_email: lower, links_epoch: newEpoch() })
      .where('id', '=', id)
      .where('email', '=', was)
      .where(({ eb, or }) =>
        or([eb('confirmed_email', 'is', null), eb('confirmed_email', '!=', lower)]),
      )
    if (password !== null) statement = statement.where('password', '=', password)
    return (await this.changes(statement.compile())) > 0
  }

  /** Tells the audit trail that another user made a link of this user. */
  async noteLink(_id: number, _purpose: string): Promise<void> {}

  readonly delete: (id: number) => Promise<boolean> = this.changing((id: number) =>
    this.builder.deleteFrom('colophon_user').where('id', '=', id),
  )

  /** Removes a user with all that belongs to them. `before` needs a transaction, which only a store with a trail has. */
  async remove(id: number, before?: BeforeRemoval): Promise<boolean> {
    if (before === undefined) return this.delete(id)
    throw new TypeError('A user is removed with other rows by accounts.by(actor).users.remove.')
  }

  /** Active users with a password by their address, as stored or in lower case: the user who has proved it comes first. */
  readonly byEmail: (email: string, lower: string) => Promise<readonly U[]> = this.all(
    this.#userOf,
    (email: string, lower: string) =>
      this.#users
        .select(this.userColumns)
        .where(({ eb, or }) =>
          or([eb('email', 'in', [email, lower]), eb('confirmed_email', '=', lower)]),
        )
        .where('is_active', '=', sql.lit(true))
        .where('password', 'not like', sql.lit('!%'))
        .orderBy(sql`case when confirmed_email = ${lower} then 0 else 1 end`)
        .orderBy('id')
        .limit(sql.lit(MOST_OF_AN_ADDRESS)),
  )

  /** Active members of staff, by number. */
  readonly staff: () => Promise<readonly U[]> = this.all(this.#userOf, () =>
    this.#users
      .select(this.userColumns)
      .where('is_active', '=', sql.lit(true))
      .where('is_staff', '=', sql.lit(true))
      .orderBy('id'),
  )

  /** The next few hundred users behind one, by number. */
  readonly after: (id: number) => Promise<readonly U[]> = this.all(this.#userOf, (id: number) =>
    this.#stored().where('id', '>', id).orderBy('id').limit(PAGE),
  )

  /** @throws UsernameTaken */
  async insert(user: NewUser): Promise<U> {
    if (user.identity !== undefined)
      throw new TypeError('A user is made with an identity by accounts.by(actor).users.create.')
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

  /** A deactivated user, or one with a new address, loses all links, also those of a former state. `false`: no such user. */
  async update(id: number, changes: StoredChanges, ends?: Ends): Promise<boolean> {
    const isEnd = changes.isActive === false || changes.confirmed !== undefined
    const columns = { ...columnsOf(changes), ...(isEnd && { links_epoch: newEpoch() }) }
    if (Object.keys(columns).length === 0) return (await this.byId(id)) !== null
    await this.#factsFor(changes)
    try {
      if (ends !== undefined) return await this.#ending((users) => users.update(id, changes), ends)
      const statement = this.#changed.set(columns).where('id', '=', id).compile()
      return (await this.changes(statement)) > 0
    } catch (error) {
      await this.#refuseUnfit(error, 'update', changes)
      throw await this.#refusal(error, changes.username, (user) => user.id !== id)
    }
  }

  /** Another hash in place of `current`. `false`: that, or the address, is another one by now; nothing was written. */
  async rehash(
    id: number,
    current: string,
    next: string,
    link: { readonly email: string } | null = null,
    ends?: Ends,
  ): Promise<boolean> {
    if (ends !== undefined)
      return this.#ending((users) => users.rehash(id, current, next, link), ends)
    const own = this.#changed.where('id', '=', id).where('password', '=', current)
    const statement = link === null ? own : own.where('email', '=', link.email)
    return (await this.changes(statement.set({ password: next }).compile())) > 0
  }

  /** A process that dies in between leaves neither of the two. */
  #ending(change: (users: UserStore) => Promise<boolean>, ends: Ends): Promise<boolean> {
    return this.#within(async (stores) => {
      const isChanged = await change(stores.users)
      if (isChanged) await ends(stores)
      return isChanged
    })
  }

  async count(): Promise<number> {
    const counting = this.#users.select(({ fn }) => fn.countAll().as('users')).compile()
    return Number((await this.database.rows(counting)).values[0]![0])
  }

  /** Read before the statement: PostgreSQL answers nothing in a transaction after a failure. */
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

  /** Looked up after the failure: this needs no error codes, and a check before could be overtaken. */
  async #refusal(
    error: unknown,
    username: string | undefined,
    isOther: (user: User) => boolean,
  ): Promise<unknown> {
    if (username === undefined) return error
    const found = await this.because(error, () => this.byUsername(username))
    return found !== null && isOther(found.user) ? new UsernameTaken(username) : error
  }
}

function newEpoch(): string {
  return randomToken(16, 'base64url')
}

const COLUMNS = {
  username: 'username',
  email: 'email',
  confirmed: 'confirmed_email',
  password: 'password',
  isActive: 'is_active',
  isStaff: 'is_staff',
  isSuperuser: 'is_superuser',
  dateJoined: 'date_joined',
  lastLogin: 'last_login',
} as const satisfies Record<keyof Omit<StoredChanges, 'own' | 'identity'>, string>

/** Columns with their values, always in the same order; what `changes` leaves out is left out. */
function columnsOf(changes: StoredChanges): Record<string, unknown> {
  const columns = Object.entries(COLUMNS).map(([member, column]) => {
    const value = changes[member as keyof typeof COLUMNS]
    return [column, value instanceof Date ? value.getTime() : value] as const
  })
  const given = Object.fromEntries(columns.filter(([, value]) => value !== undefined))
  return { ...given, ...keptAs(changes.own ?? {}) }
}

const NULL = sql.lit(null)

/** A user has at most one token of each name (K5). */
export class SqlTokens extends SqlStore {
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
  readonly #deletion = this.builder.deleteFrom('colophon_token')

  /** One indexed look-up joins the token with its user as they are now. */
  readonly byDigest: LookUpByKey<FoundToken> = lookUpBy(
    this.database,
    this.#found,
    'colophon_token.digest',
    this.#foundOf,
  )

  readonly byClearKey: LookUpByKey<FoundToken & { readonly clearKey: string }> = lookUpBy(
    this.database,
    () => this.#found().select('colophon_token.clear_key'),
    'colophon_token.clear_key',
    withUser(this.shape, (row, at) => ({
      ...tokenOf(row, at),
      clearKey: row[at + TOKEN_COLUMNS.length] as string,
    })),
  )

  readonly ofUser: (user: number, name: string) => Promise<StoredToken | null> = this.first(
    storedTokenOf,
    (user: number, name: string) =>
      this.#stored().where('user_id', '=', user).where('name', '=', name),
  )

  async #byIds(ids: readonly number[]): Promise<readonly FoundToken[]> {
    if (ids.length === 0) return []
    const query = this.#found().where('colophon_token.id', 'in', ids).orderBy('colophon_token.id')
    return (await this.database.rows(query.compile())).values.map(this.#foundOf)
  }

  /** All tokens of a user, by name. */
  readonly allOf: (user: number) => Promise<readonly StoredToken[]> = this.all(
    storedTokenOf,
    (user: number) => this.#stored().where('user_id', '=', user).orderBy('name'),
  )

  /** The next few hundred behind one, of all users, by number. */
  readonly after: (id: number) => Promise<readonly FoundToken[]> = this.all(
    this.#foundOf,
    (id: number) =>
      this.#found().where('colophon_token.id', '>', id).orderBy('colophon_token.id').limit(PAGE),
  )

  /**
   * `false`: the user has one of that name, or, with `password`, has another hash or is not active. The
   * statement that writes decides it: a hash that changes at the same moment changes before or after it.
   */
  async insert(user: number, token: NewToken, password: string | null = null): Promise<boolean> {
    const { digest, sealed, name } = token
    const scopes = wordsOf(token)
    const created = token.created.getTime()
    const expires = token.expires?.getTime() ?? null
    const row = { digest, sealed, name, scopes, created, expires }
    const insert = async () => this.insertForUser('colophon_token', row, user, password)
    try {
      return await insert()
    } catch (error) {
      // The reason is looked up afterwards, without error codes. If the other row is gone by then, the insert is tried again.
      const known = await this.because(error, () => this.ofUser(user, name))
      return known === null && insert()
    }
  }

  /** Replaces a token in one step, so that the user always has one; scopes and expiry stay. `false`: there was none before. */
  async replace(user: number, token: NewToken): Promise<boolean> {
    if (await this.rekey(user, token.name, token, token.created)) return true
    if (await this.insert(user, token)) return false
    // Another request has inserted a token meanwhile: that one is replaced.
    return this.replace(user, token)
  }

  /** Replaces the key of a token; `false`: there is no such token, and nothing was written. */
  async rekey(
    user: number,
    name: string,
    { digest, sealed }: SealedKey,
    created: Date,
  ): Promise<boolean> {
    const key = { digest, sealed, clear_key: NULL, created: created.getTime(), last_used: NULL }
    const own = this.#changed.where('user_id', '=', user).where('name', '=', name)
    return (await this.changes(own.set(key).compile())) > 0
  }

  /** Changes the name and the expiry of a token, whose key stays. `false`: no token has that name. */
  async rename(
    user: number,
    name: string,
    next: { readonly name: string; readonly expires: Date | null },
  ): Promise<boolean> {
    const expires = next.expires?.getTime() ?? null
    const own = this.#changed.where('user_id', '=', user).where('name', '=', name)
    return (await this.changes(own.set({ name: next.name, expires }).compile())) > 0
  }

  /** Seals the same key anew. `false`: `kept`, its digest or clear key, is out of date. */
  reseal(id: number, kept: string, { digest, sealed }: SealedKey): MaybePromise<boolean> {
    const statement = this.#resealing(id, kept, digest, sealed)
    return after(this.database.write(statement), ({ changes }) => changes > 0)
  }

  readonly #resealing = prepare((id: number, kept: string, digest: string, sealed: string) =>
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

  /** `leaked`: where its key was found in public, for the audit trail. */
  async delete(user: number, name: string, _leaked?: string): Promise<boolean> {
    const own = this.#deletion.where('user_id', '=', user).where('name', '=', name)
    return (await this.changes(own.compile())) > 0
  }

  /** Deletes the tokens with these numbers in one step, and gives those that existed. */
  async deleteAll(ids: readonly number[]): Promise<readonly FoundToken[]> {
    const found = await this.#byIds(ids)
    if (found.length === 0) return []
    const known = found.map(({ id }) => id)
    await this.changes(this.#deletion.where('id', 'in', known).compile())
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

const MOST_SESSIONS = 1000

class SqlSessions extends SqlStore {
  readonly #deletion = this.builder.deleteFrom('colophon_session')

  /** One indexed look-up joins the session with its user as they are now; both may have ended. */
  readonly byDigest: LookUpByKey<
    Pick<StoredSession, 'created' | 'expires'> & { readonly user: User }
  > = lookUpBy(
    this.database,
    () =>
      this.builder
        .selectFrom('colophon_session')
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_session.user_id')
        .select([...this.userColumns, 'colophon_session.created', 'colophon_session.expires']),
    'colophon_session.digest',
    withUser(this.shape, (row, at) => ({ created: dateOf(row[at]), expires: dateOf(row[at + 1]) })),
  )

  /**
   * `false`: the user has another hash than `password`, is not active, or is gone; decided as for tokens. Of too many, those
   * that end first are deleted.
   */
  async insert(session: StoredSession, password: string | null = null): Promise<boolean> {
    const { digest, userId, created, expires } = session
    const row = { digest, created: created.getTime(), expires: expires.getTime() }
    const isMade = await this.insertForUser('colophon_session', row, userId, password)
    const surplus = isMade ? await this.#surplus(userId) : null
    const others = this.#deletion.where('user_id', '=', userId).where('digest', '!=', digest)
    if (surplus !== null) await this.changes(others.where('expires', '<=', surplus).compile())
    return isMade
  }

  /** The end of the last session that is too many. */
  readonly #surplus = this.first(
    ([expires]) => Number(expires),
    (user: number) =>
      this.builder
        .selectFrom('colophon_session')
        .select('expires')
        .where('user_id', '=', user)
        .orderBy('expires', 'desc')
        .limit(sql.lit(1))
        .offset(sql.lit(MOST_SESSIONS)),
  )

  readonly delete: (digest: string) => Promise<boolean> = this.changing((digest: string) =>
    this.#deletion.where('digest', '=', digest),
  )

  /** Deletes all sessions of a user but the one with the digest `kept`; gives their number. */
  deleteOfUser(user: number, kept: string | null = null): Promise<number> {
    const all = this.#deletion.where('user_id', '=', user)
    return this.changes((kept === null ? all : all.where('digest', '!=', kept)).compile())
  }

  /** Deletes sessions that end at `now` or before; gives their number. */
  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#deletion.where('expires', '<=', now.getTime()).compile())
  }
}
