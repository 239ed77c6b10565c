import type { SqlDatabase } from '../sql/sql-database.ts'

/** How a kind of database is found by the address that an operator sets, such as `DATABASE_URL`. */
export interface Opener {
  /** What its addresses begin with, in front of the colon. */
  readonly schemes: readonly string[]
  /** Its addresses as a message names them: `postgres://…`. */
  readonly addresses: string
  /** Opens nothing before it is used. Relative paths are looked for in `folder`. */
  readonly open: (url: string, folder: string) => SqlDatabase
}
