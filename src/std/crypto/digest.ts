import { type KeyObject, createHmac, hash, timingSafeEqual } from 'node:crypto'
import { type Purpose, deriveKey } from './keys.ts'

/** Makes the digest of a text under one key. */
export type Digest = (text: string) => string

/** HMAC-SHA-256 of texts as hexadecimal text (RFC 2104), for a key that is used many times. */
export function keyedDigest(key: KeyObject): Digest {
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

/** Keyed digests under each of the secrets, in their order: the first one is the current secret. */
export function digestsUnder(secrets: readonly string[], purpose: Purpose): readonly Digest[] {
  return secrets.map((secret) => keyedDigest(deriveKey(secret, purpose)))
}

/** SHA-256, for texts that are no secret or have many bits of their own. */
export function sha256(text: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return hash('sha256', text, encoding)
}

/** Are these the same text? Takes as long for two that differ in the first character as in the last. */
export function safeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
