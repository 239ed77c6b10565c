import { randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** The cost of an argon2 hash. */
export interface PasswordCost {
  /** Memory in KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

type Algorithm = 'argon2id' | 'argon2i' | 'argon2d'

/** Does a password fit a hash? One hash operation, away from the event loop. */
export type Check = (password: string) => Promise<boolean>

/** `null`: it is no hash of this kind, or it costs too much. */
export type HashFormat = (encoded: string) => Check | null

/** The least that OWASP's password storage cheat sheet recommends: about 20 ms and 19 MiB. */
export const DEFAULT_COST: PasswordCost = Object.freeze({
  memory: 19_456,
  passes: 2,
  parallelism: 1,
})

const SALT = 16
const TAG = 32
/** Characters of salt, sign and tag. */
const ENDING = 22 + 1 + 43
const LARGEST_MEMORY = 2 ** 20
const MOST_WORK = 2 ** 22
const PHC =
  /^(?:argon2)?\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** A PHC text: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. Works on a thread of its own. */
export async function hashPassword(
  message: string,
  cost: PasswordCost = DEFAULT_COST,
): Promise<string> {
  const nonce = randomBytes(SALT)
  return toPhc(cost, nonce, await derive('argon2id', { message, nonce, tagLength: TAG, ...cost }))
}

/** Looked up when the first password comes: a runtime without argon2 serves all that needs no password. */
async function derive(kind: Algorithm, parameters: Parameters): Promise<Buffer> {
  const { argon2 } = await import('node:crypto')
  if (typeof argon2 === 'function') return promisify(argon2)(kind, parameters)
  const other = await import('@node-rs/argon2').catch((cause: unknown) => {
    // If the package is installed, the cause says why it does not load.
    throw new ConfigurationError(
      'Passwords need argon2 of node:crypto: run Node 24.15 or newer, or npm install @node-rs/argon2',
      { cause },
    )
  })
  const { message, nonce, tagLength, memory, passes, parallelism } = parameters
  return other.hashRaw(message, {
    algorithm: NUMBERS[kind],
    salt: nonce,
    outputLen: tagLength,
    memoryCost: memory,
    timeCost: passes,
    parallelism,
  })
}

interface Parameters extends PasswordCost {
  readonly message: string
  readonly nonce: Buffer
  readonly tagLength: number
}

/** The numbers of RFC 9106 §3.1, with the names of `@node-rs/argon2`. */
const NUMBERS = { argon2d: 0, argon2i: 1, argon2id: 2 } as const

/** A hash like any other that no password fits: checking against it takes the same time. */
export function decoyHash(cost: PasswordCost = DEFAULT_COST): string {
  return toPhc(cost, randomBytes(SALT), randomBytes(TAG))
}

export function isCurrent(encoded: string, cost: PasswordCost): boolean {
  const prefix = prefixOf(cost)
  return encoded.startsWith(prefix) && encoded.length === prefix.length + ENDING
}

/** PHC texts, also with Django's prefix `argon2`. Only version 1.3, the only one that Node knows. */
export const argon2Hash: HashFormat = formatOf(PHC, (kind, m, t, p, salt, tag) => {
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  if (!isBearable(cost)) return null
  const nonce = Buffer.from(salt, 'base64')
  return checkAgainst(tag, (message, tagLength) =>
    derive(kind as Algorithm, { message, nonce, tagLength, ...cost }),
  )
})

/** @throws ConfigurationError hashes of this cost could not be made, or would not be checked */
export function checkedCost(cost: PasswordCost): PasswordCost {
  if (isBearable(cost)) return cost
  throw new ConfigurationError(
    `passwordCost ${JSON.stringify(cost)} cannot be used: whole numbers from 1, at least 8 KiB of memory for each lane, at most 1 GiB, and memory × passes at most 4 GiB.`,
  )
}

/** RFC 9106 §3.1. At most 1 GiB and a few seconds: an imported row must not take the process down. */
function isBearable({ memory, passes, parallelism }: PasswordCost): boolean {
  return (
    [memory, passes, parallelism].every((number) => Number.isInteger(number) && number >= 1) &&
    memory >= 8 * parallelism &&
    memory <= LARGEST_MEMORY &&
    memory * passes <= MOST_WORK
  )
}

export function formatOf(
  pattern: RegExp,
  read: (...parts: readonly string[]) => Check | null,
): HashFormat {
  return (encoded) => {
    const found = pattern.exec(encoded)
    return found === null ? null : read(...found.slice(1))
  }
}

/** Compares the derived bytes of a password with the stored ones, in base64. */
export function checkAgainst(
  stored: string,
  derived: (password: string, length: number) => Promise<Buffer>,
): Check {
  const tag = Buffer.from(stored, 'base64')
  return async (password) => timingSafeEqual(await derived(password, tag.length), tag)
}

function toPhc(cost: PasswordCost, ...parts: readonly Buffer[]): string {
  const texts = parts.map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return prefixOf(cost) + texts.join('$')
}

function prefixOf({ memory, passes, parallelism }: PasswordCost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`
}
