import type { ApiRequest, Settings } from '../contract/request.ts'
import type {
  AnyInputSerializer,
  AnySerializer,
  CheckedService,
  FieldInfo,
  InputSerializer,
  Serializer,
} from '../contract/serializer.ts'

/** A serializer, or a function that chooses one by the request. */
export type Choice<Rq, S> = S | ((request: Rq) => S)

/**
 * Stands for a serializer that the compiler has not looked at yet, because a function chooses it: it reads
 * and shows whatever there is.
 */
export type SerializerToCome<Rq> = InputSerializer<unknown, unknown, Rq, never, never>

/** How an endpoint that writes reads a body and shows the row that came of it. */
export interface ReadAndShown<Rq, S extends AnyInputSerializer, O extends AnySerializer> {
  /** How the body is read, or a function that chooses by the request. */
  readonly serializer: Choice<NoInfer<Rq>, S>
  /** How the row is shown. @default `serializer` */
  readonly output?: Choice<NoInfer<Rq>, O>
}

/** What all endpoints that write make of their serializers. */
export function writing<Rq extends ApiRequest>({
  serializer,
  output = serializer,
}: ReadAndShown<Rq, AnyInputSerializer, AnySerializer>) {
  return {
    check: (settings: Settings, service: CheckedService): string | null =>
      serializerProblem(serializer, settings, service) ??
      serializerProblem(output, settings, service),
    reader: (request: Rq) =>
      chosen<Rq, unknown>(serializer, request) as InputSerializer<never, unknown, Rq>,
    show: (row: unknown, request: Rq): unknown =>
      (chosen<Rq, unknown>(output, request) as Serializer<unknown, unknown, Rq>).represent(
        row,
        request,
      ),
  }
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

/** The input fields of the serializer that is chosen for a request; `null`: it does not describe them. */
export function describedFields<Rq>(
  choice: Choice<Rq, Serializer<never, unknown, never>>,
  request: Rq,
): Readonly<Record<string, FieldInfo>> | null {
  return (chosen(choice, request) as Serializer<never, unknown, Rq>).describe?.(request) ?? null
}
