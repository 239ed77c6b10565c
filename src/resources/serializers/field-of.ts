import type { AnyField, AnyFieldOptions, Chosen, Field } from './declaration.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'
import { asItIs } from './refused.ts'

/** What a kind of field must say; the rest is as most fields have it. */
export type FieldParts<Raw, Shown, Given> = Pick<Field<Raw, Shown, Given>, 'read'> &
  Partial<Omit<Field<Raw, Shown, Given>, 'options'>>

/** Values are shown as they are, unless the parts say otherwise. */
export function fieldOf<Raw, Shown, Given, O>(
  type: string,
  options: O | undefined,
  parts: FieldParts<Raw, Shown, Given>,
): Field<Raw, Shown, Given, O> {
  const field = { type, show: null, ...parts, options: (options ?? {}) as O & AnyFieldOptions }
  OURS.add(field)
  return field
}

/** Fields of an application may have options of their own. */
const OURS = new WeakSet<object>()

/** Of all kinds of fields, because no field knows of which kind it is. */
const OPTIONS =
  'readOnly writeOnly required nullable default source validators label helpText since until ' +
  'min max minLength maxLength pattern allowBlank allowEmpty trim secret schemes version zone naive format ' +
  'maxDigits decimalPlaces rounding coerceToString maxSize types store key link maxWidth maxHeight minWidth ' +
  'minHeight maxPixels isImage as type schema always'
const KNOWN = OPTIONS.split(' ')

/** A misspelt option of a field of ours, as the rest of a sentence; `null`: none. */
export function strangerOf(field: AnyField): string | null {
  const wrong = OURS.has(field) && Object.keys(field.options).find((name) => !KNOWN.includes(name))
  return wrong ? `has no option "${wrong}".${didYouMean(wrong, KNOWN)}` : null
}

/** Makes fields of one kind, by their options. */
export type FieldKind<Options extends AnyFieldOptions, Raw, Shown = Raw, Given = Shown> = <
  const O = unknown,
>(
  options?: Chosen<O, Options>,
) => Field<Raw, Shown, Given, O>

/** A kind whose values have the same types whatever the options are. */
export function kind<Options extends AnyFieldOptions, Raw, Shown, Given>(
  type: string,
  partsOf: (options: Options) => FieldParts<Raw, Shown, Given>,
): FieldKind<Options, Raw, Shown, Given> {
  return (options) => fieldOf(type, options, partsOf(options ?? ({} as Options)))
}

export type Show = (value: unknown, request: ApiRequest) => unknown

export function showerOf(field: AnyField): Show {
  return (field.show as Show | null) ?? asItIs
}
