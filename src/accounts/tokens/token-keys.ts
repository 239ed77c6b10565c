import type { SealedKey } from '../../contract/account-stores.ts'
import { type Digest, digestsUnder } from '../../std/crypto/digest.ts'
import { Seal } from '../../std/crypto/seal.ts'

interface OpenedKey {
  readonly key: string
  /** The digest that it is found by, where that is one under an earlier secret. */
  readonly outdated: string | null
}

/**
 * How the keys of tokens are kept (I3): a keyed digest finds them, a sealed text shows them again. Both
 * are made under the service's secret, so that the database alone gives no token away.
 */
export class TokenKeys {
  /** Under the current secret. */
  readonly digest: Digest
  /** Under the ones before it, which still find tokens. */
  readonly earlier: readonly Digest[]
  readonly #seal: Seal

  /** @param secrets the current secret, then those before it */
  constructor(secrets: readonly string[]) {
    const [digest, ...earlier] = digestsUnder(secrets, 'token digest')
    this.digest = digest!
    this.earlier = earlier
    this.#seal = new Seal('tokens', () => secrets)
  }

  seal(key: string, userId: number): SealedKey {
    return { digest: this.digest(key), sealed: this.#seal.seal(contextOf(userId), key) }
  }

  /** `null`: it was sealed under another secret, or for another user, or it was changed. */
  open(sealed: string, userId: number): OpenedKey | null {
    const opened = this.#seal.open(contextOf(userId), sealed)
    if (opened === null) return null
    const { text: key, secret } = opened
    return { key, outdated: secret === 0 ? null : this.earlier[secret - 1]!(key) }
  }
}

/** A sealed token that was copied to another user opens no more. */
function contextOf(userId: number): string {
  return `token of user ${userId}`
}
