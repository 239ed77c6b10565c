import {
  type KeyObject,
  createHmac,
  createPublicKey,
  hash,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { type Purpose, deriveKey } from './keys.ts'

export type Digest = (text: string) => string

/** HMAC-SHA-256 in hexadecimal digits (RFC 2104). */
export function keyedDigest(key: KeyObject): Digest {
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

export function digestsUnder(secrets: readonly string[], purpose: Purpose): readonly Digest[] {
  return secrets.map((secret) => keyedDigest(deriveKey(secret, purpose)))
}

/** SHA-256, for texts and bytes that are no secret or have many bits of their own. */
export function sha256(
  text: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
): string {
  return hash('sha256', text, encoding)
}

/** Enough of SHA-256 to know a text again: 22 characters. */
export function shortDigest(text: string): string {
  return sha256(text, 'base64').slice(0, 22)
}

/** SHA-1, where a protocol names something by it; it protects nothing. */
export function sha1(text: string): string {
  return hash('sha1', text)
}

/** Takes as long for two that differ in the first character as in the last. */
export function safeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Has the owner of this public key, in PEM, signed these bytes? ECDSA on P-256 with SHA-256 (FIPS 186-5), the signature in DER
 * and base64. `false` too for a key of another kind.
 *
 * @example isSigned(body, { key, signature: request.header('github-public-key-signature') ?? '' })
 */
export function isSigned(
  bytes: Uint8Array,
  { key, signature }: { readonly key: string; readonly signature: string },
): boolean {
  try {
    const made = createPublicKey(key)
    if (made.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false
    return verify('sha256', bytes, made, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}
