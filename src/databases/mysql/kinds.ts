import { type OperationNode, RawNode, ValueNode } from 'kysely'
import type { ValueKind } from '../../sql/dialect.ts'
import { filledUp } from '../../sql/prepared.ts'
import { call, cast, enclosed, operation } from '../../sql/nodes.ts'
import * as means from '../../lists/meanings.ts'

// MySQL and MariaDB make 0 of a text that is no number, and may compare numbers with texts as floating
// point numbers: so everything but texts is cast to the type of the column. A list is not put into one
// parameter: with the type and collation that JSON_TABLE gives, an index is used for joining at best, and
// the two differ in it.

type Fits = ValueKind['fits']

const isText: Fits = (value) => typeof value === 'string'
const casting = (type: string) => (node: OperationNode) => cast(node, type)
const written = casting('char')

/** Integers without a sign go further. */
function wide(value: unknown): number | bigint | undefined {
  const isBeyond = typeof value === 'bigint' && value > 0 && value < 2n ** 64n
  return isBeyond ? value : means.integer(value)
}

function integers(type: 'signed' | 'unsigned'): ValueKind {
  const fits: Fits = (value) => !isText(value) && wide(value) !== undefined
  return { fits, bound: casting(type), meant: means.integer }
}

/** As many digits behind the point as the column has, so that as many as possible are left before it. */
function decimals(scale: number): ValueKind {
  return {
    read: written,
    fits: (value) => isText(value) && means.decimal(value) !== undefined,
    bound: casting(decimalType(scale)),
    boundInCondition: (parameter, _column, values) =>
      cast(parameter, decimalType(scaleFor(scale, values))),
    meant: means.decimal,
  }
}

function decimalType(scale: number): string {
  return `decimal(65, ${Math.min(scale, MOST_PLACES)})`
}

const MOST_PLACES = 30

/** The column's places, if enough: clients send any number, and each scale is another text of SQL. */
function scaleFor(scale: number, values: readonly unknown[]): number {
  const numbers = values.map((value) => /^[+-]?0*(\d*)\.?(\d*)(e?)/i.exec(String(value))!)
  const places = numbers.map(([, , behind, isPower]) => (isPower ? MOST_PLACES : behind!.length))
  if (Math.max(...places) <= scale) return scale
  // Digits before the point come first.
  const whole = Math.max(...numbers.map(([, before]) => before!.length))
  return Math.max(scale, Math.min(MOST_PLACES, 65 - whole))
}

function points(type: string, meant: (value: unknown) => string | undefined): ValueKind {
  return {
    read: written,
    // Zero dates have no day that exists.
    fits: (value) => typeof value === 'string' && /^-?[\d:. -]{1,40}$/.test(value),
    bound: casting(type),
    meant,
  }
}

const TEXT: ValueKind = { fits: isText, oneOf: inComparisons, meant: means.anyText }
const OTHER: ValueKind = { ...TEXT, read: written, meant: means.anything }
/** The `T` and the `Z` of ISO 8601 are not known here. */
const MOMENT: ValueKind = {
  ...points('datetime(6)', means.moment),
  stored: (value) => (typeof value === 'string' ? means.moment(value) : undefined) ?? value,
}

/** Ordered as numbers, but bytes or texts in the rows. */
const NUMBERED: ValueKind = {
  ...integers('unsigned'),
  ordered: (column) => operation(column, '+', RawNode.createWithSql('0')),
  read: (ordered) => ordered,
}

/** In an order they are numbers, in a comparison with a text they are texts. */
const CHOICE: ValueKind = {
  ...NUMBERED,
  boundInCondition: (parameter) => parameter,
  oneOf: inComparisons,
  meant: means.anyText,
}

const DOUBLE: ValueKind = {
  fits: (value) => typeof value === 'number' && Number.isFinite(value),
  meant: means.real,
}

const KINDS: ReadonlyMap<string, ValueKind> = new Map<string, ValueKind>([
  ['boolean', { ...integers('signed'), meant: means.bit }],
  ['integer', integers('signed')],
  ['integer unsigned', integers('unsigned')],
  // As text a FLOAT has six digits.
  ['float', { ...DOUBLE, read: casting('double') }],
  ['double', DOUBLE],
  ['bit', NUMBERED],
  ['enum', CHOICE],
  ['set', CHOICE],
  ['datetime', MOMENT],
  ['timestamp', MOMENT],
  ['date', points('date', means.day)],
  ['time', points('time(6)', means.time)],
  ['text', TEXT],
  ['bytes', { fits: (value) => value instanceof Uint8Array, meant: means.bytes }],
  ['uuid', { fits: isText, meant: means.uuid }],
])

/** By the names that the store gives to the types. */
export function kindOf(type: string | null, scale: number, sortable?: number): ValueKind {
  const kind = type === 'decimal' ? decimals(scale) : (KINDS.get(type ?? '') ?? OTHER)
  return sortable === undefined ? kind : byBeginning(kind, sortable, type === 'bytes')
}

/** Rows are sorted by the beginning of a text, so they are compared by it, too; the rest of the order decides ties. */
function byBeginning(kind: ValueKind, length: number, isBytes: boolean): ValueKind {
  const hash = (column: OperationNode) => call('sha2', column, ValueNode.createImmediate(256))
  return {
    ...kind,
    ordered: (column) => call('left', column, ValueNode.createImmediate(length)),
    read: (ordered) => ordered,
    apart: isBytes ? (column) => call('unhex', hash(column)) : hash,
  }
}

/**
 * In one list, values that the character set of the column does not have are an error (1270); alone, each is
 * compared in a character set that has both. The ranges that are read are the same.
 */
function inComparisons(column: OperationNode, values: readonly unknown[]): OperationNode {
  const sides = filledUp(values).flatMap((value) => [enclosed(column), ValueNode.create(value)])
  const between = sides.slice(1).map((_, i) => (i % 2 === 0 ? ' = ' : ' or '))
  return RawNode.create(['(', ...between, ')'], sides)
}
