import type { FoundToken, SealedKey, StoredToken, TokenStore } from '../contract/account-stores.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type MaybePromise, after } from '../std/after.ts'
import { type Digest, digestsUnder, safeEqual } from '../std/crypto/digest.ts'
import { Seal } from '../std/crypto/seal.ts'
import { isPossibleKey } from './account-input.ts'

interface TokenKeysOptions {
  /** The current secret, then those before it. */
  readonly secrets: readonly string[]
  readonly store: TokenStore
  /** Receives the reason where a token could be used, but not be kept anew. */
  readonly onError: (error: unknown) => void
}

/**
 * How the keys of tokens are kept (I3): a keyed digest finds them, a sealed text shows them again. Both
 * are made under the service's secret, so that the database alone gives no token away. Keys that are kept
 * in an older way, under an older secret or in clear as DRF does, work as before, and are kept as new ones
 * are from their first use on.
 */
export class TokenKeys {
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

  /** An indexed look-up for each older secret and for clear keys; none for what cannot be a key. */
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
    try {
      const written = store.reseal(id, kept, this.seal(key, userId))
      return written instanceof Promise ? written.catch(onError) : written
    } catch (error) {
      return onError(error)
    }
  }
}

/** A sealed token that was copied to another user opens no more. */
function contextOf(userId: number): string {
  return `token of user ${userId}`
}
