import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

/** What one argon2id hash costs. */
export interface PasswordCost {
  /** Memory in KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

/** The least that OWASP's password storage cheat sheet recommends: about 20 ms and 19 MiB. */
export const DEFAULT_COST: PasswordCost = Object.freeze({
  memory: 19_456,
  passes: 2,
  parallelism: 1,
})

const SALT = 16
const TAG = 32

/**
 * The hash of a password as a PHC text: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>`. Works on a
 * thread of its own, so the event loop goes on.
 */
export async function hashPassword(
  password: string,
  cost: PasswordCost = DEFAULT_COST,
): Promise<string> {
  const salt = randomBytes(SALT)
  return toPhc({ cost, salt, tag: await tagOf(password, cost, salt, TAG) })
}

/** Is this the password behind the hash? A hash in a format that is not known fits no password. */
export async function verifyPassword(password: string, encoded: string): Promise<boolean> {
  const hash = fromPhc(encoded)
  if (hash === null) return false
  const tag = await tagOf(password, hash.cost, hash.salt, hash.tag.length)
  return timingSafeEqual(tag, hash.tag)
}

/** Can any password fit this hash? */
export function isUsable(encoded: string): boolean {
  return fromPhc(encoded) !== null
}

/** A text in place of a hash that no password fits; a different one each time. */
export function unusablePassword(): string {
  return `!${randomBytes(SALT).toString('base64url')}`
}

/** A hash like any other that no password fits: checking against it takes the same time. */
export function decoyHash(cost: PasswordCost = DEFAULT_COST): string {
  return toPhc({ cost, salt: randomBytes(SALT), tag: randomBytes(TAG) })
}

interface Hash {
  readonly cost: PasswordCost
  readonly salt: Buffer
  readonly tag: Buffer
}

function tagOf(
  password: string,
  cost: PasswordCost,
  nonce: Buffer,
  tagLength: number,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', { message: password, nonce, tagLength, ...cost }, (error, tag) =>
    error === null ? resolve(tag) : reject(error),
  )
  return promise
}

function toPhc({ cost: { memory, passes, parallelism }, salt, tag }: Hash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

function fromPhc(encoded: string): Hash | null {
  const found = PHC.exec(encoded)
  if (found === null) return null
  const [, memory, passes, parallelism, salt, tag] = found as unknown as readonly string[]
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (!isPossible(cost)) return null
  return { cost, salt: Buffer.from(salt!, 'base64'), tag: Buffer.from(tag!, 'base64') }
}

/** RFC 9106 §3.1: at least one pass and one lane, and 8 KiB for each lane. */
function isPossible({ memory, passes, parallelism }: PasswordCost): boolean {
  return passes >= 1 && parallelism >= 1 && memory >= 8 * parallelism
}
