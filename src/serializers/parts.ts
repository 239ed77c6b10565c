import type { ApiRequest } from '../contract/request.ts'
import type { LinkFrame } from '../types/routes.ts'
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

type Frames = readonly (LinkFrame | null)[]

/**
 * The parts as a request has them: links have texts in common then, and `framed` knows them. Most
 * serializers have no links, and the same parts for all requests.
 */
export function perRequest<P extends Part>(
  parts: readonly P[],
  framed: (frames: Frames) => readonly P[],
): (request: ApiRequest) => readonly P[] {
  if (parts.every(({ field }) => field.frame === undefined)) return () => parts
  // Requests of one host and version have the same links, and mostly come one after the other.
  let last: { readonly frames: Frames; readonly parts: readonly P[] } | null = null
  const prepared = new PerRequest((request) => {
    const frames = parts.map(({ field }) => field.frame?.(request) ?? null)
    if (last === null || !areSame(frames, last.frames)) last = { frames, parts: framed(frames) }
    return last.parts
  })
  return (request) => prepared.of(request)
}

function areSame(frames: Frames, others: Frames): boolean {
  return frames.every((frame, index) => {
    const other = others[index]!
    if (frame === null || other === null) return frame === other
    const { before, between, after } = frame
    return before === other.before && between === other.between && after === other.after
  })
}
