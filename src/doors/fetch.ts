import type { DoorReply, DoorRequest, Kernel } from '../contract/door.ts'
import type { Body } from '../contract/parsing.ts'
import type { Environ } from '../contract/request.ts'
import { PayloadTooLarge } from '../errors/client-errors.ts'

const NO_ENVIRON: Environ = Object.freeze({})
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Serves web-standard requests: for runtimes with a fetch-style server, tests, and mounting elsewhere. */
export function toFetch(kernel: Kernel): (request: Request) => Promise<Response> {
  return async (request) =>
    toResponse(await kernel.handle(new FetchRequest(request)), request.method)
}

class FetchRequest implements DoorRequest {
  readonly method: string
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly environ: Environ = NO_ENVIRON
  readonly body: Body | null
  readonly #host: string
  readonly #headers: Headers

  constructor(request: Request) {
    const { protocol, host, pathname, search } = new URL(request.url)
    this.method = request.method
    this.target = pathname + search
    this.scheme = protocol === 'https:' ? 'https' : 'http'
    this.#host = host
    this.#headers = request.headers
    this.body = request.body === null ? null : bodyOf(request.body, request.headers)
  }

  header(name: string): string | null {
    return this.#headers.get(name) ?? (name === 'host' ? this.#host : null)
  }
}

function bodyOf(stream: ReadableStream<Uint8Array>, headers: Headers): Body {
  const length = headers.get('content-length')
  return {
    length: length === null ? null : Number(length),
    bytes: (limit) => collect(stream, limit),
  }
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > limit) throw new PayloadTooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function toResponse({ status, headers, body }: DoorReply, method: string): Response {
  const sent = new Headers()
  for (let i = 0; i < headers.length; i += 2) sent.append(headers[i]!, headers[i + 1]!)
  if (typeof body === 'string') sent.set('Content-Length', String(Buffer.byteLength(body)))
  if (body instanceof Uint8Array) sent.set('Content-Length', String(body.byteLength))
  const silent = method === 'HEAD' || BODILESS.has(status) || body === null
  if (silent && body instanceof ReadableStream) void body.cancel()
  return new Response(silent ? null : (body as BodyInit), { status, headers: sent })
}
