import type { ApiRequest } from '../contract/request.ts'
import type { Member } from './member.ts'
import { type Part, type Show, toPart } from './parts.ts'
import { asItIs, leftOut } from './unshowable.ts'

export type Represent = (row: unknown, request: ApiRequest) => Record<string, unknown>

/** Shows the members in their order; a value that is missing, or that has no form, is shown as `null`. */
export function compileRepresent(members: readonly Member[]): Represent {
  const shown = members.map(toShownPart)
  return (row, request) => {
    try {
      const object: Record<string, unknown> = {}
      for (const { name, key, get, show } of shown) {
        const value = key === null ? get(row) : (row as Record<string, unknown>)[key]
        object[name] = value === null || value === undefined ? null : (show(value, request) ?? null)
      }
      return object
    } catch {
      return representEach(shown, row, request)
    }
  }
}

/** The same once more for a row that holds something without a form: each member by itself. */
function representEach(
  parts: readonly ShownPart[],
  row: unknown,
  request: ApiRequest,
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const { name, field, get, show } of parts) {
    object[name] = null
    const value = get(row)
    if (value === null || value === undefined) continue
    try {
      object[name] = show(value, request) ?? null
    } catch (error) {
      leftOut(error, { name, field, value }, request)
    }
  }
  return object
}

interface ShownPart extends Part {
  readonly name: string
  readonly show: Show
}

function toShownPart(member: Member): ShownPart {
  const show = (member.field.show as Show | null) ?? asItIs
  return { ...toPart(member), name: member.name, show }
}
