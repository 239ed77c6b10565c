import { type OperationNode, RawNode } from 'kysely'
import type { PositionValue, WrittenColumn, WrittenKind } from '../../core/ports/list-source.ts'
import { exactTextOf, withExactText } from '../../core/std/exact-date.ts'
import { columnOfJSON } from '../../core/std/json/exact-json.ts'
import { oncePer } from '../../core/std/once.ts'
import type { Dialect, ValueKind } from '../sql/dialect.ts'
import { cast, inParens, operation } from '../sql/nodes.ts'
import * as means from '../../resources/lists/filter-values.ts'
import { storedJSON, wholeNumber } from '../values.ts'

const isText = (value: PositionValue): boolean => typeof value === 'string'
const asText = (node: OperationNode): OperationNode => cast(node, 'text')

/** Goes back as text: PostgreSQL reads it as a value of the type that it is compared with. */
const WRITTEN = { read: asText, readsAsWritten: true, fits: isText }

/** Lists of these are arrays of the column's own type; not every type that there may be has one. */
const LISTED = { list: { of: asItIs, has: inArray }, same: isSame }

const INTEGER: ValueKind = {
  kept: exactNumber,
  fits: (value) => means.integerValue(value) !== undefined && !isText(value),
  // A cast to the type of the column would fail for larger numbers; this one compares them.
  boundInCondition: (parameter) => cast(parameter, 'bigint'),
  list: { of: asItIs, has: (column, list) => inArray(column, cast(list, 'bigint[]')) },
  same: isSame,
  meant: means.integerValue,
}

/** A driver can be set to make a number of an integer that has no exact one. */
function exactNumber(value: unknown): PositionValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value as PositionValue
  throw new Error(
    'The pool of this database makes numbers of integers beyond 2^53, which loses digits. Let it give texts or bigints.',
  )
}

// A cast need not write what the type itself does: that of an `inet` has its mask.
const OTHER: ValueKind = { read: asText, fits: isText, takesObjects: true, meant: means.anyValue }
const JSON_VALUE: ValueKind = { ...OTHER, stored: storedJSON }
const TEXT: ValueKind = { ...LISTED, same: isSameText, fits: isText, meant: means.anyText }
/** PostgreSQL compares no values of these types, or none with a parameter: their texts give an order, and conditions fit none. */
const INCOMPARABLE: ValueKind = { ...OTHER, ordered: asText, meant: () => undefined }
/** An extension whose `=` ignores case in any collation. */
const CITEXT: ValueKind = { ...OTHER, exact: (node) => [inBytes(asText(node)), TEXT] }

/** The kinds by names of types (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const KINDS: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ['int2', INTEGER],
  ['int4', INTEGER],
  ['int8', INTEGER],
  ['numeric', { ...WRITTEN, ...LISTED, meant: means.decimalValue }],
  ['float4', { ...WRITTEN, ...LISTED, meant: means.realValue }],
  ['float8', { ...WRITTEN, ...LISTED, meant: means.realValue }],
  ['bool', { ...LISTED, fits: (value) => typeof value === 'boolean', meant: means.booleanValue }],
  ['text', TEXT],
  ['varchar', TEXT],
  ['bpchar', TEXT],
  ['citext', CITEXT],
  ['uuid', { ...LISTED, fits: isText, meant: means.uuidValue }],
  ['json', { ...INCOMPARABLE, stored: storedJSON }],
  ['jsonb', JSON_VALUE],
  ...'record xml point polygon line jsonpath _json _xml _point _polygon _line _jsonpath'
    .split(' ')
    .map((type) => [type, INCOMPARABLE] as const),
  ['bytea', { fits: (value) => value instanceof Uint8Array, meant: means.bytesValue }],
  [
    'timestamp',
    { ...WRITTEN, ...LISTED, stored: utcText, meant: (value) => withEra(means.momentValue(value)) },
  ],
  // A text without a zone would be read in that of the session.
  [
    'timestamptz',
    { ...WRITTEN, ...LISTED, meant: (value) => withEra(inUtc(means.momentValue(value))) },
  ],
  [
    'date',
    { ...WRITTEN, ...LISTED, stored: utcDay, meant: (value) => withEra(means.dayValue(value)) },
  ],
  ['time', { ...WRITTEN, ...LISTED, meant: means.timeValue }],
])

/** The driver writes a `Date` in the zone of the machine, which a column without one forgets. */
function utcText(value: unknown): unknown {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value
}

function utcDay(value: unknown): unknown {
  const text = utcText(value)
  return value instanceof Date && typeof text === 'string' ? text.slice(0, 10) : text
}

function inUtc(value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${value}+00`
}

/** The year 0 of ISO 8601 is the one before the year 1. */
function withEra(value: string | undefined): string | undefined {
  return value?.startsWith('0000-') ? `0001${value.slice(4)} BC` : value
}

/** A list as an array: an index is used as for one value. */
function inArray(column: OperationNode, list: OperationNode): OperationNode {
  return RawNode.create(['', ' = any(', ')'], [inParens(column), list])
}

function isSame(column: OperationNode, parameter: OperationNode): OperationNode {
  return operation(column, 'is not distinct from', parameter)
}

/** Compares texts by bytes: their collation may equate different texts. */
function isSameText(column: OperationNode, parameter: OperationNode): OperationNode {
  return isSame(inBytes(column), parameter)
}

function inBytes(column: OperationNode): OperationNode {
  return RawNode.create(['', ' collate "C"'], [column])
}

function asItIs(values: readonly unknown[]): readonly unknown[] {
  return values
}

/** `loose`: by a collation that is not deterministic. */
export function kindOf({ type, loose = false }: Parameters<Dialect['kindOf']>[0]): ValueKind {
  const kind = KINDS.get(type ?? '') ?? OTHER
  return loose && kind.exact === undefined
    ? { ...kind, exact: (node) => [inBytes(node), kind] }
    : kind
}

// The driver gives values as texts, and knows their types by number.

/** The function that makes a value of a type's text, by the number of the type. */
export type ParserOf = (type: number, format?: 'text' | 'binary') => (text: string) => unknown

const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802])

/** JSON keeps its digits. What has no zone is in UTC: the driver would take that of the machine, and a day in Tokyo would be the day before. */
export function parsersInUtc(parserOf: ParserOf): ParserOf {
  return (type, format) => {
    if (format === 'binary') return parserOf(type, format)
    if (JSON_TYPES.has(type)) return columnOfJSON
    if (type === TIMESTAMPTZ) return exactly(parserOf(type, format))
    if (type !== DATE && type !== TIMESTAMP) return parserOf(type, format)
    const parse = exactly(parserOf(TIMESTAMPTZ, format))
    const clock = type === DATE ? ' 00:00:00+00' : '+00'
    return (text) => parse(/\d/.test(text) ? text.replace(/(?= BC$|$)/, clock) : text)
  }
}

type Parse = (text: string) => unknown

/** Keeps microseconds beside a `Date`. Once for each parser, as a program may have put its own in the driver's place. */
const exactly = oncePer((parse: Parse): Parse => {
  const isOfDriver = String(plain(parse(SAMPLE))) === String(Date.parse(SAMPLE))
  return (text) => {
    if (isOfDriver && isUsual(text)) return usualMoment(text)
    const value = parse(text)
    const digits = /\.(\d{4,6})/.exec(text)?.[1]
    if (digits === undefined || !(value instanceof Date)) return value
    // PostgreSQL has years that a `Date` cannot hold.
    const utc = value.toJSON() ?? ''
    return utc.length === 24 ? withExactText(value, `${utc.slice(0, 20)}${digits}Z`) : value
  }
})

const SAMPLE = '2024-01-25 16:00:00.5+00'

const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30
/** Characters of `2026-01-31 12:00:00+00`, and of the same with six digits of a second. */
const [SHORTEST, LONGEST] = [22, 29]

/** A year from 100 to 9999, and in UTC: what most texts are, which the parser of the driver takes three times as long for. */
function isUsual(text: string): boolean {
  const { length } = text
  if (length < SHORTEST || length > LONGEST || text.charCodeAt(4) !== MINUS) return false
  const isInUtc = text.charCodeAt(length - 3) === PLUS && text.endsWith('00')
  return isInUtc && !text.startsWith('00')
}

function usualMoment(text: string): Date {
  const end = text.length - 3
  const places = Math.max(end - 20, 0)
  const digitAt = (at: number): number => (at < end ? text.charCodeAt(at) - ZERO : 0)
  const two = (at: number): number => 10 * digitAt(at) + digitAt(at + 1)
  const clock = [two(11), two(14), two(17), 10 * two(20) + digitAt(22)] as const
  const date = new Date(Date.UTC(100 * two(0) + two(2), two(5) - 1, two(8), ...clock))
  return places > 3 ? withExactText(date, `${text.slice(0, 10)}T${text.slice(11, end)}Z`) : date
}

/** The number of no type: its parser leaves texts alone. */
const UNKNOWN = 0
/** The type of integers with 64 bits, which `pg` hands over as texts. */
export const INT8 = 20
const NUMERIC = 1700

const WRITTEN_KINDS: ReadonlyMap<number, WrittenKind> = new Map([
  [16, 'boolean'],
  [INT8, 'integer'],
  [21, 'integer'],
  [23, 'integer'],
  [700, 'float'],
  [701, 'float'],
  [NUMERIC, 'decimal'],
  [DATE, 'date'],
  [TIMESTAMP, 'moment'],
  [TIMESTAMPTZ, 'moment'],
])

/** `null`: rows have the text itself. */
export function writtenColumn(type: number, parserOf: ParserOf): WrittenColumn | null {
  const parse = parserOf(type, 'text')
  const kind = WRITTEN_KINDS.get(type) ?? 'other'
  if (parse === parserOf(UNKNOWN, 'text')) {
    return type === NUMERIC ? { kind, read: parse } : null
  }
  const read = type === INT8 ? (text: string) => wholeNumber(parse(text)) : parse
  return { kind: isMeant(type, read) ? kind : 'other', read }
}

/** Does the pool read such texts with their usual meaning? It may have a parser of its own. */
function isMeant(type: number, read: (text: string) => unknown): boolean {
  try {
    return SAMPLES.get(type)?.every(([text, value]) => Object.is(plain(read(text)), value)) === true
  } catch {
    return false
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return exactTextOf(value) ?? value.getTime()
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

type Samples = readonly (readonly [text: string, value: unknown])[]

const INTEGERS: Samples = [['-7', -7]]
const FLOATS: Samples = [
  ['-1.5e-05', -1.5e-5],
  ['NaN', Number.NaN],
]
/** Days in summer, in winter and long ago: a zone that equals UTC on these is always UTC. */
const DAYS = ['2024-01-25', '2024-07-25', '1969-01-25', '1940-07-25']
/** A parser that loses microseconds decides on lists, too: they show what a row shows alone. */
const momentsIn = (zone: string): Samples =>
  DAYS.map((day) => [`${day} 16:00:00.123456${zone}`, `${day}T16:00:00.123456Z`])

const SAMPLES: ReadonlyMap<number, Samples> = new Map<number, Samples>([
  [
    16,
    [
      ['t', true],
      ['f', false],
    ],
  ],
  [INT8, [...INTEGERS, ['9007199254740993', 9_007_199_254_740_993n]]],
  [21, INTEGERS],
  [23, INTEGERS],
  [700, FLOATS],
  [701, FLOATS],
  [DATE, DAYS.map((day) => [day, Date.parse(day)])],
  [TIMESTAMP, momentsIn('')],
  [TIMESTAMPTZ, momentsIn('+00')],
])
