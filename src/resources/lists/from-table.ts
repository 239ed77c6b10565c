// Rows of a table as they are shown: as objects, and as JSON without objects in between.
import type { Rows, WrittenColumn } from '../../core/ports/list-source.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { jsonString } from '../../core/representations/json.ts'
import { MadeOfRows, SentRow, SentRows, rowCount, shownAsJSON } from '../../core/std/row-objects.ts'
import type { OpenLink } from '../../core/types/reverse.ts'
import type { AreKept, AsWritten } from '../serializers/declaration.ts'
import type { Member, ShownPart } from '../serializers/member.ts'

/** The layout of a table. */
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
    const { columns, written } = table
    const layout: Layout = written === undefined ? { columns } : { columns, written }
    // Assigning to it would change what the row is.
    if (layout.columns.includes('__proto__')) return null
    let found = known.find((each) => isSameLayout(each.layout, layout))
    if (found === undefined) {
      const parts = members.map(
        (member, at) => new TablePart(member, partOf(member), layout, at === 0),
      )
      known.unshift((found = { layout, parts }))
      known.length = Math.min(known.length, LAYOUTS_KEPT)
    }
    const [{ parts }, row] = [found, new MadeOfRows()]
    const show = (): readonly unknown[] =>
      table.values.map((each) => {
        const object: Record<string, unknown> = {}
        for (const part of parts) object[part.name] = part.shownIn(each, row, request)
        return object
      })
    // A request of a test may have nothing accepted.
    const { accepted }: Partial<ApiRequest> = request
    const bytes = accepted?.takesBytes ? writeRows(table, parts, row, request) : null
    return bytes === null ? show() : shownAsJSON({ bytes, count: rowCount(table) }, show)
  }
}

/** The most bytes that are reserved by the length of the first row, because the others may be shorter. */
const MOST_EXPECTED = 2 ** 20

/** The rows as JSON, without their objects and most of their texts; `null`: a value takes more to write. */
function writeRows(
  table: Rows,
  parts: readonly TablePart[],
  row: MadeOfRows,
  request: ApiRequest,
): Uint8Array | null {
  const to = new JSONBytes()
  const rows = table instanceof SentRows ? table.sent : table.values
  for (const part of parts) part.prepare(request)
  for (let at = 0; at < rows.length; at++) {
    to.putWithinQuotes(at === 0 ? '[' : ',')
    for (const part of parts) if (!part.put(to, rows[at]!, row, request)) return null
    to.putWithinQuotes(parts.length === 0 ? '{}' : '}')
    // All rows are about as long as the first one.
    if (at === 0) to.expect(Math.min(1.2 * to.bytes.length * rows.length, MOST_EXPECTED))
  }
  to.putWithinQuotes(rows.length === 0 ? '[]' : ']')
  return to.bytes
}

function isSameLayout(first: Layout, second: Layout): boolean {
  return isSameList(first.columns, second.columns) && isSameList(first.written, second.written)
}

type List = readonly unknown[] | undefined

/** Are these the same columns, or readers of columns, in the same order? */
export function isSameList(one: List, other: List): boolean {
  if (one === other) return true
  return one?.length === other?.length && one!.every((each, at) => each === other![at])
}

/** A member of the shown object, for one layout of tables. */
class TablePart {
  readonly name: string
  readonly #part: ShownPart
  readonly #layout: Layout
  /** The place of its column among the values; `-1`: it has none of its own. */
  readonly #at: number
  readonly #column: WrittenColumn | null
  readonly #asWritten: AsWritten | null
  /** The name and a colon, behind what comes before them. */
  readonly #head: Uint8Array
  readonly #field: Member['field']
  readonly #keeps: 'number' | 'string' | undefined
  /** The texts whose bytes can be copied from a row: plain texts, digits of a number, or the end of a link. */
  readonly #copies: AreKept | 'digits' | null
  /** The link of the last request; the next request mostly has the same. */
  #link: { readonly open: OpenLink; readonly start: Uint8Array; readonly end: Uint8Array } | null =
    null

  constructor(member: Member, part: ShownPart, layout: Layout, isFirst: boolean) {
    const { path, name, field } = member
    const { columns, written } = layout
    this.name = name
    this.#layout = layout
    this.#part = part
    this.#field = field
    this.#head = Buffer.from(`${isFirst ? '{' : ','}${jsonString(name)}:`)
    this.#at = path.length === 1 ? columns.lastIndexOf(path[0]!) : -1
    this.#column = written?.[this.#at] ?? null
    this.#keeps = field.show?.keeps
    const isText = written !== undefined && this.#column === null && this.#keeps === 'string'
    const kept =
      (this.#column && field.keepsBytes?.(this.#column.kind)) ?? (isText ? () => true : null)
    this.#copies = this.#column?.kind === 'integer' ? 'digits' : kept
    this.#asWritten = this.#column && (field.showWritten?.(this.#column.kind) ?? null)
  }

  /** Prepares the part before rows of this request are written. */
  prepare(request: ApiRequest): void {
    const open = this.#at < 0 ? null : (this.#field.open?.(request) ?? null)
    const last = this.#link
    if (open === null) this.#link = null
    else if (last?.open.start === open.start && last.open.end === open.end)
      this.#link = { ...last, open }
    else {
      const [start, end] = [jsonString(open.start).slice(0, -1), jsonString(open.end).slice(1)]
      this.#link = { open, start: Buffer.from(start), end: Buffer.from(end) }
    }
  }

  /** Puts the member as JSON; `false`: its value takes more to write. */
  put(
    to: JSONBytes,
    values: readonly unknown[] | SentRow,
    row: MadeOfRows,
    request: ApiRequest,
  ): boolean {
    to.putBytes(this.#head)
    const isSent = values instanceof SentRow
    if (this.#at < 0)
      return to.putValue(this.shownIn(isSent ? values.values : values, row, request))
    if (isSent && this.#copy(to, values)) return true
    const value = isSent ? values.textAt(this.#at) : values[this.#at]
    return this.#putLink(to, value) || to.putValue(this.#shownOf(value, request))
  }

  /** Puts the stored bytes if they are shown unchanged; `false`: nothing was put. */
  #copy(to: JSONBytes, { bytes, places }: SentRow): boolean {
    const link = this.#link
    const [from, end] = [places[2 * this.#at]!, places[2 * this.#at + 1]!]
    if (end < from || this.#copies === null) return false
    if (this.#copies !== 'digits')
      return link === null && this.#copies(bytes, from, end) && to.putTextOf(bytes, from, end)
    if (end - from > SAFE_DIGITS) return false
    if (link === null) return this.#keeps === 'number' && to.putBytes(bytes, from, end)
    return (
      link.open.takesDigits === true &&
      bytes[from] !== MINUS &&
      to.putBytes(link.start) &&
      to.putBytes(bytes, from, end) &&
      to.putBytes(link.end)
    )
  }

  /** Links are the longest texts of a row and nearly all alike. `false`: the value is no link, or is shown by itself. */
  #putLink(to: JSONBytes, value: unknown): boolean {
    const link = this.#link
    if (link === null || value === null) return false
    const key = this.#column === null ? value : this.#column.read(value as string)
    const text = link.open.encode(key)
    if (text === null) return false
    to.putBytes(link.start)
    to.putWithinQuotes(text)
    return to.putBytes(link.end)
  }

  shownIn(values: readonly unknown[], row: MadeOfRows, request: ApiRequest): unknown {
    if (this.#at < 0)
      return row.once(this, this.#layout, values, (each) =>
        this.#part.shown(this.#part.get(each), request),
      )
    return this.#shownOf(values[this.#at], request)
  }

  #shownOf(value: unknown, request: ApiRequest): unknown {
    const column = this.#column
    const keeps = this.#keeps
    // Most texts and whole numbers take this way.
    if (
      typeof value === keeps &&
      column === null &&
      (keeps === 'string' || Number.isSafeInteger(value))
    )
      return value
    if (column === null || value === null) return this.#part.shown(value, request)
    const shown = this.#asWritten?.(value as string, request) ?? null
    return shown ?? this.#part.shown(column.read(value as string), request)
  }
}

/** Numbers of so many digits, with or without a sign, are exact. */
const SAFE_DIGITS = 15
const MINUS = 0x2d

/** From this length on, copying character by character takes longer than calling an encoder. */
const LONG = 64

/**
 * JSON, put piece by piece as the bytes of UTF-8: short texts cost neither an object nor a call of the platform, and a
 * wide character in one row does not make the text of all rows twice as long and slow to encode. It halves what a page
 * of 100 rows takes from the database to the socket (`npm run bench -- independent`).
 */
export class JSONBytes {
  #room: Buffer = Buffer.allocUnsafe(1024)
  #length = 0

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.#length)
  }

  /** Makes room for so many bytes in all, so that it need not grow step by step. */
  expect(bytes: number): void {
    if (bytes > this.#room.length) this.#widen(bytes)
  }

  putBytes(bytes: Uint8Array, from = 0, end: number = bytes.length): true {
    const room = this.#roomFor(end - from)
    let to = this.#length
    if (end - from > LONG) room.set(bytes.subarray(from, end), to)
    else for (let at = from; at < end; at++) room[to++] = bytes[at]!
    this.#length += end - from
    return true
  }

  /** A text of UTF-8 as bytes; `false`: it has characters that take more to write, and nothing was put. */
  putTextOf(bytes: Uint8Array, from: number, end: number): boolean {
    for (let at = from; at < end; at++) if (isSpecial(bytes[at]!)) return false
    return this.putBytes(MARK) && this.putBytes(bytes, from, end) && this.putBytes(MARK)
  }

  put(text: string): void {
    this.#length += this.#roomFor(3 * text.length).write(text, this.#length)
  }

  /** A value that has a short form; `false`: it is another, and nothing was put. */
  putValue(value: unknown): boolean {
    if (typeof value === 'string') this.putText(value)
    else if (value === null || typeof value === 'boolean' || Number.isFinite(value))
      this.putWithinQuotes(`${value as number | boolean | null}`)
    else return false
    return true
  }

  putText(text: string): void {
    this.putBytes(MARK)
    this.putWithinQuotes(text)
    this.putBytes(MARK)
  }

  /** Puts a text as JSON has it between quotes. */
  putWithinQuotes(text: string): void {
    const { length } = text
    if (length > LONG) return this.put(jsonString(text).slice(1, -1))
    const room = this.#roomFor(length)
    const from = this.#length
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (isSpecial(code)) return this.put(jsonString(text).slice(1, -1))
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

/** Has it another form in JSON, or is no single byte of UTF-8? */
function isSpecial(code: number): boolean {
  return code < SPACE || code === QUOTE || code === BACKSLASH || code > LAST_OF_ASCII
}

const [SPACE, QUOTE, BACKSLASH, LAST_OF_ASCII] = [0x20, 0x22, 0x5c, 0x7f]
const MARK = Buffer.from('"')
