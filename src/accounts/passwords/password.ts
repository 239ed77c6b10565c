import { argon2, randomBytes } from 'node:crypto'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { type PasswordCost, argon2Hash, isBearable } from './hashes/argon2.ts'
import { bcryptHash } from './hashes/bcrypt.ts'
import type { Check, HashFormat } from './hashes/check.ts'
import { pbkdf2Hash } from './hashes/pbkdf2.ts'
import { scryptHash } from './hashes/scrypt.ts'

/** The least that OWASP's password storage cheat sheet recommends: about 20 ms and 19 MiB. */
export const DEFAULT_COST: PasswordCost = Object.freeze({
  memory: 19_456,
  passes: 2,
  parallelism: 1,
})

const SALT = 16
const TAG = 32
/** Of salt and tag as texts, with the sign between them. */
const ENDING = 22 + 1 + 43
const LONGEST = 4096

/** Ours first, then those that a user table of Django may hold. */
const FORMATS: readonly HashFormat[] = [argon2Hash, pbkdf2Hash, scryptHash, bcryptHash]

/**
 * The hash of a password as a PHC text: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. Works on a
 * thread of its own, so the event loop goes on.
 */
export async function hashPassword(
  password: string,
  cost: PasswordCost = DEFAULT_COST,
): Promise<string> {
  const salt = randomBytes(SALT)
  return toPhc(cost, salt, await tagOf(password, cost, salt))
}

/** What checks passwords against a hash; `null`: no password fits it, or nobody here can tell. */
export function readHash(encoded: string): Check | null {
  for (const format of FORMATS) {
    const check = format(encoded)
    if (check !== null) return check
  }
  return null
}

/** Was the hash made as new ones are? Others are replaced when their user logs in. */
export function isCurrent(encoded: string, cost: PasswordCost): boolean {
  const prefix = prefixOf(cost)
  return encoded.startsWith(prefix) && encoded.length === prefix.length + ENDING
}

/** A text in place of a hash that no password fits; a different one each time. Django's begin alike. */
export function unusablePassword(): string {
  return `!${randomBytes(SALT).toString('base64url')}`
}

/** Says that no password is to fit, rather than being a hash that cannot be read. */
export function isUnusable(encoded: string): boolean {
  return encoded.startsWith('!')
}

/** A hash like any other that no password fits: checking against it takes the same time. */
export function decoyHash(cost: PasswordCost = DEFAULT_COST): string {
  return toPhc(cost, randomBytes(SALT), randomBytes(TAG))
}

/** Could this be anybody's password? At most 4,096 bytes, so that nobody is made to hash a book. */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length <= LONGEST && Buffer.byteLength(password) <= LONGEST && password.isWellFormed()
  )
}

/** @throws ConfigurationError hashes of this cost could not be made, or would not be checked */
export function checkedCost(cost: PasswordCost): PasswordCost {
  if (isBearable(cost)) return cost
  throw new ConfigurationError(
    `passwordCost ${JSON.stringify(cost)} cannot be used: whole numbers from 1, at least 8 KiB of memory for each lane, at most 1 GiB, and memory × passes at most 4 GiB.`,
  )
}

function tagOf(message: string, cost: PasswordCost, nonce: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', { message, nonce, tagLength: TAG, ...cost }, (error, tag) =>
    error === null ? resolve(tag) : reject(error),
  )
  return promise
}

function toPhc(cost: PasswordCost, salt: Buffer, tag: Buffer): string {
  return `${prefixOf(cost)}${unpadded(salt)}$${unpadded(tag)}`
}

function prefixOf({ memory, passes, parallelism }: PasswordCost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
