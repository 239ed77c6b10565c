import type { ApiRequest } from '../contract/request.ts'
import type { LinkFrame } from '../types/routes.ts'
import { quoted, toJSONText } from '../std/json/json-text.ts'
import type { AnyField } from './declaration.ts'
import type { Member } from './member.ts'
import { type Part, type Show, perRequest, toPart } from './parts.ts'
import { asItIs, leftOut } from './unshowable.ts'

export type Write = (row: unknown, request: ApiRequest) => string

/**
 * The text that JSONRenderer makes of what `represent` shows, without the objects. What it costs is
 * joining texts: so what stands after a value is joined beforehand to what stands before the next.
 */
export function compileWrite(members: readonly Member[]): Write {
  if (members.length === 0) return () => '{}'
  const parts = members.map(toWrittenPart)
  const partsOf = perRequest(parts, (frames) => joined(parts, frames))
  return (row, request) => {
    const written = partsOf(request)
    try {
      return writeAll(written, row, request)
    } catch {
      return writeEach(written, row, request)
    }
  }
}

function writeAll(parts: readonly WrittenPart[], row: unknown, request: ApiRequest): string {
  let text = ''
  let after = ''
  for (const part of parts) {
    const { key } = part
    const value = key === null ? part.get(row) : (row as Record<string, unknown>)[key]
    const isMissing = value === null || value === undefined
    const middle = isMissing ? null : textBetween(part, value, request)
    if (middle === null) {
      text += after + part.name + (isMissing ? 'null' : part.write(value, request))
      after = ''
    } else {
      text += after === '' ? part.before : part.joined
      text += middle
      after = part.after
    }
  }
  return text + after + '}'
}

/** The same once more for a row that holds something without a form: each member by itself. */
function writeEach(parts: readonly WrittenPart[], row: unknown, request: ApiRequest): string {
  let text = ''
  for (const part of parts) text += part.name + writeOne(part, part.get(row), request)
  return text + '}'
}

function writeOne(part: WrittenPart, value: unknown, request: ApiRequest): string {
  if (value === null || value === undefined) return 'null'
  try {
    return part.write(value, request)
  } catch (error) {
    leftOut(error, { name: part.member, field: part.field, value }, request)
    return 'null'
  }
}

/** A member as text: `name` and `write` for any value, the others for one that goes between. */
interface WrittenPart extends Part {
  /** What clients call it. */
  readonly member: string
  /** `{"title":`, or with a comma before it. */
  readonly name: string
  readonly write: Write
  /** The name, and what all values begin with. */
  readonly before: string
  /** What the values of the member before it end with, and then `before`. */
  readonly joined: string
  /** Whole numbers from 0 on go between as they are. */
  readonly takesNumbers: boolean
  /** `null`: the value does not go between. */
  readonly between: (value: unknown, request: ApiRequest) => string | null
  /** What all values end with. */
  readonly after: string
}

function textBetween(part: WrittenPart, value: unknown, request: ApiRequest): string | null {
  // Nearly all keys are numbers, and a number joins a text as cheaply as a text does.
  if (part.takesNumbers && typeof value === 'number' && value >= 0 && Number.isSafeInteger(value))
    return `${value}`
  return part.between(value, request)
}

function toWrittenPart(member: Member, index: number): WrittenPart {
  const name = `${index === 0 ? '{' : ','}${quoted(member.name)}:`
  const write = writerOf(member.field)
  return {
    ...toPart(member),
    member: member.name,
    name,
    write,
    before: name,
    joined: name,
    takesNumbers: false,
    between: write,
    after: '',
  }
}

function joined(
  parts: readonly WrittenPart[],
  frames: readonly (LinkFrame | null)[],
): readonly WrittenPart[] {
  let end = ''
  return parts.map((part, index) => {
    const framed = withFrame(part, frames[index]!, end)
    end = framed.after
    return framed
  })
}

function withFrame(part: WrittenPart, frame: LinkFrame | null, end: string): WrittenPart {
  const { member, field, key, get, name, write } = part
  if (frame === null) return end === '' ? part : { ...part, joined: end + name }
  const before = name + quoted(frame.before).slice(0, -1)
  const after = quoted(frame.after).slice(1)
  const { between, takesNumbers } = frame
  const texts = { before, joined: end + before, after }
  return { member, field, key, get, name, write, takesNumbers, between, ...texts }
}

function writerOf(field: AnyField): Write {
  const { show, write } = field as { readonly show: Show | null; readonly write: Write | null }
  if (write !== null) return write
  if (show === null) return (value) => writeValue(asItIs(value))
  return (value, request) => writeValue(show(value, request))
}

/** JSON text of any value; what has no form in JSON is `null`. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return toJSONText(value ?? null)
}
