import type { MaybePromise } from '../../contract/request.ts'
import type { Database, Executor } from '../../contract/storage.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import type { TableFacts, TableName } from './facts.ts'
import { mysqlFacts } from '../../databases/mysql/catalogue.ts'
import { postgresFacts } from '../../databases/postgres/catalogue.ts'
import { sqliteFacts } from '../../databases/sqlite/catalogue.ts'

/** What reads a catalogue: a database, or a transaction of it. */
export type Reader = Pick<Executor, 'rows'>

const CATALOGUES: {
  readonly [D in Database['dialect']]: (
    reader: Reader,
    table: TableName,
  ) => MaybePromise<TableFacts>
} = { sqlite: sqliteFacts, postgres: postgresFacts, mysql: mysqlFacts }

/**
 * What the database knows about a table. Kept once it is known; nobody waits for what somebody else asks,
 * who may be waiting for a connection.
 */
export class Catalogue {
  readonly #dialect: Database['dialect']
  readonly #table: TableName
  #facts: TableFacts | null = null

  constructor(dialect: Database['dialect'], table: TableName) {
    this.#dialect = dialect
    this.#table = table
  }

  /** @throws ConfigurationError there is no such table */
  facts(reader: Reader): MaybePromise<TableFacts> {
    if (this.#facts !== null) return this.#facts
    return after(CATALOGUES[this.#dialect](reader, this.#table), (facts) => {
      if (facts.columns.size > 0) return (this.#facts = facts)
      throw new ConfigurationError(
        `The database has no table "${this.#table.name}", which sqlTable() is to keep rows in.`,
      )
    })
  }
}
