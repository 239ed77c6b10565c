import type { ApiRequest, Settings } from '../contract/request.ts'
import type { CheckedService, InputSerializer, Serializer } from '../contract/serializer.ts'

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

/** What is chosen in a version, for documents; `undefined`: none, or only a request can tell. */
export function chosenAt(
  choice: unknown,
  { settings, version }: Pick<ApiRequest, 'settings' | 'version'>,
): Serializer | undefined {
  if (knownChoices(choice) === null) return undefined
  try {
    return chosen(choice as Choice<never, Serializer>, { settings, version } as never)
  } catch {
    // Not all versions of an endpoint need have one.
    return undefined
  }
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

/** Why it reads no partial updates; `null`: it does, as far as is known. */
export function partialProblem(choice: unknown): string | null {
  const known: readonly Partial<InputSerializer>[] = knownChoices(choice) ?? []
  if (known.every(({ readsPartially }) => readsPartially !== false)) return null
  return 'PATCH reads a part of the fields, and the serializer is a schema of complete bodies. Give it a schema for the part, schemaSerializer(schema, { partial }), or take PATCH away.'
}

interface Choosing {
  readonly '~choices'?: readonly (Serializer | undefined)[]
}
