import type { Rows, WrittenColumn } from '../contract/list-source.ts'
import type { ApiRequest } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import { quoted, toMemberText } from '../std/json/json-text.ts'
import type { JSONOutput, RowWriter } from '../contract/serializer.ts'
import { toRowObject } from '../std/row-objects.ts'
import type { AnyField, ColumnWriter, WriteColumn } from './declaration.ts'
import type { Member } from './member.ts'

/**
 * In their order. A value that its field has no form for is shown as `null` and logged, because one such
 * value must not keep a whole list from clients.
 */
export function compileRepresent(
  members: readonly Member[],
): (row: unknown, request: ApiRequest) => Record<string, unknown> {
  const parts = members.map((member) => new Part(member))
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const part of parts) object[part.name] = part.shown(part.get(row), request)
    return object
  }
}

/** A member of what is shown. */
class Part {
  readonly name: string
  readonly get: (row: unknown) => unknown
  readonly #show: Show
  readonly #member: Member

  constructor(member: Member) {
    this.name = member.name
    this.get = getterOf(member.path)
    this.#show = showerOf(member.field)
    this.#member = member
  }

  shown(value: unknown, request: ApiRequest): unknown {
    try {
      const present = value === undefined ? lacking(this.#member) : value
      return present === null ? null : (this.#show(present, request) ?? null)
    } catch (error) {
      logLeftOut(error, this.#member, value, request)
      return null
    }
  }
}

/** How a table is laid out. */
export type Table = Pick<Rows, 'columns' | 'written'>
type Writer = (table: Table, request: ApiRequest) => RowWriter | null

/** An endpoint has a few tables, mostly one. */
const LAYOUTS_KEPT = 8

/** Writes what `compileRepresent` shows as JSON. It remembers the layouts of the tables that it met last. */
export function compileWriter(members: readonly Member[]): Writer {
  const known: Layout[] = []
  return ({ columns, written }, request) => {
    const table = written === undefined ? { columns } : { columns, written }
    const found = known.find((layout) => isSameLayout(layout.table, table))
    if (found !== undefined) return found.writer(request)
    // Assigning to it would change what the row is.
    if (columns.includes('__proto__')) return null
    const layout = new Layout(members, table)
    known.unshift(layout)
    known.length = Math.min(known.length, LAYOUTS_KEPT)
    return layout.writer(request)
  }
}

function isSameLayout(first: Table, second: Table): boolean {
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

/** A member of what is written, for one layout of tables. */
class WrittenPart {
  /** The name and a colon. */
  readonly head: string
  /** Of its column among the values; `-1`: it has none of its own. */
  readonly at: number
  readonly #member: Member
  readonly #part: Part
  readonly #column: WrittenColumn | null
  readonly #write: ReturnType<WriteColumn>

  constructor(member: Member, { columns, written }: Table) {
    const { name, path, field } = member
    this.head = `${quoted(name)}:`
    this.at = path.length === 1 ? columns.lastIndexOf(path[0]!) : -1
    this.#member = member
    this.#part = new Part(member)
    this.#column = written?.[this.at] ?? null
    this.#write = this.at < 0 ? null : (field.write?.(this.#column) ?? null)
  }

  /** The short way, of the value and of all of its row. */
  bind(table: Table, request: ApiRequest): BoundWriter {
    const { path, field } = this.#member
    if (path.length === 0 && field.writeRow !== undefined) return writeRows(field, table, request)
    if (typeof this.#write === 'function') return this.#write(request)
    return this.#write ?? NO_SHORT_WAY
  }

  /** The long way: the value as rows have it is shown, and then written. */
  write(values: readonly unknown[], row: RowOf, request: ApiRequest): string {
    const value = this.at < 0 ? this.#part.get(row(values)) : this.#read(values[this.at])
    return toMemberText(this.#part.name, this.#part.shown(value, request))
  }

  #read(value: unknown): unknown {
    const column = this.#column
    return column === null || value === null ? value : column.read(value as string)
  }
}

interface BoundWriter extends Omit<ColumnWriter, 'write'> {
  readonly write: (value: unknown, to: JSONOutput, values: readonly unknown[]) => boolean
}
type RowOf = (values: readonly unknown[]) => unknown

/** All values need the long way. */
export const NO_SHORT_WAY: ColumnWriter = { write: () => false, before: '', behind: '' }

function writeRows({ writeRow }: AnyField, table: Table, request: ApiRequest): BoundWriter {
  const found = writeRow!(table, request)
  if (found === null) return NO_SHORT_WAY
  const write: BoundWriter['write'] = (_value, to, values) => {
    found(values, to)
    return true
  }
  return { write, before: '', behind: '' }
}

/**
 * What stands before the values that go the short way (`starts`), and the long way (`heads`), by member: `…InOpen`
 * where the value before it went the short way, whose end is still to come.
 */
interface Around {
  /** Of these writers. */
  readonly edges: readonly Edges[]
  readonly starts: readonly Uint8Array[]
  readonly startsInOpen: readonly Uint8Array[]
  readonly heads: readonly Uint8Array[]
  readonly headsInOpen: readonly Uint8Array[]
  readonly ends: readonly Uint8Array[]
}
type Edges = Pick<BoundWriter, 'before' | 'behind'>

/** The members of rows that are laid out alike. */
class Layout {
  readonly table: Table
  readonly #parts: readonly WrittenPart[]
  readonly #places: readonly number[]
  /** Of the last request; that of the next one is mostly the same. */
  #around: Around | null = null

  constructor(members: readonly Member[], table: Table) {
    this.table = table
    this.#parts = members.map((member) => new WrittenPart(member, table))
    this.#places = this.#parts.map(({ at }) => at)
  }

  /** For one request. */
  writer(request: ApiRequest): RowWriter {
    let write: RowWriter | null = null
    return (values, to) => {
      write ??= this.#writer(request)
      write(values, to)
    }
  }

  #writer(request: ApiRequest): RowWriter {
    const [parts, places] = [this.#parts, this.#places]
    const writers = parts.map((part) => part.bind(this.table, request))
    const writes = writers.map(({ write }) => write)
    const { starts, startsInOpen, heads, headsInOpen, ends } = this.#aroundOf(writers)
    const rowOf = rowsOf(this.table)
    return (values, to) => {
      const first = to.length
      // The part that was the last to go the short way; its end is still to come.
      let open = -1
      for (let part = 0; part < places.length; part++) {
        const at = places[part]!
        const value = at < 0 ? undefined : values[at]
        const before = to.length
        if (value !== null) {
          to.putBytes((open < 0 ? starts : startsInOpen)[part]!)
          if (writes[part]!(value, to, values)) {
            open = part
            continue
          }
          to.cut(before)
        }
        const other = value === null ? 'null' : parts[part]!.write(values, rowOf, request)
        if (other !== '') {
          to.putBytes((open < 0 ? heads : headsInOpen)[part]!)
          to.put(other)
        } else if (open >= 0) to.putBytes(ends[open]!)
        open = -1
      }
      if (open >= 0) to.putBytes(ends[open]!)
      to.putByte(CLOSING)
      // Where the first member is left out, a comma stands there, and where all are, nothing.
      if (to.length === first + 1) to.putByte(CLOSING)
      to.replace(first, OPENING)
    }
  }

  #aroundOf(writers: readonly BoundWriter[]): Around {
    if (this.#around !== null && haveEdges(writers, this.#around.edges)) return this.#around
    const heads = this.#parts.map(({ head }) => `,${head}`)
    return (this.#around = around(heads, writers))
  }
}

const [OPENING, CLOSING] = [0x7b, 0x7d]

function around(heads: readonly string[], edges: readonly Edges[]): Around {
  const before = ['', ...edges.map(({ behind }) => behind)]
  const starts = heads.map((head, part) => head + edges[part]!.before)
  const inOpen = (texts: readonly string[]) => texts.map((text, part) => before[part]! + text)
  const bytes = (texts: readonly string[]) => texts.map((text) => Buffer.from(text))
  return {
    edges: edges.map(({ before: start, behind }) => ({ before: start, behind })),
    starts: bytes(starts),
    startsInOpen: bytes(inOpen(starts)),
    heads: bytes(heads),
    headsInOpen: bytes(inOpen(heads)),
    ends: bytes(before.slice(1)),
  }
}

function haveEdges(writers: readonly BoundWriter[], edges: readonly Edges[]): boolean {
  return writers.every(
    ({ before, behind }, part) => before === edges[part]!.before && behind === edges[part]!.behind,
  )
}

/** Members that are made of the whole row share one object for it. */
function rowsOf(table: Table): RowOf {
  let last: readonly unknown[] | null = null
  let row: unknown
  return (values) => {
    if (values !== last) row = toRowObject(table, values)
    last = values
    return row
  }
}

/** What stands for a member that the row does not have: the default, or `null`, which the log tells of. */
function lacking({ path, field: { options } }: Member): unknown {
  const standIn = options.default
  if (standIn !== undefined) return typeof standIn === 'function' ? (standIn() as unknown) : standIn
  if (options.nullable || path.length !== 1) return null
  throw new Unshowable(`The row has no member "${path[0]}".`)
}

/** `null` and `undefined` on the way to the value are the value. */
function getterOf(path: readonly string[]): (row: unknown) => unknown {
  type Holder = Readonly<Record<string, unknown>> | null | undefined
  const [only] = path
  if (path.length === 1) return (row) => (row as NonNullable<Holder>)[only!]
  return (row) => path.reduce<unknown>((part, name) => (part as Holder)?.[name], row)
}

export type Show = (value: unknown, request: ApiRequest) => unknown

export function showerOf(field: AnyField): Show {
  return (field.show as Show | null) ?? asItIs
}

/** A row holds a value that its field has no form for. */
export class Unshowable extends Error {
  override readonly name = 'Unshowable'
}

/** @throws Unshowable JSON has no form for the value */
export function asItIs(value: unknown): unknown {
  if (typeof value === 'number' ? Number.isFinite(value) : !isFormless(value)) return value
  throw new Unshowable('JSON has no form for this value.')
}

function isFormless(value: unknown): boolean {
  if (typeof value !== 'object') return false
  return value instanceof Date ? Number.isNaN(value.getTime()) : ArrayBuffer.isView(value)
}

/** What the program's own code throws, and what is wrong for every row, is thrown on. */
function logLeftOut(
  error: unknown,
  { name, field }: Member,
  value: unknown,
  request: ApiRequest,
): void {
  const isOfProgram =
    field.runsProgram === true ||
    error instanceof ApiError ||
    error instanceof ConfigurationError ||
    error instanceof NoReverseMatch
  if (isOfProgram && !(error instanceof Unshowable)) throw error
  request.logSeldom?.(`unshowable ${request.endpointName} ${name}`, {
    event: 'value.unshowable',
    id: request.id,
    endpoint: request.endpointName,
    field: name,
    value: shortly(value),
    error: error instanceof Error ? error.message : String(error),
  })
}

const LONGEST = 60

/** As the log shows a value to those who look for its row. */
export function shortly(value: unknown): string {
  const cut = (text: string): string =>
    text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'number' || typeof value === 'bigint') return cut(`${value}`)
  return `a value of the type ${Object.prototype.toString.call(value).slice(8, -1)}`
}
