import type { ContentType } from '../ports/http-adapter.ts'
import type { Incoming } from '../ports/request.ts'
import type { Parser } from '../ports/parsing.ts'
import { checkNames, checkOptions, TEXT } from '../settings/options.ts'
import type { UploadedFile } from '../std/http/form.ts'
import { parseHeaderValue } from '../std/http/header-value.ts'
import { type FileTaker, StoredFile, factsOf, fileTaken } from './files.ts'

/** The bodies that count as files, and the place for these. */
export interface FileParserOptions {
  /** May be a range: `image/*`, or `*` `/` `*` for every type. @default 'application/octet-stream' */
  readonly mediaType?: string
  /**
   * `'stream'`: the handler gets a `ReadableStream` and reads it while the client sends. `toDirectory(path)`, or a
   * function of your own, takes the file before the handler, which gets an `UploadedFile`. @default 'stream'
   */
  readonly files?: 'stream' | FileTaker
}

/**
 * A body that is one file, as `PUT` sends it: it is never in memory as a whole. The file's name is that of the header
 * `Content-Disposition`, where it has one.
 *
 * @throws ConfigurationError an option is wrong
 * @example
 * api
 *   .endpoint('picture', { parsers: [new FileParser({ mediaType: 'image/*' })], maxBodySize: 50 * 2 ** 20 })
 *   .put(async (request) => {
 *     await bucket.put(request.params.key, (await request.body()) as ReadableStream<Uint8Array>)
 *     return reply(null, { status: 204 })
 *   })
 */
export class FileParser implements Parser {
  static readonly options: readonly string[] = ['mediaType', 'files']
  readonly mediaType: string
  readonly #files: FileTaker | null

  constructor(options: FileParserOptions = {}) {
    checkNames(new.target, options)
    checkOptions('FileParser', options, { mediaType: TEXT, files: FILES })
    const { mediaType = 'application/octet-stream', files = 'stream' } = options
    this.mediaType = mediaType
    this.#files = files === 'stream' ? null : files
  }

  parse(bytes: Uint8Array, type: ContentType, request: Incoming): Promise<unknown> {
    return this.parseStream(once(bytes), type, request)
  }

  async parseStream(
    chunks: AsyncIterable<Uint8Array>,
    { type }: ContentType,
    request: Incoming,
  ): Promise<ReadableStream<Uint8Array> | UploadedFile> {
    const seen: Seen = { size: 0, failure: null }
    const stream = streamOfBody(chunks, request, seen)
    if (this.#files === null) return stream
    const facts = factsOf(nameIn(request), type)
    try {
      const kept = await this.#files({ field: '', ...facts, stream }, request)
      return kept instanceof StoredFile ? kept : fileTaken(facts, seen.size, kept)
    } catch (error) {
      // Libraries wrap the errors of a stream, so a body that is too large would look like a failure of the library.
      throw seen.failure ?? error
    }
  }
}

const FILES = {
  wants: '"stream", or a function such as toDirectory(path)',
  fits: (value: unknown) => value === 'stream' || typeof value === 'function',
}

/** The progress of a body that is being read. */
interface Seen {
  size: number
  /** The error that ended the body early; `null`: none did. */
  failure: unknown
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function nameIn(request: Incoming): string {
  const { parameters } = parseHeaderValue(request.header('content-disposition') ?? '')
  return parameters['filename'] ?? ''
}

/** Streams the body. When the request ends, the unread rest is dropped. */
function streamOfBody(
  chunks: AsyncIterable<Uint8Array>,
  request: Incoming,
  seen: Seen,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  // If the client has stopped in the middle, the request does not wait for it.
  const drop = (): void => void iterator.return?.().catch(() => {})
  request.onEnd(drop)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next()
          if (done === true) return controller.close()
          seen.size += value.length
          controller.enqueue(value)
        } catch (error) {
          seen.failure = error
          throw error
        }
      },
      cancel: drop,
    },
    { highWaterMark: 0 },
  )
}
