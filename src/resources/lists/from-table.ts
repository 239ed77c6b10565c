// Rows of a table as they are shown: as objects, and as JSON without objects in between.
import type { Rows, WrittenColumn } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { quoted } from '../../core/representations/json.ts'
import { shownAsJSON, toRowObject } from '../../core/std/row-objects.ts'
import type { OpenLink } from '../../core/types/reverse.ts'
import type { AsWritten } from '../serializers/declaration.ts'
import type { Member } from '../serializers/member.ts'

/** A member of what is shown, whatever row it is of. */
interface ShownPart {
  readonly name: string
  readonly get: (row: unknown) => unknown
  shown(value: unknown, request: ApiRequest): unknown
}

/** How a table is laid out. */
type Layout = Pick<Rows, 'columns' | 'written'>

/** An endpoint has a few tables, mostly one. */
const LAYOUTS_KEPT = 8

/** Shows rows of a table as `compileRepresent` shows the rows. It remembers the layouts of the tables that it met last. */
export function compileFromTable(
  members: readonly Member[],
  partOf: (member: Member) => ShownPart,
): (table: Rows, request: ApiRequest) => readonly unknown[] | null {
  const known: { readonly layout: Layout; readonly parts: readonly TablePart[] }[] = []
  return (table, request) => {
    const { values, columns, written } = table
    const layout: Layout = written === undefined ? { columns } : { columns, written }
    // Assigning to it would change what the row is.
    if (layout.columns.includes('__proto__')) return null
    let found = known.find((each) => isSameLayout(each.layout, layout))
    if (found === undefined) {
      const parts = members.map(
        (member, at) => new TablePart(member, partOf(member), layout, at === 0),
      )
      found = { layout, parts }
      known.unshift(found)
      known.length = Math.min(known.length, LAYOUTS_KEPT)
    }
    const [{ parts }, row] = [found, new TableRows(layout)]
    const show = (): readonly unknown[] =>
      values.map((each) => {
        const object: Record<string, unknown> = {}
        for (const part of parts) object[part.name] = part.shownIn(each, row, request)
        return object
      })
    const bytes = takesBytes(request) ? writeRows(values, parts, row, request) : null
    return bytes === null ? show() : shownAsJSON({ bytes, count: values.length }, show)
  }
}

/** A request of a test may have nothing accepted. */
function takesBytes({ accepted }: Partial<Pick<ApiRequest, 'accepted'>>): boolean {
  return accepted?.takesBytes === true
}

/** Bytes that are reserved by the first row: the others may be shorter. */
const MOST_EXPECTED = 2 ** 20

/** The rows as JSON, without their objects and most of their texts; `null`: a value takes more to write. */
function writeRows(
  values: Rows['values'],
  parts: readonly TablePart[],
  row: TableRows,
  request: ApiRequest,
): Uint8Array | null {
  const to = new JSONBytes()
  for (const part of parts) part.prepare(request)
  for (const [at, each] of values.entries()) {
    to.putWithinQuotes(at === 0 ? '[' : ',')
    for (const part of parts) if (!part.put(to, each, row, request)) return null
    to.putWithinQuotes(parts.length === 0 ? '{}' : '}')
    // All rows are about as long as the first one.
    if (at === 0) to.expect(Math.min(1.2 * to.length * values.length, MOST_EXPECTED))
  }
  to.putWithinQuotes(values.length === 0 ? '[]' : ']')
  return to.bytes
}

function isSameLayout(first: Layout, second: Layout): boolean {
  return (
    isSameList(first.columns, second.columns) &&
    isSameList(first.written ?? NONE, second.written ?? NONE)
  )
}

const NONE: readonly never[] = []

function isSameList(first: readonly unknown[], second: readonly unknown[]): boolean {
  if (first === second) return true
  return first.length === second.length && first.every((one, at) => one === second[at])
}

/** A member of what is shown, for one layout of tables. */
class TablePart {
  readonly name: string
  readonly #part: ShownPart
  /** Of its column among the values; `-1`: it has none of its own. */
  readonly #at: number
  readonly #column: WrittenColumn | null
  readonly #asWritten: AsWritten | null
  /** The name and a colon, behind what comes before them. */
  readonly #head: Uint8Array
  readonly #field: Member['field']
  /** Of the request that was written last; the next one mostly has the same. */
  #link: { readonly open: OpenLink; readonly start: Uint8Array; readonly end: Uint8Array } | null =
    null

  constructor(member: Member, part: ShownPart, { columns, written }: Layout, isFirst: boolean) {
    const { path, name, field } = member
    this.name = name
    this.#part = part
    this.#field = field
    this.#head = Buffer.from(`${isFirst ? '{' : ','}${quoted(name)}:`)
    this.#at = path.length === 1 ? columns.lastIndexOf(path[0]!) : -1
    this.#column = written?.[this.#at] ?? null
    this.#asWritten = this.#column && (field.showWritten?.(this.#column.kind) ?? null)
  }

  /** Before rows are put for this request. */
  prepare(request: ApiRequest): void {
    const open = this.#at < 0 ? null : (this.#field.open?.(request) ?? null)
    const last = this.#link
    if (open === null) this.#link = null
    else if (last?.open.start === open.start && last.open.end === open.end)
      this.#link = { ...last, open }
    else {
      const [start, end] = [quoted(open.start).slice(0, -1), quoted(open.end).slice(1)]
      this.#link = { open, start: Buffer.from(start), end: Buffer.from(end) }
    }
  }

  /** Puts the member as JSON; `false`: its value takes more to write. */
  put(to: JSONBytes, values: readonly unknown[], row: TableRows, request: ApiRequest): boolean {
    to.putBytes(this.#head)
    return this.#putLink(to, values) || to.putValue(this.shownIn(values, row, request))
  }

  /** Links are the longest texts of a row and nearly all alike. `false`: it is none, or is shown by itself. */
  #putLink(to: JSONBytes, values: readonly unknown[]): boolean {
    const link = this.#link
    const value = values[this.#at]
    if (link === null || value === null) return false
    const key = this.#column === null ? value : this.#column.read(value as string)
    const text = link.open.encode(key)
    if (text === null) return false
    to.putBytes(link.start)
    to.putWithinQuotes(text)
    to.putBytes(link.end)
    return true
  }

  /** What most values of texts and whole numbers are. */
  #isShown(value: unknown): boolean {
    const keeps = this.#field.show?.keeps
    return typeof value === keeps && (keeps === 'string' || Number.isSafeInteger(value))
  }

  shownIn(values: readonly unknown[], row: TableRows, request: ApiRequest): unknown {
    if (this.#at < 0)
      return row.once(this, values, (each) => this.#part.shown(this.#part.get(each), request))
    const value = values[this.#at]
    const column = this.#column
    if (column === null || value === null)
      return this.#isShown(value) ? value : this.#part.shown(value, request)
    const shown = this.#asWritten?.(value as string, request) ?? null
    return shown ?? this.#part.shown(column.read(value as string), request)
  }
}

/**
 * Members that are made of the whole row share one object for it, and are made once: the function of an application may count,
 * or cost, and a table is gone through again where a value is not written as bytes, or the rows are looked at.
 */
class TableRows {
  readonly #layout: Layout
  readonly #made = new Map<TablePart, Map<readonly unknown[], unknown>>()
  #last: readonly unknown[] | null = null
  #row: unknown

  constructor(layout: Layout) {
    this.#layout = layout
  }

  once(part: TablePart, values: readonly unknown[], make: (row: unknown) => unknown): unknown {
    let made = this.#made.get(part)
    if (made === undefined) this.#made.set(part, (made = new Map()))
    if (made.has(values)) return made.get(values)
    if (values !== this.#last) this.#row = toRowObject(this.#layout, values)
    this.#last = values
    const shown = make(this.#row)
    made.set(values, shown)
    return shown
  }
}

/** From here on, to copy character by character takes longer than to call what encodes a text. */
const LONG = 64

/**
 * JSON, put piece by piece as the bytes of UTF-8: short texts cost neither an object nor a call of the platform, and a
 * wide character in one row does not make the text of all rows twice as long and slow to encode. It halves what a page
 * of 100 rows takes from the database to the socket (`npm run bench -- independent`).
 */
export class JSONBytes {
  #room: Buffer = Buffer.allocUnsafe(1024)
  #length = 0

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  /** All that was put. */
  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length)
  }

  /** Makes room for so many bytes in all, so that it need not grow step by step. */
  expect(bytes: number): void {
    if (bytes > this.#room.length) this.#widen(bytes)
  }

  /** JSON as bytes. */
  putBytes(bytes: Uint8Array): void {
    const { length } = bytes
    const room = this.#roomFor(length)
    const from = this.#length
    if (length > LONG) room.set(bytes, from)
    else for (let at = 0; at < length; at++) room[from + at] = bytes[at]!
    this.#length = from + length
  }

  /** JSON as a text. */
  put(text: string): void {
    this.#length += this.#roomFor(3 * text.length).write(text, this.#length)
  }

  /** A value that has a short form; `false`: it is another, and nothing was put. */
  putValue(value: unknown): boolean {
    if (typeof value === 'string') this.putText(value)
    else if (typeof value === 'number' && Number.isFinite(value)) this.putWithinQuotes(`${value}`)
    else if (value === null || typeof value === 'boolean') this.putWithinQuotes(`${value}`)
    else return false
    return true
  }

  putText(text: string): void {
    this.#roomFor(1)[this.#length++] = QUOTE
    this.putWithinQuotes(text)
    this.#roomFor(1)[this.#length++] = QUOTE
  }

  /** What JSON has between the quotes of a text. */
  putWithinQuotes(text: string): void {
    const { length } = text
    if (length > LONG) return this.put(quoted(text).slice(1, -1))
    const room = this.#roomFor(length)
    const from = this.#length
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code < SPACE || code === QUOTE || code === BACKSLASH || code > LAST_OF_ASCII)
        return this.put(quoted(text).slice(1, -1))
      room[from + at] = code
    }
    this.#length = from + length
  }

  #roomFor(more: number): Buffer {
    const needed = this.#length + more
    if (needed > this.#room.length) this.#widen(1.5 * needed)
    return this.#room
  }

  #widen(length: number): void {
    const wider = Buffer.allocUnsafeSlow(Math.ceil(length))
    wider.set(this.bytes)
    this.#room = wider
  }
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LAST_OF_ASCII = 0x7f
