import type { MaybePromise } from '../../contract/request.ts'
import type { FoundToken, StoredToken, TokenStore } from '../../contract/account-stores.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import { type Digest, safeEqual } from '../../std/crypto/digest.ts'
import { isPossibleKey } from './token-input.ts'
import type { TokenKeys } from './token-keys.ts'

interface OldTokensOptions {
  readonly store: TokenStore
  readonly keys: () => TokenKeys
  /** Receives the reason where a token could be used, but not be kept anew. */
  readonly onError: (error: unknown) => void
}

/**
 * Tokens that are kept in a way that is no longer used: under an older secret, or in clear as DRF does.
 * They work as before, and are kept as new ones are from their first use on.
 */
export class OldTokens {
  readonly #options: OldTokensOptions

  constructor(options: OldTokensOptions) {
    this.#options = options
  }

  /**
   * `null`: there is none either. One indexed look-up for each older secret and one for clear keys, and
   * none at all for what cannot be a key.
   */
  find(key: string): MaybePromise<FoundToken | null> {
    if (!isPossibleKey(key)) return null
    return this.#findUnder(this.#options.keys().earlier, key)
  }

  /**
   * The key of a token at rest.
   *
   * @throws ConfigurationError no secret that is known opens it
   */
  async open({ id, sealed, clearKey }: StoredToken, userId: number): Promise<string> {
    if (clearKey !== null) return this.#keep(id, userId, clearKey, clearKey)
    const opened = this.#options.keys().open(sealed ?? '', userId)
    if (opened === null) {
      throw new ConfigurationError(
        'This token was made under another SECRET_KEY and cannot be read. Say that key in SECRET_KEY_FALLBACKS, or make a new token with -r.',
      )
    }
    const { key, outdated } = opened
    return outdated === null ? key : this.#keep(id, userId, outdated, key)
  }

  #findUnder(
    [digestOf, ...others]: readonly Digest[],
    key: string,
  ): MaybePromise<FoundToken | null> {
    if (digestOf === undefined) return this.#findInClear(key)
    const digest = digestOf(key)
    return after(this.#options.store.byDigest(digest), (found) =>
      found === null
        ? this.#findUnder(others, key)
        : after(this.#keep(found.id, found.user.id, digest, key), () => found),
    )
  }

  #findInClear(key: string): MaybePromise<FoundToken | null> {
    const { store, keys } = this.#options
    const { digest } = keys()
    return after(store.byClearKey(key), (found) =>
      // A database may think that upper and lower case are the same.
      found === null || !safeEqual(digest(found.clearKey), digest(key))
        ? null
        : after(this.#keep(found.id, found.user.id, found.clearKey, key), () => found),
    )
  }

  /** In one statement, and only as long as the token is the one that was found: a revoked key stays dead. */
  #keep(id: number, userId: number, kept: string, key: string): MaybePromise<string> {
    const { store, keys, onError } = this.#options
    const failed = (error: unknown): string => {
      onError(error)
      return key
    }
    try {
      const written = store.reseal(id, kept, keys().seal(key, userId))
      return written instanceof Promise ? written.then(() => key, failed) : key
    } catch (error) {
      return failed(error)
    }
  }
}
