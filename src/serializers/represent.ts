import type { ApiRequest } from '../contract/request.ts'
import type { LinkFrame } from '../contract/routes.ts'
import type { Member } from './member.ts'
import { type Part, type Show, perRequest, toPart } from './parts.ts'

export type Represent = (row: unknown, request: ApiRequest) => Record<string, unknown>

/** Shows the members in their order; a value that is missing is shown as `null`. */
export function compileRepresent(members: readonly Member[]): Represent {
  const parts = members.map(toShownPart)
  const partsOf = perRequest(parts, (frames) =>
    parts.map((part, index) => withFrame(part, frames[index]!)),
  )
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const { name, key, get, show } of partsOf(request)) {
      const value = key === null ? get(row) : (row as Record<string, unknown>)[key]
      object[name] = value === null || value === undefined ? null : (show(value, request) ?? null)
    }
    return object
  }
}

interface ShownPart extends Part {
  readonly name: string
  readonly show: Show
}

function toShownPart(member: Member): ShownPart {
  const show = (member.field.show as Show | null) ?? ((value) => value)
  return { ...toPart(member), name: member.name, show }
}

function withFrame(part: ShownPart, frame: LinkFrame | null): ShownPart {
  if (frame === null) return part
  const { name, field, key, get, show } = part
  const { before, between, after } = frame
  return {
    name,
    field,
    key,
    get,
    show(value, request) {
      const middle = between(value)
      return middle === null ? show(value, request) : before + middle + after
    },
  }
}
