import type { Settings } from '../contract/request.ts'
import type { CheckedService, Serializer } from '../contract/serializer.ts'

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/** The serializer for a request. */
export function chosen<Rq, S>(choice: Choice<Rq, S>, request: Rq): S {
  return typeof choice === 'function' ? (choice as (request: Rq) => S)(request) : choice
}

/** What a serializer, or one of those that may be chosen, misses under these settings; `null`: nothing that is known. */
export function serializerProblem(
  choice: unknown,
  settings: Settings,
  service: CheckedService,
): string | null {
  // Functions such as `byVersion` list what they choose among.
  const known = typeof choice === 'function' ? ((choice as Choosing)['~choices'] ?? []) : [choice]
  for (const each of known as readonly (Serializer | undefined)[]) {
    const problem = each?.check?.(settings, service) ?? null
    if (problem !== null) return problem
  }
  return null
}

interface Choosing {
  readonly '~choices'?: readonly unknown[]
}
