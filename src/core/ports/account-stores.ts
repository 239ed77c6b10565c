import type { MaybePromise } from '../std/after.ts'
import type { AuditDetails, AuditStore } from './events.ts'
import type { TokenFacts, User } from './credentials.ts'
import type { Session } from './sessions.ts'

export interface StoredUser<U extends User = User> {
  readonly user: U
  /** A hash, which leaves the stores only for verification. */
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
  /** What the application declares: checked, by name. */
  readonly own?: DeclaredValues
}

/** What a user has that not every user has. */
export type DeclaredValues = {
  readonly roles?: readonly string[]
} & AuditDetails

export interface UserStore<U extends User = User> {
  byUsername(username: string): Promise<StoredUser<U> | null>
  byId(id: number): Promise<StoredUser<U> | null>
  /** @throws UsernameTaken */
  insert(user: NewUser): Promise<U>
  /** `false`: no such user. */
  update(
    id: number,
    changes: Partial<NewUser & { readonly lastLogin: Date | null }>,
  ): Promise<boolean>
  /** Another hash in place of `current`. `false`: that is not the hash any more, nothing was written. */
  rehash(id: number, current: string, next: string): Promise<boolean>
  /** Those with these numbers, in their order. In a transaction no one else changes them before it ends. */
  locked(ids: readonly number[]): Promise<readonly User[]>
  /** Is there an active member of staff beside this one? */
  hasOtherStaff(id: number): Promise<boolean>
  /** The next few hundred users behind one, by number. */
  after(id: number): Promise<readonly U[]>
  count(): Promise<number>
}

/** How a key is kept: findable by digest, readable only with the service's secret. */
export interface SealedKey {
  readonly digest: string
  readonly sealed: string
}

/** With its owner as the owner is now. */
export interface FoundToken extends TokenFacts {
  readonly id: number
  readonly user: User
}

export interface StoredToken extends TokenFacts {
  readonly id: number
  /** The key sealed, or in clear as it came from elsewhere: one of them is there. */
  readonly sealed: string | null
  readonly clearKey: string | null
}

export interface NewToken extends SealedKey, Omit<TokenFacts, 'lastUsed'> {}

export interface TokenStore {
  /** One indexed look-up, token joined with user. */
  byDigest(digest: string): MaybePromise<FoundToken | null>
  byClearKey(key: string): MaybePromise<(FoundToken & { readonly clearKey: string }) | null>
  ofUser(userId: number, name: string): Promise<StoredToken | null>
  /** Called before a key that was there already is given away; what throws keeps it. */
  readonly shown?: (userId: number, name: string) => Promise<void>
  /** By name. */
  allOf(userId: number): Promise<readonly StoredToken[]>
  /** The next few hundred behind one, of all users, by number. */
  after(id: number): Promise<readonly FoundToken[]>
  /**
   * `false`: the user has one of that name, or, with `password`, has another hash or is not active. The
   * statement that writes decides it: a hash that changes at the same moment changes before or after it.
   */
  insert(userId: number, token: NewToken, password?: string | null): Promise<boolean>
  /** In one step, so that the user never has none; scopes and expiry stay. `false`: there was none before. */
  replace(userId: number, token: NewToken): Promise<boolean>
  /** The same, but `false` writes nothing. */
  rekey(userId: number, name: string, key: SealedKey, created: Date): Promise<boolean>
  /** Another name and expiry for a token, whose key stays. `false`: there is none of that name. */
  rename(
    userId: number,
    name: string,
    next: { readonly name: string; readonly expires: Date | null },
  ): Promise<boolean>
  /** Another seal for the same key. `false`: `kept`, its digest or clear key, is not what it has by now. */
  reseal(id: number, kept: string, key: SealedKey): MaybePromise<boolean>
  used(ids: readonly number[], at: Date): Promise<void>
  delete(userId: number, name: string): Promise<boolean>
  /** The tokens with these numbers, all in one step; those that there were. */
  deleteAll(ids: readonly number[]): Promise<readonly FoundToken[]>
}

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
  delete(digest: string): Promise<boolean>
  /** All but the digest `except`; how many there were. */
  deleteOfUser(userId: number, except?: string | null): Promise<number>
  /** Those that end at `now` too; how many there were. */
  deleteExpired(now: Date): Promise<number>
}

/** What accounts are kept in. */
export interface AccountStores {
  readonly users: UserStore
  readonly tokens: TokenStore
  readonly sessions: SessionStore
  readonly audit: AuditStore
}
