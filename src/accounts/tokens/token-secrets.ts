import { type KeyObject, createDecipheriv } from 'node:crypto'
import type { SealedKey } from '../../contract/storage.ts'
import { deriveKey } from '../../std/crypto/derive-key.ts'
import { keyedDigest } from '../../std/crypto/keyed-digest.ts'
import { Seal, decode } from '../../std/crypto/seal.ts'

/**
 * How tokens are kept (I3): a keyed digest finds them, a sealed text shows them again. All keys come
 * from the service's secret, so that the database alone gives nobody a token.
 */
export class TokenSecrets {
  readonly digest: (key: string) => string
  readonly #seal: Seal
  readonly #firstKey: KeyObject

  constructor(secretKey: string) {
    const keyFor = deriveKey.bind(null, secretKey)
    this.digest = keyedDigest(keyFor('token digest'))
    this.#seal = new Seal(keyFor('token seal: mac'), keyFor('token seal: cipher'))
    this.#firstKey = keyFor('token seal')
  }

  seal(key: string, userId: number): SealedKey {
    return { digest: this.digest(key), sealed: this.#seal.seal(contextOf(userId), key) }
  }

  /** `null`: it was sealed under another secret, or for another user, or it was changed. */
  unseal(sealed: string, userId: number): string | null {
    const context = contextOf(userId)
    return this.#seal.unseal(context, sealed) ?? unsealFirst(this.#firstKey, sealed, context)
  }
}

/** A sealed token that was copied to another user opens no more. */
function contextOf(userId: number): string {
  return `token of user ${userId}`
}

const FIRST = 'v1.'
const IV = 12
const TAG = 16

/** The first form, AES-256-GCM under a random nonce: tokens that are kept in it go on opening. */
function unsealFirst(key: KeyObject, sealed: string, context: string): string | null {
  const bytes = sealed.startsWith(FIRST) ? decode(sealed.slice(FIRST.length)) : null
  if (bytes === null || bytes.length < IV + TAG) return null
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV), {
    authTagLength: TAG,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(IV, IV + TAG))
  const plain = decipher.update(bytes.subarray(IV + TAG))
  try {
    decipher.final()
    return plain.toString()
  } catch {
    return null
  }
}
