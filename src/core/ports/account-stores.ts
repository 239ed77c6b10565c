import type { MaybePromise } from '../std/after.ts'
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
  /** Kept with the user, or not at all. */
  readonly identity?: Subject | undefined
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

/**
 * What a client got at a log-in, and all that came of it: its refresh token of now, and the access tokens that were made by
 * the refresh tokens before. It ends as one.
 */
export interface TokenFamily {
  readonly id: number
  /** The device, as the client calls it. */
  readonly label: string
  /** `null`: everything that its user may do. */
  readonly scopes: readonly string[] | null
  readonly created: Date
  /** When a refresh token of it was used last; `null`: not yet. */
  readonly lastUsed: Date | null
  /** It ends then, if it is not used before. */
  readonly expires: Date
  /** It ends then in any case. */
  readonly ends: Date
}

/** Why a family ended: someone ended it, a spent refresh token came back, or a scanner found one of its tokens. */
export type FamilyEnd = 'revoked' | 'reused' | 'leaked'

export interface NewFamily extends Omit<TokenFamily, 'id' | 'lastUsed'> {
  /** What it is found by. */
  readonly digest: string
}

/** With its owner as the owner is now. */
export interface FoundFamily extends TokenFamily {
  readonly user: User
  /** How often its refresh token was used: the one of now has this number. */
  readonly generation: number
}

/** What the use of a refresh token changes. */
export interface FamilyStep extends Pick<TokenFamily, 'expires'> {
  readonly digest: string
  readonly lastUsed: Date
}

export interface FamilyStore {
  byDigest(digest: string): MaybePromise<FoundFamily | null>
  /** In the order in which they began. */
  ofUser(userId: number): Promise<readonly TokenFamily[]>
  /** `false`: the user has another hash than `password`, is not active, or is gone. */
  insert(userId: number, family: NewFamily, password: string | null): Promise<boolean>
  /** Spends the refresh token of this number: of many at the same moment, one does. `false`: it is spent. */
  step(id: number, generation: number, step: FamilyStep): Promise<boolean>
  /** `userId`: whose it must be. `false`: it has ended. */
  end(userId: number, family: TokenFamily, reason: FamilyEnd): Promise<boolean>
  /** All of a user: how many. */
  endOfUser(userId: number): Promise<number>
  /** Forgets those that are over; how many there were. */
  deleteExpired(now: Date): Promise<number>
}

/** A way to log in with a provider: a user, as the provider knows them. */
export interface LinkedIdentity extends Subject {
  readonly id: number
  readonly created: Date
  /** `null`: not yet. */
  readonly lastUsed: Date | null
}

export interface IdentityStore {
  bySubject(
    issuer: string,
    subject: string,
  ): Promise<(LinkedIdentity & { readonly user: User }) | null>
  /** In the order in which they were linked. */
  ofUser(userId: number): Promise<readonly LinkedIdentity[]>
  /** `false`: it is linked to a user already. */
  insert(userId: number, subject: Subject, created: Date): Promise<boolean>
  used(id: number, at: Date): Promise<boolean>
  /** `last`: the user would have no way left to log in, and `evenLast` is `false`. */
  unlink(userId: number, identity: LinkedIdentity, evenLast: boolean): Promise<Unlinking>
  delete(id: number): Promise<boolean>
}

/** What else a user proves who they are with. An `unconfirmed` one counts for nothing yet. */
export type FactorKind = 'totp' | 'passkey' | 'unconfirmed' | 'recovery_code' | 'device'

/** A second factor of a user, a recovery code, or a device that need not prove it again: nothing secret. */
export interface Factor {
  readonly id: number
  readonly kind: FactorKind
  /** What its user calls it. */
  readonly name: string
  readonly created: Date
  /** `null`: not yet. */
  readonly lastUsed: Date | null
}

/** A passkey, as its user's device made it: nothing secret. */
export interface Passkey {
  /** In base64url, as is the key. */
  readonly credentialId: string
  /** As COSE has it (RFC 9052). */
  readonly publicKey: string
  /** What the user is called by on the device, in base64url. */
  readonly handle: string
  /** How a browser reaches it: `internal`, `usb` … */
  readonly transports: readonly string[]
}

export interface StoredFactor extends Factor, NewFactor {}

export interface NewFactor extends Pick<Factor, 'kind' | 'name'> {
  /** What it is found by; `null`: it is not looked for. */
  readonly digest: string | null
  readonly sealed: string | null
  /** Of a passkey, as JSON. @default null */
  readonly credential?: string | null
  /** The last one that was used, of codes or of the counter of a passkey. @default 0 */
  readonly step?: number
}

export interface FactorStore {
  /** In the order in which they were made. */
  ofUser(userId: number): Promise<readonly StoredFactor[]>
  /** Whose the passkey with this digest is; `null`: it is not there. */
  ownerOf(digest: string): Promise<number | null>
  insert(userId: number, factor: NewFactor, created: Date): Promise<void>
  /**
   * The same in place of those of the user that `instead` chooses. It may throw: nothing is changed then. With `codes`, these
   * are the recovery codes. Gives what is kept now.
   */
  replace(
    userId: number,
    factor: NewFactor,
    created: Date,
    instead: (own: readonly StoredFactor[]) => readonly StoredFactor[],
    codes?: readonly string[] | null,
  ): Promise<StoredFactor>
  /**
   * Uses it at a step behind every one before, and keeps it under this seal. `false`: that one, or a later one, was used. A
   * step of 0 follows itself: what counts nothing stays at it.
   */
  accept(id: number, step: number, sealed: string | null, at: Date): Promise<boolean>
  /** From now on it counts. With `codes`, these are the recovery codes. `false`: there is no such unconfirmed one. */
  confirm(
    userId: number,
    factor: Factor,
    step: number,
    codes: readonly string[] | null,
    at: Date,
  ): Promise<boolean>
  replaceCodes(userId: number, digests: readonly string[], at: Date): Promise<void>
  /** `false`: it is there no more, or no unconfirmed one. */
  activate(userId: number, id: number, step: number, at: number): Promise<boolean>
  /** Takes one away, and no other: of many at the same moment, one does. */
  drop(userId: number, id: number): Promise<boolean>
  /** Without the last factor, recovery codes and devices go too. `false`: there is no such one. */
  delete(userId: number, factor: Factor): Promise<boolean>
  /** All of a user: how many. */
  deleteAll(userId: number, kind?: FactorKind): Promise<number>
}

export type Unlinking = 'unlinked' | 'unknown' | 'last'
