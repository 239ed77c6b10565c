import type { Executor, Rows, Statement } from '../../contract/database.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { Execution } from '../kysely.ts'
import type { Connection, Outcome } from './connection.ts'
import type { Connections } from './connections.ts'
import type { ForeignLocks } from './foreign-locks.ts'

/** A transaction of the writer. It sees its own changes; others see them once it is committed. */
export class SqliteTransaction implements Executor {
  readonly #connections: Connections
  readonly #locks: ForeignLocks
  readonly #ended: () => void
  #over = false

  /** Begins at once. `ended` is called when it is over, however that came about. */
  constructor(connections: Connections, locks: ForeignLocks, ended: () => void) {
    this.#connections = connections
    this.#locks = locks
    this.#ended = ended
    connections.writing((writer) => writer.execute('BEGIN IMMEDIATE'))
  }

  read<Row = Record<string, unknown>>(statement: Statement): readonly Row[] {
    const { columns, values } = this.rows(statement)
    return toRowObjects(columns, values) as Row[]
  }

  rows(statement: Statement): Rows {
    return this.#open().rows(statement)
  }

  write(statement: Statement): Outcome {
    return this.#open().run(statement)
  }

  execute(statement: Statement): Execution {
    return execute(this.#open(), statement)
  }

  /**
   * Where the file system allows no write-ahead log, a reader elsewhere stands in its way.
   *
   * @throws DatabaseUnavailable nothing was written
   */
  async commit(): Promise<void> {
    this.#open()
    await this.#locks.outwait(() => this.#connections.writing((writer) => writer.execute('COMMIT')))
    this.#end()
  }

  /** Does nothing where it is over already. */
  rollback(): void {
    if (this.#over) return
    try {
      // Some failures, a full disk for one, have rolled back by themselves.
      const { writer } = this.#connections
      if (writer.inTransaction) writer.execute('ROLLBACK')
    } finally {
      this.#end()
    }
  }

  #open(): Connection {
    if (this.#over) throw new Error('This transaction is over: await everything inside of it.')
    return this.#connections.writer
  }

  #end(): void {
    this.#over = true
    this.#ended()
  }
}

/** Runs a statement of any kind, with rows where it has some. */
export function execute(connection: Connection, statement: Statement): Execution {
  if (!connection.returnsRows(statement.sql))
    return { ...connection.run(statement), columns: [], values: [] }
  return found(connection.rows(statement))
}

/** Names of columns are read now, before other statements run. */
export function found({ columns, values }: Rows): Execution {
  return { columns, values, changes: null }
}
