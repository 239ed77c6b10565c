import { ConfigurationError } from '../core/errors/configuration-error.ts'
import type {
  FamilyEnd,
  FoundToken,
  SealedKey,
  StoredToken,
  TokenFamily,
} from '../core/ports/account-stores.ts'
import type { TokenStore } from './tables/stores.ts'
import type {
  Token,
  TokenFacts,
  TokenIssuer,
  TokenVerifier,
  User,
} from '../core/ports/credentials.ts'
import { type Digest, digestsUnder, safeEqual } from '../core/secrets/digest.ts'
import { randomToken } from '../core/secrets/keys.ts'
import { Seal } from '../core/secrets/seal.ts'
import { after, type MaybePromise, recoverFrom } from '../core/std/after.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { LogLimiter } from '../core/std/log-limiter.ts'
import { checkedTokenInput, type ImportedToken, type NamedTokenInput } from './account-input.ts'
import { type AccountParts, inPages, requiredSecrets } from './account-policy.ts'
import {
  checkedKey,
  checkedPrefix,
  isForgedKey,
  isPossibleKey,
  newKey,
  patternOfKeys,
} from './token-keys.ts'
import { type UserShape, heldTo } from './user-shape.ts'

const REMEMBERED = 4096
/** Bytes that remembered digests may hold together: those of about 25,900 keys of 40 characters. */
const DIGESTS = 8 * 1024 * 1024
/** Bytes that the map needs for an entry beside its two texts. */
const ENTRY = 180
const LONGEST_REMEMBERED = 128
const FIVE_MINUTES = 300_000
/** Milliseconds for which notes of use are collected. */
const COLLECTED = 1000
const AT_A_TIME = 500
export const SEALED_TOKENS = 'Tokens are sealed with it'

/** The part of token families that tokens need. */
interface Families extends TokenVerifier {
  readonly pattern: string
  isAccess(key: string): boolean
  made(key: string): boolean
  endBy(
    key: string,
    reason: FamilyEnd,
  ): Promise<{ readonly user: User; readonly family: TokenFamily } | null>
}

interface TokensParts extends AccountParts {
  readonly shape: UserShape
  readonly store: TokenStore
  /** `null`: the accounts have no families, and so no access tokens of families. */
  readonly families: (() => Families) | null
}

/** Tokens: one for each user, and named ones beside it. Keys are readable through the service and useless in its database. */
export class Tokens<U extends User = User> implements TokenVerifier<U>, TokenIssuer {
  readonly #parts: TokensParts
  /** A flood of guesses becomes a line a second. */
  readonly #guesses = new LogLimiter(1000)
  /** Saves the digest, not the answer: the database is asked on every call, so a revoked key is dead at once. */
  readonly #digests = new BoundedMap<string, string>(Infinity, {
    most: DIGESTS,
    of: (key, digest) => ENTRY + 2 * key.length + digest.length,
  })
  /** When tokens were noted as used, also where that could not be written. */
  readonly #noted = new BoundedMap<number, number>(REMEMBERED)
  #unwritten: number[] = []
  #made: TokenKeys | null = null

  readonly #prefix: string | null

  constructor(parts: TokensParts) {
    this.#parts = parts
    this.#prefix = checkedPrefix(parts.tokenPrefix)
  }

  /**
   * The form of new keys, for scanners of secrets (`tokenPrefix`), and of tokens of families. `null`: they look like other
   * texts.
   *
   * @example accounts.tokens.pattern // /\bacme_[0-9A-Za-z]{33}\b/g
   */
  get pattern(): RegExp | null {
    const [keys, families] = [patternOfKeys(this.#prefix), this.#parts.families?.().pattern]
    if (families === undefined) return keys
    return new RegExp(keys === null ? families : `${keys.source}|${families}`, 'g')
  }

  /** Are there tokens with names beside the usual one (`manyTokens`)? */
  get areMany(): boolean {
    return this.#parts.manyTokens ?? false
  }

  /** `null`: there is no such key, or it has expired. The user may be inactive. */
  verify(key: string): MaybePromise<Token<U> | null> {
    // The stores read users as the application declares them.
    return this.#verify(key) as MaybePromise<Token<U> | null>
  }

  wasMade(key: string): boolean {
    return this.#parts.families?.().made(key) ?? false
  }

  #verify(key: string): MaybePromise<Token | null> {
    const families = this.#parts.families?.()
    if (families?.isAccess(key)) return families.verify(key)
    const known = this.#digests.get(key)
    if (known === undefined && isForgedKey(key, this.#prefix)) return this.#judge(key, null)
    const digest = known ?? this.#keys.digest(key)
    return after(this.#parts.store.byDigest(digest), (found) => {
      if (found === null) return after(this.#keys.findOld(key), (old) => this.#judge(key, old))
      // Only keys that exist: no flood of guesses pushes them out.
      if (known === undefined && key.length <= LONGEST_REMEMBERED) this.#digests.set(key, digest)
      return this.#judge(key, found)
    })
  }

  /**
   * The usual token of a user: the same on every call, made on the first.
   *
   * @throws AuthenticationFailed (401) the password that let this user in is another one by now; so does
   * everything here that gives a key
   */
  async obtain(user: User): Promise<Token> {
    const stored = await this.#parts.store.ofUser(user.id, '')
    // Another one may have been faster: then there is a token now.
    if (stored === null) return (await this.create(user)) ?? this.obtain(user)
    const key = await this.#keys.read(stored, user.id)
    await this.#parts.verified.check(user)
    await this.#parts.store.shown?.(user.id, '')
    return new AccessToken(key, user, stored)
  }

  /** Makes the usual token of a user without one. `false`: it existed. */
  async ensure(user: User): Promise<boolean> {
    const stored = await this.#parts.store.ofUser(user.id, '')
    return stored === null && (await this.create(user)) !== null
  }

  /**
   * Makes the usual token of a user who has none; `null` where there is one already (K5). `key` may be
   * any text of 1 to 40 characters (K3); without it the key is made of 20 random bytes (K2).
   */
  async create(user: User, key: string = newKey(this.#prefix)): Promise<Token | null> {
    return this.#insert(user, checkedKey(key, this.#prefix), this.#usual())
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
    return this.#insert(user, newKey(this.#prefix), this.#named(input))
  }

  /**
   * Imports a token from elsewhere, such as the table of DRF; it is sealed at once. `null` where the
   * user has one of that name; without a name it is the usual one.
   *
   * @throws RangeError the key has more than 40 characters, or none
   */
  async import(user: User, token: ImportedToken): Promise<Token | null> {
    const { key, created, name, ...rest } = token
    const facts = name === undefined ? this.#usual() : this.#named({ name, ...rest })
    return this.#insert(user, checkedKey(key, this.#prefix), {
      ...facts,
      created: created ?? facts.created,
    })
  }

  /** A new usual token in place of the one the user has, which is dead at once (K42). */
  async regenerate(user: User): Promise<Token> {
    await this.#parts.verified.check(user)
    const old = await this.#parts.store.ofUser(user.id, '')
    const [key, facts] = [newKey(this.#prefix), this.#usual()]
    const token = { ...this.#keys.seal(key, user.id), ...facts }
    if (await this.#parts.store.replace(user.id, token))
      await this.#parts.events.emit('token.revoked', { user, token: factsOf(old ?? facts) })
    await this.#parts.verified.check(user)
    return this.#created(key, user, facts)
  }

  /**
   * A new key for a token, which keeps its name, scopes and expiry; the old key stops working at once, or after
   * `overlap` milliseconds, so that clients can change over. Until then it is a token of its own, under the name with
   * `replaced`, the time and some random characters behind it. `null`: there is no such token.
   *
   * @example
   * const token = await accounts.tokens.rotate(alice, 'ci', { overlap: 24 * 3_600_000 })
   *
   * @throws ConfigurationError there is an `overlap`, and `manyTokens` is not on
   */
  async rotate(
    user: User,
    name = '',
    { overlap = 0 }: { readonly overlap?: number | undefined } = {},
  ): Promise<Token | null> {
    const stored = await this.#parts.store.ofUser(user.id, name)
    if (stored === null) return null
    await this.#parts.verified.check(user)
    const created = new Date(this.#parts.now())
    const facts = { ...factsOf(stored), created, lastUsed: null }
    if (overlap > 0) return this.#replaceLater(user, stored, overlap, facts)
    const key = newKey(this.#prefix)
    const sealed = this.#keys.seal(key, user.id)
    if (!(await this.#parts.store.rekey(user.id, name, sealed, created))) return null
    await this.#parts.events.emit('token.revoked', { user, token: factsOf(stored) })
    await this.#parts.verified.check(user)
    return this.#created(key, user, facts)
  }

  /** The old token makes room first, so that its key works all the time; if no new token is made, it comes back. */
  async #replaceLater(
    user: User,
    { name, expires }: StoredToken,
    overlap: number,
    facts: TokenFacts,
  ): Promise<Token | null> {
    this.#requireMany()
    const { store } = this.#parts
    const { created } = facts
    const until = new Date(Math.min(created.getTime() + overlap, expires?.getTime() ?? Infinity))
    const mark = `replaced ${created.toISOString()} ${randomToken(3, 'hex')}`
    const replaced = `${name.slice(0, 59)} ${mark}`.trim()
    if (!(await store.rename(user.id, name, { name: replaced, expires: until }))) return null
    let made: Token | null = null
    try {
      return (made = await this.#insert(user, newKey(this.#prefix), facts))
    } finally {
      if (made === null) await store.rename(user.id, replaced, { name, expires })
    }
  }

  /** Without a name the usual one. `false`: there was none. */
  async revoke(user: User, name = ''): Promise<boolean> {
    const stored = await this.#parts.store.ofUser(user.id, name)
    if (stored === null || !(await this.#parts.store.delete(user.id, name))) return false
    await this.#parts.events.emit('token.revoked', { user, token: factsOf(stored) })
    return true
  }

  /**
   * Ends a token whose key was found in public, at `url`, and its family where it has one. `isOurs`: the key was made here,
   * as far as a key shows that. `user`: the owner; `null`: there was no such token.
   */
  async leaked(key: string, url = ''): Promise<{ isOurs: boolean; user: User | null }> {
    const families = this.#parts.families?.()
    if (families?.made(key)) {
      const ended = await families.endBy(key, 'leaked')
      if (ended !== null) await this.#parts.events.emit('token.leaked', { ...ended, url })
      return { isOurs: true, user: ended?.user ?? null }
    }
    if (isForgedKey(key, this.#prefix)) return { isOurs: false, user: null }
    const { store, events } = this.#parts
    const found = (await store.byDigest(this.#keys.digest(key))) ?? (await this.#keys.findOld(key))
    const isOurs = found !== null || (this.#prefix !== null && key.startsWith(`${this.#prefix}_`))
    if (found === null || !(await store.delete(found.user.id, found.name, url)))
      return { isOurs, user: null }
    const { user } = found
    await events.emit('token.leaked', { user, token: factsOf(found), url })
    return { isOurs, user }
  }

  /** Deletes the tokens with these numbers (`colophon_token.id`), all or none; returns how many there were. */
  async revokeMany(ids: readonly number[]): Promise<number> {
    const revoked = await this.#parts.store.deleteAll(ids)
    for (const { user, ...token } of revoked)
      await this.#parts.events.emit('token.revoked', { user, token: factsOf(token) })
    return revoked.length
  }

  /** Deletes every token of a user; returns how many there were. */
  async revokeAll(user: User): Promise<number> {
    let revoked = 0
    for (const { name } of await this.of(user)) if (await this.revoke(user, name)) revoked++
    return revoked
  }

  /** The user as requests by this token see them: with scopes, it leaves the roles that these name, as `role:doctor`. */
  heldTo<Owner extends User>(user: Owner, { scopes = null }: Pick<Token, 'scopes'>): Owner {
    return scopes === null ? user : heldTo(user, scopes)
  }

  /** The tokens of a user, by name, without their keys. */
  async of(user: User): Promise<readonly TokenFacts[]> {
    return (await this.#parts.store.allOf(user.id)).map(factsOf)
  }

  /** The tokens of all users, in the order in which they were first made, without their keys. */
  async *all(): AsyncGenerator<TokenFacts & { readonly user: User }> {
    for await (const token of inPages((last) => this.#parts.store.after(last)))
      yield { ...factsOf(token), user: token.user }
  }

  get #keys(): TokenKeys {
    if (this.#made !== null) return this.#made
    const secrets = requiredSecrets(this.#parts.secretKeys(), SEALED_TOKENS)
    const onError = (error: unknown): void => this.#parts.events.error('token.not_kept_anew', error)
    return (this.#made = new TokenKeys({ secrets, store: this.#parts.store, onError }))
  }

  #judge(key: string, found: FoundToken | null): Token | null {
    if (found === null) {
      const count = this.#guesses.count()
      if (count !== null)
        void this.#parts.events.emit('token.refused', { reason: 'unknown', count })
      return null
    }
    const { user, expires } = found
    const isOver = expires !== null && expires.getTime() <= this.#parts.now()
    if (user.isActive && !isOver) this.#noteUse(found)
    else {
      const reason = isOver ? 'expired' : 'inactive'
      void this.#parts.events.emit('token.refused', { reason, user, token: factsOf(found) })
    }
    return isOver ? null : new AccessToken(key, this.heldTo(user, found), found)
  }

  /**
   * Collects notes of use, which are written together after a second; a note that is lost with the process is made at the
   * next use.
   */
  #noteUse(token: FoundToken): void {
    const { noteTokenUse: every = FIVE_MINUTES } = this.#parts
    if (every <= 0) return
    const now = this.#parts.now()
    // The clock may have been set back: a time that lies far ahead is not recent either.
    const isRecent = (time: number): boolean => Math.abs(now - time) < every
    if (token.lastUsed !== null && isRecent(token.lastUsed.getTime())) return
    if (isRecent(this.#noted.get(token.id) ?? -Infinity)) return
    this.#noted.set(token.id, now)
    // The timer keeps no process alive.
    if (this.#unwritten.length === 0) setTimeout(() => void this.#writeUses(), COLLECTED).unref()
    this.#unwritten.push(token.id)
    void this.#parts.events.emit('token.used', { user: token.user, token: factsOf(token) })
  }

  async #writeUses(): Promise<void> {
    const [ids, at] = [this.#unwritten, new Date(this.#parts.now())]
    this.#unwritten = []
    try {
      for (let from = 0; from < ids.length; from += AT_A_TIME) {
        await this.#parts.store.used(ids.slice(from, from + AT_A_TIME), at)
      }
    } catch (error) {
      // No request depends on it; the database may just have been closed.
      this.#parts.events.info('token.use_not_noted', error)
    }
  }

  async #insert(user: User, key: string, facts: TokenFacts): Promise<Token | null> {
    const token = { ...this.#keys.seal(key, user.id), ...facts }
    const { store, verified } = this.#parts
    if (await store.insert(user.id, token, verified.hashOf(user)))
      return this.#created(key, user, facts)
    await verified.check(user)
    return null
  }

  async #created(key: string, user: User, facts: TokenFacts): Promise<Token> {
    await this.#parts.events.emit('token.created', { user, token: factsOf(facts) })
    return new AccessToken(key, user, facts)
  }

  #usual(): TokenFacts {
    const created = new Date(this.#parts.now())
    return { name: '', scopes: null, created, expires: null, lastUsed: null }
  }

  #named(input: NamedTokenInput): TokenFacts {
    this.#requireMany()
    const checked = checkedTokenInput(input)
    this.#parts.shape.checkScopes(checked.scopes)
    return { ...this.#usual(), ...checked }
  }

  #requireMany(): void {
    if (this.#parts.manyTokens) return
    throw new ConfigurationError(
      'Users have one token each here. Say manyTokens: true in defineAccounts for tokens with names.',
    )
  }
}

/** A token whose key comes out by `.key` only: JSON shows `[secret]`, and inspection does not see it at all. */
export class AccessToken implements Token, TokenFacts {
  readonly #key: string
  readonly user: User
  readonly name: string
  readonly scopes: readonly string[] | null
  readonly created: Date
  readonly expires: Date | null
  readonly lastUsed: Date | null
  declare readonly family?: number

  /** `family`: the family of an access token. */
  constructor(key: string, user: User, facts: TokenFacts, family?: number) {
    this.#key = key
    this.user = user
    this.name = facts.name
    this.scopes = facts.scopes
    this.created = facts.created
    this.expires = facts.expires
    this.lastUsed = facts.lastUsed
    if (family !== undefined) this.family = family
  }

  get key(): string {
    return this.#key
  }

  toJSON(): object {
    return { key: '[secret]', user: this.user.username, ...factsOf(this) }
  }
}

/** A client's tokens. They are read only by name: JSON and inspection do not show them. */
export class TokenPair<U extends User = User> {
  readonly #access: Token<U>
  readonly #refresh: string
  readonly #now: number
  readonly family: TokenFamily

  constructor(access: Token<U>, refresh: string, family: TokenFamily, now: number) {
    this.#access = access
    this.#refresh = refresh
    this.#now = now
    this.family = family
  }

  get access(): string {
    return this.#access.key
  }

  get refresh(): string {
    return this.#refresh
  }

  /** The answer of an authorization server (RFC 6749, 5.1), with both tokens. */
  get answer(): TokenAnswer {
    const { scopes, expires } = this.#access
    const expires_in = Math.floor((expires!.getTime() - this.#now) / 1000)
    const tokens = { access_token: this.access, refresh_token: this.refresh }
    const scope = scopes == null ? {} : { scope: scopes.join(' ') }
    return { ...tokens, token_type: 'Bearer', expires_in, ...scope }
  }

  toJSON(): object {
    return { access: '[secret]', refresh: '[secret]', family: this.family }
  }
}

/** The answer to a client (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  /** Seconds for which the access token works. */
  readonly expires_in: number
  /** Words with spaces between them; absent: everything that the user may do. */
  readonly scope?: string
}

/** Everything but its key and its owner. */
function factsOf({ name, scopes, created, expires, lastUsed }: TokenFacts): TokenFacts {
  return { name, scopes, created, expires, lastUsed }
}

interface TokenKeysOptions {
  /** The current secret, then those before it. */
  readonly secrets: readonly string[]
  readonly store: TokenStore
  /** Receives the reason where a token could be used, but not be kept anew. */
  readonly onError: (error: unknown) => void
}

/**
 * The stored form of tokens' keys (I3): a keyed digest finds them, a sealed text shows them again. Both are made under the
 * service's secret, so that the database alone gives no token away. Keys in an older form, under an older secret or in clear as
 * in DRF, work as before, and get the new form on their first use.
 */
class TokenKeys {
  /** Under the current secret. */
  readonly digest: Digest
  readonly #earlier: readonly Digest[]
  readonly #seal: Seal
  readonly #options: TokenKeysOptions

  constructor(options: TokenKeysOptions) {
    const [digest, ...earlier] = digestsUnder(options.secrets, 'token digest')
    this.digest = digest!
    this.#earlier = earlier
    this.#seal = new Seal('tokens', () => options.secrets)
    this.#options = options
  }

  seal(key: string, userId: number): SealedKey {
    return { digest: this.digest(key), sealed: this.#seal.seal(contextOf(userId), key) }
  }

  /**
   * `null`: it was sealed under another secret, or for another user, or it was changed. `outdated`: what
   * it is found by, where that is not its digest under the current secret.
   */
  open(sealed: string, userId: number): { key: string; outdated: string | null } | null {
    const opened = this.#seal.open(contextOf(userId), sealed)
    if (opened === null) return null
    const { text: key, secret } = opened
    return { key, outdated: secret === 0 ? null : this.#earlier[secret - 1]!(key) }
  }

  /** The key of a token at rest. @throws ConfigurationError no secret that is known opens it */
  async read({ id, sealed, clearKey }: StoredToken, userId: number): Promise<string> {
    const opened =
      clearKey === null ? this.open(sealed ?? '', userId) : { key: clearKey, outdated: clearKey }
    if (opened === null) {
      throw new ConfigurationError(
        'This token was made under another SECRET_KEY and cannot be read. Say that key in SECRET_KEY_FALLBACKS, or make a new token with -r.',
      )
    }
    const { key, outdated } = opened
    if (outdated !== null) await this.#keep(id, userId, outdated, key)
    return key
  }

  /**
   * Looks a key up under each older secret, and in clear, by an index each time. A text that cannot be a key is not looked
   * up.
   */
  findOld(key: string): MaybePromise<FoundToken | null> {
    return isPossibleKey(key) ? this.#findUnder(this.#earlier, key) : null
  }

  #findUnder([digest, ...others]: readonly Digest[], key: string): MaybePromise<FoundToken | null> {
    if (digest === undefined) return this.#findInClear(key)
    const kept = digest(key)
    return after(this.#options.store.byDigest(kept), (found) =>
      found === null ? this.#findUnder(others, key) : this.#renewed(found, kept, key),
    )
  }

  #findInClear(key: string): MaybePromise<FoundToken | null> {
    return after(this.#options.store.byClearKey(key), (found) =>
      // A database may think that upper and lower case are the same.
      found === null || !safeEqual(this.digest(found.clearKey), this.digest(key))
        ? null
        : this.#renewed(found, found.clearKey, key),
    )
  }

  #renewed(found: FoundToken, kept: string, key: string): MaybePromise<FoundToken> {
    return after(this.#keep(found.id, found.user.id, kept, key), () => found)
  }

  /** In one statement, and only as long as the token is the one that was found: a revoked key stays dead. */
  #keep(id: number, userId: number, kept: string, key: string): MaybePromise<unknown> {
    const { store, onError } = this.#options
    return recoverFrom(() => store.reseal(id, kept, this.seal(key, userId)), onError)
  }
}

/** A sealed token that was copied to another user opens no more. */
function contextOf(userId: number): string {
  return `token of user ${userId}`
}
