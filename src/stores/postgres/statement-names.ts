import { hash } from 'node:crypto'
import { BoundedMap } from '../../std/bounded-map.ts'

/** Statements that stay prepared on each connection. */
const NAMES = 300
/** Texts that were seen once. */
const REMEMBERED = 1000

/**
 * Names for statements that come again: the server keeps what is prepared under a name for as long as
 * the connection lives, so there are not many, and a text gets one when it comes the second time.
 */
export class StatementNames {
  readonly #seen = new BoundedMap<string, true>(REMEMBERED)
  readonly #names = new Map<string, string>()
  #given = 0

  /** `undefined`: it runs without a name, and is forgotten. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#given >= NAMES) return known
    if (this.#seen.get(text) === true) return this.#name(text)
    this.#seen.set(text, true)
    return undefined
  }

  /** The tables have changed: what is prepared under the name does not fit any more. */
  forget(text: string): void {
    this.#names.delete(text)
  }

  #name(text: string): string {
    // By the text, because a pool may have other users: one name for two texts is an error.
    const name = `colophon_${hash('sha256', text).slice(0, 32)}_${this.#given++}`
    this.#names.set(text, name)
    return name
  }
}
