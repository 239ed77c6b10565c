import { type OperationNode, RawNode, ValueNode } from 'kysely'
import type { PositionValue } from '../../contract/list-source.ts'
import type { ValueKind } from '../../sql/dialect.ts'
import { cast, enclosed } from '../../sql/nodes.ts'
import * as means from '../../lists/meanings.ts'

const isText = (value: PositionValue): boolean => typeof value === 'string'
const asText = (node: OperationNode): OperationNode => cast(node, 'text')

/** Goes back as text: PostgreSQL reads it as a value of the type that it is compared with. */
const WRITTEN = { read: asText, readsAsWritten: true, fits: isText }

/** Lists of these are arrays of the column's own type; not every type that there may be has one. */
const LISTED = { oneOf: inArray }

const INTEGER: ValueKind = {
  kept: wholeNumber,
  fits: (value) => means.integer(value) !== undefined && !isText(value),
  // Not as the type of the column: a number beyond it is larger than all of them, and no error.
  boundInCondition: (parameter) => cast(parameter, 'bigint'),
  oneOf: (column, values) => inArray(column, values, 'bigint'),
  meant: means.integer,
}

/** A driver can be set to make a number of an integer that has no exact one. */
function wholeNumber(value: unknown): PositionValue {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value as PositionValue
  throw new Error(
    'The pool of this database makes numbers of integers beyond 2^53, which loses digits. Let it give texts or bigints.',
  )
}

// A cast need not write what the type itself does: that of an `inet` has its mask.
const OTHER: ValueKind = { read: asText, fits: isText, meant: means.anything }
/** The driver makes an array of SQL of a list; a text is one of JSON. */
const JSON_VALUE: ValueKind = {
  ...OTHER,
  stored: (value) => (typeof value === 'string' || value === null ? value : JSON.stringify(value)),
}
const TEXT: ValueKind = { ...LISTED, fits: isText, meant: means.anyText }

/** By names of types (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const KINDS: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ['int2', INTEGER],
  ['int4', INTEGER],
  ['int8', INTEGER],
  ['numeric', { ...WRITTEN, ...LISTED, meant: means.decimal }],
  ['float4', { ...WRITTEN, ...LISTED, meant: means.real }],
  ['float8', { ...WRITTEN, ...LISTED, meant: means.real }],
  ['bool', { ...LISTED, fits: (value) => typeof value === 'boolean', meant: means.truth }],
  ['text', TEXT],
  ['varchar', TEXT],
  ['bpchar', TEXT],
  ['uuid', { ...LISTED, fits: isText, meant: means.uuid }],
  ['json', JSON_VALUE],
  ['jsonb', JSON_VALUE],
  ['bytea', { fits: (value) => value instanceof Uint8Array, meant: means.bytes }],
  ['timestamp', { ...WRITTEN, ...LISTED, stored: utcText, meant: means.moment }],
  // Without a zone of its own a text would be read in that of the session.
  ['timestamptz', { ...WRITTEN, ...LISTED, meant: (value) => inUtc(means.moment(value)) }],
  ['date', { ...WRITTEN, ...LISTED, stored: utcDay, meant: means.day }],
  ['time', { ...WRITTEN, ...LISTED, meant: means.time }],
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

/** A list as an array: an index is used as for one value. `type` where it is not to be that of the column. */
function inArray(column: OperationNode, values: readonly unknown[], type?: string): OperationNode {
  const array = ValueNode.create(values)
  const typed = type === undefined ? array : cast(array, `${type}[]`)
  return RawNode.create(['', ' = any(', ')'], [enclosed(column), typed])
}

export function kindOf(type: string | null): ValueKind {
  return KINDS.get(type ?? '') ?? OTHER
}
