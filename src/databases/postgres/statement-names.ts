import { BoundedMap } from '../../std/bounded-map.ts'
import { sha256 } from '../../std/crypto/digest.ts'
import { oncePer } from '../../std/once.ts'
import { LONGEST_PREPARED, MOST_PREPARED } from '../pooled/server-pool.ts'

/** Characters of all texts that have names, which bounds what a server keeps for a connection. */
const CHARACTERS = 256_000
/** Texts that were seen once. */
const REMEMBERED = 1000

const byLength = { most: CHARACTERS, of: (text: string): number => text.length }

/** What is prepared on a connection. */
interface Prepared {
  readonly names: Set<string>
  characters: number
  isFull: boolean
}

/**
 * Names for statements that come again: the server keeps what is prepared under a name for as long as
 * the connection lives, so there are not many, and a text gets one when it comes the second time. The one
 * that was not used for long loses its name to a new one. Connections cannot be made to forget, as another
 * program may have the session next; one that has prepared as much as it may is replaced.
 */
export class StatementNames {
  readonly #seen = new BoundedMap<string, true>(REMEMBERED, byLength)
  readonly #names = new BoundedMap<string, string>(MOST_PREPARED, byLength)
  readonly #preparedOn = oncePer((_connection: object): Prepared => ({
    names: new Set(),
    characters: 0,
    isFull: false,
  }))
  #given = 0

  /** The name for a text on a connection. `undefined`: it runs without a name, and is forgotten. */
  nameOf(text: string, connection: object): string | undefined {
    const name = this.#names.get(text) ?? this.#newName(text)
    if (name === undefined) return undefined
    const prepared = this.#preparedOn(connection)
    if (prepared.names.has(name)) return name
    const characters = prepared.characters + text.length
    prepared.isFull ||= prepared.names.size >= MOST_PREPARED || characters > CHARACTERS
    if (prepared.isFull) return undefined
    prepared.names.add(name)
    prepared.characters = characters
    return name
  }

  /** The tables have changed: what is prepared under the name does not fit any more. */
  forget(text: string): void {
    this.#names.delete(text)
  }

  /** Has the connection prepared as much as it may, and something new does not fit? */
  isFull(connection: object): boolean {
    return this.#preparedOn(connection).isFull
  }

  #newName(text: string): string | undefined {
    if (text.length > LONGEST_PREPARED) return undefined
    if (this.#seen.get(text) !== true) {
      this.#seen.set(text, true)
      return undefined
    }
    // By the text, because a pool may have other users: one name for two texts is an error.
    const name = `colophon_${sha256(text).slice(0, 32)}_${this.#given++}`
    this.#names.set(text, name)
    return name
  }
}
