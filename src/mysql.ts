export * from './api/database-door.ts'
export type {
  MysqlColumn,
  MysqlConnection,
  MysqlPool,
  MysqlResult,
  MysqlStatement,
} from './databases/mysql/driver.ts'
export {
  type MysqlDatabase,
  type MysqlOptions,
  type MysqlPoolOption,
  type MysqlUrlOptions,
  openMysql,
} from './databases/mysql/open.ts'
