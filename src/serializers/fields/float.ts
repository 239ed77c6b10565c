import type { Chosen, Field, FieldFacts, FieldOptions } from '../declaration.ts'
import { Refused, refused } from '../refused.ts'
import { fieldOf } from './field-of.ts'

/** What a number may be. */
export interface FloatOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
}

/**
 * A number, as exact as a `number` is; a text that writes one is taken too. NaN and infinities are not:
 * JSON has no form for them.
 *
 * @example field.float({ min: -90, max: 90 })
 */
export function float<const O = unknown>(
  options?: Chosen<O, FloatOptions>,
): Field<number, number, number, O> {
  const limits = (options ?? {}) as FloatOptions
  return fieldOf<number, number, number, O>(
    {
      type: 'float',
      read(value) {
        const read = readNumber(value)
        return read instanceof Refused ? read : (outside(read, limits) ?? read)
      },
      facts: () => limitFacts(limits),
    },
    options,
  )
}

const INVALID = refused('invalid.number')
const TOO_LONG = refused('max_string_length')
const LONGEST = 1000
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

function readNumber(value: unknown): number | Refused {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string')
    return INVALID
  if (typeof value === 'string' && value.length > LONGEST) return TOO_LONG
  if (typeof value === 'string' && !NUMBER.test(value.trim())) return INVALID
  const read = Number(value)
  return Number.isFinite(read) ? read : INVALID
}

interface Limits {
  readonly min?: number
  readonly max?: number
}

/** What is wrong with a number outside its limits; `null`: it is inside. */
export function outside(value: number, { min, max }: Limits): Refused | null {
  if (min !== undefined && value < min) return refused('min_value', { limit: min })
  if (max !== undefined && value > max) return refused('max_value', { limit: max })
  return null
}

/** The limits, as OPTIONS tells them. */
export function limitFacts({ min, max }: Limits): FieldFacts {
  return {
    ...(min === undefined ? {} : { min_value: min }),
    ...(max === undefined ? {} : { max_value: max }),
  }
}
