// Values of fields: what clients mean by them, and what Prisma takes.
import { ConstraintViolation } from '../../core/errors/storage-errors.ts'
import {
  anyText,
  decimalValue,
  integerValue,
  momentValue,
  realValue,
  booleanValue,
} from '../../resources/lists/filter-values.ts'
import type { PrismaField, PrismaModel } from './model.ts'
import type { PrismaRow } from './types.ts'

/** Between which numbers a field has its values. */
const BITS: Readonly<Record<string, number>> = { Int: 32, BigInt: 64 }

/** A number that no row has: what stands before all others, or behind them. */
export class Beyond {
  readonly isAbove: boolean
  constructor(isAbove: boolean) {
    this.isAbove = isAbove
  }
}

/** A value in Prisma's form; `undefined`: it does not fit the type. */
export function toPrisma({ type, isEnum, earliest }: PrismaField, value: unknown): unknown {
  if (isEnum) return anyText(value)
  const plain = isDecimal(value) ? value.toFixed() : value
  switch (type) {
    case 'Int':
    case 'BigInt':
      return wholeNumber(type, plain)
    case 'Float':
      return realValue(plain)
    case 'Decimal':
      return decimalValue(plain)
    case 'Boolean':
      return booleanValue(plain)
    case 'DateTime':
      return dateFrom(earliest, plain)
    default:
      return type === 'String' ? anyText(plain) : value
  }
}

function wholeNumber(type: string, value: unknown): unknown {
  const whole = integerValue(value)
  if (whole === undefined) return undefined
  const exact = BigInt(whole)
  if (BigInt.asIntN(BITS[type]!, exact) !== exact) return new Beyond(exact > 0n)
  return type === 'Int' ? Number(whole) : exact
}

/** Decimals of Prisma are objects of a library. */
export function isDecimal(value: unknown): value is { toFixed(): string } {
  return typeof value === 'object' && value !== null && 'd' in value && 'e' in value && 's' in value
}

/** The last millisecond that is not behind it. */
function dateFrom(earliest: number, value: unknown): Date | undefined {
  const moment = momentValue(value)
  const written = moment && `${moment.slice(0, 23).replace(' ', 'T')}Z`
  const date = value instanceof Date ? value : new Date(written ?? Number.NaN)
  return date.getTime() >= earliest ? date : undefined
}

/** Has it digits behind the milliseconds, which no value of Prisma has? */
export function isBetween(value: unknown): boolean {
  return typeof value === 'string' && /\.\d{3}0*[1-9]/.test(momentValue(value) ?? '')
}

/** Values as Prisma takes them: a point in time as a client writes it, and no number that the field cannot have. */
export function prismaValues(model: PrismaModel, given: PrismaRow): PrismaRow {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, stored(model, name, value)]),
  )
}

/** @throws ConstraintViolation the field cannot have it */
function stored(model: PrismaModel, name: string, value: unknown): unknown {
  const field = model.fields.get(name)
  if (field?.type === 'Json') return asJson(value)
  if (field === undefined || value === null) return value
  const isPlain = ['string', 'number', 'bigint'].includes(typeof value) || value instanceof Date
  const isChecked = field.isEnum || ['Int', 'BigInt', 'DateTime', 'String'].includes(field.type)
  if (!isPlain || !isChecked) return value
  const found = toPrisma(field, value)
  if (found !== undefined && !(found instanceof Beyond)) return found
  const cause = new RangeError(`The field ${model.name}.${name} cannot store this.`)
  throw new ConstraintViolation('invalid', { table: model.table, columns: [name], cause })
}

/** `Prisma.DbNull`, as any copy of its library knows it: a null of Json would be another value than NULL. */
const DB_NULL = {
  [Symbol.for('prisma.objectEnumValue')]: true,
  _getName: () => 'DbNull',
}

/** Prisma would copy the members of what stands for digits that a number does not have. */
function asJson(value: unknown): unknown {
  if (RAW.isRawJSON(value)) return Number(JSON.stringify(value))
  return value === null ? DB_NULL : value
}

const RAW = JSON as unknown as { isRawJSON(value: unknown): boolean }

/** A value that the key could have. */
export function exampleOf(model: PrismaModel, key: string): unknown {
  const { type } = model.field(key)
  const examples: Readonly<Record<string, unknown>> = {
    Boolean: true,
    DateTime: new Date(0),
    String: '',
  }
  return examples[type] ?? 0
}

/** The first rows of each value. Texts that only the collation equates with the requested ones are left out. */
export function firstOfEach(
  rows: readonly PrismaRow[],
  column: string,
  limit: number,
  asked: readonly unknown[],
): readonly PrismaRow[] {
  const met = new Map<unknown, number>()
  return rows.filter(({ [column]: value }) => {
    if (typeof value === 'string' && !asked.includes(value)) return false
    const count = (met.get(value) ?? 0) + 1
    met.set(value, count)
    return count <= limit
  })
}
