import { BoundedMap } from '../../std/bounded-map.ts'
import { keyedDigest } from '../../std/crypto/digest.ts'
import { randomKey } from '../../std/crypto/keys.ts'

const CAPACITY = 1024

/**
 * Passwords that were found right a moment ago, so that a client of Basic authentication does not pay
 * a full hash on each request (I6). Only right ones are kept, as digests under a key that never leaves
 * this process, together with the stored hash: a new password makes the old one unknown at once.
 */
export class RecentPasswords {
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #digest: (text: string) => string = keyedDigest(randomKey())
  readonly #until = new BoundedMap<string, number>(CAPACITY)

  constructor(milliseconds: number, now: () => number) {
    this.#milliseconds = milliseconds
    this.#now = now
  }

  knows(password: string, encoded: string): boolean {
    if (this.#milliseconds <= 0) return false
    return (this.#until.get(this.#digest(`${encoded} ${password}`)) ?? 0) > this.#now()
  }

  add(password: string, encoded: string): void {
    if (this.#milliseconds <= 0) return
    this.#until.set(this.#digest(`${encoded} ${password}`), this.#now() + this.#milliseconds)
  }
}
