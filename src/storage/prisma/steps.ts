// The steps behind a position: conditions that are ranges of an index, one after the other.
import type { Position, PositionValue } from '../../core/ports/list-source.ts'
import { InvalidPosition } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Term } from '../sql/dialect.ts'
import type { Where } from './conditions.ts'
import { FILTERED, type PrismaField, type PrismaModel } from './model.ts'
import type { PrismaRow } from './types.ts'
import { Beyond, isDecimal, toPrisma } from './values.ts'

/** @throws ConfigurationError Prisma has no order of the field */
export function checkOrdered(model: PrismaModel, name: string): void {
  const { type, isEnum } = model.field(name)
  const reason =
    isEnum || !FILTERED.has(type)
      ? `Prisma cannot continue behind a value of ${type}`
      : type === 'Decimal' && model.provider === 'sqlite'
        ? 'SQLite keeps a Decimal as a number with fewer digits'
        : null
  if (reason === null) return
  throw new ConfigurationError(
    `Lists of the model "${model.name}" cannot be ordered by "${name}": ${reason}.`,
  )
}

/** A key of the order. */
export interface OrderTerm extends Omit<Term, 'node'> {
  readonly field: PrismaField
}

/** Rows that are read with one query, one after the other. */
export interface ReadStep {
  readonly where: readonly Where[]
  readonly terms: readonly OrderTerm[]
}

/** Rows with a value in the first key, and those without one: each is a range of an index. */
function halves(terms: readonly OrderTerm[]): Readonly<Record<'values' | 'nulls', ReadStep>> {
  const [term, ...rest] = terms
  const { name } = term!.field
  return {
    values: { where: [{ [name]: { not: null } }], terms: [{ ...term!, nullable: false }, ...rest] },
    nulls: { where: [{ [name]: null }], terms: rest },
  }
}

export function stepsFromStart(terms: readonly OrderTerm[]): readonly ReadStep[] {
  const { nullable, nullsFirst } = terms[0]!
  if (!nullable) return [{ where: [], terms }]
  const { values, nulls } = halves(terms)
  return nullsFirst ? [nulls, values] : [values, nulls]
}

/** First the ties of all keys but the last, then those of all but the last two, and so on: each is a range of an index. */
export function stepsBehind(
  terms: readonly OrderTerm[],
  values: readonly unknown[],
): readonly ReadStep[] {
  return terms
    .map((_term, at) => {
      const ties = terms
        .slice(0, at)
        .map(({ field: { name } }, place) => ({ [name]: values[place] }))
      return further(terms.slice(at), values[at]).map((step) => ({
        ...step,
        where: [...ties, ...step.where],
      }))
    })
    .toReversed()
    .flat()
}

function further(terms: readonly OrderTerm[], value: unknown): readonly ReadStep[] {
  const { field, descending, nullable, nullsFirst } = terms[0]!
  const { values, nulls } = halves(terms)
  if (value === null) return nullsFirst ? [values] : []
  const range = beyond(field, value, descending)
  return [
    ...(range === null ? [] : [{ ...values, where: [{ [field.name]: range }] }]),
    ...(nullable && !nullsFirst ? [nulls] : []),
  ]
}

/** `null`: no value is beyond. */
function beyond({ type }: PrismaField, value: unknown, descending: boolean): Where | null {
  if (type !== 'Boolean') return { [descending ? 'lt' : 'gt']: value }
  // Prisma has no order of booleans; behind one of them is the other.
  return value === descending ? { equals: !descending } : null
}

export function positionOf(row: PrismaRow, terms: readonly OrderTerm[]): Position {
  return terms.map(({ field: { name } }) => {
    const value = row[name]
    if (value === undefined)
      throw new ConfigurationError(
        `A list is ordered by "${name}", which its rows do not have: the client leaves it out (omit).`,
      )
    if (value instanceof Date && Number.isNaN(value.getTime()))
      throw new ConfigurationError(
        `A list is ordered by "${name}", which Prisma cannot read in the row ${String(row[terms.at(-1)!.field.name])}, as it cannot read "infinity" and years before 1 and after 9999. Change the row.`,
      )
    if (value instanceof Date) return value.toISOString()
    return isDecimal(value) ? value.toFixed() : (value as PositionValue)
  })
}

/** @throws InvalidPosition it is none of this order */
export function valuesAt(position: Position, terms: readonly OrderTerm[]): readonly unknown[] {
  if (position.length !== terms.length) throw new InvalidPosition()
  return terms.map(({ field, nullable }, at) => {
    const value = position[at]!
    if (value === null && nullable) return null
    const found = value === null ? undefined : toPrisma(field, value)
    if (found === undefined || found instanceof Beyond) throw new InvalidPosition()
    return found
  })
}
