import type { Ends, UserStore } from './tables/stores.ts'
import type { UserShape } from './user-shape.ts'
import type { User } from '../core/ports/credentials.ts'
import { secondsIn } from '../core/settings/rates.ts'
import type { SessionSettings } from '../core/ports/sessions.ts'
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { NotMigrated } from '../core/errors/storage-errors.ts'
import type { MaybePromise } from '../core/std/after.ts'
import type { AccountEvents } from './events.ts'
import type { PasswordCost } from './passwords/argon2.ts'
import type { HashQueue } from './passwords/hash-queue.ts'
import type { VerifiedUsers } from './verified-users.ts'

/** The lives of refresh tokens and access tokens. Each is a time such as `10 minutes` or `30d`, of 366 days at most. */
export interface RefreshPolicy {
  /** An access token works for so long. @default '10 minutes' */
  readonly access?: string
  /** A family that was not used for so long is over. @default '30 days' */
  readonly idle?: string
  /** A family is over in any case after so long: its user logs in again. @default '90 days' */
  readonly absolute?: string
  /**
   * A spent refresh token gets the one that came of it once more for so long, if that was not used yet: for clients that
   * lost an answer. One minute at most.
   *
   * @default none: a spent refresh token that comes back ends its family
   */
  readonly grace?: string
}

/** The rules for users, tokens and sessions. */
export interface AccountPolicy {
  /** The cost of a password hash. @default argon2id with 19 MiB and 2 passes */
  readonly passwordCost?: PasswordCost
  /** The number of passwords that are hashed at a time, and that wait; one queue may serve several accounts. */
  readonly hashQueue?: HashQueue
  /** Milliseconds for which a right password is not hashed again (I6); 0: always. @default 30000 */
  readonly rememberPasswords?: number
  /** Makes an account for an unknown name from a web server in front (RU4). @default true */
  readonly createUnknownUser?: boolean
  /** Lets a user have more tokens than the usual one: named, with scopes and an expiry. @default false */
  readonly manyTokens?: boolean
  /**
   * The prefix of new keys, so that scanners find a published one: `acme` makes `acme_` with 27 random characters and 6 of a
   * checksum. A key with the prefix and a wrong checksum is refused without a look at the database. Two to six small letters
   * and digits. @default none: keys are 40 digits in base 16
   */
  readonly tokenPrefix?: string | null
  /**
   * Clients may log in to get refresh tokens: `obtainTokenPair`. Every process that serves these accounts needs it, also
   * one that only checks access tokens.
   *
   * @default none: there are no refresh tokens
   */
  readonly refreshTokens?: RefreshPolicy
  /** Milliseconds in which `lastUsed` and events note a use once; 0: never. @default 300000 */
  readonly noteTokenUse?: number
  /** The settings of cookies, when they are first needed. @default the defaults of the keys */
  readonly sessionSettings?: () => SessionSettings
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** The common parts of the users, tokens and sessions of a service. */
export interface AccountParts extends AccountPolicy {
  /** The current secret, then those before it. */
  readonly secretKeys: () => readonly string[]
  readonly events: AccountEvents
  readonly verified: VerifiedUsers
  readonly now: () => number
}

/** The parts of `Users`. */
export interface UsersOptions<U extends User> extends AccountParts {
  readonly store: UserStore<U>
  readonly shape: UserShape
  /** The second factors, if the application asks for them. */
  readonly factors: () => { isRequired(user: User): Promise<boolean> } | null
  /** Runs before `create` ends, which passes its errors on; the user exists nevertheless. */
  onCreated?(user: U): MaybePromise<unknown>
  /** Makes a change together with the end of all that it ends. Where `change` gives `false`, nothing ends. */
  readonly ending: (
    user: User,
    why: 'password' | 'deactivation',
    change: (ends: Ends) => Promise<boolean>,
  ) => Promise<boolean>
}

const LONGEST_GRACE = 60

/** The times in milliseconds. */
export type RefreshTimes = Readonly<Record<keyof RefreshPolicy, number>>

const USUAL = { access: '10 minutes', idle: '30 days', absolute: '90 days' }

/** @throws ConfigurationError there are none, or one of them is no time */
export function refreshTimes(policy: RefreshPolicy | undefined): RefreshTimes {
  if (policy === undefined)
    throw new ConfigurationError(
      'There are no refresh tokens here. Say refreshTokens: {} in defineAccounts for those of the usual times.',
    )
  const read = (name: keyof RefreshPolicy, text: string): number => {
    const seconds = secondsIn(text)
    if (seconds === null || (name === 'grace' && seconds > LONGEST_GRACE))
      throw wrong(name, text, `Write a time such as "${name === 'grace' ? '5s' : '10 minutes'}".`)
    return seconds * 1000
  }
  const { access, idle, absolute } = { ...USUAL, ...policy }
  const times = { access: read('access', access), idle: read('idle', idle) }
  const all = { ...times, absolute: read('absolute', absolute) }
  if (all.access > all.idle) throw wrong('idle', idle, 'An access token must not outlive a family.')
  if (all.idle > all.absolute)
    throw wrong('absolute', absolute, 'It must not be shorter than "idle".')
  return { ...all, grace: policy.grace === undefined ? 0 : read('grace', policy.grace) }
}

function wrong(name: string, text: string, hint: string): ConfigurationError {
  const given = JSON.stringify(text)
  return new ConfigurationError(`defineAccounts: "${name}" of refreshTokens is ${given}. ${hint}`)
}

/** @throws ConfigurationError there is no current secret: keys under an empty one could be made by anyone */
export function requiredSecrets(secrets: readonly string[], use: string): readonly string[] {
  if (secrets[0]) return secrets
  throw new ConfigurationError(
    `SECRET_KEY is missing. ${use}: set it to a long random text, and keep it.`,
  )
}

/** All rows of a store by their numbers, page after page, including rows that are added meanwhile. */
export async function* inPages<T extends { readonly id: number }>(
  after: (id: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let page = await after(0); page.length > 0; page = await after(page.at(-1)!.id)) yield* page
}

/** For `catch`: a missing table has no rows. @throws every other error */
export function withoutTable(error: unknown): null {
  if (error instanceof NotMigrated && error.what === 'table') return null
  throw error
}
