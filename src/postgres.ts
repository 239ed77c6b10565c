export * from './api/database-door.ts'
export type { PostgresClient, PostgresPool } from './databases/postgres/driver.ts'
export {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresPoolOption,
  type PostgresUrlOptions,
} from './databases/postgres/open.ts'
export type { PostgresQuery, PostgresResult } from './databases/postgres/query.ts'
