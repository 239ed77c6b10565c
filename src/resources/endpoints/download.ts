import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { basename, isAbsolute, join, sep } from 'node:path'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { Bytes } from '../../core/ports/http-adapter.ts'
import { NotFound, RangeNotSatisfiable } from '../../core/errors/api-errors.ts'
import { BytesReply, reply } from '../../core/replies/reply.ts'
import {
  type Validators,
  contentDisposition,
  isKnown,
  quotedTag,
  rangeOf,
  timeOf,
  wholeSeconds,
} from '../../core/std/http/files.ts'
import type { UploadedFile } from '../../core/std/http/form.ts'
import { TOKEN } from '../../core/std/http/header-value.ts'
import { essenceOf, parseMediaType } from '../../core/std/http/media-type.ts'

/** Content of known size that can be read from any byte on, such as an object of a bucket. */
export interface SizedContent {
  /** In bytes. */
  readonly size: number
  /** The tag, as in `DownloadOptions`. */
  readonly etag?: string | null
  readonly lastModified?: Date | null
  /**
   * Exactly the bytes from `start` up to but not including `end`. Called once, when they are sent. Where there are
   * fewer or more, the answer breaks off.
   */
  open(start: number, end: number): ReadableStream<Uint8Array>
}

/** A path, bytes, a file of a form, content that can be read from any byte on, or a stream that cannot. */
export type DownloadSource =
  | string
  | Uint8Array
  | UploadedFile
  | SizedContent
  | ReadableStream<Uint8Array>

/** The facts about a download. */
export interface DownloadOptions {
  /** The file's name for the client; folders and control characters are left out. @default that of the source; else none */
  readonly name?: string
  /** Its media type; an invalid one is sent as bytes. @default that of an `UploadedFile`, else 'application/octet-stream' */
  readonly type?: string
  /**
   * `true`: browsers show it, where it is of a type that runs no script (pictures, sound, video, PDF, plain text); others
   * they save. `'any'`: they show every type, HTML and SVG too, which the service then vouches for. @default false: they save it
   */
  readonly inline?: boolean | 'any'
  /** Changes whenever the content does; without quotes. `null`: none is sent. @default made of the size and the time of a file, else none */
  readonly etag?: string | null
  /** `null`: none is sent. @default the last change of a file, else none */
  readonly lastModified?: Date | null
  /** More headers: `Cache-Control`, for instance. */
  readonly headers?: Reply['headers']
}

/**
 * A reply with the bytes of a file, as browsers and download managers want it: one range of it where `Range` asks
 * for one (206, 416), nothing where the client has it already (304), the length, a safe name, and by default as an
 * attachment. It is read as fast as the client reads, and closed when the client goes away. Several ranges at once are
 * answered with the whole file, as RFC 9110 §14.2 allows.
 *
 * @throws NotFound there is no such file, or it is a directory; a path that a client has a part in goes through `pathUnder`
 * @throws RangeNotSatisfiable (416)
 * @example
 * api
 *   .endpoint('invoice')
 *   .get(async (request) => {
 *     const path = await pathUnder('/srv/invoices', `${request.params.number}.pdf`)
 *     return download(request, path, { type: 'application/pdf', inline: true })
 *   })
 */
export async function download(
  request: Pick<ApiRequest, 'method' | 'header' | 'onEnd'>,
  source: DownloadSource,
  options: DownloadOptions = {},
): Promise<Reply> {
  const content = await contentOf(source)
  try {
    return answered(request, content, options)
  } catch (error) {
    await content.close?.()
    throw error
  }
}

/** The content to send. */
interface Content {
  /** `null`: it is not known, and only the whole can be sent. */
  readonly size: number | null
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly etag?: string | null | undefined
  readonly lastModified?: Date | null | undefined
  read(start: number, end: number): Bytes
  close?(): Promise<void>
}

async function contentOf(source: DownloadSource): Promise<Content> {
  if (typeof source === 'string') return fileAt(source)
  if (source instanceof Uint8Array)
    return { size: source.byteLength, read: (start, end) => source.subarray(start, end) }
  if (source instanceof ReadableStream)
    return { size: null, read: () => source, close: () => source.cancel() }
  if ('open' in source) {
    const { size, etag, lastModified } = source
    const read = (start: number, end: number) => exactly(end - start, source.open(start, end))
    return { size, etag, lastModified, read }
  }
  const { name, type, path } = source
  const content = await contentOf(path ?? (await source.bytes()))
  return { ...content, name, type }
}

/**
 * Holds a stream to the stated size: an object may have changed since its size was asked for. Clients would take extra bytes
 * for the beginning of the next answer, and would take missing bytes from it.
 */
function exactly(size: number, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let rest = size
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        rest -= piece.byteLength
        if (rest < 0) throw new Error(`The content has more than the ${size} bytes it is to have.`)
        controller.enqueue(piece)
      },
      flush() {
        if (rest > 0) throw new Error(`The content ends ${rest} bytes too soon.`)
      },
    }),
  )
}

/** The file system's errors for a path without a file. */
const NO_FILE: ReadonlySet<string | undefined> = new Set([
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
])

async function orNotFound<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw NO_FILE.has((error as NodeJS.ErrnoException).code) ? new NotFound() : error
  }
}

/**
 * Opens the file at once, so that the headers are true of the sent bytes. Opening a pipe must not wait for its other end.
 */
async function fileAt(path: string): Promise<Content> {
  if (path.includes('\0')) throw new NotFound()
  const file = await orNotFound(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK))
  const facts = await file.stat({ bigint: true })
  if (!facts.isFile()) {
    await file.close()
    throw new NotFound()
  }
  const { size, mtimeNs, mtime } = facts
  return {
    size: Number(size),
    name: basename(path),
    etag: `${size.toString(36)}-${mtimeNs.toString(36)}`,
    lastModified: mtime,
    read: (start, end) => piecesOf(file, start, end),
    close: () => file.close(),
  }
}

/** Bytes that are read at once. */
const PIECE = 65_536

function piecesOf(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start
  const next = async (): Promise<Uint8Array> => {
    const piece = new Uint8Array(Math.min(PIECE, end - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw new Error('The file was cut short while it was sent.')
    at += bytesRead
    return piece.subarray(0, bytesRead)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(await next())
          if (at < end) return
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        await file.close()
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}

function answered(
  request: Pick<ApiRequest, 'method' | 'header' | 'onEnd'>,
  content: Content,
  options: DownloadOptions,
): Reply | Promise<Reply> {
  const { etag = content.etag ?? null, lastModified = content.lastModified ?? null } = options
  const facts = {
    tag: etag === null ? null : quotedTag(etag),
    modified: wholeSeconds(lastModified),
  }
  const headers = { ...headersFor(content, options, facts), ...options.headers }
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && isKnown(request, facts))
    return unsent(content, reply(null, { status: 304, headers }))
  const { size } = content
  const range = size !== null && request.method === 'GET' ? rangeOf(request, size, facts) : null
  if (range === 'outside') throw new RangeNotSatisfiable(size!)
  const [start, end] = range ?? [0, size ?? 0]
  const length = size === null ? null : end - start
  const init = { headers, contentType: typeOf(content, options), length }
  if (request.method === 'HEAD' || length === 0)
    return unsent(
      content,
      new BytesReply(length === 0 ? new Uint8Array() : new ReadableStream(), init),
    )
  const body = content.read(start, end)
  const ofRange = range && {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end - 1}/${size}` },
  }
  const answer = new BytesReply(body, { ...init, ...ofRange })
  // If a handler fails after this, the file or the connection to a bucket must not stay open.
  request.onEnd(() =>
    answer.isTaken || !(body instanceof ReadableStream) ? undefined : body.cancel(),
  )
  return answer
}

async function unsent(content: Content, answer: Reply): Promise<Reply> {
  await content.close?.()
  return answer
}

function headersFor(
  content: Content,
  options: DownloadOptions,
  { tag, modified }: Validators,
): Record<string, string> {
  const type = typeOf(content, options)
  const { inline = false, name = content.name } = options
  const isShown = inline === 'any' || (inline && PASSIVE.test(type))
  return {
    'Content-Disposition': contentDisposition(isShown ? 'inline' : 'attachment', name),
    ...(content.size === null ? {} : { 'Accept-Ranges': 'bytes' }),
    ...(tag === null ? {} : { ETag: tag }),
    ...(modified === null ? {} : { 'Last-Modified': timeOf(modified) }),
    // Pages have a policy anyway; a picture that is opened as a document has none.
    ...(isShown && !PASSIVE.test(type) && !HTML.test(type)
      ? { 'Content-Security-Policy': SANDBOX }
      : {}),
  }
}

/** Types that browsers show without running anything in them. */
const PASSIVE =
  /^(?:audio\/[\w.+-]+|video\/[\w.+-]+|image\/(?:avif|bmp|gif|jpeg|png|webp|x-icon)|application\/pdf|text\/plain)(?:;|$)/
const HTML = /^(?:text\/html|application\/xhtml\+xml)(?:;|$)/
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The media type; the type that a client sent may be none at all. */
function typeOf(content: Content, { type = content.type ?? '' }: DownloadOptions): string {
  const parsed = parseMediaType(type)
  if (parsed === null || /[^\t\x20-\x7e]/.test(type)) return 'application/octet-stream'
  const charset = parsed.parameters['charset']
  // Without its quotes, `charset="x, text/html"` would make browsers read the type behind the comma.
  return charset !== undefined && TOKEN.test(charset)
    ? `${essenceOf(parsed)}; charset=${charset}`
    : essenceOf(parsed)
}

/**
 * A path below a directory, from a name that a client may have sent: with folders, but never out of the directory,
 * not by `..` and not by a symbolic link.
 *
 * @throws NotFound there is no such file, or it lies elsewhere
 * @example
 * const path = await pathUnder('/srv/files', request.params.name)
 */
export async function pathUnder(directory: string, name: string): Promise<string> {
  const steps = name.split('/')
  const isOdd = name.includes('\0') || name.includes('\\') || isAbsolute(name)
  if (isOdd || steps.some((step) => step === '' || step === '.' || step === '..'))
    throw new NotFound()
  const root = await realpath(directory)
  const path = await orNotFound(() => realpath(join(root, name)))
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw new NotFound()
  return path
}
