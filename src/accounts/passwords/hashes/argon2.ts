import { argon2 } from 'node:crypto'
import { type Check, comparing } from './check.ts'

/** What one argon2 hash costs. */
export interface PasswordCost {
  /** Memory in KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

type Kind = 'argon2id' | 'argon2i' | 'argon2d'

const PHC =
  /^(?:argon2)?\$(argon2(?:id|i|d))\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

/** PHC texts, as they are and with Django's `argon2` in front. Only version 1.3, which is all that Node knows. */
export function argon2Hash(encoded: string): Check | null {
  const found = PHC.exec(encoded)
  if (found === null) return null
  const [, kind, memory, passes, parallelism, salt, tag] = found as unknown as readonly string[]
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (!isBearable(cost)) return null
  const nonce = Buffer.from(salt!, 'base64')
  return comparing(Buffer.from(tag!, 'base64'), (message, tagLength, done) =>
    argon2(kind as Kind, { message, nonce, tagLength, ...cost }, done),
  )
}

const LARGEST_MEMORY = 2 ** 20
const MOST_WORK = 2 ** 22

/**
 * RFC 9106 §3.1: at least one pass and one lane, and 8 KiB for each lane. At most 1 GiB and a few
 * seconds: a row that somebody imported must not take the process down.
 */
export function isBearable({ memory, passes, parallelism }: PasswordCost): boolean {
  return (
    [memory, passes, parallelism].every((number) => Number.isInteger(number) && number >= 1) &&
    memory >= 8 * parallelism &&
    memory <= LARGEST_MEMORY &&
    memory * passes <= MOST_WORK
  )
}
