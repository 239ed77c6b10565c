import type { Rows, Statement } from '../../contract/database.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { OpenTransaction } from '../database.ts'
import type { Execution } from '../kysely.ts'
import type { Outcome, WritingConnection } from './connection.ts'
import type { ForeignLocks } from './foreign-locks.ts'

/** A transaction of the writer. It sees its own changes; others see them once it is committed. */
export class SqliteTransaction implements OpenTransaction {
  readonly #writer: WritingConnection
  readonly #locks: ForeignLocks
  readonly #ended: () => void
  #over = false

  /** Begins at once. `ended`: committed or not. */
  constructor(writer: WritingConnection, locks: ForeignLocks, ended: () => void) {
    this.#writer = writer
    this.#locks = locks
    this.#ended = ended
    writer.writing(() => writer.command('BEGIN IMMEDIATE'))
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    return toRowObjects<Row>(this.rows(statement))
  }

  rows(statement: Statement): Rows {
    return this.#open().rows(statement)
  }

  write(statement: Statement): Outcome {
    return this.#open().run(statement)
  }

  execute(statement: Statement): Execution {
    return this.#open().execute(statement)
  }

  /** Where the file system allows no write-ahead log, a reader elsewhere stands in its way. */
  async commit(): Promise<void> {
    const writer = this.#open()
    await this.#locks.outwait(() => writer.writing(() => writer.command('COMMIT')))
    this.#close()
  }

  end(): void {
    if (this.#over) return
    try {
      // Some failures, a full disk for one, have rolled back by themselves.
      if (this.#writer.inTransaction) this.#writer.command('ROLLBACK')
    } finally {
      this.#close()
    }
  }

  #open(): WritingConnection {
    if (this.#over) throw new Error('This transaction is over: await everything inside of it.')
    return this.#writer
  }

  #close(): void {
    this.#over = true
    this.#ended()
  }
}
