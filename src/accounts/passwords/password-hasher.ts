import type { Requester } from '../../contract/credentials.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { keyedDigest } from '../../std/crypto/digest.ts'
import { randomKey } from '../../std/crypto/keys.ts'
import { randomToken } from '../../std/crypto/random.ts'
import {
  type Check,
  type PasswordCost,
  argon2Hash,
  checkedCost,
  decoyHash,
  hashPassword,
  isCurrent,
} from './argon2.ts'
import { bcryptHash, pbkdf2Hash, scryptHash } from './django-hashes.ts'
import type { HashQueue } from './hash-queue.ts'

const LONGEST = 4096
const REMEMBERED = 1024

/** Ours first, then those that a user table of Django may hold. */
const FORMATS = [argon2Hash, pbkdf2Hash, scryptHash, bcryptHash]

/** How a password compares with a stored hash; `unreadable`: the hash is of no kind or cost that is checked. */
export type Comparison = 'fits' | 'differs' | 'unreadable'

interface HasherOptions {
  /** Of new hashes. */
  readonly cost: PasswordCost
  readonly queue: HashQueue
  /** Receives what keeps hashes from being checked, such as a missing package. */
  readonly onError: (error: unknown) => void
}

/** Hashes and checks passwords, with the same work for every user. */
export class PasswordHasher {
  readonly #options: HasherOptions
  readonly #decoy: Check

  constructor(options: HasherOptions) {
    this.#options = options
    this.#decoy = readHash(decoyHash(checkedCost(options.cost)))!
  }

  /** `null`: what no password fits. */
  async encode(password: string | null, requester?: Requester): Promise<string> {
    if (password === null) return unusablePassword()
    const { queue, cost } = this.#options
    return queue.run(() => hashPassword(password, cost), requester)
  }

  isCurrent(encoded: string): boolean {
    return isCurrent(encoded, this.#options.cost)
  }

  /** `begin` is done in its turn, just before the work. One hash on every path (I5): also for no user (`null`), no password, and what can be none. */
  async verify(
    password: string,
    encoded: string | null,
    requester?: Requester,
    begin?: () => Promise<void>,
  ): Promise<Comparison> {
    const check = encoded === null ? null : readHash(encoded)
    const possible = isPossiblePassword(password)
    const fits = await this.#options.queue.run(async () => {
      await begin?.()
      return this.#worked(check ?? this.#decoy, possible ? password : '')
    }, requester)
    if (fits === null) return 'unreadable'
    if (check === null && encoded !== null && !isUnusable(encoded)) return 'unreadable'
    return fits && check !== null && possible ? 'fits' : 'differs'
  }

  /** Where the check fails before it has done its work, the decoy does it; `null`: it failed. */
  async #worked(check: Check, password: string): Promise<boolean | null> {
    try {
      return await check(password)
    } catch (error) {
      this.#options.onError(error)
      await this.#decoy(password)
      return null
    }
  }
}

/** `null`: no password fits the hash, or it cannot be read here. */
export function readHash(encoded: string): Check | null {
  for (const format of FORMATS) {
    const check = format(encoded)
    if (check !== null) return check
  }
  return null
}

/** What stands in place of a hash; a different one each time. Django's begin alike. */
export function unusablePassword(): string {
  return `!${randomToken(16, 'base64url')}`
}

/** Is it no hash at all, rather than one that cannot be read? */
export function isUnusable(encoded: string): boolean {
  return encoded.startsWith('!')
}

/** Could this be a password? At most 4,096 bytes, so that no client has a book hashed. */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length <= LONGEST && Buffer.byteLength(password) <= LONGEST && password.isWellFormed()
  )
}

/**
 * Passwords that were found right a moment ago, so that a client of Basic authentication does not pay
 * a full hash on each request (I6). Only right ones are kept, as digests under a key that never leaves
 * this process, together with the stored hash: a new password makes the old one unknown at once.
 */
export class RecentPasswords {
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #digest = keyedDigest(randomKey())
  readonly #until = new BoundedMap<string, number>(REMEMBERED)

  constructor(milliseconds: number, now: () => number) {
    this.#milliseconds = milliseconds
    this.#now = now
  }

  knows(password: string, encoded: string): boolean {
    return (this.#until.get(this.#digest(`${encoded} ${password}`)) ?? 0) > this.#now()
  }

  add(password: string, encoded: string): void {
    if (this.#milliseconds <= 0) return
    this.#until.set(this.#digest(`${encoded} ${password}`), this.#now() + this.#milliseconds)
  }
}
