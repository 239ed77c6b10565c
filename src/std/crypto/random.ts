import { randomBytes, randomInt } from 'node:crypto'

/** So many unpredictable bytes as text. */
export function randomToken(bytes: number, encoding: 'hex' | 'base64url'): string {
  return randomBytes(bytes).toString(encoding)
}

/** A text of so many characters of an alphabet, each equally likely and none of them predictable. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
