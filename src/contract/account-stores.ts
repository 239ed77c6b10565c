import type { MaybePromise } from '../std/after.ts'
import type { TokenFacts, User } from './credentials.ts'
import type { Session } from './sessions.ts'

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
  byUsername(username: string): Promise<StoredUser | null>
  byId(id: number): Promise<StoredUser | null>
  /** @throws UsernameTaken */
  insert(user: NewUser): Promise<User>
  /** `false`: no such user. */
  update(
    id: number,
    changes: Partial<NewUser & { readonly lastLogin: Date | null }>,
  ): Promise<boolean>
  /** Another hash in place of `current`. `false`: that is not the hash any more, nothing was written. */
  rehash(id: number, current: string, next: string): Promise<boolean>
  /** The next few hundred users behind one, by number; none where it was the last. */
  after(id: number): Promise<readonly User[]>
  count(): Promise<number>
}

/** How a key is kept: findable by digest, readable only with the service's secret. */
export interface SealedKey {
  readonly digest: string
  readonly sealed: string
}

/** A token that was found, with its owner as the owner is now. */
export interface FoundToken extends TokenFacts {
  readonly id: number
  readonly user: User
}

/** A token at rest. */
export interface StoredToken extends TokenFacts {
  readonly id: number
  /** The sealed key, or the key itself as it came from elsewhere: one of them is there. */
  readonly sealed: string | null
  readonly clearKey: string | null
}

/** A token that is to be kept; `name` is the user's own name for it, `''` that of the usual one. */
export interface NewToken extends SealedKey, Omit<TokenFacts, 'lastUsed'> {}

export interface TokenStore {
  /** The owner of a digest: one indexed look-up, token joined with user. */
  byDigest(digest: string): MaybePromise<FoundToken | null>
  /** The owner of a key that is kept in clear. */
  byClearKey(key: string): MaybePromise<(FoundToken & { readonly clearKey: string }) | null>
  ofUser(userId: number, name: string): Promise<StoredToken | null>
  /** All tokens of a user, by name. */
  allOf(userId: number): Promise<readonly StoredToken[]>
  /** The next few hundred tokens behind one, whose ever they are, by number; none where it was the last. */
  after(id: number): Promise<readonly FoundToken[]>
  /**
   * `false`: the user has a token of that name already, nothing was written. With `password`, also where
   * that is not the stored hash of the user, or the user is not active. That is decided by the statement
   * that writes: a hash that changes at the same moment changes before it or after it.
   */
  insert(userId: number, token: NewToken, password?: string | null): Promise<boolean>
  /**
   * In one step, so that the user never has none; scopes and expiry stay those of the old one.
   * `false`: there was no old one, and now there is this.
   */
  replace(userId: number, token: NewToken): Promise<boolean>
  /** The same, but `false` and nothing written where there is none. */
  rekey(userId: number, name: string, key: SealedKey, created: Date): Promise<boolean>
  /**
   * Keeps the same key under another secret, or sealed instead of in clear. `kept`: the digest or the
   * clear key that it has now. `false`: it has another by now, nothing was written. Part of a look-up.
   */
  reseal(id: number, kept: string, key: SealedKey): MaybePromise<boolean>
  used(ids: readonly number[], at: Date): Promise<void>
  /** `false`: there was none. */
  delete(userId: number, name: string): Promise<boolean>
}

/** A session at rest: findable by digest only. */
export interface StoredSession {
  readonly digest: string
  readonly userId: number
  readonly created: Date
  readonly expires: Date
}

export interface SessionStore {
  /** One indexed look-up, session joined with the user as the user is now; both may be over. */
  byDigest(digest: string): MaybePromise<Session | null>
  /** `false`: the user has another hash than `password`, or is not active; decided as for tokens. */
  insert(session: StoredSession, password?: string | null): Promise<boolean>
  /** `false`: there was none. */
  delete(digest: string): Promise<boolean>
  /** How many there were, but for the one of a digest that stays. */
  deleteOfUser(userId: number, except?: string | null): Promise<number>
  /** Those that end now or have ended; how many there were. */
  deleteExpired(now: Date): Promise<number>
}
