// What becomes of a row: an object, or its JSON text. Both are worked out once for all rows.
import type { ApiRequest } from '../contract/request.ts'
import { quoted, toJSONText } from '../std/json-text.ts'
import { type Member, getterOf } from './member.ts'

export type Represent = (row: unknown, request: ApiRequest) => Record<string, unknown>
export type Write = (row: unknown, request: ApiRequest) => string

/** Shows the members in their order; a value that is missing is shown as `null`. */
export function compileRepresent(members: readonly Member[]): Represent {
  const shown = members.map((member) => ({ name: member.name, show: showerOf(member) }))
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const { name, show } of shown) object[name] = show(row, request)
    return object
  }
}

type Show = (row: unknown, request: ApiRequest) => unknown

function showerOf({ field, path }: Member): Show {
  const get = getterOf(path)
  const show = field.show as Show | null
  if (show === null) return (row) => get(row) ?? null
  return (row, request) => {
    const value = get(row)
    return value === null || value === undefined ? null : (show(value, request) ?? null)
  }
}

/** The text that JSONRenderer makes of what is shown, without the objects. */
export function compileWrite(members: readonly Member[]): Write {
  const parts = members.map((member, index) => ({
    before: `${index === 0 ? '{' : ','}${quoted(member.name)}:`,
    write: writerOf(member),
  }))
  if (parts.length === 0) return () => '{}'
  return (row, request) => {
    let text = ''
    for (const { before, write } of parts) text += before + write(row, request)
    return text + '}'
  }
}

function writerOf({ field, path }: Member): Write {
  const get = getterOf(path)
  const { show, write } = field as { readonly show: Show | null; readonly write: Write | null }
  const toText = write ?? (show === null ? writeValue : shownAsText(show))
  return (row, request) => {
    const value = get(row)
    return value === null || value === undefined ? 'null' : toText(value, request)
  }
}

const shownAsText =
  (show: Show): Write =>
  (value, request) =>
    writeValue(show(value, request))

/** JSON text of any value; what has no form in JSON is `null`. */
export function writeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return toJSONText(value ?? null)
}
