import type { ColumnDefinitionBuilder } from 'kysely'
import type { Dialect } from '../../dialect.ts'

/** Only an `integer` primary key counts up by itself on SQLite, where it has 64 bits anyway. */
export function integer(dialect: Dialect): 'integer' | 'bigint' {
  return dialect.id === 'sqlite' ? 'integer' : 'bigint'
}

/** A primary key that never gives the number of a deleted row to another. */
export function growing(
  dialect: Dialect,
): (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder {
  return (column) =>
    dialect.id === 'postgres'
      ? column.generatedByDefaultAsIdentity().primaryKey()
      : column.autoIncrement().primaryKey()
}
