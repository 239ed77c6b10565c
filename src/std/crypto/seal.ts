import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  timingSafeEqual,
} from 'node:crypto'

const VERSION = 'v2.'
const CIPHER = 'aes-256-ctr'
const TAG = 16

/**
 * Encrypts texts so that only the holder of both keys can make and read them, and only in the same
 * context: a sealed text that was moved elsewhere opens no more. The same text in the same context gives
 * the same sealed text, always, so pages with cursors can be cached.
 *
 * SIV, the synthetic IV of Rogaway and Shrimpton ("Deterministic Authenticated-Encryption", 2006), from
 * HMAC-SHA-256 and AES-256-CTR: the first 16 bytes of the HMAC of context and text are both the tag and
 * the initialisation vector. It needs no nonce, so none can come twice: under one key of AES-GCM random
 * nonces are good for 2³² texts, which a busy service seals within a month. RFC 5297 builds it from
 * AES-CMAC, which `node:crypto` does not have.
 */
export class Seal {
  readonly #mac: KeyObject
  readonly #cipher: KeyObject

  /** @param mac key of the HMAC @param cipher another key, of 32 bytes */
  constructor(mac: KeyObject, cipher: KeyObject) {
    this.#mac = mac
    this.#cipher = cipher
  }

  /** URL-safe: 25 characters, and a third longer than the text, which is well-formed. */
  seal(context: string, text: string): string {
    const plain = Buffer.from(text)
    const tag = this.#tag(context, plain)
    const hidden = createCipheriv(CIPHER, this.#cipher, tag).update(plain)
    return VERSION + Buffer.concat([tag, hidden]).toString('base64url')
  }

  /** The text again; `null` where a key or the context is another, or the sealed text was changed. */
  unseal(context: string, sealed: string): string | null {
    const bytes = sealed.startsWith(VERSION) ? decode(sealed.slice(VERSION.length)) : null
    if (bytes === null || bytes.length < TAG) return null
    const tag = bytes.subarray(0, TAG)
    const plain = createDecipheriv(CIPHER, this.#cipher, tag).update(bytes.subarray(TAG))
    // Bytes are compared, not what they decode to: many bytes decode to U+FFFD.
    return timingSafeEqual(this.#tag(context, plain), tag) ? plain.toString() : null
  }

  /** The length keeps the end of the context and the beginning of the text apart. */
  #tag(context: string, plain: Uint8Array): Buffer {
    const hmac = createHmac('sha256', this.#mac)
    hmac.update(`${Buffer.byteLength(context)}:${context}`).update(plain)
    return hmac.digest().subarray(0, TAG)
  }
}

/** `null`: written otherwise than `seal` does. Node's decoder forgives spare bits and odd characters. */
export function decode(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
