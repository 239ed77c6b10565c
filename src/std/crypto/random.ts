import { randomBytes, randomInt } from 'node:crypto'

export function randomToken(bytes: number, encoding: 'hex' | 'base64url'): string {
  return randomBytes(bytes).toString(encoding)
}

/** Characters of the alphabet, each equally likely and none of them predictable. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
