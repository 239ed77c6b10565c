import { sql } from 'kysely'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import type { MigrationDialect } from '../../sql/dialect.ts'
import type { ColumnDefinition } from '../../sql/migrations/columns.ts'
import { runAll } from '../../sql/migrations/steps.ts'
import { MOMENT } from './kinds.ts'

/** How the tables of SQLite change: in a transaction, which is the only one that writes. */
export const migrations: MigrationDialect = {
  // Only an `integer` primary key counts up by itself. It has 64 bits anyway.
  integer: 'integer',
  growing: (column) => column.autoIncrement().primaryKey(),
  exclusively: (database, work) => database.transaction().execute(work),
  run: runAll,
  undone: true,
  type: typeOf,
  check,
  inlineReferences: true,
  indexesOfTables: false,
  now: "(cast(unixepoch('subsec') * 1000 as integer))",
  own: ({ sqlite }) => sqlite,
  counters: (table) =>
    table.addColumn('state', 'blob', (column) => column.notNull()).modifyEnd(sql`without rowid`),
}

/** Digits that a number of SQLite keeps for certain. */
const DIGITS = 15

/** What a column is declared as decides how its values are compared: see `kindOf`. */
function typeOf({
  kind,
  maxLength,
  digits = 0,
  places,
  values = [],
  types,
}: ColumnDefinition): string {
  switch (kind) {
    case 'id':
    case 'integer':
      return 'integer'
    case 'float':
      return 'double precision'
    case 'decimal':
      if (digits > DIGITS)
        throw new ConfigurationError(
          `column.decimal(${digits}, …): SQLite keeps decimal numbers of at most ${DIGITS} digits. Take fewer, or another database.`,
        )
      return `decimal(${digits}, ${places})`
    case 'text':
      return maxLength === undefined ? 'text' : `varchar(${maxLength})`
    case 'choice':
      return `varchar(${Math.max(...values.map((value) => value.length))})`
    case 'dateTime':
      return MOMENT
    case 'uuid':
      return 'char(36)'
    case 'bytes':
      return 'blob'
    case 'own':
      return types!.sqlite
    default:
      return kind
  }
}

/** SQLite keeps any value in any column, so each column says what it takes. */
function check(
  { kind, maxLength, nullable = false }: ColumnDefinition,
  name: string,
): string | null {
  const ofType = (...names: string[]) =>
    `typeof(${name}) in (${[...names, ...(nullable ? ['null'] : [])].map((each) => `'${each}'`).join(', ')})`
  const orNull = (condition: string) => (nullable ? `${name} is null or ${condition}` : condition)
  switch (kind) {
    case 'integer':
    case 'dateTime':
      return ofType('integer')
    case 'float':
      return ofType('real')
    case 'decimal':
      return ofType('integer', 'real')
    case 'boolean':
      return orNull(`${name} in (0, 1)`)
    case 'text':
      return maxLength === undefined
        ? ofType('text')
        : `${ofType('text')} and length(coalesce(${name}, '')) <= ${maxLength}`
    case 'date':
      return orNull(`date(${name}) is ${name}`)
    case 'time':
      return orNull(`${name} glob '[0-2][0-9]:[0-5][0-9]:[0-5][0-9]*'`)
    case 'uuid':
      return orNull(`length(${name}) = 36`)
    case 'bytes':
      return ofType('blob')
    default:
      return null
  }
}
