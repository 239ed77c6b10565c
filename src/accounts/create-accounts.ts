import type { Actor } from '../core/ports/events.ts'
import type { User } from '../core/ports/credentials.ts'
import type { Logger } from '../core/ports/kernel.ts'
import type { Gauge, Seals } from '../core/ports/service-facts.ts'
import type { MaybePromise } from '../core/std/after.ts'
import { lazily, lazyMembers } from '../core/std/once.ts'
import { Seal } from '../core/secrets/seal.ts'
import { auditedStores } from './audited-stores.ts'
import { AccountEvents, HeldEvents } from './events.ts'
import { Factors } from './factors.ts'
import { TokenFamilies } from './families.ts'
import { Identities } from './identities.ts'
import { AccountLinks } from './links.ts'
import { HashQueue } from './passwords/hash-queue.ts'
import {
  type AccountPolicy,
  type AccountParts,
  requiredSecrets,
  withoutTable,
} from './account-policy.ts'
import { Sessions } from './sessions.ts'
import type { ColumnDefinition } from '../storage/sql/migrations/column-kinds.ts'
import { type AccountLists, accountLists } from './tables/account-lists.ts'
import { type AccountsDatabase, type Stores, type UserStore, storesOf } from './tables/stores.ts'
import { checkedPrefix } from './token-keys.ts'
import { SEALED_TOKENS, Tokens } from './tokens.ts'
import {
  type AccountUser,
  type UserColumns,
  type UserDeclarations,
  UserShape,
} from './user-shape.ts'
import { Users } from './users.ts'
import { VerifiedUsers } from './verified-users.ts'

export interface AccountsOptions<Role extends string = never, C extends UserColumns = {}>
  extends AccountPolicy, UserDeclarations<Role, C> {
  readonly database: AccountsDatabase
  /** Reads the service's secret on first use. */
  readonly secretKey: () => string
  /** Asked when a service with these accounts starts. @throws ConfigurationError it must not start */
  readonly check?: Accounts['check']
  /** Former secrets: data sealed with them stays valid, and is sealed with the new one on first use. */
  readonly secretKeyFallbacks?: () => readonly string[]
  /**
   * Done before `users.create` gives the user, such as making the token. What it throws
   * comes out there; the user exists then.
   *
   * @example
   * defineAccounts({ database, onUserCreated: (user, { tokens }) => tokens.obtain(user) })
   */
  readonly onUserCreated?: (
    user: AccountUser<Role, C>,
    accounts: Accounts<AccountUser<Role, C>>,
  ) => MaybePromise<unknown>
  /** Ends all tokens of a user whose password is changed. DRF leaves them. @default false */
  readonly revokeTokensOnPasswordChange?: boolean
  /**
   * The parts that the application uses beside users, if its endpoints do not show them: `colophon migrate` makes tables for
   * tokens, sessions and identities if these are asked for before `serve` has made the application, as
   * `new TokenAuthentication(accounts)` does. @default none beside these
   */
  readonly uses?: readonly ('tokens' | 'sessions' | 'identities' | 'factors')[]
  /** Receives every event, in one record each. @default the logger of the application that has the accounts */
  readonly logger?: Logger
  /** Receives what went wrong while there is no logger. @default it is dropped */
  readonly onError?: Logger['error']
}

/** Users, and their proofs of identity. */
export interface Accounts<U extends User = User> {
  readonly users: Users<U>
  readonly tokens: Tokens<U>
  readonly sessions: Sessions<U>
  /** Links to identities at providers. */
  readonly identities: Identities<U>
  /** Links by mail, which prove that someone has an address. */
  readonly links: AccountLinks<U>
  /** Second factors beside the password, for `secondFactors` of `colophon/factors`. */
  readonly factors: Factors<U>
  /** Refresh tokens, with `refreshTokens`. */
  readonly families: TokenFamilies<U>
  /** The roles that the application declares for users. */
  readonly roles: readonly string[]
  readonly columns: Readonly<Record<string, ColumnDefinition>>
  /** The declared columns whose values appear in no list, no page of the administration and no audit entry. */
  readonly secretColumns: ReadonlySet<string>
  /** Type only. */
  readonly '~user'?: U
  /** Events of users, tokens and sessions. */
  readonly events: AccountEvents
  readonly database: AccountsDatabase
  /**
   * The users, tokens, sessions and the audit trail as sources of lists, without anything that is secret.
   *
   * @throws ConfigurationError the database speaks no SQL
   * @example api.endpoint('staff', { permissions: [new IsAdminUser()] }).get(list({ source: accounts.lists.users }))
   */
  readonly lists: AccountLists
  /** Seals made from the same secrets, for other values that the service hands out and takes back. */
  readonly seals: Seals
  /**
   * The same accounts, acting as `actor`: every change is written to the audit trail, `colophon_audit`, in the same
   * transaction. An actor that is a user cannot exceed the rights of that user.
   *
   * @throws PermissionDenied (403) by a method: a user who is not a superuser changes another member of staff or another
   * superuser, or creates one
   * @throws Conflict (409) a user deactivates their own account, or no active member of staff would be left
   * @example
   * await accounts.by({ user: request.user, requestId: request.id }).tokens.revoke(alice, 'ci')
   */
  by(actor: Actor): Accounts<U>
  /**
   * Asked when a service starts.
   *
   * @throws ConfigurationError it must not: there is no secret, or in production one that could be guessed
   */
  check(service?: { readonly production: boolean }): void
  /** A sentence about the declared columns that the database lacks; `null`: it has all. */
  lacks(): Promise<string | null>
  /** The passwords that are being hashed, and that wait; for metrics. */
  gauges(): readonly Gauge[]
}

type MadeLater = 'tokens' | 'sessions' | 'identities' | 'links' | 'factors' | 'families' | 'lists'

/** The accounts that a database keeps. */
export function createAccounts<const Role extends string = never, C extends UserColumns = {}>(
  options: AccountsOptions<Role, C>,
  given?: Stores,
): Accounts<AccountUser<Role, C>> {
  const { database, now = Date.now } = options
  const secretKeys = () => [options.secretKey(), ...(options.secretKeyFallbacks?.() ?? [])]
  const events = new AccountEvents(options)
  const shape = new UserShape(options, (role) => events.undeclared(role))
  const plain = given ?? storesOf(database, shape)
  const verified = new VerifiedUsers(plain.users, events)
  const hashQueue = options.hashQueue ?? new HashQueue()
  checkedPrefix(options.tokenPrefix)
  const common = { ...options, hashQueue, secretKeys, events, verified, now, shape }
  const seals = new Seal('texts', () => requiredSecrets(secretKeys(), SEALED_TOKENS))
  const lists = lazily(() => accountLists(database, shape))
  const accounts = accountsOver(plain, { common, plain, seals, lists, asksForFactors: false })
  for (const part of options.uses ?? []) void accounts[part]
  if (options.uses?.includes('factors')) accounts.factors.enforce()
  if (options.refreshTokens !== undefined) void accounts.families
  return accounts
}

/** The common parts of the same accounts with and without an actor. */
interface Shared<U extends User> {
  readonly common: Omit<AccountsOptions, 'onUserCreated' | keyof UserDeclarations<never, {}>> &
    AccountParts & { readonly hashQueue: HashQueue; readonly shape: UserShape } & {
      readonly onUserCreated?: (user: U, accounts: Accounts<U>) => unknown
    }
  readonly plain: Stores
  readonly seals: Seals
  readonly lists: () => AccountLists
  asksForFactors: boolean
}

/** The accounts in plain stores, or in stores that note who acts. */
function accountsOver<U extends User>(stores: Stores, shared: Shared<U>): Accounts<U> {
  const { common, plain, seals, lists } = shared
  const { database, shape, events, hashQueue, now, check = () => {} } = common
  const { users } = plain
  // Their tables are made where an application uses them.
  const parts = lazyMembers<Pick<Accounts<U>, MadeLater>>({
    tokens() {
      const families = common.refreshTokens === undefined ? null : () => own.families
      return new Tokens({ ...common, store: stores.tokens, families })
    },
    sessions: () => new Sessions({ ...common, store: stores.sessions, users }),
    identities: () => new Identities({ ...common, store: stores.identities }),
    links() {
      database.uses?.('addresses')
      return new AccountLinks({ ...common, seals, store: stores.users as UserStore<U> })
    },
    factors() {
      const onEnforced = () => void (shared.asksForFactors = true)
      return new Factors({ ...common, store: stores.factors, users, onEnforced })
    },
    families: () => new TokenFamilies({ ...common, store: stores.families }),
    lists,
  })
  const own: Accounts<U> = Object.assign(parts, {
    users: usersOver(stores, shared, () => own),
    roles: shape.roles,
    columns: shape.own,
    secretColumns: shape.secrets,
    by(actor: Actor) {
      return accountsOver(auditedStores({ database, plain, shape, now }, actor), shared)
    },
    events,
    gauges: () => hashQueue.gauges(),
    database,
    seals,
    check,
    lacks: () => shape.lacks(database),
  })
  return own
}

/** @param own gives the accounts that the users are part of */
function usersOver<U extends User>(stores: Stores, shared: Shared<U>, own: () => Accounts<U>) {
  const { common } = shared
  return new Users<U>({
    ...common,
    store: stores.users as UserStore<U>,
    onCreated: (user) => common.onUserCreated?.(user, own()),
    factors: () => (shared.asksForFactors ? own().factors : null),
    async ending(user, why, change) {
      const parts = await partsThatEnd(user, why, shared)
      let events = new HeldEvents(common.events)
      const isChanged = await change(async (inside) => {
        // The transaction may be tried more than once.
        events = new HeldEvents(common.events)
        const there = accountsOver<U>(inside, { ...shared, common: { ...common, events } })
        for (const end of parts) await end(there)
      })
      await events.tell()
      return isChanged
    },
  })
}

/** How each part of a user ends; a part whose table has not been made is left out, because its failure would end a transaction. */
async function partsThatEnd<U extends User>(
  user: User,
  why: 'password' | 'deactivation',
  { common, plain, asksForFactors }: Shared<U>,
) {
  const isPassword = why === 'password'
  const parts: ((there: Accounts<U>) => Promise<unknown>)[] = []
  if (await isMade(() => plain.sessions.byDigest('')))
    parts.push(({ sessions }) => sessions.endAllOf(user))
  if (await isMade(() => plain.families.ofUser(user.id)))
    parts.push(({ families }) => families.endAll(user))
  if (isPassword && asksForFactors) parts.push(({ factors }) => factors.forgetDevices(user))
  const endsTokens = isPassword && common.revokeTokensOnPasswordChange
  if (endsTokens && (await isMade(() => plain.tokens.ofUser(user.id, ''))))
    parts.push(({ tokens }) => tokens.revokeAll(user))
  return parts
}

/** Is the table there that `ask` reads? */
async function isMade(ask: () => unknown): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    withoutTable(error)
    return false
  }
}
