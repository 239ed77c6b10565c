import type { MaybePromise } from './request.ts'

/** Somebody with an account. */
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

/** Nobody in particular. */
export interface AnonymousUser {
  readonly isAuthenticated: false
  readonly id: null
  readonly username: ''
  readonly isActive: false
  readonly isStaff: false
  readonly isSuperuser: false
}

/** A credential that names its user. Its `key` is a secret: it shows in no log and no JSON. */
export interface Token {
  readonly key: string
  readonly user: User
  readonly created: Date
}

/** Looks tokens up: all that a token scheme needs. `null`: no such key. The user may be inactive. */
export interface TokenVerifier {
  verify(key: string): MaybePromise<Token | null>
}

/** Checks a user name and a password. `null`: refused, for whatever reason (the log knows which). */
export interface PasswordVerifier {
  authenticate(username: string, password: string): Promise<User | null>
}

/** Issues the token of a user, the same one on every call. */
export interface TokenIssuer {
  obtain(user: User): MaybePromise<Token>
}
