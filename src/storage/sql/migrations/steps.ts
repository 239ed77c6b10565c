import { readdir } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import type { Column, ColumnDefinition, OwnTypes } from './column-kinds.ts'

export type StepData =
  | {
      readonly do: 'create'
      readonly table: string
      readonly columns: Readonly<Record<string, ColumnDefinition>>
      readonly primaryKey?: readonly string[]
      readonly unique?: readonly (readonly string[])[]
      readonly indexes?: readonly (readonly string[])[]
    }
  | { readonly do: 'drop'; readonly table: string }
  | { readonly do: 'rename'; readonly table: string; readonly to: string }
  | {
      readonly do: 'addColumn'
      readonly table: string
      readonly name: string
      readonly column: ColumnDefinition
    }
  | { readonly do: 'dropColumn'; readonly table: string; readonly name: string }
  | {
      readonly do: 'renameColumn'
      readonly table: string
      readonly name: string
      readonly to: string
    }
  | {
      readonly do: 'createIndex' | 'dropIndex'
      readonly table: string
      readonly columns: readonly string[]
      readonly unique?: boolean
    }
  | { readonly do: 'sql'; readonly sql: OwnTypes | string }
  | { readonly do: 'work'; readonly work: Work }

/** Reads and writes rows within a migration. */
export type Work = (db: Kysely<unknown>) => Promise<unknown>

/** One change of the tables. `Change` describes its effect on their types. */
export interface Step<Change = unknown> {
  readonly '~step': StepData
  /** Only for the compiler: the member does not exist at run time. */
  readonly '~change'?: Change
}

/** Steps with a name, which are done together. */
export interface Migration<Steps extends readonly Step[] = readonly Step[]> {
  readonly name: string
  readonly steps: Steps
}

/** The migrations of an application, in their order. */
export interface Migrations<List extends readonly Migration[] = readonly Migration[]> {
  readonly '~load': () => List | Promise<List>
}

type Columns = Readonly<Record<string, Column>>

type RowOf<C extends Columns> = {
  -readonly [K in keyof C]: C[K] extends Column<infer Type> ? Type : never
}

/** The parts of a table beside its columns. Each list names columns. */
export interface TableParts<Name extends string> {
  /** A key of several columns; of one it is `column.id()`, or a column with `primaryKey: true`. */
  readonly primaryKey?: readonly Name[]
  /** Columns whose values together no two rows share. */
  readonly unique?: readonly (readonly Name[])[]
  readonly indexes?: readonly (readonly Name[])[]
}

/**
 * A new table. Foreign keys get an index automatically.
 *
 * @throws ConfigurationError the name begins with `colophon_`, or a text without `maxLength` is unique or indexed
 * @example
 * createTable('ticket', { id: column.id(), title: column.text({ maxLength: 200 }) }, { unique: [['title']] })
 */
export function createTable<const T extends string, const C extends Columns>(
  table: T,
  columns: C,
  parts: TableParts<keyof C & string> = {},
): Step<{ readonly put: { [K in T]: RowOf<C> } }> {
  const definitions = Object.fromEntries(
    Object.entries(columns).map(([name, each]) => [name, each['~definition']]),
  )
  const { primaryKey = [], unique = [], indexes = [] } = parts
  for (const name of [...primaryKey, ...unique.flat(), ...indexes.flat()])
    checkKey(table, name, definitions[name])
  for (const [name, each] of Object.entries(definitions))
    if (each.unique || each.primaryKey || each.references) checkKey(table, name, each)
  return step({ do: 'create', table: applicationTable(table), columns: definitions, ...parts })
}

/** Takes a table away, with its rows. */
export function dropTable<const T extends string>(table: T): Step<{ readonly drop: T }> {
  return step({ do: 'drop', table: applicationTable(table) })
}

/** Gives a table another name. */
export function renameTable<const T extends string, const To extends string>(
  table: T,
  to: To,
): Step<{ readonly rename: T; readonly to: To }> {
  return step({ do: 'rename', table: applicationTable(table), to: applicationTable(to) })
}

/**
 * A new column, at the end. Rows that are there need a value for it: `nullable` or `default`.
 *
 * @throws ConfigurationError rows that are there would have no value
 */
export function addColumn<const T extends string, const N extends string, Type>(
  table: T,
  name: N,
  column: Column<Type>,
): Step<{ readonly put: { [K in T]: { [Name in N]: Type } } }> {
  const definition = column['~definition']
  const { nullable = false, default: value } = definition
  if ((!nullable && value === undefined) || value === 'now')
    throw new ConfigurationError(
      `addColumn("${table}", "${name}"): rows that are there would have no value. Say nullable: true, or a default that is a value.`,
    )
  if (definition.unique || definition.references) checkKey(table, name, definition)
  return step({ do: 'addColumn', table: extendedTable(table, name), name, column: definition })
}

/** Takes a column away, with its values and the indexes that it is in. */
export function dropColumn<const T extends string, const N extends string>(
  table: T,
  name: N,
): Step<{ readonly without: { [K in T]: N } }> {
  return step({ do: 'dropColumn', table: extendedTable(table, name), name })
}

/** Gives a column another name. */
export function renameColumn<
  const T extends string,
  const N extends string,
  const To extends string,
>(table: T, name: N, to: To): Step<{ readonly moved: { [K in T]: readonly [N, To] } }> {
  return step({ do: 'renameColumn', table: extendedTable(table, name, to), name, to })
}

/** A new index; `unique`: no two rows have the same values in these columns. */
export function createIndex(
  table: string,
  columns: readonly string[],
  { unique = false }: { readonly unique?: boolean } = {},
): Step<null> {
  return step({
    do: 'createIndex',
    table: extendedTable(table, ...columns),
    columns,
    ...(unique && { unique }),
  })
}

/** Takes away the index, or the uniqueness, of these columns. */
export function dropIndex(table: string, columns: readonly string[]): Step<null> {
  return step({ do: 'dropIndex', table: extendedTable(table, ...columns), columns })
}

/**
 * One statement of SQL, the same for all databases or one for each; `''`: none there. What it does to the tables, the types do not know.
 *
 * @example plainSql({ sqlite: '', postgres: 'create extension if not exists citext', mysql: '' })
 */
export function plainSql(sql: OwnTypes | string): Step<null> {
  const texts = typeof sql === 'string' ? [sql] : Object.values(sql)
  if (texts.some(hasSeveralStatements))
    throw new ConfigurationError(
      'plainSql() takes one statement. Give each one a plainSql() of its own, in the same migration.',
    )
  return step({ do: 'sql', sql })
}

/** Drivers differ: one runs the first statement only, and drops the others silently. */
function hasSeveralStatements(text: string): boolean {
  const bare = text.replaceAll(/'(?:[^']|'')*'|\$(\w*)\$[^]*?\$\1\$|--.*$/gm, '')
  return /;\s*\S/.test(bare) && !/\bbegin\b/i.test(bare)
}

/**
 * Changes rows. Everything goes through the `db` that it gets, which belongs to the transaction of the migration.
 * On MySQL, which undoes no change of tables, write it so that a second run does no harm: it may come to that.
 *
 * @example
 * run((db) => db.withTables<Tables>().updateTable('ticket').set({ status: 'open' }).execute())
 */
export function run(work: Work): Step<null> {
  return step({ do: 'work', work })
}

/** Steps that belong together, under the name by which it is written down that they were done. */
export function migration<const S extends readonly Step[]>(name: string, steps: S): Migration<S> {
  // With such a name, the note of a migration's progress fits into 255 characters.
  if (/^[\w.-]{1,90}$/.test(name)) return { name, steps }
  throw new ConfigurationError(
    `migration("${name}"): a name has 1 to 90 letters, digits, "_", "-" or ".", such as "0001_tables".`,
  )
}

/**
 * The migrations of an application. Their names ascend, so that each new one comes behind those that may have
 * been applied already.
 *
 * @throws ConfigurationError two names are not in order
 * @example
 * export const migrations = defineMigrations([
 *   migration('0001_tables', [createTable('note', { id: column.id(), text: column.text() })]),
 * ])
 * export type Tables = TablesOf<typeof migrations>
 * export const database = openDatabase({ migrations })
 */
export function defineMigrations<const List extends readonly Migration[]>(
  list: List,
): Migrations<List> {
  for (const [index, { name }] of list.entries()) {
    const before = list[index - 1]?.name ?? ''
    if (name <= before)
      throw new ConfigurationError(
        `defineMigrations(): "${name}" stands behind "${before}". Names ascend: give each one a higher number than the one before.`,
      )
  }
  return { '~load': () => list }
}

/** The tables as they are after all migrations, for `database.kysely<Tables>()`. */
export type TablesOf<M extends Migrations> =
  M extends Migrations<infer List> ? AfterAll<List, {}> : never

type AfterAll<List extends readonly Migration[], Tables> = List extends readonly [
  Migration<infer Steps>,
  ...infer Rest extends readonly Migration[],
]
  ? AfterAll<Rest, AfterSteps<Steps, Tables>>
  : Tables

type AfterSteps<Steps extends readonly Step[], Tables> = Steps extends readonly [
  Step<infer Change>,
  ...infer Rest extends readonly Step[],
]
  ? AfterSteps<Rest, After<Change, Tables>>
  : Tables

type After<Change, Tables> = Change extends { readonly put: infer Put }
  ? { [T in keyof Tables | keyof Put]: Both<Tables, Put, T> }
  : Change extends { readonly drop: infer T }
    ? Omit<Tables, T & string>
    : Change extends {
          readonly rename: infer T extends string
          readonly to: infer To extends string
        }
      ? { [K in keyof Tables as K extends T ? To : K]: Tables[K] }
      : Change extends { readonly without: infer Without }
        ? {
            [T in keyof Tables]: T extends keyof Without
              ? Omit<Tables[T], Without[T] & string>
              : Tables[T]
          }
        : Change extends { readonly moved: infer Moved }
          ? {
              [T in keyof Tables]: T extends keyof Moved ? Renamed<Tables[T], Moved[T]> : Tables[T]
            }
          : Tables

type Both<Tables, Put, T> = T extends keyof Put
  ? T extends keyof Tables
    ? {
        [C in keyof Tables[T] | keyof Put[T]]: C extends keyof Put[T]
          ? Put[T][C]
          : Tables[T][C & keyof Tables[T]]
      }
    : Put[T]
  : Tables[T & keyof Tables]

type Renamed<Row, Names> = Names extends readonly [infer From, infer To extends string]
  ? { [C in keyof Row as C extends From ? To : C]: Row[C] }
  : Row

function step<Change>(data: StepData): Step<Change> {
  return { '~step': Object.freeze(data) }
}

/** @throws ConfigurationError it is a table of Colophon, which migrations of an application leave alone */
function applicationTable(table: string): string {
  if (!table.startsWith('colophon_')) return table
  throw new ConfigurationError(
    `A migration names the table "${table}". Colophon makes those that begin with "colophon_". Give yours another name.`,
  )
}

/** Only the table of users may get columns of the application. */
function extendedTable(table: string, ...columns: readonly string[]): string {
  const ours = columns.find((name) => USER_COLUMNS.has(name))
  if (table !== 'colophon_user') return applicationTable(table)
  if (ours === undefined) return table
  throw new ConfigurationError(
    `A migration names the column "${ours}" of colophon_user, which Colophon made. Give yours another name.`,
  )
}

const USER_COLUMNS: ReadonlySet<string> = new Set([
  'id',
  'username',
  'email',
  'password',
  'is_active',
  'is_staff',
  'is_superuser',
  'date_joined',
  'last_login',
  'roles',
])

/** A text without an end cannot be a key on every database. */
function checkKey(table: string, name: string, definition: ColumnDefinition | undefined): void {
  if (definition === undefined)
    throw new ConfigurationError(`createTable("${table}"): there is no column "${name}".`)
  if (definition.kind === 'json')
    throw new ConfigurationError(
      `"${table}": "${name}" holds JSON, which cannot be unique, indexed or a key on every database. Keep what you look for in a column of its own.`,
    )
  if (definition.kind !== 'text' || definition.maxLength !== undefined) return
  throw new ConfigurationError(
    `"${table}": the text "${name}" is unique, indexed or a key, so it needs an end: column.text({ maxLength: 200 }).`,
  )
}

/**
 * The migrations in a folder: each file `.ts` or `.js` exports one as its default, `migration(name, [...])`, and has
 * its name. They run in the order of their names. Nothing is read before migrations are asked for.
 *
 * @throws ConfigurationError when they are asked for: a file has none, or one of another name; two have the same
 * @example
 * export const database = openDatabase({ migrations: migrationsIn(new URL('./migrations/', import.meta.url)) })
 */
export function migrationsIn(folder: URL): Migrations {
  const root = new URL(folder.href.replace(/\/?$/, '/'))
  return {
    '~load': async () => {
      const files = (await readdir(root)).filter((file) => /(?<!\.d)\.[jt]s$/.test(file))
      const found = await Promise.all(files.map((file) => migrationOf(root, file)))
      const list = found.toSorted((one, other) => (one.name < other.name ? -1 : 1))
      const twice = list.find(({ name }, at) => name === list[at + 1]?.name)
      if (twice === undefined) return list
      throw new ConfigurationError(
        `${root.pathname} has two files of the name ${twice.name}. Compile into another folder, or take one away.`,
      )
    },
  }
}

async function migrationOf(root: URL, file: string): Promise<Migration> {
  const { default: found }: { default?: Partial<Migration> } = await import(
    new URL(file, root).href
  )
  const name = file.slice(0, -3)
  if (found?.steps !== undefined && found.name === name) return found as Migration
  throw new ConfigurationError(
    `${new URL(file, root).pathname} is to have a migration of its name: export default migration("${name}", […]).`,
  )
}
