import type { Settings } from '../contract/request.ts'
import type { CheckedService, Serializer } from '../contract/serializer.ts'

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/** What shows a row; the request is what the endpoint makes it, not what a serializer would be content with. */
export type ShownBy<Rq, Row> = Choice<NoInfer<Rq>, Serializer<Row, unknown, NoInfer<Rq>>>

export function chosen<Rq, S>(choice: Choice<Rq, S>, request: Rq): S {
  return typeof choice === 'function' ? (choice as (request: Rq) => S)(request) : choice
}

/** What a serializer, or one that may be chosen, misses; `null`: nothing that is known. */
export function serializerProblem(
  choice: unknown,
  settings: Settings,
  service: CheckedService,
): string | null {
  // Functions such as `byVersion` list what they choose among.
  const known = (choice as Choosing | undefined)?.['~choices'] ?? [choice as Serializer | undefined]
  return known.map((each) => each?.check?.(settings, service)).find(Boolean) ?? null
}

interface Choosing {
  readonly '~choices'?: readonly (Serializer | undefined)[]
}
