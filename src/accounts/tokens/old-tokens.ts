import { timingSafeEqual } from 'node:crypto'
import type { MaybePromise } from '../../contract/request.ts'
import type { FoundToken, StoredToken, TokenStore } from '../../contract/storage.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import type { KeyRing } from './key-ring.ts'
import { isPossibleKey } from './token-input.ts'

interface OldTokensOptions {
  readonly store: TokenStore
  readonly ring: () => KeyRing
  /** Told where a token could be used, but not kept anew. */
  readonly onError: (error: unknown) => void
}

/**
 * Tokens that are kept as nobody keeps them any more: under an older secret, or in clear as DRF does.
 * They work as before, and are kept as new ones are from their first use on.
 */
export class OldTokens {
  readonly #store: TokenStore
  readonly #ring: () => KeyRing
  readonly #onError: (error: unknown) => void

  constructor({ store, ring, onError }: OldTokensOptions) {
    this.#store = store
    this.#ring = ring
    this.#onError = onError
  }

  /**
   * `null`: there is none either. One indexed look-up for each older secret and one for clear keys, and
   * none at all for what cannot be a key.
   */
  find(key: string): MaybePromise<FoundToken | null> {
    if (!isPossibleKey(key)) return null
    return after(this.#underOlder(key, 0), (found) => found ?? this.#inClear(key))
  }

  /**
   * The key of a token at rest.
   *
   * @throws ConfigurationError no secret that is known opens it
   */
  async open({ id, sealed, clearKey }: StoredToken, userId: number): Promise<string> {
    if (clearKey !== null) return this.#keep(id, userId, clearKey, clearKey)
    const { current, older } = this.#ring()
    const key = current.unseal(sealed ?? '', userId)
    if (key !== null) return key
    for (const secrets of older) {
      const opened = secrets.unseal(sealed ?? '', userId)
      if (opened !== null) return this.#keep(id, userId, secrets.digest(opened), opened)
    }
    throw new ConfigurationError(
      'This token was made under another SECRET_KEY and cannot be read. Say that key in SECRET_KEY_FALLBACKS, or make a new token with -r.',
    )
  }

  #underOlder(key: string, at: number): MaybePromise<FoundToken | null> {
    const secrets = this.#ring().older[at]
    if (secrets === undefined) return null
    const digest = secrets.digest(key)
    return after(this.#store.byDigest(digest), (found) =>
      found === null
        ? this.#underOlder(key, at + 1)
        : after(this.#keep(found.id, found.user.id, digest, key), () => found),
    )
  }

  #inClear(key: string): MaybePromise<FoundToken | null> {
    return after(this.#store.byClearKey(key), (found) =>
      // A database may think that upper and lower case are the same.
      found === null || !this.#isSame(found.clearKey, key)
        ? null
        : after(this.#keep(found.id, found.user.id, found.clearKey, key), () => found),
    )
  }

  #isSame(one: string, other: string): boolean {
    const { digest } = this.#ring().current
    return timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)))
  }

  /** In one statement, and only as long as the token is the one that was found: a revoked key stays dead. */
  #keep(id: number, userId: number, kept: string, key: string): MaybePromise<string> {
    const done = (): string => key
    try {
      const written = this.#store.reseal(id, kept, this.#ring().current.seal(key, userId))
      if (!(written instanceof Promise)) return key
      return written.then(done, (error: unknown) => {
        this.#onError(error)
        return key
      })
    } catch (error) {
      this.#onError(error)
      return key
    }
  }
}
