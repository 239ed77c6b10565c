// A team's own schema instead of the database's columns: their names, and the types of their values.
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

/** The place of a schema, and of the program that is written over it. */
export interface TheirPlace {
  /** The path as it was typed. */
  readonly path: string
  readonly cwd: string
  /** The kind of database. */
  readonly dialect: string
  /** The folder of the written program. */
  readonly folder: string
  readonly found: SchemaCatalogue
}

/** The tables of another library. */
export interface OverSchema {
  /** The reason why a table is left out; `null`: it is written. */
  absenceOf(table: FoundTable): string | null
  /** The library's columns of a table, by their names in the database. @throws CommandFailed the database lacks one of them */
  columnsOf(table: FoundTable): OwnColumns
  /** The table with facts that the library knows better; its columns already have their names. */
  refined(table: FoundTable, own: OwnColumns): FoundTable
  /** `stores.ts`, from the plan alone. */
  storesFile(plan: Plan): string
}

export type OwnColumns = ReadonlyMap<string, OwnColumn>

export interface OwnColumn {
  readonly property: string
  readonly nullable: boolean
  /** The source of a missing value, which may be the library. */
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

/** The path of the module in imports of the written files. @throws CommandFailed an import reads it as another one */
export function moduleBeside({ folder, cwd, path }: TheirPlace): string {
  const found = relative(folder, resolve(cwd, path)).split(sep).join(posix.sep)
  if (/[#?%]/.test(found))
    throw new CommandFailed(`No import can name ${path}, because of #, ? or %. Rename it.`)
  return found.startsWith('.') ? found : `./${found}`
}

/** The tables that both the database and the schema have, in the terms of the schema. */
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

/** The library fills the value in, if the database does not. */
export function madeBy(isMade: boolean): OwnColumn['filledAs'] {
  return (found) => (found === 'no' && isMade ? 'constant' : found)
}

/** JavaScript values that both libraries read alike; the limits stay those of the database. */
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
  // Colophon reads days as texts.
  date: (value) =>
    value.kind === 'date'
      ? FOREIGN
      : plainly(
          { kind: 'dateTime', hasZone: value.kind !== 'dateTime' || value.hasZone, isDate: true },
          'Date',
        ),
}

/** Kinds that are texts if the library says so. */
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
