import type { User } from './credentials.ts'
import type { MaybePromise } from './request.ts'

/** SQL text with placeholders and the values for them. Values are always bound, never pasted in. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What a statement found: rows as arrays, values in the order of the columns. */
export interface Rows {
  readonly values: readonly (readonly unknown[])[]
  /** Names of the columns; ask at once, before other statements run. */
  readonly columns: readonly string[]
}

/** One connection's worth of work: a database, or a transaction of it. */
export interface Executor {
  /** Rows as objects. */
  read<Row = Record<string, unknown>>(statement: Statement): MaybePromise<readonly Row[]>
  /** Rows as arrays: the cheap way to many rows. */
  rows(statement: Statement): MaybePromise<Rows>
  write(statement: Statement): MaybePromise<{ readonly changes: number }>
}

/** A place to keep rows. Connects when first used. */
export interface Database extends Executor {
  readonly dialect: 'sqlite' | 'postgres' | 'mysql'
  /** Users and tokens, where this database keeps them. */
  readonly users: UserStore
  readonly tokens: TokenStore
  /** All or nothing: what `work` wrote is undone when it throws. */
  transaction<T>(work: (transaction: Executor) => MaybePromise<T>): Promise<T>
  /** Brings the tables up to date; names the steps that ran. */
  migrate(): Promise<readonly string[]>
  /** Names of the steps that `migrate` would run; nothing is created by asking. */
  pendingMigrations(): Promise<readonly string[]>
  close(): MaybePromise<void>
}

/** A user with the password hash, which leaves the stores only for verification. */
export interface StoredUser {
  readonly user: User
  readonly password: string
}

export interface NewUser {
  readonly username: string
  readonly email: string
  /** A hash, never the password itself. */
  readonly password: string
  readonly isActive: boolean
  readonly isStaff: boolean
  readonly isSuperuser: boolean
  readonly dateJoined: Date
}

export interface UserStore {
  byUsername(username: string): MaybePromise<StoredUser | null>
  byId(id: number): MaybePromise<StoredUser | null>
  /** @throws UsernameTaken */
  insert(user: NewUser): MaybePromise<User>
  /** `false`: no such user. */
  update(
    id: number,
    changes: Partial<NewUser & { readonly lastLogin: Date | null }>,
  ): MaybePromise<boolean>
}

/** A token at rest: findable by digest, readable only with the service's secret. */
export interface StoredToken {
  readonly digest: string
  readonly sealed: string
  readonly created: Date
}

export interface TokenStore {
  /** The owner of a digest: one indexed look-up, token joined with user. */
  byDigest(digest: string): MaybePromise<{ readonly user: User; readonly created: Date } | null>
  ofUser(userId: number): MaybePromise<StoredToken | null>
  /** `false`: the user has a token already, nothing was written. */
  insert(userId: number, token: StoredToken): MaybePromise<boolean>
  /** In one step, so that the user never has none. */
  replace(userId: number, token: StoredToken): MaybePromise<void>
  /** `false`: there was none. */
  delete(userId: number): MaybePromise<boolean>
}
