import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConfigurationError } from '../../errors/configuration-error.ts'

/** What one argon2 hash costs. */
export interface PasswordCost {
  /** Memory in KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** Does a password fit the hash that this was made from? One hash operation, away from the event loop. */
export type Check = (password: string) => Promise<boolean>

/** The least that OWASP's password storage cheat sheet recommends: about 20 ms and 19 MiB. */
export const DEFAULT_COST: PasswordCost = Object.freeze({
  memory: 19_456,
  passes: 2,
  parallelism: 1,
})

const SALT = 16
const TAG = 32
/** Characters of salt and tag as texts, with the sign between them. */
const ENDING = 22 + 1 + 43
const LARGEST_MEMORY = 2 ** 20
const MOST_WORK = 2 ** 22
const PHC =
  /^(?:argon2)?\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/**
 * The hash of a password as a PHC text: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. Works on a
 * thread of its own, so the event loop goes on.
 */
export async function hashPassword(
  message: string,
  cost: PasswordCost = DEFAULT_COST,
): Promise<string> {
  const nonce = randomBytes(SALT)
  const tag = await derived((done) =>
    argon2('argon2id', { message, nonce, tagLength: TAG, ...cost }, done),
  )
  return toPhc(cost, nonce, tag)
}

/** A hash like any other that no password fits: checking against it takes the same time. */
export function decoyHash(cost: PasswordCost = DEFAULT_COST): string {
  return toPhc(cost, randomBytes(SALT), randomBytes(TAG))
}

/** Was the hash made as new ones are, with this cost? */
export function isCurrent(encoded: string, cost: PasswordCost): boolean {
  const prefix = prefixOf(cost)
  return encoded.startsWith(prefix) && encoded.length === prefix.length + ENDING
}

/** PHC texts, as they are and with Django's `argon2` in front. Only version 1.3, which is all that Node knows. */
export function argon2Hash(encoded: string): Check | null {
  const found = PHC.exec(encoded)
  if (found === null) return null
  const [, kind, memory, passes, parallelism, salt, tag] = found as unknown as readonly string[]
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (!isBearable(cost)) return null
  const nonce = Buffer.from(salt!, 'base64')
  return comparing(tag!, (message, tagLength, done) =>
    argon2(kind as 'argon2id', { message, nonce, tagLength, ...cost }, done),
  )
}

/** @throws ConfigurationError hashes of this cost could not be made, or would not be checked */
export function checkedCost(cost: PasswordCost): PasswordCost {
  if (isBearable(cost)) return cost
  throw new ConfigurationError(
    `passwordCost ${JSON.stringify(cost)} cannot be used: whole numbers from 1, at least 8 KiB of memory for each lane, at most 1 GiB, and memory × passes at most 4 GiB.`,
  )
}

/**
 * RFC 9106 §3.1: at least one pass and one lane, and 8 KiB for each lane. At most 1 GiB and a few
 * seconds: an imported row must not take the process down.
 */
function isBearable({ memory, passes, parallelism }: PasswordCost): boolean {
  return (
    [memory, passes, parallelism].every((number) => Number.isInteger(number) && number >= 1) &&
    memory >= 8 * parallelism &&
    memory <= LARGEST_MEMORY &&
    memory * passes <= MOST_WORK
  )
}

type Callback = (error: Error | null, bytes: Buffer) => void

/** Compares bytes that are derived from a password with those of a stored hash, in base64. */
export function comparing(
  stored: string,
  derive: (password: string, length: number, done: Callback) => void,
): Check {
  const tag = Buffer.from(stored, 'base64')
  return async (password) =>
    timingSafeEqual(await derived((done) => derive(password, tag.length, done)), tag)
}

function derived(derive: (done: Callback) => void): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  derive((error, bytes) => (error === null ? resolve(bytes) : reject(error)))
  return promise
}

function toPhc(cost: PasswordCost, salt: Buffer, tag: Buffer): string {
  const [salted, tagged] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `${prefixOf(cost)}${salted}$${tagged}`
}

function prefixOf({ memory, passes, parallelism }: PasswordCost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`
}
