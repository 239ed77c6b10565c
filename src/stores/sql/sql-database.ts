import type { Kysely } from 'kysely'
import type { Database } from '../../contract/storage.ts'

/** A database that speaks SQL, with typed queries. */
export interface SqlDatabase extends Database {
  /** The same database for typed queries: `database.kysely<Tables>().selectFrom('article')…` */
  kysely<Tables>(): Kysely<Tables>
}
