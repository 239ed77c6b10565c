import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { isAsync, isPromise } from '../../core/std/after.ts'
import type { AnyField, ConvertedGroup, Field, Fields } from './declaration.ts'
import { showerOf } from './field-of.ts'
import type { AtOnce, InputFor, RawOf } from './types.ts'

/** The conversion between fields of some versions and the current members of rows. */
export interface Conversion<F extends Fields, Row, Given> {
  /** The first version that has these fields. @default the first */
  readonly since?: string
  /** The first version that has them no more. @default none */
  readonly until?: string
  /**
   * Works the fields out from the row, at once: a promise does not compile. An error that it throws is an error of the program:
   * 500.
   */
  readonly show: (row: Row) => { readonly [K in keyof F]: RawOf<F[K]> }
  /**
   * Gives the stored values for a client's input, once each field is right by itself; at once, as `show` does. Throw
   * `ValidationError` if the values do not fit together. In a partial update, missing fields are as `show` gives them.
   * @default none: the fields are only shown
   */
  readonly read?: ((given: InputFor<F>) => Given) & AtOnce<Given>
}

/** Fields that are converted, as a serializer sees them. */
export type Converted<F extends Fields, Row, Given, Bounds> = {
  readonly [K in keyof F]: F[K] extends Field<never, infer Shown, unknown, infer O, unknown>
    ? Field<Row, Shown, never, O & Bounds & Writing<Given>, never>
    : never
}

/** The whole row is shown; `writes` are the members of the input that `read` gives. */
type Writing<Given> = [Given] extends [never]
  ? { readonly source: '*'; readonly readOnly: true }
  : { readonly source: '*'; readonly writes: keyof Given & string }

/**
 * Fields that some versions have in another form than rows: split, joined, moved, wrapped, or with other values. Each
 * field is declared as the version has it, so documents, forms, clients and checks know it. One pair of functions
 * leads from the row to them and back, and is written once for all of them.
 *
 * @throws ConfigurationError it is of all versions, one of the fields has a `source`, or a function is async
 * @example
 * const patient = serializer({
 *   ...converted({ name: field.text({ maxLength: 100 }) }, {
 *     until: 'v2',
 *     show: (row: { first: string; last: string }) => ({ name: `${row.first} ${row.last}` }),
 *     read: ({ name }) => {
 *       const [first = '', ...others] = name.split(' ')
 *       return { first, last: others.join(' ') }
 *     },
 *   }),
 *   first: field.text({ since: 'v2' }),
 *   last: field.text({ since: 'v2' }),
 * })
 */
export function converted<
  F extends Fields,
  Row,
  Given extends object = never,
  const Bounds extends { readonly since?: string; readonly until?: string } = object,
>(
  fields: F,
  conversion: Bounds & Conversion<F, Row, Given>,
): Converted<F, Row, Given, Pick<Bounds, keyof Bounds & ('since' | 'until')>> {
  const { since, until, show, read } = conversion
  const names = `The fields "${Object.keys(fields).join('", "')}"`
  if (since === undefined && until === undefined)
    throw new ConfigurationError(`${names} are converted in no version: say since or until.`)
  const own = {
    source: '*',
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(read === undefined && { readOnly: true }),
  }
  const group: ConvertedGroup = {
    show: givenAtOnce(show as Convert, `${names}: "show"`),
    read: givenAtOnce(read as unknown as Convert, `${names}: "read"`),
    written: new Set(),
  }
  const made = Object.entries(fields).map(([name, each]) => [name, ofGroup(name, each, own, group)])
  return Object.fromEntries(made) as never
}

type Convert = (of: unknown) => Readonly<Record<string, unknown>>

/** @throws ConfigurationError it is async; called, it gives a promise or nothing, which would be stored as `{}` */
function givenAtOnce(convert: Convert | undefined, name: string): Convert {
  if (isAsync(convert)) throw new ConfigurationError(`${name} is an async function. ${AT_ONCE}`)
  return (of) => {
    const parts = convert!(of)
    if (isPromise(parts)) {
      // The promise is not awaited, so its failure must not end the process either.
      Promise.resolve(parts).catch(() => {})
      throw new ConfigurationError(`${name} gives a promise. ${AT_ONCE}`)
    }
    if (typeof parts === 'object' && parts !== null && !Array.isArray(parts)) return parts
    throw new ConfigurationError(`${name} gives no object of values.`)
  }
}

const AT_ONCE = 'It gives its values at once: await what it needs where the row is found or stored.'

function ofGroup(name: string, field: AnyField, own: object, group: ConvertedGroup): AnyField {
  if (field.options.source !== undefined)
    throw new ConfigurationError(`The field "${name}" is converted from the row, and has a source.`)
  const show = showerOf(field)
  return {
    ...field,
    options: { ...field.options, ...own },
    converted: group,
    runsProgram: true,
    show: (row, request) => {
      const value = group.show(row)[name] ?? null
      return value === null ? null : show(value, request)
    },
  }
}
