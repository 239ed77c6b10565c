import type { AuditDetails } from './events.ts'
import type { Subject, TokenFacts, User } from './credentials.ts'

export interface StoredUser<U extends User = User> {
  readonly user: U
  /** A hash, which leaves the stores only for verification. */
  readonly password: string
}

export interface NewUser extends Omit<User, 'isAuthenticated' | 'id' | 'lastLogin'> {
  /** A hash, never the password itself. */
  readonly password: string
  /** The address that is proved, in small letters; `null`: none. Absent: that stays as it is. */
  readonly confirmed?: string | null | undefined
  /** The identity is kept together with the user; if one cannot be kept, neither is. */
  readonly identity?: Subject | undefined
  /** The values of the columns and roles that the application declares, by name, after their check. */
  readonly own?: DeclaredValues
}

/** The values that only some users have, by name. */
export type DeclaredValues = {
  readonly roles?: readonly string[]
} & AuditDetails

/** The stored form of a key: its digest finds it, and only the service's secret can read it. */
export interface SealedKey {
  readonly digest: string
  readonly sealed: string
}

/** A token with its owner; the owner is read anew. */
export interface FoundToken extends TokenFacts {
  readonly id: number
  readonly user: User
}

export interface StoredToken extends TokenFacts {
  readonly id: number
  /** The sealed key, or the key in clear if it came from elsewhere: one of the two is always there. */
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

/**
 * Everything that comes of one log-in of a client: its current refresh token, and the access tokens that earlier refresh
 * tokens made. The family ends as a whole.
 */
export interface TokenFamily {
  readonly id: number
  /** The device, as the client calls it. */
  readonly label: string
  /** `null`: everything that its user may do. */
  readonly scopes: readonly string[] | null
  readonly created: Date
  /** When a refresh token of the family was used last; `null`: none was. */
  readonly lastUsed: Date | null
  /** The family ends then, unless it is used before. */
  readonly expires: Date
  /** The family ends then in any case. */
  readonly ends: Date
}

/** Why a family ended: someone ended it, a spent refresh token came back, or a scanner found one of its tokens. */
export type FamilyEnd = 'revoked' | 'reused' | 'leaked'

export interface NewFamily extends Omit<TokenFamily, 'id' | 'lastUsed'> {
  /** The digest by which the family is found. */
  readonly digest: string
}

/** A family with its owner; the owner is read anew. */
export interface FoundFamily extends TokenFamily {
  readonly user: User
  /** The number of uses of the family's refresh token: the current one has this number. */
  readonly generation: number
}

/** The values that the use of a refresh token changes. */
export interface FamilyStep extends Pick<TokenFamily, 'expires'> {
  readonly digest: string
  readonly lastUsed: Date
}

/** A way to log in with a provider: a user, as the provider knows them. */
export interface LinkedIdentity extends Subject {
  readonly id: number
  readonly created: Date
  /** `null`: not yet. */
  readonly lastUsed: Date | null
}

/** The kinds of proof that a user gives beside the password. An `unconfirmed` factor does not count yet. */
export type FactorKind = 'totp' | 'passkey' | 'unconfirmed' | 'recovery_code' | 'device'

/** A second factor of a user, a recovery code, or a device that may skip the second factor. It holds nothing secret. */
export interface Factor {
  readonly id: number
  readonly kind: FactorKind
  /** The user's name for it. */
  readonly name: string
  readonly created: Date
  /** `null`: not yet. */
  readonly lastUsed: Date | null
}

/** A passkey, as its user's device made it: nothing secret. */
export interface Passkey {
  /** The id of the passkey, in base64url, as is the key. */
  readonly credentialId: string
  /** The public key in the form of COSE (RFC 9052). */
  readonly publicKey: string
  /** The name that the device has for the user, in base64url. */
  readonly handle: string
  /** The ways in which a browser reaches the passkey: `internal`, `usb` … */
  readonly transports: readonly string[]
}

export interface StoredFactor extends Factor, NewFactor {}

export interface NewFactor extends Pick<Factor, 'kind' | 'name'> {
  /** The digest by which the factor is found; `null`: it is never looked up. */
  readonly digest: string | null
  readonly sealed: string | null
  /** The passkey as JSON, if the factor is one. @default null */
  readonly credential?: string | null
  /** The last step that was used: of codes, or of the counter of a passkey. @default 0 */
  readonly step?: number
}

/** Digests of new recovery codes, by the factors that are there while no one else adds one; `null`: those of before stay. */
export type CodesAmong = (own: readonly StoredFactor[]) => readonly string[] | null

export type Unlinking = 'unlinked' | 'unknown' | 'last'
