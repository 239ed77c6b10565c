// The keys of tokens: their length, their prefix and checksum, and which texts could be one.
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { randomText, randomToken } from '../core/secrets/keys.ts'

const LONGEST_KEY = 40

/** 20 random bytes (K2); with a prefix (`tokenPrefix`) as many in other digits, and a checksum. */
export function newKey(prefix: string | null): string {
  if (prefix === null) return randomToken(20, 'hex')
  const start = `${prefix}_${randomText(RANDOM_DIGITS, KEY_DIGITS)}`
  return `${start}${checksum(start)}`
}

export const KEY_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 160 bits, as those without a prefix have. */
export const RANDOM_DIGITS = 27
const CHECK_DIGITS = 6
const PREFIX = /^[a-z][a-z0-9]{1,5}$/

/** Scanners know CRC-32: it tells a key from a text that looks like one. It is no secret, and proves nothing. */
function checksum(text: string): string {
  // Not imported: most services have keys without a prefix.
  let [rest, digits] = [process.getBuiltinModule('node:zlib').crc32(text), '']
  for (let at = 0; at < CHECK_DIGITS; at += 1) {
    digits = KEY_DIGITS[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** It begins with the prefix, and its length or its checksum is wrong: no key was made like that here. */
export function isForgedKey(key: string, prefix: string | null): boolean {
  if (prefix === null || !key.startsWith(`${prefix}_`)) return false
  if (key.length !== prefix.length + 1 + RANDOM_DIGITS + CHECK_DIGITS) return true
  return checksum(key.slice(0, -CHECK_DIGITS)) !== key.slice(-CHECK_DIGITS)
}

/** Finds keys with a prefix in a text; `null`: keys have none. */
export function patternOfKeys(prefix: string | null): RegExp | null {
  if (prefix === null) return null
  return new RegExp(`\\b${prefix}_[0-9A-Za-z]{${RANDOM_DIGITS + CHECK_DIGITS}}\\b`, 'g')
}

/** @throws ConfigurationError keys cannot begin with it */
export function checkedPrefix(prefix: string | null = null): string | null {
  if (prefix === null || PREFIX.test(prefix)) return prefix
  throw new ConfigurationError(
    `defineAccounts: "tokenPrefix" is ${JSON.stringify(prefix)}. It has two to six small letters and digits, and begins with a letter.`,
  )
}

/** Whether a token can have this key (K3). Other texts are not looked up: databases refuse some of them. */
export function isPossibleKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed() && !key.includes('\0')
}

/** @throws RangeError */
export function checkedKey(key: string, prefix: string | null): string {
  if (isForgedKey(key, prefix))
    throw new RangeError(
      `Only this service makes keys that begin with "${prefix}_". Give the token another key.`,
    )
  if (isPossibleKey(key)) return key
  throw new RangeError(
    `A token key has between 1 and ${LONGEST_KEY} characters, and none of them is null.`,
  )
}
