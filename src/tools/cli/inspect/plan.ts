// The plan for a database, before a file is written: resources with their fields, and the parts that are left out.
import type {
  SchemaCatalogue,
  ForeignKey,
  FoundColumn,
  FoundTable,
  FoundValue,
} from '../../../storage/sql/schema-reader.ts'
import type { Rule } from '../../../storage/sql/checks.ts'
import {
  type Naming,
  TAKEN,
  apiName,
  uniqueNames,
  identifier,
  soundsSecret,
  wordsIn,
} from './names.ts'

export interface Plan {
  readonly naming: Naming
  readonly resources: readonly PlannedResource[]
  /** Sentences about parts of the database that the program lacks. */
  readonly leftOut: readonly string[]
}

export interface PlannedResource {
  readonly table: FoundTable
  /** The name of its store, and of its serializer. */
  readonly identifier: string
  /** The name in its addresses: `film-actor`. */
  readonly name: string
  /** The column that identifies rows in addresses; `null`: rows are only listed. */
  readonly key: PlannedColumn | null
  readonly order: readonly string[]
  /** All columns of the table in order, also those without a field. */
  readonly columns: readonly PlannedColumn[]
  /** Sets of columns whose values are unique together. */
  readonly together: readonly (readonly string[])[]
  /** Can clients give all values that a new row needs? */
  readonly creates: boolean
  /** Missing parts, as sentences without a full stop. */
  readonly notes: readonly string[]
}

export interface PlannedColumn extends FoundColumn {
  /** The name for clients. */
  readonly api: string
  /** The reason why the column has no field; `null`: it has one. */
  readonly absence: string | null
  readonly readOnly: boolean
  readonly unique: boolean
  readonly limits: Limits
  /** The table whose key the column holds. */
  readonly parent: string | null
}

export interface Limits {
  readonly min?: number
  readonly max?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/** The tables of the catalogue to write, with their names. */
export function planOf(
  catalogue: SchemaCatalogue,
  tables: readonly FoundTable[],
  naming: Naming,
): Plan {
  const usable = tables.filter((table) => absenceOf(table) === null)
  const keys = new Map(usable.map((table) => [table.name, keyOf(table)]))
  const identifiers = uniqueNames(
    usable.map(({ name }) => identifier(name)),
    TAKEN,
  )
  const separator = naming === 'snake' ? '_' : '-'
  const names = uniqueNames(usable.map(({ name }) => wordsIn(name).join(separator) || 'table'))
  const resources = usable.map((table, at) => {
    const columns = columnsOf(table, keys, naming)
    const key = columns.find(({ name }) => name === keys.get(table.name)) ?? null
    return {
      table,
      identifier: identifiers[at]!,
      name: names[at]!,
      key,
      order: orderOf(table),
      together: [table.primaryKey, ...table.unique].filter(({ length }) => length > 1),
      columns,
      creates: columns.every((column) => !isNeeded(column) || isGiven(column)),
      notes: [...notesOf(table, key, columns), ...table.notes],
    }
  })
  return { naming, resources, leftOut: leftOutOf(catalogue, tables) }
}

function leftOutOf(catalogue: SchemaCatalogue, tables: readonly FoundTable[]): readonly string[] {
  return [
    ...tables.flatMap((table) => {
      const absence = absenceOf(table)
      return absence === null ? [] : [`${table.name}: ${absence}.`]
    }),
    ...catalogue.others.map(({ name, what }) => `${name}: ${what}.`),
  ]
}

/** The reason why a table is left out; `null`: it is written. */
function absenceOf(table: FoundTable): string | null {
  const parts = table.name.split('.').length
  if (parts > (table.isElsewhere ? 2 : 1) || CUT_BY_KYSELY.test(table.name))
    return 'its name cannot be written in a query'
  const order = orderOf(table)
  if (order.length === 0) return 'nothing tells its rows apart: it has no key'
  const columns = table.columns.filter(({ name }) => order.includes(name))
  const hidden = columns.find((column) => absenceOfField(column, table) !== null)
  if (hidden !== undefined) return `its key ${hidden.name} is ${absenceOfField(hidden, table)}`
  return null
}

/** Columns that identify a row and are never NULL: the primary key, else the smallest unique set. */
function orderOf({ primaryKey, unique, columns }: FoundTable): readonly string[] {
  if (primaryKey.length > 0) return primaryKey
  const filled = new Set(columns.filter(({ nullable }) => !nullable).map(({ name }) => name))
  const candidates = unique.filter(
    (names) => names.length > 0 && names.every((name) => filled.has(name)),
  )
  return candidates.toSorted((one, other) => one.length - other.length)[0] ?? []
}

const KEYS: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'uuid', 'text', 'choice'])

/** The column that identifies a row in addresses. */
function keyOf(table: FoundTable): string | null {
  const { columns, primaryKey, unique } = table
  const single = [primaryKey, ...unique].filter(({ length }) => length === 1).map(([name]) => name)
  const found = single
    .map((name) => columns.find((column) => column.name === name))
    .find(
      (column) =>
        column !== undefined &&
        !column.nullable &&
        KEYS.has(column.value.kind) &&
        absenceOfField(column, table) === null,
    )
  return found?.name ?? null
}

const CUT_BY_KYSELY = /^\s| as |\s$/i
const SECRET_KINDS: ReadonlySet<string> = new Set(['text', 'uuid', 'json', 'other', 'list'])

/** The reason why clients do not get a column, as the end of “is …”; `null`: they get it. */
function absenceOfField(column: FoundColumn, table: FoundTable): string | null {
  const { name, value, declared } = column
  const isKey = table.foreignKeys.some(({ columns }) => columns.includes(name))
  if (SECRET_KINDS.has(value.kind) && !isKey && soundsSecret(name, table.name))
    return 'a secret, by its name'
  if (name.includes('.') || name === '*' || name === '__proto__' || CUT_BY_KYSELY.test(name))
    return 'called what no field can be'
  if (value.kind === 'other' && !value.shown) return `of the type ${declared || 'ANY'}`
  return value.kind === 'choice' && value.values.length === 0 ? 'an enum without values' : null
}

function columnsOf(
  table: FoundTable,
  keys: ReadonlyMap<string, string | null>,
  naming: Naming,
): readonly PlannedColumn[] {
  const names = apiNames(table, naming)
  const unique = new Set(
    [table.primaryKey, ...table.unique].filter(({ length }) => length === 1).flat(),
  )
  return table.columns.map((column, at): PlannedColumn => {
    const rules = table.rules.filter((rule) => rule.column === column.name)
    const value = chosen(column.value, rules)
    return {
      ...column,
      value,
      api: names[at]!,
      absence: absenceOfField(column, table),
      readOnly: isReadOnly(column),
      unique: unique.has(column.name),
      limits: limitsOf(value, rules),
      parent: parentOf(column, table.foreignKeys, keys),
    }
  })
}

/** A column keeps its name if it already is one for clients; the others get a number. */
function apiNames({ columns }: FoundTable, naming: Naming): readonly string[] {
  const wished = columns.map(({ name }, at) => apiName(name, naming, `column${at + 1}`))
  const kept = wished.filter((api, at) => api === columns[at]!.name)
  const others = uniqueNames(
    wished.filter((api, at) => api !== columns[at]!.name),
    kept,
  )
  return wished.map((api, at) => (api === columns[at]!.name ? api : others.shift()!))
}

/** The database makes numbers that count up, and the times of new rows. */
function isReadOnly({ filled, value }: FoundColumn): boolean {
  const isMoment = value.kind === 'dateTime' || value.kind === 'date' || value.kind === 'time'
  if (filled === 'now') return isMoment
  return filled === 'counted' || filled === 'always' || value.kind === 'other'
}

function isNeeded({ nullable, filled }: FoundColumn): boolean {
  return !nullable && filled === 'no'
}

/** The table of a reference to a single key that the program has. */
function parentOf(
  { name }: FoundColumn,
  foreignKeys: readonly ForeignKey[],
  keys: ReadonlyMap<string, string | null>,
): string | null {
  const found = foreignKeys.find(
    ({ columns, table, referenced }) =>
      columns.length === 1 && columns[0] === name && keys.get(table) === referenced[0],
  )
  return found?.table ?? null
}

/** A check with a list of values makes the column a choice. */
function chosen(value: FoundValue, rules: readonly Rule[]): FoundValue {
  const values = rules.find((rule) => rule.values !== undefined)?.values
  const isOfKind = values?.every(
    (each) => (typeof each === 'number') === (value.kind === 'integer'),
  )
  if (values === undefined || !isOfKind || !LISTED.has(value.kind)) return value
  return { kind: 'choice', values, read: '', written: '' }
}

const LISTED: ReadonlySet<string> = new Set(['text', 'integer'])

function limitsOf(value: FoundValue, rules: readonly Rule[]): Limits {
  const found: Limits[] = rules.map((rule) => limitsBy(rule, value))
  if (value.kind === 'text' && value.maxLength !== null) found.push({ maxLength: value.maxLength })
  if (value.kind === 'integer' || value.kind === 'bigInteger') found.push(value)
  return {
    ...tightest('min', found, Math.max),
    ...tightest('max', found, Math.min),
    ...tightest('minLength', found, Math.max),
    ...tightest('maxLength', found, Math.min),
  }
}

function tightest(
  name: keyof Limits,
  limits: readonly Limits[],
  choose: (...values: number[]) => number,
): Limits {
  const values = limits.flatMap((each) => each[name] ?? [])
  return values.length === 0 ? {} : { [name]: choose(...values) }
}

/** An exclusive limit becomes the next value inside, if the type has one. */
function limitsBy({ min, max, isOpen = false, ofLength = false }: Rule, value: FoundValue): Limits {
  const step = isOpen ? stepOf(value, ofLength) : 0
  const fits = ofLength ? value.kind === 'text' : NUMBERS.has(value.kind)
  if (step === null || !fits) return {}
  const names = ofLength ? (['minLength', 'maxLength'] as const) : (['min', 'max'] as const)
  return {
    ...(min !== undefined && { [names[0]]: rounded(min + step) }),
    ...(max !== undefined && { [names[1]]: rounded(max - step) }),
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'decimal', 'float'])

function stepOf(value: FoundValue, ofLength: boolean): number | null {
  if (ofLength || value.kind === 'integer' || value.kind === 'bigInteger') return 1
  return value.kind === 'decimal' && value.places !== null ? 10 ** -value.places : null
}

const rounded = (number: number): number => Number(number.toPrecision(15))

function notesOf(
  { foreignKeys }: FoundTable,
  key: PlannedColumn | null,
  columns: readonly PlannedColumn[],
): readonly string[] {
  const kept = columns.filter((column) => isNeeded(column) && !isGiven(column))
  const names = kept.map(({ name }) => name).join(', ')
  const parents = new Map(columns.map(({ name, parent }) => [name, parent]))
  const others = foreignKeys.filter(
    (each) => each.columns.length > 1 || parents.get(each.columns[0]!) !== each.table,
  )
  return [
    ...(key === null ? ['Its rows are only listed, because no single column is their key'] : []),
    ...(kept.length > 0
      ? [`There is no create, because new rows need ${names}: see performCreate`]
      : []),
    ...others.map(
      ({ columns: from, table }) =>
        `Only the database checks that ${from.join(', ')} leads to ${table}`,
    ),
  ]
}

const isGiven = ({ absence, readOnly }: PlannedColumn): boolean => absence === null && !readOnly
