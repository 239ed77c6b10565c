/** A statement, as `pg` takes it; one with a name is prepared once on each connection. */
export interface PostgresQuery {
  readonly text: string
  readonly values: unknown[]
  readonly rowMode: 'array'
  readonly name?: string
}

/** What a statement found. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: unknown[][]
  readonly fields: readonly PostgresField[]
}

/** A column of what was found, with numbers from the catalogue; those of a computed column are 0. */
export interface PostgresField {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}

/** By their names, what prepared statements of a connection find. */
export type DescribedStatements = Map<string, readonly PostgresField[]>

/** The part of a connection of `pg` that a query writes to. */
interface Wire {
  readonly stream: {
    readonly writable: boolean
    readonly writableCorked: number
    cork(): void
    uncork(): void
    write(bytes: Uint8Array): unknown
  }
}

type Done = (error: Error | null, result: Pick<PostgresResult, 'command' | 'rowCount'>) => void

/** The class `Query` of `pg`. */
export type QueryClass = new (
  text: string,
  values: unknown[],
  done: Done,
) => {
  name?: string | undefined
  readonly values: readonly unknown[]
  readonly binary?: boolean
  prepare(wire: Wire): void
}

export interface TextQuery {
  readonly found: unknown[][]
  readonly columns: readonly PostgresField[]
}

export type TextQueryClass = new (
  query: PostgresQuery,
  described: DescribedStatements,
  done: Done,
) => TextQuery

/**
 * A query whose rows are left as they came: nothing is parsed, and there is no event for each of them. A prepared
 * one is asked in one piece, and does not ask for the columns again: the server fails where they have changed.
 */
export function leavingTexts(Query: QueryClass): TextQueryClass {
  return class extends Query implements TextQuery {
    readonly found: unknown[][] = []
    readonly described: DescribedStatements
    columns: readonly PostgresField[] = []

    constructor({ name, text, values }: PostgresQuery, described: DescribedStatements, done: Done) {
      super(text, values, done)
      this.name = name
      this.described = described
    }

    override prepare(wire: Wire): void {
      const columns = this.name === undefined ? undefined : this.described.get(this.name)
      const texts = columns === undefined || this.binary ? null : textsOf(this.values)
      if (texts === null || !wire.stream.writable) return super.prepare(wire)
      this.columns = columns!
      together(wire, executing(this.name!, texts))
    }

    handleRowDescription({ fields }: { readonly fields: readonly PostgresField[] }): void {
      this.columns = fields
    }

    handleDataRow(message: { readonly fields: unknown[] }): void {
      if (message instanceof ArrivedRows) message.moveTo(this.found)
      else this.found.push(message.fields)
    }
  }
}

/** A connection of `pg`, as far as what arrives on it is read here. */
export interface Line {
  readonly stream: {
    on(event: 'data', read: Read): unknown
    removeListener(event: 'data', read: Read): unknown
    listeners(event: 'data'): readonly unknown[]
  }
  emit(event: 'dataRow', rows: { readonly fields: unknown[] }): unknown
}

type Read = (bytes: Buffer) => void

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const DATA_ROW = 0x44
/** The bytes of a kind and a length, with which each message begins. */
const HEAD = 5

/**
 * Reads the rows that arrive, and leaves all else to `pg`, also a row of which a part is missing. `pg` makes a text of
 * each value, which costs more than everything else that happens to it. Call it when no answer is under way.
 */
export function readRows(line: Line): void {
  const [read, ...others] = line.stream.listeners('data')
  if (read === undefined || others.length > 0) return
  const pass = read as Read
  // Of a message that `pg` has got the beginning of.
  let missing = 0
  // The beginning of a head.
  let head: Buffer | null = null
  line.stream.on('data', (chunk) => {
    const bytes: Buffer = head === null ? chunk : Buffer.concat([head, chunk])
    let passed = 0
    let at = missing
    while (at + HEAD <= bytes.length) {
      const end = endOfRows(bytes, at)
      if (end === at) {
        at = endOf(bytes, at)
        continue
      }
      if (at > passed) pass(bytes.subarray(passed, at))
      handOver(line, new ArrivedRows(bytes, at, end))
      passed = at = end
    }
    missing = Math.max(at - bytes.length, 0)
    head = at < bytes.length ? bytes.subarray(at) : null
    const over = Math.min(at, bytes.length)
    if (over > passed) pass(bytes.subarray(passed, over))
  })
  line.stream.removeListener('data', pass)
}

function endOf(bytes: Buffer, at: number): number {
  return at + 1 + bytes.readUInt32BE(at + 1)
}

/** Of those that are there, one behind the other. */
function endOfRows(bytes: Buffer, from: number): number {
  let at = from
  while (at + HEAD <= bytes.length && bytes[at] === DATA_ROW) {
    const end = endOf(bytes, at)
    if (end > bytes.length) break
    at = end
  }
  return at
}

/** A query of ours takes all of them at once, and any other one after the other. */
function handOver(line: Line, rows: ArrivedRows): void {
  while (!rows.isOver) {
    const { at } = rows
    line.emit('dataRow', rows)
    if (rows.at === at) rows.skip()
  }
}

/** Rows that have arrived, of which `fields` reads the next one, as in a message of `pg`. */
class ArrivedRows {
  readonly name = 'dataRow'
  readonly #bytes: Buffer
  readonly #end: number
  at: number

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes
    this.at = at
    this.#end = end
  }

  get isOver(): boolean {
    return this.at >= this.#end
  }

  get fields(): (string | null)[] {
    const from = this.at + HEAD
    this.skip()
    return valuesIn(this.#bytes, from, this.at)
  }

  skip(): void {
    this.at = endOf(this.#bytes, this.at)
  }

  moveTo(rows: unknown[][]): void {
    while (!this.isOver) rows.push(this.fields)
  }
}

/** Bytes of a row that are made one text: its values keep it. */
const LONGEST_ROW = 1024

/** A call for each value costs more than the rest, so where each byte is a character they are parts of one text. */
function valuesIn(bytes: Buffer, from: number, end: number): (string | null)[] {
  const values = new Array<string | null>(bytes.readUInt16BE(from))
  const text = end - from > LONGEST_ROW ? null : bytes.toString('latin1', from, end)
  let at = from + 2
  for (let place = 0; place < values.length; place++) {
    const length = bytes.readInt32BE(at)
    const start = at + 4
    at = start + Math.max(length, 0)
    if (length < 0) values[place] = null
    else if (text !== null && isAscii(bytes, start, at))
      values[place] = text.slice(start - from, at - from)
    else values[place] = bytes.toString('utf8', start, at)
  }
  return values
}

function isAscii(bytes: Buffer, from: number, end: number): boolean {
  let all = 0
  for (let at = from; at < end; at++) all |= bytes[at]!
  return all < 128
}

/** What is asked on a connection at the same moment leaves in one piece. */
function together({ stream }: Wire, bytes: Uint8Array): void {
  // `pg` has corked it once.
  if (stream.writableCorked <= 1) {
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
  stream.write(bytes)
}

/** Values as the server reads them; `null`: there are others, which `pg` knows how to write. */
function textsOf(values: readonly unknown[]): readonly (string | null)[] | null {
  const texts: (string | null)[] = []
  for (const value of values) {
    const text = value === null ? null : textOf(value)
    if (text === undefined) return null
    texts.push(text)
  }
  return texts
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isTexts ? `{${value.map(quoted).join()}}` : undefined
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`
}

const BIND = 0x42
/** Execute without a limit of rows, and Sync. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
/** The bytes of a Bind that are always there, but for its kind. */
const FRAME = 12

/** The messages that execute what is prepared under a name, with values as texts, and texts as its answer. */
function executing(name: string, texts: readonly (string | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? 0 : Buffer.byteLength(text)))
  const size = FRAME + name.length + lengths.reduce((sum, length) => sum + 4 + length, 0)
  const bytes = Buffer.allocUnsafe(1 + size + EXECUTE.length)
  let at = bytes.writeUInt8(BIND)
  at = bytes.writeInt32BE(size, at)
  // A portal without a name.
  at = bytes.writeUInt8(0, at)
  at += bytes.write(name, at, 'latin1')
  // The end of the name, and all values are texts.
  at = bytes.writeUIntBE(0, at, 3)
  at = bytes.writeUInt16BE(texts.length, at)
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(text === null ? -1 : lengths[index]!, at)
    if (text !== null) at += bytes.write(text, at)
  }
  // So are all columns.
  at = bytes.writeUInt16BE(0, at)
  bytes.set(EXECUTE, at)
  return bytes
}
