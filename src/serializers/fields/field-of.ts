import type { AnyFieldOptions, Field } from '../declaration.ts'

/** What a kind of field must say; the rest is as most fields have it. */
type Kind<Raw, Shown, Given> = Pick<Field<Raw, Shown, Given>, 'type' | 'read'> &
  Partial<Omit<Field<Raw, Shown, Given>, 'type' | 'read' | 'options'>>

/** A field of this kind with these options: values are shown as they are, unless the kind says how. */
export function fieldOf<Raw, Shown, Given, O = unknown>(
  kind: Kind<Raw, Shown, Given>,
  options: O | undefined,
): Field<Raw, Shown, Given, O> {
  return { show: null, ...kind, options: (options ?? {}) as O & AnyFieldOptions }
}
