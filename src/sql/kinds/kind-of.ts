import type { Database } from '../../contract/storage.ts'
import { mysqlKind } from '../../databases/mysql/kinds.ts'
import { postgresKind } from '../../databases/postgres/kinds.ts'
import { sqliteKind } from '../../databases/sqlite/kinds.ts'
import type { ValueKind } from './value-kind.ts'

/** How values of a type are compared. `type` as the database calls it, `null` where it does not say. */
export function kindOf(
  dialect: Database['dialect'],
  type: string | null,
  scale: number,
): ValueKind {
  if (dialect === 'sqlite') return sqliteKind(type)
  return dialect === 'postgres' ? postgresKind(type) : mysqlKind(type, scale)
}
