import type { Rows, Statement } from '../../contract/database.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** What the stores of accounts need of a database. */
export type AccountsPort = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** A row, with its values in the order in which the statement selects them. */
export type RowValues = Rows['values'][number]

/** Runs the statements of a store. */
export class SqlStore {
  protected readonly database: AccountsPort

  constructor(database: AccountsPort) {
    this.database = database
  }

  protected async all<T>(statement: Statement, read: (row: RowValues) => T): Promise<readonly T[]> {
    const { values } = await this.database.rows(statement)
    return values.map(read)
  }

  protected async first<T>(statement: Statement, read: (row: RowValues) => T): Promise<T | null> {
    const { values } = await this.database.rows(statement)
    return values[0] === undefined ? null : read(values[0])
  }

  /** How many rows the statement changed. */
  protected async changes(statement: Statement): Promise<number> {
    return (await this.database.write(statement)).changes
  }
}
