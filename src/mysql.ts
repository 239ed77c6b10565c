export type {
  MysqlConnection,
  MysqlPool,
  MysqlResult,
  MysqlStatement,
} from './storage/mysql/driver.ts'
export type { MysqlColumn } from './storage/mysql/value-kinds.ts'
export {
  type MysqlDatabase,
  type MysqlOptions,
  type MysqlPoolOption,
  type MysqlUrlOptions,
  openMysql,
} from './storage/mysql/open.ts'
// Programs written before `colophon/sql` and `colophon/accounts` import these from here.
export { defineAccounts, openDatabase } from './preset/open-database.ts'
export { sqlSource } from './storage/sql/query/sql-source.ts'
