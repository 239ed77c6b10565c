import { type KeyObject, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

const LENGTH = 32

/** What keys are made for, all of them. SECURITY.md states for each where it is used and what its loss means. */
export const PURPOSES = [
  'token digest',
  'token seal',
  'token seal: mac',
  'token seal: cipher',
  'session digest',
  'csrf of session',
  'sealed texts: mac',
  'sealed texts: cipher',
] as const

export type Purpose = (typeof PURPOSES)[number]

/**
 * A key of 32 bytes for one purpose, made from the service's secret (HKDF-SHA-256, RFC 5869). Keys of
 * different purposes reveal nothing about each other or about the secret. Make it once: `node:crypto`
 * takes bytes as a key too, and then spends most of its time on turning them into one of these.
 */
export function deriveKey(secret: string, purpose: Purpose): KeyObject {
  const bytes = hkdfSync('sha256', secret, '', `colophon ${purpose}`, LENGTH)
  return createSecretKey(new Uint8Array(bytes))
}

/** A key that never leaves this process. */
export function randomKey(): KeyObject {
  return createSecretKey(randomBytes(LENGTH))
}
