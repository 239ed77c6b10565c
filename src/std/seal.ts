import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const VERSION = 'v1.'
const IV = 12
const TAG = 16

/**
 * Encrypts `text` so that only the holder of `key` (32 bytes) can read it, and only in the same
 * `context`: a sealed text that was moved elsewhere opens no more. URL-safe.
 */
export function seal(key: Uint8Array, text: string, context: string): string {
  const iv = randomBytes(IV)
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG }).setAAD(
    Buffer.from(context),
  )
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return VERSION + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
}

/** The text again; `null` where key or context is another, or the sealed text was changed. */
export function unseal(key: Uint8Array, sealed: string, context: string): string | null {
  if (!sealed.startsWith(VERSION)) return null
  const text = sealed.slice(VERSION.length)
  const bytes = Buffer.from(text, 'base64url')
  // Decoding forgives spare bits and odd characters; a changed text is refused all the same.
  if (bytes.length < IV + TAG || bytes.toString('base64url') !== text) return null
  return open(key, bytes, context)
}

function open(key: Uint8Array, bytes: Buffer, context: string): string | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV), { authTagLength: TAG })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(IV, IV + TAG))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString(
      'utf8',
    )
  } catch {
    return null
  }
}
