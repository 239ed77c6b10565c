// A schema of Drizzle in the place of the columns that a database has: their names, and the types of their values.
import { posix, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  FOREIGN,
  type FoundColumn,
  type FoundTable,
  type FoundValue,
  type SchemaCatalogue,
  plainly,
} from '../../../storage/sql/schema-reader.ts'
import { COLUMN_PREFIXES, hasItsValues } from '../../../storage/drizzle/columns.ts'
import { CommandFailed } from '../terminal.ts'
import { enclosedLines, fileText, imported, sourceLiteral } from './code.ts'
import { wordsIn } from './names.ts'
import type { Plan, PlannedResource } from './plan.ts'

/** What is read of a column of Drizzle. The package is not imported: the schema may have another copy of it. */
interface DrizzleColumn {
  readonly name: string
  /** It has no name of its own, so `casing` decides. */
  readonly keyAsName: boolean
  readonly notNull: boolean
  readonly hasDefault: boolean
  readonly onUpdateFn?: unknown
  readonly dataType: string
  readonly columnType: string
  readonly enumValues?: readonly string[]
  readonly baseColumn?: DrizzleColumn
}

interface DrizzleExport {
  readonly name: string
  /** By property. */
  readonly columns: Readonly<Record<string, DrizzleColumn>>
}

/** A schema of a team. */
export interface DrizzleSchema {
  readonly path: string
  /** By the name of the table in the database. */
  readonly tables: ReadonlyMap<string, DrizzleExport>
}

/** @throws CommandFailed the module cannot be loaded, or exports no table */
export async function drizzleSchema(path: string, cwd: string): Promise<DrizzleSchema> {
  const module = await load(resolve(cwd, path), path)
  const tables = Object.entries(module).flatMap(([name, value]): [string, DrizzleExport][] => {
    if (typeof value !== 'object' || value === null || partOf(value, 'IsDrizzleTable') !== true)
      return []
    const schema = partOf(value, 'Schema')
    const table = `${typeof schema === 'string' ? `${schema}.` : ''}${String(partOf(value, 'Name'))}`
    return [[table, { name, columns: partOf(value, 'Columns') as DrizzleExport['columns'] }]]
  })
  if (tables.length > 0) return { path: resolve(cwd, path), tables: new Map(tables) }
  throw new CommandFailed(`${path} exports no table of Drizzle.`)
}

const partOf = (table: object, what: string): unknown =>
  Reflect.get(table, Symbol.for(`drizzle:${what}`))

async function load(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new CommandFailed(
      `Cannot load ${path}: ${(error as Error).message} Node reads it as it is, so imports need their extensions.`,
    )
  }
}

/** Those tables of the database that the schema has, as it has them. */
export function throughDrizzle(
  { tables, others }: SchemaCatalogue,
  schema: DrizzleSchema,
): SchemaCatalogue {
  const whys = new Map(
    tables.map(({ name }) => [name, absenceIn(exportOf(schema, name)?.columns)] as const),
  )
  const served = tables.filter(({ name }) => whys.get(name) === null)
  const properties = new Map(
    served.map((table) => [table.name, propertiesOf(table, exportOf(schema, table.name)!)]),
  )
  const absent = tables.filter(({ name }) => !properties.has(name) && !/colophon_/.test(name))
  return {
    tables: served.map((table) => renamed(table, properties.get(table.name)!, properties)),
    others: [...others, ...absent.map(({ name }) => ({ name, what: whys.get(name)! }))],
  }
}

/** Why `drizzleTable` would not start with it; `null`: it would. */
function absenceIn(columns: DrizzleExport['columns'] | undefined): string | null {
  if (columns === undefined) return 'the schema has no such table'
  const refused = Object.entries(columns).find(([, column]) => !hasItsValues(column as never))
  return refused === undefined
    ? null
    : `drizzleTable would not have the values of "${refused[0]}" as Drizzle has them`
}

/** A table of a schema may be found without it. */
function exportOf({ tables }: DrizzleSchema, name: string): DrizzleExport | undefined {
  return tables.get(name) ?? tables.get(`public.${name}`)
}

type Properties = ReadonlyMap<string, readonly [property: string, column: DrizzleColumn]>

/** By column of the database. */
function propertiesOf(
  { name: table, columns }: FoundTable,
  { columns: own }: DrizzleExport,
): Properties {
  const names = columns.map(({ name }) => name)
  return new Map(
    Object.entries(own).map(([property, column]) => {
      const found = names.find((name) => name === column.name) ?? casedIn(names, column)
      if (found !== undefined) return [found, [property, column]]
      throw new CommandFailed(
        `The column "${property}" of the schema is not in the table ${table} of the database. Bring both together, with drizzle-kit for one.`,
      )
    }),
  )
}

function casedIn(names: readonly string[], { name, keyAsName }: DrizzleColumn): string | undefined {
  if (!keyAsName) return undefined
  const words = wordsIn(name).join(' ')
  return names.find((each) => wordsIn(each).join(' ') === words)
}

function renamed(
  table: FoundTable,
  known: Properties,
  all: ReadonlyMap<string, Properties>,
): FoundTable {
  const to = (names: readonly string[], where: Properties | undefined = known): string[] =>
    names.flatMap((name) => where?.get(name)?.[0] ?? [])
  const isWhole = (names: readonly string[]): boolean => names.every((name) => known.has(name))
  const columns = table.columns.flatMap((column) => {
    const own = known.get(column.name)
    return own === undefined ? [] : columnThrough(column, ...own)
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

function columnThrough(found: FoundColumn, property: string, column: DrizzleColumn): FoundColumn {
  const isMade = column.hasDefault || column.onUpdateFn !== undefined
  return {
    ...found,
    name: property,
    value: valueOf(found.value, column),
    nullable: !column.notNull,
    filled: found.filled === 'no' && isMade ? 'constant' : found.filled,
  }
}

/** The limits are those of the database, and the type is that of Drizzle. */
function valueOf(value: FoundValue, column: DrizzleColumn): FoundValue {
  const { dataType, enumValues = [], baseColumn } = column
  if (dataType === 'string' && enumValues.length > 0)
    return { kind: 'choice', values: enumValues, read: '', written: '' }
  if (dataType === 'array')
    return value.kind === 'list' && baseColumn !== undefined
      ? { ...value, of: valueOf(value.of, baseColumn) }
      : FOREIGN
  return BY_TYPE[dataType]?.(value) ?? FOREIGN
}

const BY_TYPE: Readonly<Record<string, (value: FoundValue) => FoundValue>> = {
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

/** What is a text where Drizzle says so. */
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

/** What a program over a schema needs to know. */
export interface OverDrizzle {
  readonly schema: DrizzleSchema
  readonly casing: 'snake_case' | 'camelCase' | null
  /** What Drizzle calls the kind of database. */
  readonly kind: string
  /** That it is written to. */
  readonly folder: string
}

/** @throws CommandFailed the schema is one of another kind of database */
export function overDrizzle(
  { tables }: SchemaCatalogue,
  schema: DrizzleSchema,
  { dialect, folder }: { readonly dialect: string; readonly folder: string },
): OverDrizzle {
  const kind = COLUMN_PREFIXES[dialect] ?? dialect
  const columns = [...schema.tables.values()].flatMap((each) => Object.values(each.columns))
  if (!columns.every(({ columnType }) => columnType.startsWith(kind)))
    throw new CommandFailed(`The schema is not one of ${dialect}, which the database is.`)
  return { schema, casing: casingIn(tables, schema), kind, folder }
}

/** How `drizzle()` has to write names without one of their own. */
function casingIn(tables: readonly FoundTable[], schema: DrizzleSchema): OverDrizzle['casing'] {
  const cased = tables.flatMap(({ name: table, columns }) => {
    const names = columns.map(({ name }) => name)
    return Object.values(exportOf(schema, table)?.columns ?? {}).flatMap((column) =>
      names.includes(column.name) ? [] : (casedIn(names, column) ?? []),
    )
  })
  if (cased.length === 0) return null
  return cased.some((name) => name.includes('_')) ? 'snake_case' : 'camelCase'
}

/** `stores.ts` over the schema. */
export function drizzleStoresFile(
  { resources }: Plan,
  { schema, casing, kind, folder }: OverDrizzle,
): string {
  const isListed = resources.some(({ key }) => key === null)
  const isStored = resources.some(({ key }) => key !== null)
  const names = [...(isListed ? ['drizzleSource'] : []), ...(isStored ? ['drizzleTable'] : [])]
  return fileText(
    [
      imported(names, 'colophon/drizzle'),
      "import { openDatabase } from 'colophon/sql'",
      `import { drizzle } from 'drizzle-orm/${kind.toLowerCase()}-proxy'`,
      `import * as schema from ${sourceLiteral(moduleBeside(folder, schema.path))}`,
    ],
    ['/** The database that `DATABASE_URL` names. */', 'export const database = openDatabase()'],
    [
      '/** It only says how names are written. Put your own in its place. */',
      `const db = drizzle(async () => ({ rows: [] })${casing === null ? '' : `, { casing: '${casing}' }`})`,
    ],
    resources.map((resource) => storeOver(resource, schema)),
  )
}

function storeOver(
  { table, identifier, key, order }: PlannedResource,
  schema: DrizzleSchema,
): string {
  const parts = [
    'database',
    'db',
    `table: schema.${exportOf(schema, table.name)!.name}`,
    key === null
      ? `key: [${order.map(sourceLiteral).join(', ')}]`
      : `key: ${sourceLiteral(key.name)}`,
  ]
  const maker = key === null ? 'drizzleSource' : 'drizzleTable'
  return enclosedLines([`${maker}({`, '})'], parts, { before: `export const ${identifier} = ` })
}

function moduleBeside(folder: string, path: string): string {
  const found = relative(folder, path).split(sep).join(posix.sep)
  return found.startsWith('.') ? found : `./${found}`
}
