import type { AnyField, AnyFieldOptions, Chosen, Field } from './declaration.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { strangerAmong } from '../../core/settings/options.ts'
import { didYouMean } from '../../core/std/text/nearest.ts'
import { asItIs } from './refused.ts'

/** The own parts of a kind of field; the rest is that of most fields. */
export type FieldParts<Raw, Shown, Given> = Pick<Field<Raw, Shown, Given>, 'read'> &
  Partial<Omit<Field<Raw, Shown, Given>, 'options'>>

/** Shows values unchanged, unless the parts say otherwise. */
export function fieldOf<Raw, Shown, Given, O>(
  type: string,
  options: O | undefined,
  parts: FieldParts<Raw, Shown, Given>,
): Field<Raw, Shown, Given, O> {
  const kept = (options ?? {}) as O & AnyFieldOptions
  return { type, show: null, own: [], ...parts, options: kept }
}

const OF_EVERY_FIELD: Readonly<Record<keyof AnyFieldOptions, true>> = {
  readOnly: true,
  writeOnly: true,
  required: true,
  nullable: true,
  default: true,
  source: true,
  validators: true,
  label: true,
  helpText: true,
  since: true,
  until: true,
}

/** A misspelt option, as the rest of a sentence; `null`: none. Fields of an application may have any. */
export function strangerOf({ own, options, child }: AnyField): string | null {
  const known = [...Object.keys(OF_EVERY_FIELD), ...(own ?? [])]
  const wrong = own && strangerAmong(options, known)
  if (wrong !== undefined) return `has no option "${wrong}".${didYouMean(wrong, known)}`
  return child === undefined ? null : strangerOf(child)
}

/** Makes fields of one kind, by their options. */
export type FieldKind<Options extends AnyFieldOptions, Raw, Shown = Raw, Given = Shown> = <
  const O = unknown,
>(
  options?: Chosen<O, Options>,
) => Field<Raw, Shown, Given, O>

/** A kind of field whose types do not depend on the options. */
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
