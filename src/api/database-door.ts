// What the doors to all databases pass on: colophon/sqlite, colophon/postgres and colophon/mysql.
export type { Accounts } from '../accounts/create-accounts.ts'
export { AccountEvents } from '../accounts/events.ts'
export { HashQueue, type HashQueueOptions } from '../accounts/passwords/hash-queue.ts'
export type { PasswordCost } from '../accounts/passwords/argon2.ts'
export type { ImportedToken, NamedTokenInput } from '../accounts/tokens/token-input.ts'
export { Sessions } from '../accounts/sessions/sessions.ts'
export { Tokens } from '../accounts/tokens/tokens.ts'
export { type UserChanges, type UserInput, Users } from '../accounts/users.ts'
export { defineAccounts, type DefineAccountsOptions } from './define-accounts.ts'
export { openDatabase } from './open-database.ts'
export type {
  AccountEventName,
  AccountEventTypes,
  AccountListener,
  LoginRefusal,
} from '../contract/events.ts'
export type { Database, Executor, Statement } from '../contract/storage.ts'
export {
  ConstraintViolation,
  DatabaseUnavailable,
  UsernameTaken,
  type ViolationKind,
} from '../errors/storage-errors.ts'
export type { Dialect } from '../sql/dialect.ts'
export type { SqlSource } from '../sql/query/sql-query.ts'
export { sqlSource, type SqlSourceOptions } from '../sql/query/sql-source.ts'
export {
  type Narrow,
  sqlTable,
  type SqlTable,
  type SqlTableOptions,
} from '../sql/table/sql-table.ts'
export type { ServerDatabase, SqlDatabase } from '../sql/sql-database.ts'
