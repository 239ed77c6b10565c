import type { MaybePromise } from '../../contract/request.ts'
import { after } from '../../std/after.ts'
import type {
  AnyField,
  Chosen,
  Field,
  FieldFacts,
  FieldOptions,
  ReadContext,
} from '../declaration.ts'
import { describeField } from '../field-info.ts'
import { all, readField, sentIn } from '../read-member.ts'
import { underNoField } from '../read-object.ts'
import { Refused, refused } from '../refused.ts'
import { Unshowable, asItIs } from '../unshowable.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { EMPTY, NOT_A_LIST } from './choice.ts'
import { fieldOf } from './field-of.ts'

/** How long a list may be. */
export interface ListOptions<G> extends FieldOptions<readonly G[]> {
  /** Whether it may be empty. @default true */
  readonly allowEmpty?: boolean
  readonly minLength?: number
  readonly maxLength?: number
}

/**
 * A list, every item a `child`. What is wrong with items is told by their index (E25, E26). A partial
 * update replaces the whole list, so its items are complete. A form sends one by naming it repeatedly.
 *
 * @example field.list(field.text({ maxLength: 40 }), { maxLength: 10 })
 */
export function list<F extends AnyField, const O = unknown>(
  child: F,
  options?: Chosen<O, ListOptions<GivenOf<F>>>,
): Field<readonly RawOf<F>[], ShownOf<F>[], GivenOf<F>[], O> {
  type Raw = readonly RawOf<F>[]
  const showItem = (child as unknown as Field<unknown>).show ?? asItIs
  return fieldOf<Raw, ShownOf<F>[], GivenOf<F>[], O>(
    {
      type: 'list',
      inForms: 'all',
      runsProgram: child.runsProgram ?? false,
      show: (values, request) =>
        itemsIn(values).map((value) =>
          value === null ? null : showItem(value, request),
        ) as ShownOf<F>[],
      read: (value, context) =>
        readItems(child, value, options ?? {}, context) as MaybePromise<GivenOf<F>[] | Refused>,
      facts: (request) => ({
        child: describeField(child, request, ''),
        ...lengthFacts(options ?? {}),
      }),
      check: child.check ?? (() => null),
    },
    options,
  )
}

type Items = readonly unknown[]
type Lengths = Pick<ListOptions<never>, 'allowEmpty' | 'minLength' | 'maxLength'>

/** More failing items than these are not told of: an answer must not grow far beyond its question. */
const MOST_FAILURES = 1000

/** @throws Unshowable the row holds something else */
function itemsIn(values: unknown): Items {
  if (Array.isArray(values)) return values as Items
  throw new Unshowable('A row holds something that is no list.')
}

function readItems(
  child: AnyField,
  value: unknown,
  lengths: Lengths,
  context: ReadContext,
): MaybePromise<Items | Refused> {
  const complaint = Array.isArray(value) ? lengthComplaint(value.length, lengths) : NOT_A_LIST
  if (complaint !== null) return isObject(child) ? ofNoField(complaint, context) : complaint
  const items = value as Items
  const complete = { ...context, partial: false, existing: null }
  const readings = items.map((_, index) => readField(child, sentIn(items, index, child), complete))
  return after(all(readings), collect)
}

const isObject = ({ type }: AnyField): boolean => type === 'nested object'

/** E27: with objects as items the messages stand where those of an object would. */
function ofNoField({ detail }: Refused, context: ReadContext): Refused {
  return new Refused(underNoField(detail, context))
}

function collect(values: Items): Items | Refused {
  const failures = [...values.entries()].filter(([, value]) => value instanceof Refused)
  if (failures.length === 0) return values
  const told = failures.slice(0, MOST_FAILURES) as [number, Refused][]
  return new Refused(Object.fromEntries(told.map(([index, { detail }]) => [index, detail])))
}

function lengthComplaint(
  length: number,
  { allowEmpty = true, minLength = 0, maxLength = Infinity }: Lengths,
): Refused | null {
  if (length === 0 && !allowEmpty) return EMPTY
  if (length < minLength) return refused('min_length.items', { count: minLength })
  return length > maxLength ? refused('max_length.items', { count: maxLength }) : null
}

function lengthFacts({ minLength, maxLength }: Lengths): FieldFacts {
  return {
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
  }
}
