import type { SealedKey } from '../contract/storage.ts'
import { deriveKey } from '../std/derive-key.ts'
import { keyedDigest } from '../std/keyed-digest.ts'
import { seal, unseal } from '../std/seal.ts'

/**
 * How tokens are kept (I3): a keyed digest finds them, a sealed text shows them again. Both keys come
 * from the service's secret, so that the database alone gives nobody a token.
 */
export class TokenSecrets {
  readonly digest: (key: string) => string
  readonly #sealing: Uint8Array

  constructor(secretKey: string) {
    this.digest = keyedDigest(deriveKey(secretKey, 'token digest'))
    this.#sealing = deriveKey(secretKey, 'token seal')
  }

  seal(key: string, userId: number): SealedKey {
    return { digest: this.digest(key), sealed: seal(this.#sealing, key, contextOf(userId)) }
  }

  /** `null`: it was sealed under another secret, or for another user, or it was changed. */
  unseal(sealed: string, userId: number): string | null {
    return unseal(this.#sealing, sealed, contextOf(userId))
  }
}

/** A sealed token that was copied to another user opens no more. */
function contextOf(userId: number): string {
  return `token of user ${userId}`
}
