import type { Actor } from '../contract/events.ts'
import type { User } from '../contract/credentials.ts'
import type { Database } from '../contract/database.ts'
import type { Logger } from '../contract/kernel.ts'
import type { Seals } from '../contract/service-facts.ts'
import { NotMigrated } from '../errors/storage-errors.ts'
import type { MaybePromise } from '../std/after.ts'
import { Seal } from '../std/crypto/seal.ts'
import { type Stores, auditedStores } from './audited-stores.ts'
import { AccountEvents } from './events.ts'
import { HashQueue } from './passwords/hash-queue.ts'
import { type AccountPolicy, VerifiedUsers, requiredSecrets } from './parts.ts'
import { Sessions } from './sessions.ts'
import { SEALED_TOKENS, Tokens } from './tokens.ts'
import { Users } from './users.ts'

export interface AccountsOptions extends AccountPolicy {
  readonly database: Database
  /** Where to get the service's secret when it is first needed. */
  readonly secretKey: () => string
  /** Asked when a service with these accounts starts. @throws ConfigurationError it must not start */
  readonly check?: Accounts['check']
  /** Secrets that came before it: what is kept under them works, and is kept anew on its first use. */
  readonly secretKeyFallbacks?: () => readonly string[]
  /**
   * Done before `users.create` gives the user, such as making the token. What it throws
   * comes out there; the user exists then.
   *
   * @example
   * defineAccounts({ database, onUserCreated: (user, { tokens }) => tokens.obtain(user) })
   */
  readonly onUserCreated?: (user: User, accounts: Accounts) => MaybePromise<unknown>
  /** Ends all tokens of a user whose password is changed. DRF leaves them. @default false */
  readonly revokeTokensOnPasswordChange?: boolean
  /**
   * What the application uses beside users, where its endpoints do not show it: `colophon migrate` makes tables for
   * tokens and sessions where these are asked for before `serve` has made the application, as
   * `new TokenAuthentication(accounts)` does. @default none beside these
   */
  readonly uses?: readonly ('tokens' | 'sessions')[]
  /** Receives every event, in one record each. @default the logger of the application that has the accounts */
  readonly logger?: Logger
  /** Receives what went wrong while there is no logger. @default it is dropped */
  readonly onError?: Logger['error']
}

/** Users, and what they prove who they are with. */
export interface Accounts {
  readonly users: Users
  readonly tokens: Tokens
  readonly sessions: Sessions
  /** What happens to users, tokens and sessions. */
  readonly events: AccountEvents
  readonly database: Database
  /** Seals made from the same secrets, for other values that the service hands out and takes back. */
  readonly seals: Seals
  /**
   * The same accounts in the hands of someone: each change goes into the audit trail, `colophon_audit`, in the transaction
   * that makes it. Where the actor is a user, it goes no further than the rights of that user.
   *
   * @throws PermissionDenied (403) when something is done: a user who is no superuser changes staff or superusers other
   * than himself, or makes one
   * @throws Conflict (409) a user deactivates the own account, or the last active member of staff
   * @example
   * await accounts.by({ user: request.user, requestId: request.id }).tokens.revoke(alice, 'ci')
   */
  by(actor: Actor): Accounts
  /**
   * Asked when a service starts.
   *
   * @throws ConfigurationError it must not: there is no secret, or in production one that could be guessed
   */
  check(service?: { readonly production: boolean }): void
}

/** The accounts that a database keeps. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { database, check = () => {}, now = Date.now } = options
  const secretKeys = () => [options.secretKey(), ...(options.secretKeyFallbacks?.() ?? [])]
  const events = new AccountEvents(options)
  const verified = new VerifiedUsers(database.users, events)
  const hashQueue = options.hashQueue ?? new HashQueue()
  const parts = { ...options, hashQueue, secretKeys, events, verified, now }
  const seals = new Seal('texts', () => requiredSecrets(secretKeys(), SEALED_TOKENS))
  const over = (stores: Stores): Accounts => {
    // Made when they are asked for: their tables are made where an application uses them.
    let [tokens, sessions]: [Tokens?, Sessions?] = []
    const users = new Users({
      ...parts,
      store: stores.users,
      onCreated: (user) => options.onUserCreated?.(user, own),
      async onPasswordChanged(user) {
        await endAll(() => own.sessions.endAllOf(user))
        if (options.revokeTokensOnPasswordChange) await endAll(() => own.tokens.revokeAll(user))
      },
    })
    const own: Accounts = {
      users,
      get tokens() {
        return (tokens ??= new Tokens({ ...parts, store: stores.tokens }))
      },
      get sessions() {
        const { users: owners } = database
        return (sessions ??= new Sessions({ ...parts, store: stores.sessions, users: owners }))
      },
      by: (actor) => over(auditedStores(database, actor, now)),
      events,
      database,
      seals,
      check,
    }
    return own
  }
  const accounts = over(database)
  for (const part of options.uses ?? []) void accounts[part]
  return accounts
}

/** Without a table for them there are none. */
async function endAll(end: () => Promise<unknown>): Promise<void> {
  try {
    await end()
  } catch (error) {
    if (!(error instanceof NotMigrated && error.what === 'table')) throw error
  }
}
