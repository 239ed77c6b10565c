// A schema that a team has, in the place of the columns that a database has: their names, and the types of their values.
import { posix, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type ColumnFilling,
  FOREIGN,
  type FoundColumn,
  type FoundTable,
  type FoundValue,
  type SchemaCatalogue,
  plainly,
} from '../../../storage/sql/schema-reader.ts'
import { CommandFailed } from '../terminal.ts'
import type { Plan } from './plan.ts'

/** Where a schema is, and what is written over it. */
export interface TheirPlace {
  /** As it was typed. */
  readonly path: string
  readonly cwd: string
  /** The kind of database. */
  readonly dialect: string
  /** That is written to. */
  readonly folder: string
  readonly found: SchemaCatalogue
}

/** The tables of another library. */
export interface OverSchema {
  /** Why nothing can be written for a table; `null`: something can. */
  absenceOf(table: FoundTable): string | null
  /** How the library has the columns of a table, by their names in the database. @throws CommandFailed it has one that the database has not */
  columnsOf(table: FoundTable): OwnColumns
  /** What the library knows better of a table, whose columns have its names already. */
  refined(table: FoundTable, own: OwnColumns): FoundTable
  /** `stores.ts`, which needs nothing but the plan. */
  storesFile(plan: Plan): string
}

export type OwnColumns = ReadonlyMap<string, OwnColumn>

export interface OwnColumn {
  readonly property: string
  readonly nullable: boolean
  /** What is written where no value is given, which the library may do. */
  filledAs(found: ColumnFilling): ColumnFilling
  valueOf(found: FoundValue): FoundValue
}

/** @throws CommandFailed the module cannot be loaded */
export async function theirModule(
  { path, cwd }: TheirPlace,
  advice = '',
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(cwd, path)).href)) as Record<string, unknown>
  } catch (error) {
    throw new CommandFailed(
      `Cannot load ${path}: ${(error as Error).message} Node reads it as it is, so imports need their extensions.${advice}`,
    )
  }
}

/** How the files that are written import the module. */
export function moduleBeside({ folder, cwd, path }: TheirPlace): string {
  const found = relative(folder, resolve(cwd, path)).split(sep).join(posix.sep)
  return found.startsWith('.') ? found : `./${found}`
}

/** Those tables of the database that the schema has, as it has them. */
export function throughSchema(
  { tables, others }: SchemaCatalogue,
  over: OverSchema,
): SchemaCatalogue {
  const whys = new Map(tables.map((table) => [table.name, over.absenceOf(table)] as const))
  const served = tables.filter(({ name }) => whys.get(name) === null)
  const columns = new Map(served.map((table) => [table.name, over.columnsOf(table)]))
  const absent = tables.filter(({ name }) => !columns.has(name) && !/colophon_/.test(name))
  return {
    tables: served.map((table) => {
      const own = columns.get(table.name)!
      return over.refined(renamed(table, own, columns), own)
    }),
    others: [...others, ...absent.map(({ name }) => ({ name, what: whys.get(name)! }))],
  }
}

function renamed(
  table: FoundTable,
  known: OwnColumns,
  all: ReadonlyMap<string, OwnColumns>,
): FoundTable {
  const to = (names: readonly string[], where: OwnColumns | undefined = known): string[] =>
    names.flatMap((name) => where?.get(name)?.property ?? [])
  const isWhole = (names: readonly string[]): boolean => names.every((name) => known.has(name))
  const columns = table.columns.flatMap((column) => {
    const own = known.get(column.name)
    return own === undefined ? [] : columnThrough(column, own)
  })
  return {
    ...table,
    columns,
    primaryKey: isWhole(table.primaryKey) ? to(table.primaryKey) : [],
    unique: table.unique.filter(isWhole).map((names) => to(names)),
    foreignKeys: table.foreignKeys
      .filter(({ columns: from }) => isWhole(from))
      .map(({ columns: from, table: target, referenced }) => ({
        columns: to(from),
        table: target,
        referenced: to(referenced, all.get(target)),
      })),
    rules: table.rules.flatMap((rule) => {
      const [column] = to([rule.column])
      return column === undefined ? [] : { ...rule, column }
    }),
  }
}

function columnThrough(found: FoundColumn, own: OwnColumn): FoundColumn {
  return {
    ...found,
    name: own.property,
    value: own.valueOf(found.value),
    nullable: own.nullable,
    filled: own.filledAs(found.filled),
  }
}

/** By the library, where the database does not. */
export function madeBy(isMade: boolean): OwnColumn['filledAs'] {
  return (found) => (found === 'no' && isMade ? 'constant' : found)
}

/** A value as JavaScript has it where both libraries have it alike; the limits stay those of the database. */
export const AS: Readonly<
  Record<
    'string' | 'number' | 'bigint' | 'boolean' | 'json' | 'date',
    (value: FoundValue) => FoundValue
  >
> = {
  string: (value) =>
    TEXTS.has(value.kind) ? value : plainly({ kind: 'text', maxLength: null }, 'string'),
  number: numberOf,
  bigint: bigOf,
  boolean: () => plainly({ kind: 'boolean' }, 'boolean'),
  json: () => plainly({ kind: 'json' }, 'unknown'),
  // Days are read as texts.
  date: (value) =>
    value.kind === 'date'
      ? FOREIGN
      : plainly(
          { kind: 'dateTime', hasZone: value.kind !== 'dateTime' || value.hasZone, isDate: true },
          'Date',
        ),
}

/** What is a text where the library says so. */
const TEXTS: ReadonlySet<string> = new Set(
  'text|choice|uuid|date|time|dateTime|decimal|ip|other'.split('|'),
)

function numberOf(value: FoundValue): FoundValue {
  if (value.kind === 'integer' || value.kind === 'choice') return value
  if (value.kind === 'bigInteger') return plainly({ ...value, kind: 'integer' }, 'number')
  return plainly({ kind: value.kind === 'boolean' ? 'integer' : 'float' }, 'number')
}

function bigOf(value: FoundValue): FoundValue {
  const isWhole = value.kind === 'integer' || value.kind === 'bigInteger'
  return plainly({ ...(isWhole ? value : {}), kind: 'bigInteger' }, 'bigint')
}
