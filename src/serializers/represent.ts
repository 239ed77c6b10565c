// What becomes of a row: an object, or its JSON text. Both are worked out once for all rows, and what
// links have in common once for all rows of a request.
import type { ApiRequest } from '../contract/request.ts'
import type { LinkFrame } from '../contract/routes.ts'
import { quoted, toJSONText } from '../std/json-text.ts'
import type { AnyField } from './declaration.ts'
import { type Member, getterOf } from './member.ts'
import { PerRequest } from './per-request.ts'

export type Represent = (row: unknown, request: ApiRequest) => Record<string, unknown>
export type Write = (row: unknown, request: ApiRequest) => string

type Show = (value: unknown, request: ApiRequest) => unknown

/** Shows the members in their order; a value that is missing is shown as `null`. */
export function compileRepresent(members: readonly Member[]): Represent {
  const partsOf = perRequest(members.map(toShownPart), withFrame)
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const { name, key, get, show } of partsOf(request)) {
      const value = key === null ? get(row) : (row as Record<string, unknown>)[key]
      object[name] = value === null || value === undefined ? null : (show(value, request) ?? null)
    }
    return object
  }
}

/** A member without its frame: the same for all requests. */
interface Part {
  readonly field: AnyField
  /** Its name in the row. `null`: it is not there by name, and `get` finds it. */
  readonly key: string | null
  readonly get: (row: unknown) => unknown
}

interface ShownPart extends Part {
  readonly name: string
  readonly show: Show
}

function toPart({ path, field }: Member): Part {
  return { field, key: path.length === 1 ? path[0]! : null, get: getterOf(path) }
}

function toShownPart(member: Member): ShownPart {
  const show = (member.field.show as Show | null) ?? ((value) => value)
  return { ...toPart(member), name: member.name, show }
}

function withFrame(part: ShownPart, { before, between, after }: LinkFrame): ShownPart {
  return {
    ...part,
    show(value, request) {
      const middle = between(value)
      return middle === null ? part.show(value, request) : before + middle + after
    },
  }
}

/** The text that JSONRenderer makes of what is shown, without the objects. */
export function compileWrite(members: readonly Member[]): Write {
  if (members.length === 0) return () => '{}'
  const partsOf = perRequest(members.map(toWrittenPart), withWrittenFrame)
  return (row, request) => {
    let text = ''
    for (const part of partsOf(request)) {
      const { key } = part
      const value = key === null ? part.get(row) : (row as Record<string, unknown>)[key]
      if (value === null || value === undefined) {
        text += part.missing
        continue
      }
      const middle = part.between(value, request)
      // Added one after the other: a sum of them would be one more text.
      if (middle === null) text += part.otherwise(value, request)
      else {
        text += part.before
        text += middle
        text += part.after
      }
    }
    return text + '}'
  }
}

/** A member as text: what stands before its value, the value, and what stands after it. */
interface WrittenPart extends Part {
  readonly before: string
  readonly between: (value: unknown, request: ApiRequest) => string | null
  readonly after: string
  /** All of it, for a value that does not go between. */
  readonly otherwise: Write
  /** All of it, where there is no value. */
  readonly missing: string
}

function toWrittenPart(member: Member, index: number): WrittenPart {
  const before = `${index === 0 ? '{' : ','}${quoted(member.name)}:`
  const write = writerOf(member.field)
  const otherwise: Write = (value, request) => before + write(value, request)
  return { ...toPart(member), before, between: write, after: '', otherwise, missing: `${before}null` }
}

function withWrittenFrame(part: WrittenPart, { before, between, after }: LinkFrame): WrittenPart {
  const { field, key, get, otherwise, missing } = part
  const start = part.before + quoted(before).slice(0, -1)
  return { field, key, get, otherwise, missing, before: start, between, after: quoted(after).slice(1) }
}

function writerOf(field: AnyField): Write {
  const { show, write } = field as { readonly show: Show | null; readonly write: Write | null }
  if (write !== null) return write
  return show === null ? writeValue : (value, request) => writeValue(show(value, request))
}

/** The parts, with what the links of a request have in common. Most serializers have none. */
function perRequest<P extends Part>(
  parts: readonly P[],
  framed: (part: P, frame: LinkFrame) => P,
): (request: ApiRequest) => readonly P[] {
  if (parts.every(({ field }) => field.frame === undefined)) return () => parts
  const prepared = new PerRequest((request) =>
    parts.map((part) => {
      const frame = part.field.frame?.(request) ?? null
      return frame === null ? part : framed(part, frame)
    }),
  )
  return (request) => prepared.of(request)
}

/** JSON text of any value; what has no form in JSON is `null`. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return toJSONText(value ?? null)
}
