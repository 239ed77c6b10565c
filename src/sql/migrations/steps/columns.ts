import type { ColumnDefinitionBuilder } from 'kysely'
import type { DialectName } from '../../compile.ts'

/** Only an `integer` primary key counts up by itself on SQLite, where it has 64 bits anyway. */
export function integer(dialect: DialectName): 'integer' | 'bigint' {
  return dialect === 'sqlite' ? 'integer' : 'bigint'
}

/** A primary key that never gives the number of a deleted row to another. */
export function growing(
  dialect: DialectName,
): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return (column) =>
    dialect === 'postgres'
      ? column.generatedByDefaultAsIdentity().primaryKey()
      : column.autoIncrement().primaryKey()
}
