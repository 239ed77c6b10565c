import type { AuditDetails } from './events.ts'
import type { TokenFacts, User } from './credentials.ts'

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

export interface StoredSession {
  readonly digest: string
  readonly userId: number
  readonly created: Date
  readonly expires: Date
}
