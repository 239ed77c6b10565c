import { closeSync, openSync } from 'node:fs'
import { Connection, type Synchronous } from './connection.ts'

/** The two connections to a file: one for reads, so that no long transaction stalls a look-up, and one that writes. */
export class Connections {
  readonly #path: string
  readonly #synchronous: Synchronous
  #writer: Connection
  #reader: Connection
  #turn: ReadTurn

  constructor(path: string, synchronous: Synchronous) {
    this.#path = path
    this.#synchronous = synchronous
    createPrivately(path)
    this.#writer = this.#connect({ readsOnly: false })
    try {
      this.#reader = this.#connect({ readsOnly: true })
    } catch (error) {
      this.#writer.close()
      throw error
    }
    this.#turn = new ReadTurn(this.#reader)
  }

  /** For the transaction that is under way. */
  get writer(): Connection {
    return this.#writer
  }

  /** For a read in the transaction of this turn. */
  forReading(): Connection {
    if (this.#reader.worn && !this.#reader.inTransaction) this.#renewReader()
    this.#turn.join()
    return this.#reader
  }

  /** For work that changes the database: what was read before it in this turn is not read again. */
  writing<T>(work: (writer: Connection) => T): T {
    if (this.#writer.worn && !this.#writer.inTransaction) this.#renewWriter()
    this.#turn.end()
    try {
      return work(this.#writer)
    } finally {
      this.#turn.end()
    }
  }

  close(): void {
    this.#turn.end()
    this.#reader.close()
    this.#writer.close()
  }

  /** The other connection stays, so no other process can lock us out meanwhile. */
  #renewReader(): void {
    const fresh = this.#connect({ readsOnly: true })
    this.#reader.close()
    this.#reader = fresh
    this.#turn = new ReadTurn(fresh)
  }

  #renewWriter(): void {
    const fresh = this.#connect({ readsOnly: false })
    this.#writer.close()
    this.#writer = fresh
  }

  #connect({ readsOnly }: { readonly readsOnly: boolean }): Connection {
    return new Connection({ path: this.#path, synchronous: this.#synchronous, readsOnly })
  }
}

/** Creates the file, where there is none, so that only its owner can read it. SQLite gives its side files the same mode. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It exists, or cannot be made: opening it says which, and why.
  }
}

/**
 * One read transaction per turn of the event loop: the file lock is taken and dropped once for all
 * reads of the turn, which is half of what a look-up by key costs, and they all see one snapshot.
 *
 * It must not hide what was acknowledged: every write ends it, and so does the end of the turn.
 */
class ReadTurn {
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
