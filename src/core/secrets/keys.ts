import { type KeyObject, createSecretKey, hkdfSync, randomBytes, randomInt } from 'node:crypto'

const LENGTH = 32

/** SECURITY.md states the use of each, and the effect of its loss. */
export const PURPOSES = [
  'token digest',
  'token siv',
  'session digest',
  'csrf of session',
  'factor digest',
  'family digest',
  'sealed text siv',
] as const

export type Purpose = (typeof PURPOSES)[number]

/**
 * HKDF-SHA-256 (RFC 5869): keys of different purposes reveal nothing about each other or the secret. Make it once:
 * of bytes as a key, `node:crypto` would make one of these at each use, which takes most of its time.
 */
export function deriveKey(secret: string, purpose: Purpose, length: number = LENGTH): KeyObject {
  const bytes = hkdfSync('sha256', secret, '', `colophon ${purpose}`, length)
  return createSecretKey(new Uint8Array(bytes))
}

/** A key that never leaves this process. */
export function randomKey(): KeyObject {
  return createSecretKey(randomBytes(LENGTH))
}

export function randomToken(bytes: number, encoding: 'hex' | 'base64url'): string {
  return randomBytes(bytes).toString(encoding)
}

/** Characters of the alphabet, each equally likely and none of them predictable. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
