// The text of programs, with the types of rows and their stores. No text from a database can leave its literal or comment.
import { escaped } from '../terminal.ts'
import { IDENTIFIER, capitalized, uniqueNames } from './names.ts'
import type { PlannedColumn, Plan, PlannedResource } from './plan.ts'

export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : sourceLiteral(name)
}

/** Writes a text of the database as a literal, which no character in it can end. */
export function sourceLiteral(text: string): string {
  const whole = JSON.stringify(text).replaceAll(/[\u007F-\u009F\u2028\u2029]/g, escaped)
  if (whole.includes("'")) return whole
  return `'${whole.slice(1, -1).replaceAll(String.raw`\"`, '"')}'`
}

/** Writes a text of the database as one line of a comment, which no character in it can end. */
export function commented(text: string): string {
  const line = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim()
  return line.length > LONGEST_COMMENT ? `${line.slice(0, LONGEST_COMMENT)}…` : line
}

const LONGEST_COMMENT = 200

export function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : sourceLiteral(value)
}

/** The text of a file: parts of lines, with an empty line between parts. */
export function fileText(...parts: readonly (string | readonly string[])[]): string {
  return `${parts
    .map((part) => [part].flat().join('\n'))
    .filter(Boolean)
    .join('\n\n')}\n`
}

export const WIDTH = 100

/** Writes the parts on one line if they fit, else each part on its own line. */
export function enclosedLines(
  [open, close]: readonly [string, string],
  parts: readonly string[],
  { before = '', after = '', depth = 0 }: { before?: string; after?: string; depth?: number } = {},
): string {
  const space = open.endsWith('{') && parts.length > 0 ? ' ' : ''
  const line = `${before}${open}${space}${parts.join(', ')}${space}${close}${after}`
  const indent = '  '.repeat(depth)
  // The text before the bracket begins at the margin.
  const margin = before === '' ? indent.length : 0
  if (margin + line.length <= WIDTH && !line.includes('\n')) return line
  const lines = parts.map((part) => `${indent}  ${part},`)
  return `${before}${open}\n${lines.join('\n')}\n${indent}${close}${after}`
}

export const BRACES = ['{', '}'] as const

export function imported(names: readonly string[], from: string, what = 'import'): string {
  return enclosedLines(BRACES, names.toSorted(byLetters), {
    before: `${what} `,
    after: ` from ${sourceLiteral(from)}`,
  })
}

/** Sorts imported names without the word `type`. */
function byLetters(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => name.replace('type ', ''))
  return first! < second! ? -1 : 1
}

/** `tables.ts`: the types of all rows. */
export function tablesFile({ resources }: Plan): string {
  const unions = longUnions(resources)
  const interfaces = resources.map((resource) => interfaceFor(resource, unions))
  const text = interfaces.flat().join('\n')
  const types = resources.flatMap(({ columns }) => columns.map(aliasOf))
  const aliases = ALIASES.filter((alias) => types.includes(alias))
  const helpers = ['ColumnType', 'Generated', 'GeneratedAlways'].filter((name) =>
    new RegExp(`\\b${name}<`).test(`${text}${aliases.length > 0 ? 'ColumnType<' : ''}`),
  )
  const all = resources.map(
    ({ table, identifier }) => `  ${memberName(table.name)}: ${typeName(identifier)}`,
  )
  return fileText(
    helpers.length === 0 ? '' : imported(helpers, 'kysely', 'import type'),
    ...aliases.map(({ name, read, written, why }) => [
      `/** ${why} */`,
      `type ${name} = ColumnType<${read}, ${written}, ${written}>`,
    ]),
    ['/** For `database.kysely<Tables>()`. */', 'export interface Tables {', ...all, '}'],
    ...[...unions].map(([column, name]) => unionOf(name, choicesOf(column))),
    ...interfaces,
  )
}

function interfaceFor(
  { table, identifier, columns }: PlannedResource,
  unions: ReadonlyMap<PlannedColumn, string>,
): readonly string[] {
  const members = columns.map((column) => [
    ...commentOf(column.comment, '  '),
    `  ${memberName(column.name)}: ${typeOf(column, unions.get(column))}`,
  ])
  return [
    ...commentOf(table.comment),
    `export interface ${typeName(identifier)} {`,
    ...members.flat(),
    '}',
  ]
}

function typeName(identifier: string, suffix = 'Table'): string {
  return `${capitalized(identifier.replace(/_$/, ''))}${suffix}`
}

/** Names for choices of many values. */
function longUnions(resources: readonly PlannedResource[]): ReadonlyMap<PlannedColumn, string> {
  const long = resources.flatMap(({ identifier, columns }) =>
    columns
      .filter((column) => choicesOf(column).join(' | ').length > LONGEST_UNION)
      .map((column) => [column, typeName(identifier, `${capitalized(column.api)}Choice`)] as const),
  )
  const names = uniqueNames(long.map(([, name]) => name.replaceAll(/[^\p{ID_Continue}]/gu, '')))
  return new Map(long.map(([column], at) => [column, names[at]!]))
}

function unionOf(name: string, values: readonly string[]): readonly string[] {
  const line = `export type ${name} = ${values.join(' | ')}`
  return line.length <= WIDTH
    ? [line]
    : [`export type ${name} =`, ...values.map((value) => `  | ${value}`)]
}

const LONGEST_UNION = 60

function choicesOf({ value }: PlannedColumn): readonly string[] {
  return value.kind === 'choice' ? value.values.map(literal) : []
}

function commentOf(comment: string | null, indent = ''): readonly string[] {
  const text = commented(comment ?? '')
  return text === '' ? [] : [`${indent}// ${text}`]
}

interface Alias {
  readonly name: string
  readonly read: string
  readonly written: string
  readonly why: string
}

/** Types whose written values differ from their read ones. */
const ALIASES: readonly Alias[] = [
  {
    name: 'Truth',
    read: 'number',
    written: 'boolean | number',
    why: 'The database keeps 0 and 1.',
  },
  { name: 'Moment', read: 'Date', written: 'Date | string', why: 'A text is one of ISO 8601.' },
  { name: 'Decimal', read: 'string', written: 'string | number', why: 'A text has all digits.' },
  { name: 'Decimal', read: 'number', written: 'number | string', why: 'A number is kept.' },
]

function aliasOf({ value, filled }: PlannedColumn): Alias | undefined {
  const { read, written } = value
  if (filled !== 'no') return undefined
  return ALIASES.find((alias) => alias.read === read && alias.written === written)
}

function typeOf(column: PlannedColumn, union = choicesOf(column).join(' | ')): string {
  const { value, nullable, filled, readOnly } = column
  const [read, written] = value.kind === 'choice' ? [union, union] : [value.read, value.written]
  const orNull = nullable && read !== 'unknown' ? ' | null' : ''
  if (filled === 'always') return `GeneratedAlways<${read}${orNull}>`
  if (filled !== 'no' && (readOnly || read === written)) return `Generated<${read}${orNull}>`
  if (read === written) return `${read}${orNull}`
  const alias = aliasOf(column)
  if (alias !== undefined) return `${alias.name}${orNull}`
  const orNothing = filled === 'no' ? '' : ' | undefined'
  const types = [`${read}${orNull}`, `${written}${orNull}${orNothing}`, `${written}${orNull}`]
  return `ColumnType<${types.join(', ')}>`
}

/** The makers of sources, which only list rows, and of stores. */
export type Makers = readonly [source: string, store: string]

const SQL_MAKERS: Makers = ['sqlSource', 'sqlTable']

/** The makers that these resources need. */
export function makersFor(resources: Plan['resources'], [source, store]: Makers): string[] {
  const isListed = resources.some(({ key }) => key === null)
  const isStored = resources.some(({ key }) => key !== null)
  return [...(isListed ? [source] : []), ...(isStored ? [store] : [])]
}

/** `stores.ts`: the tables of the resources. */
export function storesFile({ resources }: Plan): string {
  const names = ['openDatabase', ...makersFor(resources, SQL_MAKERS)]
  return fileText(
    [imported(names, 'colophon/sql'), "import type { Tables } from './tables.ts'"],
    ['/** The database that `DATABASE_URL` names. */', 'export const database = openDatabase()'],
    'export const db = database.kysely<Tables>()',
    resources.map((resource) => {
      const table = sourceLiteral(resource.table.name)
      const parts =
        resource.key === null
          ? [`query: db.selectFrom(${table}).selectAll()`]
          : ['db', `table: ${table}`]
      return storeText(resource, SQL_MAKERS, ['database', ...parts])
    }),
  )
}

/** The store of a resource, with its key after the other parts. */
export function storeText(
  { identifier, key, order }: PlannedResource,
  [source, store]: Makers,
  parts: readonly string[],
): string {
  const keys = key === null ? `[${order.map(sourceLiteral).join(', ')}]` : sourceLiteral(key.name)
  const before = `export const ${identifier} = ${key === null ? source : store}`
  return enclosedLines(['({', '})'], [...parts, `key: ${keys}`], { before })
}
