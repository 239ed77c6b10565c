import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import type { ContentType } from '../ports/http-adapter.ts'
import type { Incoming } from '../ports/request.ts'
import type { Parser } from '../ports/parsing.ts'
import { ParseError, PayloadTooLarge } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { checkNames, checkOptions } from '../settings/options.ts'
import { Form, type FormValue, type UploadedFile } from '../std/http/form.ts'
import { decoderFor } from './decoder.ts'
import {
  type FileTaker,
  type IncomingFile,
  StoredFile,
  factsOf,
  fileInMemory,
  fileTaken,
} from './files.ts'

/** RFC 2046 §5.1.1 allows 70 characters; some clients take more. */
const BOUNDARY = /^[\x20-\x7e]{0,199}[\x21-\x7e]$/

/** The most bytes that all fields of a form may have together if its files are not kept in memory. */
const FIELDS_SIZE = 2_621_440

/** Options for the files of a form. */
export interface MultiPartOptions {
  /**
   * `'memory'`: they are kept there with the whole form. `toDirectory(path)`, or a function of your own, takes each
   * file while it comes in; the fields of such a form may have 2.5 MiB together. @default 'memory'
   */
  readonly files?: 'memory' | FileTaker
}

/**
 * Forms with files (B5, RFC 7578). Parts without a name are left out; so is a file input that was not
 * filled, which comes as a file without a name. A body without the boundary is an empty form; where files are not
 * kept in memory, it is a `ParseError`.
 *
 * @throws ConfigurationError an option is wrong
 * @example
 * new MultiPartParser({ files: toDirectory('/var/spool/uploads') })
 */
export class MultiPartParser implements Parser {
  static readonly options: readonly string[] = ['files']
  readonly mediaType: string = 'multipart/form-data'
  declare readonly parseStream?: NonNullable<Parser['parseStream']>

  constructor(options: MultiPartOptions = {}) {
    checkNames(new.target, options)
    checkOptions('MultiPartParser', options, { files: FILES })
    const { files = 'memory' } = options
    if (files !== 'memory')
      this.parseStream = (chunks, type, request) => readForm(chunks, { type, request, files })
  }

  /**
   * @throws ParseError (400) for a missing boundary, a body that ends too soon, more than `maxFields` or `maxFiles`
   * @throws PayloadTooLarge (413) for a file larger than `maxFileSize`
   */
  async parse(bytes: Uint8Array, type: ContentType, request: Incoming): Promise<Form> {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (!body.includes(`--${boundaryOf(type)}`)) return new Form()
    return readForm([body], { type, request, files: null })
  }
}

const FILES = {
  wants: '"memory", or a function such as toDirectory(path)',
  fits: (value: unknown) => value === 'memory' || typeof value === 'function',
}

function boundaryOf({ parameters: { boundary = '' } }: ContentType): string {
  if (!BOUNDARY.test(boundary)) throw new ParseError(Message.of('parse_error.boundary'))
  return boundary
}

interface Reading {
  readonly type: ContentType
  readonly request: Incoming
  /** `null`: files stay in memory. */
  readonly files: FileTaker | null
}

/**
 * Reads a form. Each chunk is worked off before the next one is read, so that memory holds one chunk of the form. The reader
 * needs only ticks for a chunk, and no timers or I/O.
 */
async function readForm(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  reading: Reading,
): Promise<Form> {
  const parts = new Parts(reading)
  const reader = await readerFor(boundaryOf(reading.type), reading, parts)
  let isEmpty = true
  try {
    for await (const chunk of chunks) {
      if (chunk.length === 0) continue
      isEmpty = false
      reader.write(chunk)
      await parts.settled()
    }
    if (isEmpty) return new Form()
    reader.end()
    await parts.settled()
    if (!parts.ended) throw new ParseError(Message.of('parse_error.form_end'))
    return await parts.form()
  } catch (error) {
    await parts.abort(error)
    throw error
  }
}

/**
 * Makes a reader that takes every part for a file, because only files come as the bytes that were sent. The package is
 * loaded with the first form that has parts.
 */
async function readerFor(
  boundary: string,
  { request }: Reading,
  parts: Parts,
): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy')
  const quoted = boundary.replaceAll(/["\\]/g, String.raw`\$&`)
  const { maxFields, maxFiles } = request.settings
  const limit = maxFields + maxFiles
  const reader = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${quoted}"` },
    limits: { parts: limit },
    isPartAFile: () => true,
    // Higher than any part, because a reader that pauses in a skipped part never goes on.
    fileHwm: Number.MAX_SAFE_INTEGER,
  })
  return reader
    .on('file', (...[name, content, filename, , mediaType]) => {
      parts.add(name, content, filename, mediaType)
    })
    .on('partsLimit', () => {
      // Thrown through the reader, which would otherwise go on to the end of the chunk.
      throw new ParseError(Message.of('parse_error.parts', { limit }))
    })
    .on('error', () => parts.fail(new ParseError(Message.of('parse_error.form_end'))))
    .on('finish', () => (parts.ended = true))
}

type Value = () => FormValue | Promise<FormValue>

/** The parts of one form, in their order. */
class Parts {
  readonly #reading: Reading
  readonly #values: (readonly [name: string, value: Value])[] = []
  #taken: FileInProgress[] = []
  #fields = 0
  #fieldBytes = 0
  #files = 0
  #failure: Error | null = null
  ended = false

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Takes a part. The reader calls it while a chunk is written, so its errors come out of that write. */
  add(
    name: string | undefined,
    content: BusboyFileStream,
    filename: string | undefined,
    mediaType: string,
  ): void {
    // A part that is cut short is reported by the reader too.
    content.on('error', () => {})
    if (name === undefined || filename === '') content.resume()
    else if (filename === undefined) this.#addField(name, content)
    else this.#addFile(name, content, factsOf(filename, mediaType))
  }

  #addField(name: string, content: BusboyFileStream): void {
    const { request, files, type } = this.#reading
    const limit = request.settings.maxFields
    if (++this.#fields > limit) throw new ParseError(Message.of('parse_error.fields', { limit }))
    const chunks: Uint8Array[] = []
    content.on('data', (chunk: Uint8Array) => {
      this.#fieldBytes += chunk.length
      if (files === null || this.#fieldBytes <= FIELDS_SIZE) chunks.push(chunk)
      else this.fail(new PayloadTooLarge(FIELDS_SIZE, 'payload_too_large.fields'))
    })
    this.#values.push([name, () => decoderFor(type).decode(Buffer.concat(chunks))])
  }

  #addFile(field: string, content: BusboyFileStream, facts: ReturnType<typeof factsOf>): void {
    const { request, files } = this.#reading
    const { maxFiles: limit, maxFileSize } = request.settings
    if (++this.#files > limit) throw new ParseError(Message.of('parse_error.files', { limit }))
    const most = maxFileSize ?? Infinity
    let size = 0
    const count = (chunk: Uint8Array): boolean => {
      size += chunk.length
      if (size > most) this.fail(new PayloadTooLarge(most, 'payload_too_large.file'))
      return size <= most
    }
    if (files === null) {
      const chunks: Uint8Array[] = []
      content.on('data', (chunk: Uint8Array) => count(chunk) && chunks.push(chunk))
      this.#values.push([field, () => fileInMemory(facts, Buffer.concat(chunks))])
      return
    }
    const file = new FileInProgress(files, { field, ...facts }, request)
    this.#taken.push(file)
    content.on('data', (chunk: Uint8Array) => count(chunk) && file.push(chunk))
    content.on('end', () => file.end())
    this.#values.push([field, () => file.value(size)])
  }

  fail(error: Error): void {
    this.#failure ??= error
  }

  /** Waits until what has come in so far is taken. @throws what is wrong with it */
  async settled(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#failure !== null) throw this.#failure
    for (const file of this.#taken) await file.taken()
    this.#taken = this.#taken.filter(({ isTaken }) => !isTaken)
  }

  async form(): Promise<Form> {
    const pairs: [string, FormValue][] = []
    for (const [name, value] of this.#values) pairs.push([name, await value()])
    return new Form(pairs)
  }

  /** Breaks off the files that are still being taken, and resolves once they have ended. */
  async abort(error: unknown): Promise<void> {
    for (const file of this.#taken) await file.abort(error)
  }
}

/** Hands a file to its taker piece by piece: the next one when the one before was read. */
class FileInProgress {
  readonly #facts: Omit<IncomingFile, 'stream'>
  readonly #taking: Promise<unknown>
  #controller!: ReadableStreamController<Uint8Array>
  /** The taker has read everything so far and asks for more, or it has ended. */
  #wanted = Promise.withResolvers<void>()
  #isOpen = true
  isTaken = false

  constructor(take: FileTaker, facts: Omit<IncomingFile, 'stream'>, request: Incoming) {
    this.#facts = facts
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#wanted.resolve(),
        cancel: () => void this.#close(),
      },
      { highWaterMark: 0 },
    )
    this.#taking = this.#take(() => take({ ...facts, stream }, request))
    // `taken` awaits this promise after the chunk that is being read.
    this.#taking.catch(() => {})
  }

  async #take(take: () => unknown): Promise<unknown> {
    try {
      return await take()
    } finally {
      this.isTaken = true
      this.#wanted.resolve()
      // The taker has ended, so it will not read the rest, and the reader must not wait for that.
      if (this.#close())
        this.#controller.error(new TypeError('The file was not read in time: its taker has ended.'))
    }
  }

  push(chunk: Uint8Array): void {
    if (!this.#isOpen) return
    this.#wanted = Promise.withResolvers()
    this.#controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
  }

  end(): void {
    if (this.#close()) this.#controller.close()
  }

  /** Resolves when nothing waits to be read. @throws what its taker throws */
  async taken(): Promise<void> {
    // A race of the two promises would keep a little of every chunk until the end.
    if (this.#isOpen) await this.#wanted.promise
    if (!this.#isOpen) await this.#taking
  }

  async abort(reason: unknown): Promise<void> {
    if (this.#close()) this.#controller.error(reason)
    await Promise.allSettled([this.#taking])
  }

  async value(size: number): Promise<UploadedFile> {
    const kept = await this.#taking
    return kept instanceof StoredFile ? kept : fileTaken(this.#facts, size, kept)
  }

  #close(): boolean {
    const wasOpen = this.#isOpen
    this.#isOpen = false
    return wasOpen
  }
}
