import { randomInt } from 'node:crypto'

/** A text of so many characters of an alphabet, each equally likely and none of them predictable. */
export function randomText(length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
