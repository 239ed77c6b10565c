// Names that have to do with any database go to api/database-door.ts.
export * from './api/database-door.ts'
export type { SqliteDatabase } from './databases/sqlite/database.ts'
export { openSqlite, type SqliteOptions } from './databases/sqlite/open.ts'
