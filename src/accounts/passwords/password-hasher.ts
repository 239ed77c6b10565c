import type { Requester } from '../../contract/credentials.ts'
import type { HashQueue } from './hash-queue.ts'
import type { PasswordCost } from './hashes/argon2.ts'
import type { Check } from './hashes/check.ts'
import {
  checkedCost,
  decoyHash,
  hashPassword,
  isCurrent,
  isPossiblePassword,
  isUnusable,
  readHash,
  unusablePassword,
} from './password.ts'

/** What became of a password: `unreadable` where the stored hash is of no kind or cost that is checked. */
export type Verdict = 'fits' | 'differs' | 'unreadable'

interface HasherOptions {
  readonly cost: PasswordCost
  readonly queue: HashQueue
  /** Told of what keeps hashes from being checked, such as a missing package. */
  readonly onError: (error: unknown) => void
}

/** Hashes and checks passwords, a few at a time, with the same work whoever is asking. */
export class PasswordHasher {
  readonly #cost: PasswordCost
  readonly #queue: HashQueue
  readonly #onError: (error: unknown) => void
  readonly #decoy: Check

  constructor({ cost, queue, onError }: HasherOptions) {
    this.#cost = checkedCost(cost)
    this.#queue = queue
    this.#onError = onError
    this.#decoy = readHash(decoyHash(cost))!
  }

  /** `null`: what no password fits. */
  async encode(password: string | null, requester?: Requester): Promise<string> {
    if (password === null) return unusablePassword()
    return this.#queue.run(() => hashPassword(password, this.#cost), requester)
  }

  /** Is the hash another than `encode` would make now? */
  isOutdated(encoded: string): boolean {
    return !isCurrent(encoded, this.#cost)
  }

  /**
   * One hash operation on every path (I5): for a user who is not there (`null`), for one without a
   * password, and for a text that is too long to be a password too.
   *
   * @throws ServiceUnavailable (503)
   */
  async verify(password: string, encoded: string | null, requester?: Requester): Promise<Verdict> {
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

  /** Where the check fails before it has done its work, the decoy does it. `null`: nobody can tell. */
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
