import { randomBytes } from 'node:crypto'
import type { Token, TokenIssuer, TokenVerifier, User } from '../contract/credentials.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { StoredToken, TokenStore } from '../contract/storage.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { AccessToken } from './access-token.ts'
import { TokenSecrets } from './token-secrets.ts'

const REMEMBERED = 4096
const LONGEST_REMEMBERED = 128
const LONGEST_KEY = 40
const KEY_BYTES = 20

/** What tokens are kept in and sealed with. */
export interface TokensOptions {
  readonly store: TokenStore
  /** The service's secret, read when first needed. */
  readonly secretKey: () => string
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Tokens, at most one for each user. Keys are readable through the service and useless in its database. */
export class Tokens implements TokenVerifier, TokenIssuer {
  readonly #store: TokenStore
  readonly #secretKey: () => string
  readonly #now: () => number
  /** Saves the digest, not the answer: the database is asked on every call, so a revoked key is dead at once. */
  readonly #digests = new BoundedMap<string, string>(REMEMBERED)
  #made: TokenSecrets | null = null

  constructor({ store, secretKey, now = Date.now }: TokensOptions) {
    this.#store = store
    this.#secretKey = secretKey
    this.#now = now
  }

  /** `null`: no such key. The user may be inactive. */
  verify(key: string): MaybePromise<Token | null> {
    const digest = this.#digests.get(key) ?? this.#secrets.digest(key)
    const found = this.#store.byDigest(digest)
    return found instanceof Promise
      ? found.then((owner) => this.#toToken(key, digest, owner))
      : this.#toToken(key, digest, found)
  }

  /** The token of a user: the same on every call, made on the first. */
  async obtain(user: User): Promise<Token> {
    const stored = await this.#store.ofUser(user.id)
    if (stored !== null) return this.#opened(stored, user)
    // Another one may have been faster: then there is a token now.
    return (await this.create(user)) ?? this.obtain(user)
  }

  /**
   * Makes the token of a user who has none; `null` where there is one already (K5). `key` may be any
   * text of 1 to 40 characters (K3); without it the key is made of 20 random bytes (K2).
   */
  async create(user: User, key: string = generateKey()): Promise<Token | null> {
    if (key === '' || key.length > LONGEST_KEY) {
      throw new RangeError(`A token key has between 1 and ${LONGEST_KEY} characters.`)
    }
    const token = this.#sealed(key, user)
    const inserted = await this.#store.insert(user.id, token)
    return inserted ? new AccessToken(key, user, token.created) : null
  }

  /** A new token in place of the one the user has, which is dead at once (K42). */
  async regenerate(user: User): Promise<Token> {
    const key = generateKey()
    const token = this.#sealed(key, user)
    await this.#store.replace(user.id, token)
    return new AccessToken(key, user, token.created)
  }

  /** `false`: there was none. */
  async revoke(user: User): Promise<boolean> {
    return this.#store.delete(user.id)
  }

  get #secrets(): TokenSecrets {
    return (this.#made ??= new TokenSecrets(nonEmpty(this.#secretKey())))
  }

  #toToken(
    key: string,
    digest: string,
    owner: { readonly user: User; readonly created: Date } | null,
  ): Token | null {
    if (owner === null) return null
    // Only keys that exist: no flood of guesses pushes them out.
    if (key.length <= LONGEST_REMEMBERED) this.#digests.set(key, digest)
    return new AccessToken(key, owner.user, owner.created)
  }

  #sealed(key: string, user: User): StoredToken {
    const { digest, sealed } = {
      digest: this.#secrets.digest(key),
      sealed: this.#secrets.seal(key, user.id),
    }
    return { digest, sealed, created: new Date(this.#now()) }
  }

  #opened({ sealed, created }: StoredToken, user: User): Token {
    return new AccessToken(this.#secrets.unseal(sealed, user.id), user, created)
  }
}

function nonEmpty(secret: string): string {
  if (secret) return secret
  throw new ConfigurationError(
    'SECRET_KEY is missing. Tokens are sealed with it: set it to a long random text, and keep it.',
  )
}

function generateKey(): string {
  return randomBytes(KEY_BYTES).toString('hex')
}
