import type { MaybePromise } from '../../contract/request.ts'
import { after } from '../../std/after.ts'
import type { Chosen, AnyField, Field, FieldOptions, ReadContext } from '../declaration.ts'
import { describeField } from '../field-info.ts'
import { all, readField, sentIn } from '../read-member.ts'
import { Refused, refused } from '../refused.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { asItIs } from '../unshowable.ts'
import { fieldOf } from './field-of.ts'

/** What a dictionary may be. */
export interface DictionaryOptions<G> extends FieldOptions<Readonly<Record<string, G>>> {
  /** Whether it may be empty. @default true */
  readonly allowEmpty?: boolean
}

/**
 * An object with any names, every value a `child`. What is wrong is told by name.
 *
 * @example field.dictionary(field.integer())
 */
export function dictionary<F extends AnyField, const O = unknown>(
  child: F,
  options?: Chosen<O, DictionaryOptions<GivenOf<F>>>,
): Field<
  Readonly<Record<string, RawOf<F>>>,
  Record<string, ShownOf<F>>,
  Record<string, GivenOf<F>>,
  O
> {
  type Given = Record<string, GivenOf<F>>
  const { allowEmpty = true } = (options ?? {}) as DictionaryOptions<GivenOf<F>>
  const show = (child as unknown as Field<unknown>).show ?? asItIs
  return fieldOf<Readonly<Record<string, RawOf<F>>>, Record<string, ShownOf<F>>, Given, O>(
    {
      type: 'field',
      runsProgram: child.runsProgram ?? false,
      show: (values, request) =>
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            value === null ? null : show(value, request),
          ]),
        ) as Record<string, ShownOf<F>>,
      read(value, context) {
        if (!isObject(value)) return NOT_A_DICTIONARY
        if (!allowEmpty && Object.keys(value).length === 0) return EMPTY
        return readValues(child, value, context) as MaybePromise<Given | Refused>
      },
      facts: (request) => ({ child: describeField(child, request, '') }),
      check: child.check ?? (() => null),
    },
    options,
  )
}

const NOT_A_DICTIONARY = refused('not_a_dict')
const EMPTY = refused('empty.object')
const UNFIT_NAME = refused('invalid.name')

/** As with lists: an answer must not grow far beyond its question. */
const MOST_FAILURES = 1000

function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function readValues(
  child: AnyField,
  value: Record<string, unknown>,
  context: ReadContext,
): MaybePromise<object | Refused> {
  const names = Object.keys(value)
  const complete = { ...context, partial: false, existing: null }
  const readings = names.map((name) =>
    isFit(name) ? readField(child, sentIn(value, name, child), complete) : UNFIT_NAME,
  )
  return after(all(readings), (values) => collect(names, values))
}

/** `__proto__` becomes something else when it is copied by assigning; NUL fits into no database. */
function isFit(name: string): boolean {
  return name !== '__proto__' && !name.includes('\0') && name.isWellFormed()
}

function collect(names: readonly string[], values: readonly unknown[]): object | Refused {
  const entries = values.map((value, index) => [names[index]!, value] as const)
  const failures = entries.filter(([, value]) => value instanceof Refused)
  if (failures.length === 0) return Object.fromEntries(entries)
  const told = failures.slice(0, MOST_FAILURES) as [string, Refused][]
  return new Refused(Object.fromEntries(told.map(([name, { detail }]) => [name, detail])))
}
