import type { AnyFieldOptions, Field } from './declaration.ts'
import { limitFacts } from './describe.ts'

/** What a kind of field must say; the rest is as most fields have it. */
type Kind<Raw, Shown, Given> = Pick<Field<Raw, Shown, Given>, 'type' | 'read'> &
  Partial<Omit<Field<Raw, Shown, Given>, 'type' | 'read' | 'options'>>

/**
 * A field of this kind with these options: values are shown as they are, and OPTIONS has its limits,
 * unless the kind says otherwise.
 */
export function fieldOf<Raw, Shown, Given, O = unknown>(
  kind: Kind<Raw, Shown, Given>,
  options: O | undefined,
): Field<Raw, Shown, Given, O> {
  const chosen = (options ?? {}) as O & AnyFieldOptions
  return { show: null, facts: () => limitFacts(chosen), ...kind, options: chosen }
}
