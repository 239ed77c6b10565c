import { safeEqual } from '../../std/crypto/digest.ts'
import { randomText } from '../../std/crypto/random.ts'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const LENGTH = 32
const SECRET = /^[a-zA-Z0-9]{32}$/
const TOKEN = /^(?:[a-zA-Z0-9]{32}){1,2}$/

/** A CSRF secret (S10). */
export function newSecret(): string {
  return randomText(LENGTH, ALPHABET)
}

/**
 * The secret in a form that is different each time (S11): a mask, then each character of the secret
 * moved on by the mask's. What is repeated in many pages can be guessed from how well they compress.
 */
export function mask(secret: string, by: string = newSecret()): string {
  return by + combine(secret, by, 1)
}

/** The secret of a token, masked or plain; `null`: it is neither. */
export function unmask(token: string): string | null {
  if (SECRET.test(token)) return token
  if (!TOKEN.test(token)) return null
  return combine(token.slice(LENGTH), token.slice(0, LENGTH), -1)
}

/** Does this token, which is well formed, carry the secret? Takes the same time for every answer. */
export function carries(token: string, secret: string): boolean {
  return safeEqual(unmask(token) ?? '', secret)
}

function combine(text: string, key: string, sign: 1 | -1): string {
  const size = ALPHABET.length
  const moved = Array.from(text, (character, at) => {
    const index = ALPHABET.indexOf(character) + sign * ALPHABET.indexOf(key[at]!)
    return ALPHABET[(index + size) % size]
  })
  return moved.join('')
}
