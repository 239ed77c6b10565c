import type { ApiRequest } from '../../../core/ports/request.ts'
import { type MaybePromise, after, allDone } from '../../../core/std/after.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { type JSONValue, valueOfJSON, withDigits } from '../../../core/std/json/exact-json.ts'
import type { SchemaPlace } from '../../../core/ports/settings/settings.ts'
import type {
  AnyField,
  Chosen,
  Field,
  FieldOptions,
  KeptValue,
  ReadContext,
} from '../declaration.ts'
import { withLimits, schemaOfField } from '../describe-fields.ts'
import { readField, sentIn, underNoField, whenRead } from '../read-object.ts'
import type { GivenOf, RawOf, ShownOf } from '../types.ts'
import { Refused, Unshowable, asItIs, refused } from '../refused.ts'
import { EMPTY, NOT_A_LIST } from './choice.ts'
import { type FieldKind, fieldOf, kind, showerOf } from '../field-of.ts'

/** The permitted lengths of a list. */
export interface Lengths {
  /** Whether it may be empty. @default true */
  readonly allowEmpty?: boolean
  readonly minLength?: number
  readonly maxLength?: number
}

/**
 * A list, every item a `child`. What is wrong with items is reported by their index (E25, E26). A partial
 * update replaces the whole list, so its items are complete. A form sends one by naming it repeatedly.
 *
 * @throws ConfigurationError the child has a `source`
 * @example field.list(field.text({ maxLength: 40 }), { maxLength: 10 })
 */
export function list<F extends AnyField, const O = unknown>(
  child: F,
  options?: Chosen<O, FieldOptions<readonly GivenOf<F>[]> & Lengths>,
): Field<readonly RawOf<F>[], ShownOf<F>[], GivenOf<F>[], O> {
  const lengths: Lengths = options ?? {}
  const { show, ...parts } = partsWith(child)
  return fieldOf('list', options, {
    ...parts,
    own: ['allowEmpty', 'minLength', 'maxLength'],
    inForms: 'all',
    // A form that names no row means none.
    ...(child.relation && !child.child && { absentInForms: [] }),
    schema: (place) =>
      withLimits(
        place,
        { type: 'array', items: schemaOfField(child, wholeIn(place)) },
        itemLimits(lengths),
      ),
    show(items, request) {
      if (!Array.isArray(items)) throw new Unshowable('A row holds something that is no list.')
      return heldFor(child, items).map((item) => show(item, request)) as ShownOf<F>[]
    },
    read(value, context) {
      const refusal = Array.isArray(value) ? refusalOfLength(value.length, lengths) : NOT_A_LIST
      if (refusal === null) {
        const items = value as readonly unknown[]
        const read = readEach(child, items, [...items.keys()], context)
        return read as MaybePromise<GivenOf<F>[] | Refused>
      }
      // If the items are objects, messages about the list are in the place of those about an object (E27).
      return child.serializer ? new Refused(underNoField(refusal.detail, context)) : refusal
    },
  })
}

type Named<Value> = Record<string, Value>

/**
 * An object with any names, every value a `child`. What is wrong is reported by name.
 *
 * @example field.dictionary(field.integer())
 */
export function dictionary<F extends AnyField, const O = unknown>(
  child: F,
  options?: Chosen<O, FieldOptions<Readonly<Named<GivenOf<F>>>> & Pick<Lengths, 'allowEmpty'>>,
): Field<Readonly<Named<RawOf<F>>>, Named<ShownOf<F>>, Named<GivenOf<F>>, O> {
  const { show, ...parts } = partsWith(child)
  return fieldOf('nested object', options, {
    ...parts,
    own: ['allowEmpty'],
    schema: (place) =>
      withLimits(
        place,
        { type: 'object', additionalProperties: schemaOfField(child, wholeIn(place)) },
        { minProperties: options?.allowEmpty === false ? 1 : undefined },
      ),
    show(values, request) {
      if (!isObject(values)) throw new Unshowable('A row holds something that is no object.')
      const held = Object.entries(heldFor(child, values))
      const shown = held.map(([name, value]) => [name, show(value, request)])
      return Object.fromEntries(shown) as Named<ShownOf<F>>
    },
    read(value, context) {
      if (!isObject(value)) return NOT_A_DICTIONARY
      const names = Object.keys(value)
      if (options?.allowEmpty === false && names.length === 0) return NO_NAMES
      return after(readEach(child, value, names, context), (read) => {
        if (read instanceof Refused) return read
        return Object.fromEntries(names.map((name, at) => [name, read[at]])) as Named<GivenOf<F>>
      })
    },
  })
}

/** Digits of numbers stay with what holds them, so they are taken out here where a child shows them. */
function heldFor<Held extends object>({ takesDigits }: AnyField, held: Held): Held {
  return takesDigits === 'aside' ? (withDigits(held) as Held) : held
}

/** A partial update replaces the whole of it. */
export function wholeIn(place: SchemaPlace): SchemaPlace {
  return place.direction === 'patch' ? { ...place, direction: 'input' } : place
}

function itemLimits({ allowEmpty = true, minLength = 0, maxLength }: Lengths) {
  const minItems = Math.max(minLength, allowEmpty ? 0 : 1)
  return { minItems: minItems === 0 ? undefined : minItems, maxItems: maxLength }
}

/** The parts of a collection that come from its child field; `show` is for one value. */
function partsWith(child: AnyField) {
  const { source, readOnly } = child.options
  if (source !== undefined && !readOnly)
    throw new ConfigurationError(
      `The items of a list have no names: the source "${source}" belongs to the list, not to its child.`,
    )
  if (child.embeds !== undefined)
    throw new ConfigurationError('What is embedded cannot be an item: use field.embedMany().')
  const show = showerOf(child)
  const { keep, listed, relation } = child
  return {
    child,
    ...(listed && { listed }),
    ...(relation && { relation }),
    show: (value: unknown, request: ApiRequest) => (value === null ? null : show(value, request)),
    runsProgram: child.runsProgram ?? false,
    check: child.check ?? (() => null),
    ...(keep && { keep: (given: object, context: ReadContext) => keepEach(keep, given, context) }),
  }
}

type Keep = NonNullable<AnyField['keep']>

/** Keeps the files of a list or an object. */
function keepEach(keep: Keep, given: object, context: ReadContext): KeptValue {
  const all = Object.entries(given).map(([name, value]) => ({
    name,
    ...(value === null ? NOTHING : keep(value as never, context)),
  }))
  const value = Array.isArray(given)
    ? all.map((one) => one.value)
    : Object.fromEntries(all.map((one) => [one.name, one.value]))
  return { value, work: () => allDone(all.map(({ work }) => work)) }
}

const NOTHING: KeptValue = { value: null, work: () => null }

/** The most failures that are looked for and reported: an answer must not grow far beyond its question. */
const MOST_FAILURES = 1000

function readEach<Key extends string | number>(
  child: AnyField,
  holder: object,
  keys: readonly Key[],
  context: ReadContext,
): MaybePromise<readonly unknown[] | Refused> {
  const complete = { ...context, partial: false, existing: null, scope: {} }
  const readings: unknown[] = []
  let failed = 0
  for (const key of keys) {
    const isRead = typeof key === 'number' || isFit(key)
    const read = isRead ? readField(child, sentIn(holder, key, child), complete) : UNFIT_NAME
    readings.push(read)
    if (read instanceof Refused && ++failed === MOST_FAILURES) break
  }
  return whenRead(readings, (values) => {
    if (!values.some((value) => value instanceof Refused)) return values
    const failures = [...values.entries()].filter(([, value]) => value instanceof Refused)
    const reported = failures.slice(0, MOST_FAILURES) as [number, Refused][]
    return new Refused(Object.fromEntries(reported.map(([at, { detail }]) => [keys[at], detail])))
  })
}

function refusalOfLength(
  length: number,
  { allowEmpty = true, minLength = 0, maxLength = Infinity }: Lengths,
): Refused | null {
  if (length === 0 && !allowEmpty) return EMPTY
  if (length < minLength) return refused('min_length.items', { count: minLength })
  return length > maxLength ? refused('max_length.items', { count: maxLength }) : null
}

const NOT_A_DICTIONARY = refused('not_a_dict')
const NO_NAMES = refused('empty.object')
const UNFIT_NAME = refused('invalid.name')

function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** `__proto__` becomes something else when it is copied by assigning; NUL fits into no database. */
function isFit(name: string): boolean {
  return name !== '__proto__' && !name.includes('\0') && name.isWellFormed()
}

/**
 * Any value of JSON, as it is: a text stays a text, whatever it looks like. Numbers are those of JavaScript; the digits
 * that they cannot hold stay with them, from the body to the database and back. `null` alone is the NULL of a
 * `nullable` field. In a form it is a text of JSON. Refused is what some databases cannot keep: null characters,
 * unpaired surrogates, and more than 31 levels.
 *
 * @example field.json({ required: false })
 */
export const json: FieldKind<FieldOptions<JSONValue>, unknown, unknown, JSONValue> = kind(
  'field',
  () => ({
    takesDigits: 'aside',
    show: (value) => asItIs(withDigits(value)),
    read: (value, { form }) => (form ? readFormJSON(value) : readValue(value)),
  }),
)

const NO_JSON = refused('invalid.json')
const NULL_CHARACTER = refused('null_characters_not_allowed')
const SURROGATE = refused('surrogate_characters_not_allowed')
/** MariaDB takes no more. */
const LEVELS = 31
const TOO_DEEP = refused('invalid.json_levels', { count: LEVELS })

/** The value of a form's text. */
export function readFormJSON(text: unknown): JSONValue | Refused {
  if (typeof text !== 'string') return NO_JSON
  try {
    return readValue(valueOfJSON(text))
  } catch {
    return NO_JSON
  }
}

function readValue(value: unknown): JSONValue | Refused {
  return problemIn(value, LEVELS) ?? (value as JSONValue)
}

/** Other parsers than ours may give what JSON has no form for. */
function problemIn(value: unknown, levels: number): Refused | null {
  if (typeof value === 'string') return problemOfText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? null : NO_JSON
  if (typeof value !== 'object' || value === null)
    return typeof value === 'boolean' || value === null ? null : NO_JSON
  if (levels === 0) return TOO_DEEP
  for (const [name, part] of Object.entries(value)) {
    const problem = problemOfText(name) ?? problemIn(part, levels - 1)
    if (problem !== null) return problem
  }
  return null
}

function problemOfText(text: string): Refused | null {
  if (text.includes('\0')) return NULL_CHARACTER
  return text.isWellFormed() ? null : SURROGATE
}
