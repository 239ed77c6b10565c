import type {
  Token,
  TokenFacts,
  TokenIssuer,
  TokenVerifier,
  User,
} from '../../contract/credentials.ts'
import type { MaybePromise } from '../../contract/request.ts'
import type { FoundToken, NewToken, TokenStore } from '../../contract/account-stores.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { randomToken } from '../../std/crypto/random.ts'
import { Seldom } from '../../std/seldom.ts'
import type { AccountEvents } from '../events.ts'
import type { VerifiedUsers } from '../passwords/verified-users.ts'
import { requireSecret } from '../secret-key.ts'
import { AccessToken, factsOf } from './access-token.ts'
import { OldTokens } from './old-tokens.ts'
import {
  type ImportedToken,
  type NamedTokenInput,
  checkedKey,
  checkedTokenInput,
} from './token-input.ts'
import { TokenKeys } from './token-keys.ts'
import { TokenUse } from './token-use.ts'

const REMEMBERED = 4096
const LONGEST_REMEMBERED = 128
const KEY_BYTES = 20
const FIVE_MINUTES = 300_000
/** What the secret is for, where it is missing. */
export const SEALED_TOKENS = 'Tokens are sealed with it'

/** How tokens are handed out and looked after. */
export interface TokenPolicy {
  /** Lets a user have more tokens than the usual one: named, with scopes and an expiry. @default false */
  readonly manyTokens?: boolean
  /**
   * Milliseconds for which the use of a token is noted once: in `lastUsed`, as an event and in the
   * log. 0: never.
   *
   * @default 300000
   */
  readonly noteTokenUse?: number
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** What tokens are kept in and sealed with. */
interface TokensOptions extends TokenPolicy {
  readonly store: TokenStore
  /** The service's secret, then the ones before it; read when first needed. */
  readonly secretKeys: () => readonly string[]
  readonly events: AccountEvents
  /** Knows by which hash users were let in. */
  readonly verified: VerifiedUsers
}

/** Tokens: one for each user, and named ones beside it. Keys are readable through the service and useless in its database. */
export class Tokens implements TokenVerifier, TokenIssuer {
  readonly #options: TokensOptions
  readonly #store: TokenStore
  readonly #events: AccountEvents
  readonly #verified: VerifiedUsers
  readonly #now: () => number
  readonly #old: OldTokens
  readonly #use: TokenUse
  /** A flood of guesses becomes a line a second. */
  readonly #guesses = new Seldom(1000)
  /** Saves the digest, not the answer: the database is asked on every call, so a revoked key is dead at once. */
  readonly #digests = new BoundedMap<string, string>(REMEMBERED)
  #made: TokenKeys | null = null

  constructor(options: TokensOptions) {
    const { store, events, verified, noteTokenUse = FIVE_MINUTES, now = Date.now } = options
    this.#options = options
    this.#store = store
    this.#events = events
    this.#verified = verified
    this.#now = now
    this.#use = new TokenUse({ store, events, every: noteTokenUse, now })
    const onError = (error: unknown): void => events.error('token.not_kept_anew', error)
    this.#old = new OldTokens({ store, keys: () => this.#keys, onError })
  }

  /** `null`: no such key, or it has expired. The user may be inactive. */
  verify(key: string): MaybePromise<Token | null> {
    const digest = this.#digests.get(key) ?? this.#keys.digest(key)
    return after(this.#store.byDigest(digest), (found) => this.#judge(key, digest, found))
  }

  /**
   * The usual token of a user: the same on every call, made on the first.
   *
   * @throws AuthenticationFailed (401) the password that let this user in is another one by now; so does
   * everything here that gives a key
   */
  async obtain(user: User): Promise<Token> {
    const stored = await this.#store.ofUser(user.id, '')
    // Another one may have been faster: then there is a token now.
    if (stored === null) return (await this.create(user)) ?? this.obtain(user)
    const key = await this.#old.open(stored, user.id)
    await this.#verified.check(user)
    return new AccessToken(key, user, stored)
  }

  /** Makes the usual token of a user who has none. `false`: there was one. */
  async ensure(user: User): Promise<boolean> {
    if ((await this.#store.ofUser(user.id, '')) !== null) return false
    return (await this.create(user)) !== null
  }

  /**
   * Makes the usual token of a user who has none; `null` where there is one already (K5). `key` may be
   * any text of 1 to 40 characters (K3); without it the key is made of 20 random bytes (K2).
   */
  async create(user: User, key: string = generateKey()): Promise<Token | null> {
    return this.#insert(user, checkedKey(key), this.#usual())
  }

  /**
   * Makes a token with a name, beside the usual one; `null` where the user has one of that name.
   *
   * @example
   * const week = new Date(Date.now() + 7 * 86_400_000)
   * const token = await accounts.tokens.issue(alice, { name: 'ci', scopes: ['read'], expires: week })
   *
   * @throws ConfigurationError `manyTokens` is not on
   * @throws InvalidAccount (400) name, scopes or expiry cannot be kept
   */
  async issue(user: User, input: NamedTokenInput): Promise<Token | null> {
    this.#allowNames()
    const created = new Date(this.#now())
    return this.#insert(user, generateKey(), {
      ...checkedTokenInput(input),
      created,
      lastUsed: null,
    })
  }

  /**
   * Takes a token over from elsewhere, such as the table of DRF; it is sealed at once. `null` where the
   * user has one of that name; without a name it is the usual one.
   *
   * @throws RangeError the key has more than 40 characters, or none
   */
  async import(user: User, { key, created, ...named }: ImportedToken): Promise<Token | null> {
    const usual = { ...this.#usual(), ...(created === undefined ? {} : { created }) }
    if (named.name === undefined) return this.#insert(user, checkedKey(key), usual)
    this.#allowNames()
    const input = checkedTokenInput({ ...named, name: named.name })
    return this.#insert(user, checkedKey(key), { ...usual, ...input })
  }

  /** A new usual token in place of the one the user has, which is dead at once (K42). */
  async regenerate(user: User): Promise<Token> {
    const [key, facts] = [generateKey(), this.#usual()]
    const replaced = await this.#store.replace(user.id, this.#sealed(key, user, facts))
    if (replaced) await this.#events.emit('token.revoked', { user, token: facts })
    await this.#verified.check(user)
    return this.#created(key, user, facts)
  }

  /** A new key for a token, which keeps its name, scopes and expiry; the old key is dead at once. `null`: no such token. */
  async rotate(user: User, name = ''): Promise<Token | null> {
    const stored = await this.#store.ofUser(user.id, name)
    if (stored === null) return null
    const [key, created] = [generateKey(), new Date(this.#now())]
    const sealed = this.#keys.seal(key, user.id)
    if (!(await this.#store.rekey(user.id, name, sealed, created))) return null
    await this.#events.emit('token.revoked', { user, token: factsOf(stored) })
    await this.#verified.check(user)
    return this.#created(key, user, { ...factsOf(stored), created, lastUsed: null })
  }

  /** Without a name the usual one. `false`: there was none. */
  async revoke(user: User, name = ''): Promise<boolean> {
    const stored = await this.#store.ofUser(user.id, name)
    if (stored === null || !(await this.#store.delete(user.id, name))) return false
    await this.#events.emit('token.revoked', { user, token: factsOf(stored) })
    return true
  }

  /** Every token of a user; how many there were. */
  async revokeAll(user: User): Promise<number> {
    let revoked = 0
    for (const { name } of await this.of(user)) if (await this.revoke(user, name)) revoked++
    return revoked
  }

  /** The tokens of a user, by name, without their keys. */
  async of(user: User): Promise<readonly TokenFacts[]> {
    return (await this.#store.allOf(user.id)).map(factsOf)
  }

  /** The tokens of all users, in the order in which they were first made, without their keys. */
  async *all(): AsyncGenerator<TokenFacts & { readonly user: User }> {
    let last = 0
    for (;;) {
      const page = await this.#store.after(last)
      if (page.length === 0) return
      for (const token of page) yield { ...factsOf(token), user: token.user }
      last = page.at(-1)!.id
    }
  }

  get #keys(): TokenKeys {
    return (this.#made ??= new TokenKeys(requireSecret(this.#options.secretKeys(), SEALED_TOKENS)))
  }

  #judge(key: string, digest: string, found: FoundToken | null): MaybePromise<Token | null> {
    if (found === null) {
      return after(this.#old.find(key), (old) =>
        old === null ? this.#unknown() : this.#accept(key, old),
      )
    }
    // Only keys that exist: no flood of guesses pushes them out.
    if (key.length <= LONGEST_REMEMBERED) this.#digests.set(key, digest)
    return this.#accept(key, found)
  }

  #accept(key: string, found: FoundToken): Token | null {
    const isOver = found.expires !== null && found.expires.getTime() <= this.#now()
    if (found.user.isActive && !isOver) this.#use.note(found)
    else {
      const reason = isOver ? 'expired' : 'inactive'
      const facts = { reason, user: found.user, token: factsOf(found) } as const
      void this.#events.emit('token.refused', facts)
    }
    return isOver ? null : new AccessToken(key, found.user, found)
  }

  #unknown(): null {
    const count = this.#guesses.count()
    if (count !== null) void this.#events.emit('token.refused', { reason: 'unknown', count })
    return null
  }

  async #insert(user: User, key: string, facts: TokenFacts): Promise<Token | null> {
    const [token, hash] = [this.#sealed(key, user, facts), this.#verified.hashOf(user)]
    if (await this.#store.insert(user.id, token, hash)) return this.#created(key, user, facts)
    await this.#verified.check(user)
    return null
  }

  async #created(key: string, user: User, facts: TokenFacts): Promise<Token> {
    await this.#events.emit('token.created', { user, token: factsOf(facts) })
    return new AccessToken(key, user, facts)
  }

  #usual(): TokenFacts {
    return {
      name: '',
      scopes: null,
      created: new Date(this.#now()),
      expires: null,
      lastUsed: null,
    }
  }

  #sealed(key: string, user: User, facts: TokenFacts): NewToken {
    return { ...this.#keys.seal(key, user.id), ...facts }
  }

  #allowNames(): void {
    if (this.#options.manyTokens) return
    throw new ConfigurationError(
      'Users have one token each here. Say manyTokens: true in defineAccounts for tokens with names.',
    )
  }
}

function generateKey(): string {
  return randomToken(KEY_BYTES, 'hex')
}
