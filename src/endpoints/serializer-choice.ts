import type { Settings } from '../contract/request.ts'
import type { CheckedService, Serializer } from '../contract/serializer.ts'

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/** What shows a row; the request is what the endpoint makes it, not what a serializer would be content with. */
export type ShownBy<Rq, Row, Name extends string = string> = Choice<
  NoInfer<Rq>,
  Serializer<Row, unknown, NoInfer<Rq>> & { readonly '~names'?: Name }
>

export function chosen<Rq, S>(choice: Choice<Rq, S>, request: Rq): S {
  return typeof choice === 'function' ? (choice as (request: Rq) => S)(request) : choice
}

/** What a serializer, or one that may be chosen, misses; `null`: nothing that is known. */
export function serializerProblem(
  choice: unknown,
  settings: Settings,
  service: CheckedService,
): string | null {
  const known = knownChoices(choice) ?? []
  return known.map((each) => each.check?.(settings, service)).find(Boolean) ?? null
}

/** What may be chosen; `null`: only a request can tell. */
export function knownChoices(choice: unknown): readonly Serializer[] | null {
  // Functions such as `byVersion` list what they choose among.
  const known = (choice as Choosing | undefined)?.['~choices']
  if (known === undefined && typeof choice === 'function') return null
  return (known ?? [choice as Serializer | undefined]).filter((each) => each !== undefined)
}

interface Choosing {
  readonly '~choices'?: readonly (Serializer | undefined)[]
}
