import type { Factor, FamilyEnd, TokenFamily } from './account-stores.ts'
import type { Subject, TokenFacts, User } from './credentials.ts'
import type { MaybePromise } from '../std/after.ts'
import type { CsrfRefusal } from './sessions.ts'

/** Why credentials were refused: for the log, never for the client (I5). */
export type LoginRefusal =
  | 'unknown'
  | 'inactive'
  | 'password'
  /** The password was right, and the code of the second factor wrong; or a passkey did not fit. */
  | 'factor'
  /** A passkey counted no further than before: the device that it is on may have been copied. */
  | 'counter'
  /** The stored hash is of a kind or cost that is not checked here, or its package is missing. */
  | 'unreadable'

/** The events of accounts, with facts for listeners, none of which is secret. */
export interface AccountEventTypes {
  /** A user logged in, and a session began. Passwords and tokens that go with each request do not count. */
  'login.succeeded': { readonly user: User }
  /**
   * A user name and a password were refused, and the name is as it was typed, cut to 150 characters; or a provider let in someone
   * who has no account, whose name is then that of issuer and subject, or an inactive one.
   */
  'login.failed': { readonly username: string; readonly reason: LoginRefusal }
  'token.created': { readonly user: User; readonly token: TokenFacts }
  /** The first use of a token in a while, as `noteTokenUse` defines it. Not in the log. */
  'token.used': { readonly user: User; readonly token: TokenFacts }
  /** The owner or an operator revoked the token; replacing a token revokes it too. */
  'token.revoked': { readonly user: User; readonly token: TokenFacts }
  /** Unknown tokens are reported once a second at most, with their number. */
  'token.refused':
    | { readonly reason: 'inactive' | 'expired'; readonly user: User; readonly token: TokenFacts }
    | { readonly reason: 'unknown'; readonly count: number }
  /** A scanner found a key in public, at this address (`''`: not known); it is dead by now, with its family where it has one. */
  'token.leaked': {
    readonly user: User
    readonly url: string
    readonly token?: TokenFacts
    readonly family?: TokenFamily
  }
  /** A client got a refresh token. */
  'family.begun': { readonly user: User; readonly family: TokenFamily }
  /** A family ended early, with all of its tokens. With `reused`, someone else may have its refresh token. */
  'family.ended': {
    readonly user: User
    readonly family: TokenFamily
    readonly reason: FamilyEnd
  }
  'csrf.refused': CsrfRefusal
  /** A user can log in with a provider, under this name there. */
  'identity.linked': { readonly user: User } & Subject
  'identity.unlinked': { readonly user: User } & Subject
  /** A link was sent to the address of the user: `kind` says what for. */
  'link.sent': { readonly user: User; readonly kind: string }
  /** From now on, the user has this second factor beside the password. */
  'factor.added': { readonly user: User } & Pick<Factor, 'kind' | 'name'>
  'factor.removed': { readonly user: User } & Pick<Factor, 'kind' | 'name'>
  /**
   * The password or the provider's answer was right, and a code was asked for. If no log-in follows, the password may be
   * stolen.
   */
  'factor.asked': { readonly user: User }
  /** A recovery code let the user in; `left` codes remain. */
  'recovery_code.used': { readonly user: User; readonly left: number }
  'user.created': { readonly user: User }
  'user.password_changed': { readonly user: User }
  'user.deactivated': { readonly user: User }
  /** The user has proved an address: `user.email` is the one before. */
  'user.email_confirmed': { readonly user: User; readonly email: string }
  'user.deleted': { readonly user: User }
}

/** Names of events: `token.created`. */
export type AccountEventName = keyof AccountEventTypes

/** The person who changes accounts at the machine of the service, rather than by a request. */
export interface Operator {
  /** Name of the account in the operating system. */
  readonly systemUser: string
  /** The command without its arguments: `token create`. */
  readonly command: string
}

/** Receives events, on the command line with the operator. What it throws goes to the log and does no other harm. */
export type AccountListener<N extends AccountEventName = AccountEventName> = (
  event: AccountEventTypes[N] & {
    readonly type: N
    readonly at: Date
    readonly operator?: Operator
  },
) => MaybePromise<void>

/** The person who changes accounts: a user by a request, or an operator at the machine of the service. */
export interface Actor {
  /** The user who makes the change; `null`: no user of the service, as on the command line. */
  readonly user: Pick<User, 'id' | 'username'> | null
  /** `null` or absent: the change came by a request. */
  readonly operator?: Operator | null
  /** `X-Request-Id` of the request. */
  readonly requestId?: string
}

/** The changes of accounts in the audit trail. */
export type AuditAction =
  | 'user.created'
  | 'user.changed'
  | 'user.activated'
  | 'user.deactivated'
  | 'user.password_changed'
  | 'user.deleted'
  /** A link that proves an address, or sets a password, was made by `accounts.by(actor).links`. */
  | 'link.made'
  | 'token.created'
  /** The token has another name or another expiry. An old key gets another expiry for the time in which both keys work. */
  | 'token.changed'
  /** The token has a new key, and the old key no longer works. */
  | 'token.rotated'
  | 'token.revoked'
  /** The token is revoked, because a scanner found its key in public. */
  | 'token.leaked'
  /** The key of a token that was there already was given away. */
  | 'token.shown'
  | 'sessions.ended'
  | 'family.begun'
  | 'family.ended'
  | 'identity.linked'
  | 'identity.unlinked'
  | 'factor.added'
  | 'factor.removed'
  | 'recovery_codes.made'
  | 'recovery_code.used'

/** The facts of a change; none of them is secret. */
export type AuditDetails = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>

/** A change, as the audit trail keeps it. */
export interface AuditEntry {
  readonly action: AuditAction
  /** The user whose account was changed; the name is kept as it was then. */
  readonly subject: Pick<User, 'id' | 'username'>
  /** Name of the token; `''`: the usual one, `null`: it is about none. */
  readonly token: string | null
  readonly details: AuditDetails
}

/** Keeps the actions of users. Entries are added, and never changed. */
export interface AuditStore {
  insert(at: Date, actor: Actor, entry: AuditEntry): Promise<void>
}
