import { type KeyObject, createHmac } from 'node:crypto'

/** HMAC-SHA-256 of texts as hexadecimal text (RFC 2104), for a key that is used many times. */
export function keyedDigest(key: KeyObject): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}
