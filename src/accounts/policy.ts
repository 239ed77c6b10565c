import type { SessionSettings } from '../contract/sessions.ts'
import type { AccountEvents } from './events.ts'
import type { PasswordCost } from './passwords/argon2.ts'
import type { HashQueue } from './passwords/hash-queue.ts'
import type { VerifiedUsers } from './passwords/verified-users.ts'

/** How users, tokens and sessions are looked after. */
export interface AccountPolicy {
  /** What a password hash costs. @default argon2id with 19 MiB and 2 passes */
  readonly passwordCost?: PasswordCost
  /** How many passwords are hashed at a time, and how many wait; one queue may serve several accounts. */
  readonly hashQueue?: HashQueue
  /**
   * Milliseconds for which a password found right is not hashed again (I6); 0: always hash.
   *
   * @default 30000
   */
  readonly rememberPasswords?: number
  /** Makes an account for an unknown name from a web server in front (RU4). @default true */
  readonly createUnknownUser?: boolean
  /** Lets a user have more tokens than the usual one: named, with scopes and an expiry. @default false */
  readonly manyTokens?: boolean
  /**
   * Milliseconds for which the use of a token is noted once: in `lastUsed`, as an event and in the
   * log. 0: never.
   *
   * @default 300000
   */
  readonly noteTokenUse?: number
  /** The settings of cookies, when they are first needed. @default the defaults of the keys */
  readonly sessionSettings?: () => SessionSettings
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** What users, tokens and sessions of one service have in common. */
export interface AccountParts extends AccountPolicy {
  /** The service's secret, then the ones before it; read when first needed. */
  readonly secretKeys: () => readonly string[]
  readonly events: AccountEvents
  /** Knows by which hash users were let in. */
  readonly verified: VerifiedUsers
}
