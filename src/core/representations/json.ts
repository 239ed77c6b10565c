import type { Accepted, RenderContext, Renderer, Reply } from '../ports/representations.ts'
import { checkIsData } from '../replies/reply.ts'
import { checkNames } from '../settings/options.ts'
import { jsonOfRows } from '../std/row-objects.ts'

/**
 * JSON as RFC 8259 has it: UTF-8, compact, members in their order; indented where the accepted media
 * type says so (`application/json; indent=4`). Dates are written in ISO 8601 with `Z`, a `bigint`
 * with all its digits. NaN, infinities and invalid dates have no form in JSON: they throw.
 *
 * @example
 * new JSONRenderer({ mediaType: 'application/vnd.library+json', format: 'vendor' })
 */
export class JSONRenderer implements Renderer {
  static readonly options: readonly string[] = ['mediaType', 'contentType', 'format']

  readonly mediaType: string
  declare readonly contentType?: string
  readonly format: string

  /** `mediaType`: may be a range, such as that of every type. It is what the answer says, unless `contentType` does. */
  constructor(
    options: {
      readonly mediaType?: string
      readonly contentType?: string
      readonly format?: string
    } = {},
  ) {
    checkNames(new.target, options)
    const { mediaType = 'application/json', contentType, format = 'json' } = options
    this.mediaType = mediaType
    if (contentType !== undefined) this.contentType = contentType
    this.format = format
  }

  /** @throws RangeError for a number or a date without a form in JSON, TypeError for a circle, bytes, a stream or a promise */
  render(reply: Reply, context: RenderContext): string {
    const { data } = reply
    if (data === null || data === undefined) return ''
    return textOf(data, indentOf(context.request.accepted.parameters['indent']), checkIsData)
  }
}

/** N41: from 1 to 8 spaces; everything else is compact. */
function indentOf(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return 0
  return Math.min(Math.max(Number(text), 0), 8)
}

/** Deeper than this, `JSON.stringify` itself finds out whether the data goes in circles. */
const SCAN_DEPTH = 500

/**
 * A value as JSON has it (N40, N42), with numbers of any size; `''`: it has no form in JSON, such as `undefined`.
 *
 * @example toJSONText({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export function toJSONText(data: unknown, indent = 0): string {
  return textOf(data, indent, () => {})
}

/** Scanning the data costs a seventh of writing it; a replacer for all data would more than double the cost. */
function textOf(data: unknown, indent: number, check: typeof checkIsData): string {
  const ready = readyForJSON(data, SCAN_DEPTH)
  const text =
    ready === UNREADY
      ? JSON.stringify(data, exactWriter(check), indent)
      : JSON.stringify(ready, null, indent)
  return text === undefined ? '' : escapeSeparators(text)
}

/** These two end a line in JavaScript before 2019 (N40). They only ever stand inside strings. */
export function escapeSeparators(text: string): string {
  // Nearly no text has one, and of a Latin-1 text this is known without a look.
  if (!text.includes('\u2028') && !text.includes('\u2029')) return text
  return text.replace(/[\u2028\u2029]/g, (found) => (found === '\u2028' ? '\\u2028' : '\\u2029'))
}

/** Makes a replacer that knows its path: it is called with a value, and then with the members of that value. */
function exactWriter(
  check: typeof checkIsData,
): (this: unknown, name: string, value: unknown) => unknown {
  const around: { readonly holder: unknown; readonly name: string }[] = []
  let last = ''
  const path = (): string => [...around.map(({ name }) => name), last].slice(1).join('.')
  return function (name, value) {
    while (around.length > 0 && around.at(-1)!.holder !== this) around.pop()
    last = name
    const member = (this as Record<string, unknown>)[name]
    check(member, path)
    const exact = writeExactly(value, member, path)
    if (typeof exact === 'object') around.push({ holder: exact, name })
    return exact
  }
}

/** `value` is what `toJSON` made of the `member`. */
function writeExactly(value: unknown, member: unknown, path: () => string): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value))
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(unwritable(path(), value))
  if (member instanceof Date) return writeDate(value, path)
  return value
}

function writeDate(value: unknown, path: () => string): unknown {
  if (value === null) throw new RangeError(unwritable(path(), 'an invalid date'))
  return typeof value === 'string' ? withoutZeros(value) : value
}

function unwritable(path: string, value: string | number): string {
  return path === '' ? `JSON has no ${value}.` : `JSON has no ${value}; look at "${path}".`
}

export const UNREADY: unique symbol = Symbol('unready')

/**
 * The same data with dates and big integers as `JSON.stringify` alone writes them as we want (N42): itself
 * where there are none, else a copy of what is around them, which costs half of what a replacer costs.
 * `UNREADY`: there is something that only a replacer can write, or it lies deeper than `depth`.
 */
export function readyForJSON(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : UNREADY
    case 'bigint':
      return 'toJSON' in BigInt.prototype ? UNREADY : rawJSON(String(value))
    case 'object':
      return value === null ? null : readyObject(value, depth)
    case 'function':
      // The function is a class of the platform, which has its methods here and nothing to show, or an async function that
      // was not called.
      return UNREADY
    default:
      return value
  }
}

function rawJSON(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}

/** Leaves out a fraction of zero (N42). */
function withoutZeros(date: string): string {
  return date.endsWith('.000Z') ? `${date.slice(0, -5)}Z` : date
}

function readyObject(object: object, depth: number): unknown {
  if (depth === 0) return UNREADY
  if (object instanceof Date) return readyDate(object)
  if ('toJSON' in object || ArrayBuffer.isView(object)) return UNREADY
  return Array.isArray(object) ? readyItems(object, depth) : readyMembers(object, depth)
}

function readyDate(date: Date): unknown {
  const isUsual = date.toJSON === Date.prototype.toJSON && !Number.isNaN(date.getTime())
  return isUsual ? withoutZeros(date.toISOString()) : UNREADY
}

function readyItems(items: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | null = null
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (typeof item === 'string') continue
    const ready = readyForJSON(item, depth - 1)
    if (ready === UNREADY) return UNREADY
    if (ready !== item) (copy ??= items.slice())[index] = ready
  }
  return copy ?? items
}

function readyMembers(object: object, depth: number): unknown {
  let copy: Record<string, unknown> | null = null
  let isEmpty = true
  for (const name in object) {
    isEmpty = false
    const value = (object as Record<string, unknown>)[name]
    if (typeof value === 'string') continue
    const ready = readyForJSON(value, depth - 1)
    if (ready === UNREADY) return UNREADY
    if (ready === value) continue
    const isCopied = isPlain(object) && Object.hasOwn(object, name) && name !== '__proto__'
    if (!isCopied) return UNREADY
    copy ??= { ...object }
    copy[name] = ready
  }
  // Such an object is a promise, a map, or a view of no bytes.
  if (isEmpty && !isPlain(object)) return UNREADY
  return copy ?? object
}

function isPlain(object: object): boolean {
  return Object.getPrototypeOf(object) === Object.prototype
}

/** May rows be sent as bytes? A class that is made of the renderer may render in its own way, and so does an indent. */
export function takesBytes({ render }: Renderer, parameters: Accepted['parameters']): boolean {
  return render === JSONRenderer.prototype.render && parameters['indent'] === undefined
}

/** The bytes of data whose rows are already JSON; `null`: it has no such rows. */
export function bytesAroundRows(data: unknown): Uint8Array | null {
  if (typeof data !== 'object' || data === null) return null
  if (!isPlain(data) || 'toJSON' in data) return jsonOfRows(data)
  const members = data as Readonly<Record<string, unknown>>
  for (const name in members) if (jsonOfRows(members[name]) !== null) return joined(members)
  return null
}

function joined(members: Readonly<Record<string, unknown>>): Uint8Array {
  const pieces: Uint8Array[] = []
  let between = '{'
  for (const [name, value] of Object.entries(members)) {
    const rows = jsonOfRows(value)
    // The value is written as the member of an object, because `toJSON` and messages get its name. Values without a form in
    // JSON are left out.
    const member = textOf({ [name]: rows === null ? value : 0 }, 0, checkIsData).slice(1, -1)
    if (member === '') continue
    between += rows === null ? `${member},` : member.slice(0, -1)
    if (rows === null) continue
    pieces.push(Buffer.from(between), rows)
    between = ','
  }
  return Buffer.concat([...pieces, Buffer.from(`${between.slice(0, -1)}}`)])
}

export function jsonString(text: string): string {
  return escapeSeparators(JSON.stringify(text))
}
