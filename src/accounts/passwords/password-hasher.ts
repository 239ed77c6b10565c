import type { Requester } from '../../contract/credentials.ts'
import { randomToken } from '../../std/crypto/random.ts'
import {
  type Check,
  type PasswordCost,
  argon2Hash,
  checkedCost,
  decoyHash,
  hashPassword,
} from './argon2.ts'
import { bcryptHash, pbkdf2Hash, scryptHash } from './django-hashes.ts'
import type { HashQueue } from './hash-queue.ts'

const LONGEST = 4096

/** Ours first, then those that a user table of Django may hold. */
const FORMATS = [argon2Hash, pbkdf2Hash, scryptHash, bcryptHash]

/** How a password compares with a stored hash; `unreadable`: the hash is of no kind or cost that is checked. */
export type Comparison = 'fits' | 'differs' | 'unreadable'

interface HasherOptions {
  readonly cost: PasswordCost
  readonly queue: HashQueue
  /** Receives what keeps hashes from being checked, such as a missing package. */
  readonly onError: (error: unknown) => void
}

/** Hashes and checks passwords, a few at a time, with the same work for every user. */
export class PasswordHasher {
  /** What new hashes cost. */
  readonly cost: PasswordCost
  readonly #queue: HashQueue
  readonly #onError: (error: unknown) => void
  readonly #decoy: Check

  constructor({ cost, queue, onError }: HasherOptions) {
    this.cost = checkedCost(cost)
    this.#queue = queue
    this.#onError = onError
    this.#decoy = readHash(decoyHash(cost))!
  }

  /** `null`: what no password fits. */
  async encode(password: string | null, requester?: Requester): Promise<string> {
    if (password === null) return unusablePassword()
    return this.#queue.run(() => hashPassword(password, this.cost), requester)
  }

  /**
   * One hash operation on every path (I5): for a user who is not there (`null`), for one without a
   * password, and for a text that is too long to be a password too.
   *
   * @throws ServiceUnavailable (503)
   */
  async verify(
    password: string,
    encoded: string | null,
    requester?: Requester,
  ): Promise<Comparison> {
    const check = encoded === null ? null : readHash(encoded)
    const possible = isPossiblePassword(password)
    const fits = await this.#queue.run(
      () => this.#worked(check ?? this.#decoy, possible ? password : ''),
      requester,
    )
    if (fits === null) return 'unreadable'
    if (check === null && encoded !== null && !isUnusable(encoded)) return 'unreadable'
    return fits && check !== null && possible ? 'fits' : 'differs'
  }

  /** Where the check fails before it has done its work, the decoy does it; `null`: it failed. */
  async #worked(check: Check, password: string): Promise<boolean | null> {
    try {
      return await check(password)
    } catch (error) {
      this.#onError(error)
      await this.#decoy(password)
      return null
    }
  }
}

/** What checks passwords against a hash; `null`: no password fits it, or it cannot be read here. */
export function readHash(encoded: string): Check | null {
  for (const format of FORMATS) {
    const check = format(encoded)
    if (check !== null) return check
  }
  return null
}

/** A text in place of a hash that no password fits; a different one each time. Django's begin alike. */
export function unusablePassword(): string {
  return `!${randomToken(16, 'base64url')}`
}

/** States that no password is to fit, rather than being a hash that cannot be read. */
export function isUnusable(encoded: string): boolean {
  return encoded.startsWith('!')
}

/** Could this be a password? At most 4,096 bytes, so that no client has a book hashed. */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length <= LONGEST && Buffer.byteLength(password) <= LONGEST && password.isWellFormed()
  )
}
