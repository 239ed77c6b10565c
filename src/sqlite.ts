export type { SqliteDatabase } from './storage/sqlite/driver.ts'
export { openSqlite, type SqliteOptions } from './storage/sqlite/open.ts'
// Programs written before `colophon/sql` and `colophon/accounts` import these from here.
export { defineAccounts, openDatabase } from './preset/open-database.ts'
export { sqlSource } from './storage/sql/query/sql-source.ts'
