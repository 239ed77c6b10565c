import { hkdfSync } from 'node:crypto'

const LENGTH = 32

/**
 * A key of 32 bytes for one purpose, made from the service's secret (HKDF-SHA-256, RFC 5869). Keys of
 * different purposes tell nothing about each other or about the secret.
 */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `colophon ${purpose}`, LENGTH))
}
