import type {
  AnswerEnd,
  Body,
  PlainReply,
  PlainRequest,
  Kernel,
  Environ,
} from '../ports/http-adapter.ts'
import type { RemoteUserSource } from '../ports/service-facts.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { TOKEN, splitOutsideQuotes } from '../std/http/header-value.ts'
import { collect, discard, limitedChunks, readBefore } from './bodies.ts'
import { openedByFirst } from './opening.ts'

const NO_ENVIRON: Environ = Object.freeze({})
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** The runtime's facts about a request, beyond the request itself. */
export interface FetchOptions {
  /**
   * Facts that the caller vouches for, such as `REMOTE_ADDR` and `REMOTE_USER`: they are taken as they are,
   * so none may come from a header that a client can send. @default {}
   */
  readonly environ?: Environ
}

/** Answers a web-standard request. Other arguments, which some runtimes pass, are ignored. */
export interface Fetch {
  (request: Request, options?: FetchOptions): Promise<Response>
  (request: Request, ...others: readonly unknown[]): Promise<Response>
}

/** Makes a `fetch` of a kernel. There is no peer to trust, so the header of a user name is always hidden. */
export function toFetch(kernel: Kernel, remoteUser: RemoteUserSource | null = null): Fetch {
  const hidden = typeof remoteUser === 'object' ? (remoteUser?.header.toLowerCase() ?? null) : null
  const handle = openedByFirst(kernel)
  return async (request: Request, options?: unknown) => {
    const { environ = NO_ENVIRON } = (options ?? {}) as FetchOptions
    const asked = requestOf(request, environ, hidden)
    const reply = await handle(asked)
    const failed = (error: unknown): void =>
      kernel.report?.({ event: 'stream.failed', error, request: asked, headers: reply.headers })
    try {
      return toResponse(reply, asked, failed)
    } catch (error) {
      if (kernel.refuse === undefined) throw error
      return toResponse(kernel.refuse(error, asked, reply), asked, failed)
    }
  }
}

function requestOf(
  { url, method, headers, body, bodyUsed, signal }: Request,
  environ: Environ,
  hidden: string | null,
): PlainRequest {
  const { protocol, host, pathname, search } = new URL(url)
  const stated = headers.get('content-length')
  const length = stated === null ? null : Number(stated)
  return {
    method,
    target: pathname + search,
    scheme: protocol === 'https:' ? 'https' : 'http',
    environ,
    vouched: environ['REMOTE_ADDR'] !== undefined,
    // Servers make a stream even of an empty body.
    body: bodyUsed ? readBefore(length) : length === 0 ? null : body && bodyOf(body, length),
    get gone() {
      return signal.aborted
    },
    signal,
    header(name) {
      if (name.toLowerCase() === hidden) return null
      const value = headers.get(name) ?? (name === 'host' ? host : null)
      if (name === 'authorization' && value?.includes(',')) refuseSecond(value)
      return value
    },
  }
}

function bodyOf(body: ReadableStream<Uint8Array>, length: number | null): Body {
  return {
    length,
    bytes: (limit) => collect(body, { length, limit }),
    chunks: (limit) => limitedChunks(body, { length, limit }),
  }
}

/**
 * Credentials come once (RFC 9110 §5.3). `Headers` has joined two of them by then: where a part after a comma
 * begins with a scheme and a space, as no parameter does (§11.4), it is a second one.
 */
function refuseSecond(value: string): void {
  const [, ...others] = splitOutsideQuotes(value, ',')
  if (!others.some(isCredentials)) return
  throw new ParseError(Message.of('parse_error.repeated_header', { name: 'authorization' }))
}

function isCredentials(part: string): boolean {
  const [, scheme = ''] = /^(\S+) +[^\s=]/.exec(part.trimStart()) ?? []
  return TOKEN.test(scheme)
}

function toResponse(
  { status, headers, body, ended }: PlainReply,
  { method, gone = false }: PlainRequest,
  failed: (error: unknown) => void,
): Response {
  const sent = new Headers()
  for (let i = 0; i < headers.length; i += 2) sent.append(headers[i]!, headers[i + 1]!)
  if (typeof body === 'string' || body instanceof Uint8Array)
    sent.set('Content-Length', String(Buffer.byteLength(body)))
  const silent = method === 'HEAD' || BODILESS.has(status) || body === null
  if (silent && body instanceof ReadableStream) discard(body, failed)
  const isStream = !silent && body instanceof ReadableStream
  const shown = isStream && ended !== undefined ? watched(body, ended) : body
  const response = new Response(silent ? null : (shown as BodyInit), { status, headers: sent })
  const bytes = silent || isStream ? 0 : Buffer.byteLength(body as string | Uint8Array)
  if (!isStream) ended?.({ bytes, aborted: gone })
  return response
}

/** Gives the same stream, and reports how far it was read. */
function watched(
  body: ReadableStream<Uint8Array>,
  ended: (end: AnswerEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  let isTold = false
  const tell = (aborted: boolean, error?: unknown): void => {
    if (!isTold) ended({ bytes, aborted, error })
    isTold = true
  }
  return new ReadableStream({
    async pull(out) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          out.close()
          return tell(false)
        }
        out.enqueue(value)
        bytes += value.byteLength
      } catch (error) {
        tell(true, error)
        out.error(error)
      }
    },
    cancel(reason) {
      tell(true)
      return reader.cancel(reason)
    },
  })
}
