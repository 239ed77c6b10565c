export { openDatabase, type OpenDatabaseOptions } from './preset/open-database.ts'
export type {
  Database,
  Executor,
  Isolation,
  MigrationStatus,
  Statement,
  TransactionOptions,
} from './core/ports/database.ts'
export {
  ConstraintViolation,
  DatabaseUnavailable,
  MigrationFailed,
  NotMigrated,
  type ViolationKind,
} from './core/errors/storage-errors.ts'
export type { Dialect } from './storage/sql/dialect.ts'
export type { RelationNames, SqlRelation, SqlRelations } from './storage/sql/query/relations.ts'
export { sqlSource, type SqlSourceOptions } from './storage/sql/query/sql-source.ts'
export {
  type Column,
  type ColumnDefinition,
  type OnDelete,
  type OwnTypes,
  column,
} from './storage/sql/migrations/column-kinds.ts'
export {
  type Migration,
  type Migrations,
  type Step,
  type TableParts,
  type TablesOf,
  type Work,
  addColumn,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropIndex,
  dropTable,
  migration,
  migrationsIn,
  plainSql,
  renameColumn,
  renameTable,
  run,
} from './storage/sql/migrations/steps.ts'
export type { OwnTables } from './storage/database.ts'
export { sqlTable } from './storage/sql/table/sql-table.ts'
export type { Narrow, SqlTable, SqlTableOptions } from './storage/sql/table/sql-table.ts'
export type {
  Lockable,
  ServerDatabase,
  SqlDatabase,
  SqlTransaction,
  SqlSource,
} from './storage/sql/sql-database.ts'
