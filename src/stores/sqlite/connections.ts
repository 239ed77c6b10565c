import { Connection } from './connection.ts'
import { createPrivately } from './database-file.ts'
import { ReadTurn } from './read-turn.ts'

/** The two connections to a file: one for reads, so that no long transaction stalls a look-up, and one that writes. */
export class Connections {
  readonly reader: Connection
  readonly writer: Connection
  readonly turn: ReadTurn

  constructor(path: string, busyTimeout: number) {
    createPrivately(path)
    this.writer = new Connection({ path, busyTimeout, readsOnly: false })
    this.reader = new Connection({ path, busyTimeout, readsOnly: true })
    this.turn = new ReadTurn(this.reader)
  }

  /** For work that changes the database: what was read before it in this turn is not read again. */
  writing<T>(work: (writer: Connection) => T): T {
    this.turn.end()
    try {
      return work(this.writer)
    } finally {
      this.turn.end()
    }
  }

  close(): void {
    this.turn.end()
    this.reader.close()
    this.writer.close()
  }
}
