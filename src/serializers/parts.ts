import type { ApiRequest } from '../contract/request.ts'
import type { LinkFrame } from '../contract/routes.ts'
import type { AnyField } from './declaration.ts'
import { type Member, getterOf } from './member.ts'
import { PerRequest } from './per-request.ts'

export type Show = (value: unknown, request: ApiRequest) => unknown

/** A member, as showing it wants it. */
export interface Part {
  readonly field: AnyField
  /** Its name in the row. `null`: it is not there by name, and `get` finds it. */
  readonly key: string | null
  readonly get: (row: unknown) => unknown
}

export function toPart({ path, field }: Member): Part {
  return { field, key: path.length === 1 ? path[0]! : null, get: getterOf(path) }
}

/**
 * The parts as a request has them: links have texts in common then, and `framed` knows them. Most
 * serializers have no links, and the same parts for all requests.
 */
export function perRequest<P extends Part>(
  parts: readonly P[],
  framed: (frames: readonly (LinkFrame | null)[]) => readonly P[],
): (request: ApiRequest) => readonly P[] {
  if (parts.every(({ field }) => field.frame === undefined)) return () => parts
  const prepared = new PerRequest((request) =>
    framed(parts.map(({ field }) => field.frame?.(request) ?? null)),
  )
  return (request) => prepared.of(request)
}
