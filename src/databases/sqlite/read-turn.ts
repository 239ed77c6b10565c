import type { Connection } from './connection.ts'

/**
 * One read transaction per turn of the event loop: the file lock is taken and dropped once for all
 * reads of the turn, which is half of what a look-up by key costs, and they all see one snapshot.
 *
 * Nothing acknowledged may be hidden by it: whoever writes ends the turn, and it never outlives its turn.
 */
export class ReadTurn {
  readonly #begin: () => void
  readonly #commit: () => void
  #open = false
  #ending = false

  constructor(connection: Connection) {
    this.#begin = connection.command('BEGIN')
    this.#commit = connection.command('COMMIT')
  }

  /** Call before each read. */
  join(): void {
    if (this.#open) return
    this.#begin()
    this.#open = true
    if (this.#ending) return
    this.#ending = true
    setImmediate(this.#atTheEnd)
  }

  /** The next read sees what is committed by now. */
  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#commit()
  }

  readonly #atTheEnd = (): void => {
    this.#ending = false
    this.end()
  }
}
