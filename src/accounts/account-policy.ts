import type { StoredUser } from '../core/ports/account-stores.ts'
import type { SpentLink } from './tables/sql-store.ts'
import type { UserStore } from './tables/stores.ts'
import type { UserShape } from './user-shape.ts'
import type { User } from '../core/ports/credentials.ts'
import { secondsIn } from '../core/settings/rates.ts'
import type { SessionSettings } from '../core/ports/sessions.ts'
import { AuthenticationFailed } from '../core/errors/api-errors.ts'
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { NotMigrated } from '../core/errors/storage-errors.ts'
import type { MaybePromise } from '../core/std/after.ts'
import { type Digest, digestsUnder } from '../core/secrets/digest.ts'
import { Seal } from '../core/secrets/seal.ts'
import { LONGEST_SCOPES } from './account-input.ts'
import type { AccountEvents } from './events.ts'
import type { PasswordCost } from './passwords/argon2.ts'
import type { HashQueue } from './passwords/hash-queue.ts'
import { RANDOM_DIGITS } from './token-keys.ts'

/** How long refresh tokens and access tokens work. Each is a time such as `10 minutes` or `30d`, of 366 days at most. */
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

/** How users, tokens and sessions are looked after. */
export interface AccountPolicy {
  /** What a password hash costs. @default argon2id with 19 MiB and 2 passes */
  readonly passwordCost?: PasswordCost
  /** How many passwords are hashed at a time, and how many wait; one queue may serve several accounts. */
  readonly hashQueue?: HashQueue
  /** Milliseconds for which a right password is not hashed again (I6); 0: always. @default 30000 */
  readonly rememberPasswords?: number
  /** Makes an account for an unknown name from a web server in front (RU4). @default true */
  readonly createUnknownUser?: boolean
  /** Lets a user have more tokens than the usual one: named, with scopes and an expiry. @default false */
  readonly manyTokens?: boolean
  /**
   * What new keys begin with, so that scanners find one that was published: `acme` makes `acme_` with 27 random characters
   * and 6 of a checksum. One with the prefix and another checksum is refused without a look at the database. Two to six
   * small letters and digits. @default none: keys are 40 digits in base 16
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

/** What users, tokens and sessions of one service have in common. */
export interface AccountParts extends AccountPolicy {
  /** The current secret, then those before it. */
  readonly secretKeys: () => readonly string[]
  readonly events: AccountEvents
  readonly verified: VerifiedUsers
  readonly now: () => number
}

/** What users are looked after with. */
export interface UsersOptions<U extends User> extends AccountParts {
  readonly store: UserStore<U>
  readonly shape: UserShape
  /** Where the application asks for second factors. */
  readonly factors: () => { isRequired(user: User): Promise<boolean> } | null
  /** Are addresses proved by links? */
  readonly provesAddresses: () => boolean
  /** Done before `create` is over; what it throws comes out there, and the user exists. */
  onCreated?(user: U): MaybePromise<unknown>
  /** Done before `setPassword` is over; what it throws comes out there, and the password is changed. */
  readonly onPasswordChanged?: (user: User) => MaybePromise<unknown>
  /** Done before the `update` that deactivates is over. */
  readonly onDeactivated?: (user: User) => MaybePromise<unknown>
}

const LONGEST_GRACE = 60

/** In milliseconds. */
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

/** What a store has, in the order of its numbers; what comes meanwhile too. */
export async function* inPages<T extends { readonly id: number }>(
  after: (id: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let page = await after(0); page.length > 0; page = await after(page.at(-1)!.id)) yield* page
}

/** `email`: the address of the account when it was opened. */
interface UsedLink extends SpentLink {
  readonly email: string
}

/**
 * By which stored hash a password let a user in. A session or a token that begins with such a user begins
 * only while that hash is the stored one. So a changed password, once what there is has ended, ends
 * everything: nothing can begin by the old one afterwards.
 */
export class VerifiedUsers {
  readonly #store: UserStore
  readonly #events: AccountEvents
  readonly #hashes = new WeakMap<User, string>()
  readonly #links = new WeakMap<User, UsedLink>()

  constructor(store: UserStore, events: AccountEvents) {
    this.#store = store
    this.#events = events
  }

  add<U extends User>({ user, password }: StoredUser<U>): U {
    this.#hashes.set(user, password)
    return user
  }

  /** Whom a link proves, which ends with another address, too. */
  addByLink<U extends User>(stored: StoredUser<U>, link: SpentLink): U {
    this.#links.set(stored.user, { ...link, email: stored.user.email })
    return this.add(stored)
  }

  /** Which proved this user; `null`: none did. */
  linkOf(user: User): UsedLink | null {
    return this.#links.get(user) ?? null
  }

  /** `null`: no password let this user in. */
  hashOf(user: User): string | null {
    return this.#hashes.get(user) ?? null
  }

  /**
   * Asked after something was read that is to be given to this user, and before it is given: where the
   * hash is still the same, it was so when that was read, for no hash comes back (each has its own salt).
   */
  async check(user: User): Promise<void> {
    const hash = this.hashOf(user)
    if (hash === null) return
    const now = await this.#store.byId(user.id)
    if (now?.password !== hash || !now.user.isActive) throw this.refused(user)
  }

  /** The log states the reason, which the client does not get (I5). */
  refused({ username }: User): AuthenticationFailed {
    void this.#events.emit('login.failed', { username, reason: 'password' })
    return new AuthenticationFailed()
  }
}

/** Without a table for them there are none: `null`. @throws all else */
export function withoutTable(error: unknown): null {
  if (error instanceof NotMigrated && error.what === 'table') return null
  throw error
}

/** Digits of a number behind the handle: seconds since 1970, or how often the family was used. */
const NUMBER_DIGITS = 8
/** Of a tag of 16 bytes and so many more, in base64url. */
const sealedLength = (bytes: number): number => Math.ceil(((16 + bytes) * 4) / 3)
const SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS)
const LONGEST_SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS + LONGEST_SCOPES)
const VERSION = 'v1.'

/** `access` and `refresh` tokens: one opens no place of the other. */
const CONTEXTS = { at: 'access token', rt: 'refresh token' } as const

/** What is sealed in a token of either kind. */
export interface OpenedToken {
  /** What the family is found by, under the current secret and those before it. */
  readonly digests: readonly string[]
  readonly handle: string
  readonly number: number
  /** Those of this access token; `null`: those of the family. */
  readonly scopes: readonly string[] | null
}

/** Makes the tokens of families, and reads them: they are sealed by the secret of the service. */
export class FamilySeal {
  readonly #prefix: string
  readonly #secrets: () => readonly string[]
  readonly #seal: Seal
  #digests: readonly Digest[] | null = null

  constructor({ secretKeys, tokenPrefix }: Pick<AccountParts, 'secretKeys' | 'tokenPrefix'>) {
    this.#prefix = tokenPrefix ?? 'colophon'
    this.#secrets = () => requiredSecrets(secretKeys(), 'Refresh tokens are sealed with it')
    this.#seal = new Seal('tokens', this.#secrets)
  }

  sealed(
    kind: keyof typeof CONTEXTS,
    handle: string,
    number: number,
    scopes: OpenedToken['scopes'] = null,
  ): string {
    const digits = number.toString(36).padStart(NUMBER_DIGITS, '0')
    const text = `${handle}${digits}${scopes?.join(' ') ?? ''}`
    return `${this.#prefix}_${kind}_${this.#seal.seal(CONTEXTS[kind], text).slice(VERSION.length)}`
  }

  /** `null`: it was not made here, as this kind. */
  opened(kind: keyof typeof CONTEXTS, key: string): OpenedToken | null {
    const start = `${this.#prefix}_${kind}_`
    const length = key.length - start.length
    if (!key.startsWith(start) || length < SEALED || length > LONGEST_SEALED) return null
    const opened = this.#seal.open(CONTEXTS[kind], `${VERSION}${key.slice(start.length)}`)
    if (opened === null) return null
    const [handle, rest] = cutAt(opened.text, RANDOM_DIGITS)
    const [digits, scopes] = cutAt(rest, NUMBER_DIGITS)
    return {
      digests: this.digestsOf(handle),
      handle,
      number: Number.parseInt(digits, 36),
      scopes: scopes === '' ? null : scopes.split(' '),
    }
  }

  isAccess(key: string): boolean {
    return key.startsWith(`${this.#prefix}_at_`)
  }

  /** What they look like, as the text of a regular expression. */
  get pattern(): string {
    return `\\b${this.#prefix}_[ar]t_[\\w-]{${SEALED},}`
  }

  digestsOf(handle: string): readonly string[] {
    this.#digests ??= digestsUnder(this.#secrets(), 'family digest')
    return this.#digests.map((digestOf) => digestOf(handle))
  }
}

function cutAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at)]
}
