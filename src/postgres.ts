export type { PostgresClient, PostgresPool } from './storage/postgres/pool.ts'
export {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresPoolOption,
  type PostgresUrlOptions,
} from './storage/postgres/open.ts'
export type { PostgresQuery, PostgresResult } from './storage/postgres/query.ts'
// Programs written before `colophon/sql` and `colophon/accounts` import these from here.
export { defineAccounts, openDatabase } from './preset/open-database.ts'
export { sqlSource } from './storage/sql/query/sql-source.ts'
