import { type KeyObject, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

const LENGTH = 32

/** SECURITY.md states for each where it is used and what its loss means. */
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
 * HKDF-SHA-256 (RFC 5869): keys of different purposes reveal nothing about each other or the secret. Make it once:
 * of bytes as a key, `node:crypto` would make one of these at each use, which takes most of its time.
 */
export function deriveKey(secret: string, purpose: Purpose): KeyObject {
  const bytes = hkdfSync('sha256', secret, '', `colophon ${purpose}`, LENGTH)
  return createSecretKey(new Uint8Array(bytes))
}

/** A key that never leaves this process. */
export function randomKey(): KeyObject {
  return createSecretKey(randomBytes(LENGTH))
}
