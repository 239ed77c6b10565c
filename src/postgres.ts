export * from './api/database-door.ts'
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from './databases/postgres/driver.ts'
export {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
  type PostgresPoolOption,
  type PostgresUrlOptions,
} from './databases/postgres/open.ts'
