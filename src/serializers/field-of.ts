import type { WrittenKind } from '../contract/list-source.ts'
import type { AnyFieldOptions, Chosen, Field, WriteColumn, WriteValue } from './declaration.ts'
import { limitFacts } from './describe-fields.ts'

/** What a kind of field must say; the rest is as most fields have it. */
export type Parts<Raw, Shown, Given> = Pick<Field<Raw, Shown, Given>, 'read'> &
  Partial<Omit<Field<Raw, Shown, Given>, 'options'>>

/** Values are shown as they are, and OPTIONS has the limits, unless the parts say otherwise. */
export function fieldOf<Raw, Shown, Given, O>(
  type: string,
  options: O | undefined,
  parts: Parts<Raw, Shown, Given>,
): Field<Raw, Shown, Given, O> {
  const chosen = (options ?? {}) as O & AnyFieldOptions
  return { type, show: null, facts: () => limitFacts(chosen), ...parts, options: chosen }
}

/** Makes fields of one kind, by their options. */
export type Kind<Options extends AnyFieldOptions, Raw, Shown = Raw, Given = Shown> = <
  const O = unknown,
>(
  options?: Chosen<O, Options>,
) => Field<Raw, Shown, Given, O>

/** A kind whose values have the same types whatever the options are. */
export function kind<Options extends AnyFieldOptions, Raw, Shown, Given>(
  type: string,
  partsOf: (options: Options) => Parts<Raw, Shown, Given>,
): Kind<Options, Raw, Shown, Given> {
  return (options) => fieldOf(type, options, partsOf(options ?? ({} as Options)))
}

/** A short way by the text of a value; `null`: it needs the long one. */
export function asText(textOf: (value: unknown) => string | null): WriteValue {
  return (value, to) => {
    const text = textOf(value)
    if (text !== null) to.put(text)
    return text !== null
  }
}

/** Short ways to write values as rows have them (`values`), and texts of a kind. */
type Ways = { readonly [K in WrittenKind | 'values']?: WriteValue }

/** The short ways of a field, within quotes where `quote` is one. */
export function writes(ways: Ways, quote: '"' | '' = ''): WriteColumn {
  return (column) => {
    const write = ways[column?.kind ?? 'values']
    return write === undefined ? null : { write, before: quote, behind: quote }
  }
}
