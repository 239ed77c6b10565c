import type {
  CheckedService,
  FieldInfo,
  InputSerializer,
  Serializer,
} from '../contract/serializer.ts'
import type { Settings } from '../contract/settings.ts'

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/**
 * Stands for a serializer that the compiler has not looked at yet, because a function chooses it: it reads
 * and shows whatever there is.
 */
export type SerializerToCome<Rq> = InputSerializer<unknown, unknown, Rq, never, never>

/** Functions that say what they choose among, as `byVersion` does. */
interface Choosing {
  readonly '~choices'?: readonly unknown[]
}

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
  const known = typeof choice === 'function' ? ((choice as Choosing)['~choices'] ?? []) : [choice]
  for (const each of known as readonly (Serializer | undefined)[]) {
    const problem = each?.check?.(settings, service) ?? null
    if (problem !== null) return problem
  }
  return null
}

/** The input fields of the serializer that is chosen for a request; `null`: it does not tell them. */
export function describedFields<Rq>(
  choice: Choice<Rq, Serializer<never, unknown, never>>,
  request: Rq,
): Readonly<Record<string, FieldInfo>> | null {
  return (chosen(choice, request) as Serializer<never, unknown, Rq>).describe?.(request) ?? null
}
