export * from './api/database-door.ts'
export type { SqliteDatabase } from './databases/sqlite/database.ts'
export { openSqlite, type SqliteOptions } from './databases/sqlite/open.ts'
