import type { MaybePromise } from '../../contract/request.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import type { Dialect } from '../dialect.ts'
import type { Reader, TableFacts, TableName } from './facts.ts'

/**
 * What the database knows about a table. Kept once it is known; nobody waits for what somebody else asks,
 * who may be waiting for a connection.
 */
export class Catalogue {
  readonly #dialect: Dialect
  readonly #table: TableName
  #facts: TableFacts | null = null

  constructor(dialect: Dialect, table: TableName) {
    this.#dialect = dialect
    this.#table = table
  }

  /** @throws ConfigurationError there is no such table */
  facts(reader: Reader): MaybePromise<TableFacts> {
    if (this.#facts !== null) return this.#facts
    return after(this.#dialect.facts(reader, this.#table), (facts) => {
      if (facts.columns.size > 0) return (this.#facts = facts)
      throw new ConfigurationError(
        `The database has no table "${this.#table.name}", which sqlTable() is to keep rows in.`,
      )
    })
  }
}
