import type { Incoming } from './request.ts'
import type { MaybePromise } from '../std/after.ts'

/** A user with an account. */
export interface User {
  readonly isAuthenticated: true
  readonly id: number
  readonly username: string
  readonly email: string
  readonly isActive: boolean
  readonly isStaff: boolean
  readonly isSuperuser: boolean
  readonly dateJoined: Date
  readonly lastLogin: Date | null
}

/** The user of a request without credentials. */
export interface AnonymousUser {
  readonly isAuthenticated: false
  readonly id: null
  readonly username: ''
  readonly isActive: false
  readonly isStaff: false
  readonly isSuperuser: false
}

/** A user as a provider names them: two users of a provider never have the same subject. */
export interface Subject {
  /** The address of the provider, as it writes it. */
  readonly issuer: string
  readonly subject: string
}

/** The facts of a token that its keepers may see: nothing secret. */
export interface TokenFacts {
  /** `''`: the token that every user has one of at most. */
  readonly name: string
  /** `null`: everything that its user may do. */
  readonly scopes: readonly string[] | null
  readonly created: Date
  readonly expires: Date | null
  /** When the token was used last, to within minutes (see `noteTokenUse`); `null`: not yet. */
  readonly lastUsed: Date | null
}

/** A credential that names its user. Its `key` is a secret: it shows in no log and no JSON. */
export interface Token<U extends User = User> extends Partial<TokenFacts> {
  readonly key: string
  readonly user: U
  readonly created: Date
  /** The number of the family, for an access token. */
  readonly family?: number
}

/** Looks tokens up: all that a token scheme needs. `null`: no such key. The user may be inactive. */
export interface TokenVerifier<U extends User = User> {
  verify(key: string): MaybePromise<Token<U> | null>
  /** Did this service make the refused key, as its seal shows? Then the key is over, and no guess. @default it may be one */
  wasMade?(key: string): boolean
}

/** The request on whose behalf something expensive is done; any request will do. */
export type Requester = Pick<Incoming, 'environ' | 'gone'> &
  Partial<Pick<Incoming, 'client' | 'guesses'>>

/** Checks a user name and a password. `null`: refused, for whatever reason (the log knows which). */
export interface PasswordVerifier<U extends User = User> {
  /** `requester`: the request that brought them, so that no client gets in the way of others. */
  authenticate(username: string, password: string, requester?: Requester): Promise<U | null>
  /** Does it refuse users who have a second factor, by `SecondFactorRequired`? @default no */
  readonly asksForFactors?: boolean
  /** Has the user to prove more than a password? Asked again once a password alone has begun something. @default no */
  needsMore?(user: User): Promise<boolean>
}

/**
 * Finds the user whom a web server in front has authenticated, creating one where that is wanted.
 * `null`: there is no such user, or there can be none of that name. The user may be inactive.
 */
export interface RemoteUserBackend<U extends User = User> {
  remoteUser(username: string): MaybePromise<U | null>
}

/** Issues the token of a user, the same one on every call. */
export interface TokenIssuer {
  /** Throws `AuthenticationFailed` where the password that let this user in is another one by now. */
  obtain(user: User): MaybePromise<Token>
}
