// The one file that leans on what `pg` does not document: statements whose rows are left as the bytes, or texts, that came.
// docs/dependencies.md has its parts, and the figures for which it is kept.
import { oncePer } from '../../core/std/once.ts'
import { SentRow } from '../../core/std/row-objects.ts'

/** A statement, as `pg` takes it; one with a name is prepared once on each connection. */
export interface PostgresQuery {
  readonly text: string
  readonly values: unknown[]
  readonly rowMode: 'array'
  readonly name?: string
}

/** The result of a statement. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: unknown[][]
  readonly fields: readonly PostgresField[]
  /** The rows as they were sent; `rows` is empty then. */
  readonly sent?: readonly SentRow[]
}

/** A column of a result, with numbers from the catalogue; those of a computed column are 0. */
export interface PostgresField {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}

type Done = (error: Error | null, result: Pick<PostgresResult, 'command' | 'rowCount'>) => void

type QueryClass = new (text: string, values: unknown[], done: Done) => { name?: string | undefined }

interface TextQuery {
  readonly found: unknown[][]
  readonly sent: SentRow[]
  readonly columns: readonly PostgresField[]
}

type TextQueryClass = new (query: PostgresQuery, done: Done) => TextQuery

/** A query whose rows are left as they came: nothing is parsed, and their listeners are not called. */
function leavingTexts(Query: QueryClass): TextQueryClass {
  return class extends Query implements TextQuery {
    readonly found: unknown[][] = []
    readonly sent: SentRow[] = []
    columns: readonly PostgresField[] = []

    constructor({ name, text, values }: PostgresQuery, done: Done) {
      super(text, values, done)
      this.name = name
    }

    handleRowDescription({ fields }: { readonly fields: readonly PostgresField[] }): void {
      this.columns = fields
    }

    handleDataRow(message: { readonly fields: unknown[] }): void {
      if (message instanceof ArrivedRow) this.sent.push(message)
      else this.found.push(message.fields)
    }
  }
}

/** `null`: the class of the client is not that of `pg` in JavaScript. */
function textQueryOf(clientClass: object): TextQueryClass | null {
  const { Query } = clientClass as { readonly Query?: QueryClass }
  const own: unknown = Query?.prototype
  const isKnown =
    own instanceof Object && ['handleDataRow', 'handleRowDescription'].every((name) => name in own)
  return isKnown ? leavingTexts(Query!) : null
}

/** A client of `pg`, as far as its queries leave texts here. */
interface TextClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  readonly connection?: Line
}

const classes = oncePer((clientClass: object) => ({ Query: textQueryOf(clientClass) }))

/** The result of a statement, with the texts of its values; `null`: the driver is not `pg` in JavaScript. */
export function asTexts(client: TextClient, query: PostgresQuery): Promise<PostgresResult> | null {
  const { Query } = classes(client.constructor)
  if (Query === null) return null
  if (client.connection !== undefined) sendTogether(client.connection)
  const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
  const asked = new Query(query, (error, result) => {
    if (error) return reject(error)
    const { command, rowCount } = result
    const { found: rows, columns: fields, sent } = asked
    resolve({ command, rowCount, rows, fields, ...(sent.length > 0 && { sent }) })
  })
  // The driver takes queries that are made already, too.
  void client.query(asked as never)
  return promise
}

/** A connection of `pg`, as far as statements leave on it together, and rows are read from it. */
export interface Line {
  readonly stream: {
    readonly writableCorked: number
    cork(): void
    uncork(): void
  }
  emit?(event: 'dataRow', row: ArrivedRow): unknown
  /** Has `pg` read all messages of a stream. */
  attachListeners?(stream: Incoming): void
}

interface Incoming {
  on(event: string, listener: (chunk: Buffer) => void): unknown
}

/** Has statements that are asked on a connection at the same moment leave in one piece. */
export function sendTogether({ stream }: Line): void {
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

type LineClass = new (options: never) => { readonly connection?: Line }

/** A class of clients that read rows without their texts: a call for each value costs more than all that happens to it. */
export function readingRows<C extends LineClass>(Client: C): C {
  const Reading = class extends (Client as LineClass) {
    constructor(options: never) {
      super(options)
      if (this.connection !== undefined) readRows(this.connection)
    }
  }
  return Reading as unknown as C
}

/** Reads rows from the first byte on, because messages are found by counting. */
function readRows(line: Line): void {
  const attach = line.attachListeners
  if (attach === undefined || line.emit === undefined) return
  line.attachListeners = (stream) => {
    const own = stream.on
    stream.on = (event, listener) => {
      if (event !== 'data') return own.call(stream, event, listener)
      const messages = new Messages(listener, (row) => void line.emit!('dataRow', row))
      return own.call(stream, event, (chunk) => messages.take(chunk))
    }
    attach.call(line, stream)
    stream.on = own
  }
}

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const DATA_ROW = 0x44
/** The bytes of a kind and a length, with which each message begins. */
const HEAD = 5

/** Hands over rows, and leaves all other messages to `pg`. Both get whole ones. */
class Messages {
  readonly #pass: (bytes: Buffer) => void
  readonly #handOver: (row: ArrivedRow) => void
  /** The beginning of a message, and how many bytes of it there must be to go on. */
  #held: Buffer[] = []
  #missing = 0

  constructor(pass: (bytes: Buffer) => void, handOver: (row: ArrivedRow) => void) {
    this.#pass = pass
    this.#handOver = handOver
  }

  take(chunk: Buffer): void {
    this.#missing -= chunk.length
    if (this.#held.length > 0) this.#held.push(chunk)
    if (this.#held.length > 0 && this.#missing > 0) return
    const bytes = this.#held.length > 0 ? Buffer.concat(this.#held) : chunk
    this.#held = []
    this.#read(bytes)
  }

  #read(bytes: Buffer): void {
    let passed = 0
    let at = 0
    let end: number
    while ((end = endOf(bytes, at)) <= bytes.length) {
      if (bytes[at] === DATA_ROW) {
        if (at > passed) this.#pass(bytes.subarray(passed, at))
        this.#handOver(new ArrivedRow(bytes, at + HEAD))
        passed = end
      }
      at = end
    }
    if (at > passed) this.#pass(bytes.subarray(passed, at))
    if (at === bytes.length) return
    this.#held = [bytes.subarray(at)]
    this.#missing = end - bytes.length
  }
}

/** The end of the message that begins at `at`, or of its head, where the head is not all there. */
function endOf(bytes: Buffer, at: number): number {
  return at + HEAD > bytes.length ? at + HEAD : at + 1 + bytes.readUInt32BE(at + 1)
}

/**
 * A row that has arrived, which `pg` hands on like its own. Rows of a page wait for the last of them, so the places of
 * values are found when the row is read.
 */
class ArrivedRow extends SentRow {
  readonly bytes: Buffer
  readonly #at: number
  #places: readonly number[] | null = null

  constructor(bytes: Buffer, at: number) {
    super()
    this.bytes = bytes
    this.#at = at
  }

  /** For the queries of `pg` itself. */
  get fields(): unknown[] {
    return this.values
  }

  get places(): readonly number[] {
    return (this.#places ??= placesIn(this.bytes, this.#at))
  }
}

function placesIn(bytes: Buffer, row: number): readonly number[] {
  const places = new Array<number>(2 * bytes.readUInt16BE(row))
  let at = row + 2
  for (let place = 0; place < places.length; place += 2) {
    const length = bytes.readInt32BE(at)
    at += 4
    places[place] = at
    // NULL ends before it begins.
    places[place + 1] = at + length
    if (length > 0) at += length
  }
  return places
}
