// A Drizzle schema over the tables of a database.
import { COLUMN_PREFIXES, fitsDriver, hasItsValues } from '../../../storage/drizzle/columns.ts'
import { FOREIGN, type FoundTable, type FoundValue } from '../../../storage/sql/schema-reader.ts'
import { CommandFailed } from '../terminal.ts'
import { type Makers, fileText, imported, makersFor, sourceLiteral, storeText } from './code.ts'
import { IDENTIFIER, wordsIn } from './names.ts'
import {
  AS,
  type OverSchema,
  type OwnColumns,
  type TheirPlace,
  theirModule,
  madeBy,
  moduleBeside,
} from './over.ts'
import type { Plan } from './plan.ts'

/** The facts of a Drizzle column. The package is not imported, because the schema may use another copy of it. */
interface DrizzleColumn {
  readonly name: string
  /** The column has no name of its own, so `casing` decides. */
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
  /** The columns by property. */
  readonly columns: Readonly<Record<string, DrizzleColumn>>
}

/** The exported tables, by their names in the database. */
type Exports = ReadonlyMap<string, DrizzleExport>

/** @throws CommandFailed the module exports no table, or tables of another kind of database */
export async function overDrizzle(place: TheirPlace): Promise<OverSchema> {
  const tables = exportsIn(await theirModule(place))
  if (tables.size === 0) throw new CommandFailed(`${place.path} exports no table of Drizzle.`)
  const kind = COLUMN_PREFIXES[place.dialect] ?? place.dialect
  const columns = [...tables.values()].flatMap((each) => Object.values(each.columns))
  if (!columns.every(({ columnType }) => columnType.startsWith(kind)))
    throw new CommandFailed(`The schema is not one of ${place.dialect}, which the database is.`)
  return {
    absenceOf: ({ name, columns: found }) => absenceIn(exportOf(tables, name)?.columns, found),
    columnsOf: (table) => ownColumns(table, exportOf(tables, table.name)!),
    refined: (table) => table,
    storesFile: (plan) => storesFile(plan, tables, place),
  }
}

function exportsIn(module: Readonly<Record<string, unknown>>): Exports {
  return new Map(
    Object.entries(module).flatMap(([name, value]): [string, DrizzleExport][] => {
      if (typeof value !== 'object' || value === null || partOf(value, 'IsDrizzleTable') !== true)
        return []
      const schema = partOf(value, 'Schema')
      const table = `${typeof schema === 'string' ? `${schema}.` : ''}${String(partOf(value, 'Name'))}`
      return [[table, { name, columns: partOf(value, 'Columns') as DrizzleExport['columns'] }]]
    }),
  )
}

const partOf = (table: object, what: string): unknown =>
  Reflect.get(table, Symbol.for(`drizzle:${what}`))

/** The reason why `drizzleTable` would refuse the table; `null`: it would accept it. */
function absenceIn(
  columns: DrizzleExport['columns'] | undefined,
  found: FoundTable['columns'],
): string | null {
  if (columns === undefined) return 'the schema has no such table'
  const names = found.map(({ name }) => name)
  const typeOf = (column: DrizzleColumn): string | null => {
    const own = found.find(({ name }) => name === nameAmong(names, column))
    return own?.value.kind === 'json' ? 'json' : (own?.declared ?? null)
  }
  const refused = Object.entries(columns).find(
    ([, column]) => !hasItsValues(column as never) || !fitsDriver(column as never, typeOf(column)),
  )
  return refused === undefined
    ? null
    : `drizzleTable would not have the values of "${refused[0]}" as Drizzle has them`
}

/** Finds a table by its name, also if the schema says `public`. */
function exportOf(tables: Exports, name: string): DrizzleExport | undefined {
  return tables.get(name) ?? tables.get(`public.${name}`)
}

function ownColumns(
  { name: table, columns }: FoundTable,
  { columns: own }: DrizzleExport,
): OwnColumns {
  const names = columns.map(({ name }) => name)
  return new Map(
    Object.entries(own).map(([property, column]) => {
      const found = nameAmong(names, column)
      if (found === undefined)
        throw new CommandFailed(
          `The column "${property}" of the schema is not in the table ${table} of the database. Bring both together, with drizzle-kit for one.`,
        )
      const filledAs = madeBy(column.hasDefault || column.onUpdateFn !== undefined)
      const valueOf = (value: FoundValue) => valueThrough(value, column)
      return [found, { property, nullable: !column.notNull, filledAs, valueOf }]
    }),
  )
}

function nameAmong(names: readonly string[], column: DrizzleColumn): string | undefined {
  return names.find((name) => name === column.name) ?? casedIn(names, column)
}

function casedIn(names: readonly string[], { name, keyAsName }: DrizzleColumn): string | undefined {
  if (!keyAsName) return undefined
  const words = wordsIn(name).join(' ')
  return names.find((each) => wordsIn(each).join(' ') === words)
}

/** The value with the limits of the database, and the type of Drizzle. */
function valueThrough(value: FoundValue, column: DrizzleColumn): FoundValue {
  const { dataType, enumValues = [], baseColumn } = column
  if (dataType === 'string' && enumValues.length > 0)
    return { kind: 'choice', values: enumValues, read: '', written: '' }
  if (dataType === 'array')
    return value.kind === 'list' && baseColumn !== undefined
      ? { ...value, of: valueThrough(value.of, baseColumn) }
      : FOREIGN
  return Object.hasOwn(AS, dataType) ? AS[dataType as keyof typeof AS](value) : FOREIGN
}

/** The `casing` that `drizzle()` needs for columns without a name of their own. */
function casingIn({ found: { tables } }: TheirPlace, all: Exports) {
  const cased = tables.flatMap(({ name: table, columns }) => {
    const names = columns.map(({ name }) => name)
    return Object.values(exportOf(all, table)?.columns ?? {}).flatMap((column) =>
      names.includes(column.name) ? [] : (casedIn(names, column) ?? []),
    )
  })
  if (cased.length === 0) return null
  return cased.some((name) => name.includes('_')) ? 'snake_case' : 'camelCase'
}

const MAKERS: Makers = ['drizzleSource', 'drizzleTable']

function storesFile({ resources }: Plan, tables: Exports, place: TheirPlace): string {
  const kind = COLUMN_PREFIXES[place.dialect] ?? place.dialect
  const casing = casingIn(place, tables)
  return fileText(
    [
      imported(makersFor(resources, MAKERS), 'colophon/drizzle'),
      "import { openDatabase } from 'colophon/sql'",
      `import { drizzle } from 'drizzle-orm/${kind.toLowerCase()}-proxy'`,
      `import * as schema from ${sourceLiteral(moduleBeside(place))}`,
    ],
    ['/** The database that `DATABASE_URL` names. */', 'export const database = openDatabase()'],
    [
      '/** It only says how names are written. Put your own in its place. */',
      `const db = drizzle(async () => ({ rows: [] })${casing === null ? '' : `, { casing: '${casing}' }`})`,
    ],
    resources.map((resource) => {
      const { name } = exportOf(tables, resource.table.name)!
      const member = IDENTIFIER.test(name) ? `.${name}` : `[${sourceLiteral(name)}]`
      return storeText(resource, MAKERS, ['database', 'db', `table: schema${member}`])
    }),
  )
}
