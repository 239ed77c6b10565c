import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, pipeline } from 'node:stream'
import type { DoorReply, DoorRequest, Kernel } from '../contract/door.ts'
import { type MaybePromise, isPromise } from '../std/after.ts'
import { discard } from './bodies.ts'
import type { Connections, Listener } from './connections.ts'
import { NodeRequest } from './node-request.ts'
import { ProxiedRequest, type Trust } from './proxied-request.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/**
 * An `import` would read every member of the module, and some of them load the whole of `fetch`.
 */
export const http: typeof import('node:http') = process.getBuiltinModule('node:http')

/** What all exchanges of a server share. `null`: the server around it does that itself. */
interface Server {
  readonly kernel: Kernel
  readonly trust: Trust | null
  /** A rejection can be traced to its request, by `origins`. */
  readonly traces: boolean
  readonly connections: Connections | null
  /** Writes an answer, now or together with others. */
  readonly post: (deliver: () => void) => void
  readonly unread: UnreadAnswers | null
}

/** Where a promise comes from: each one knows the request in which it was made. */
export const origins: AsyncLocalStorage<{
  readonly kernel: Kernel
  readonly request: DoorRequest
}> = new AsyncLocalStorage()

interface Exchange {
  readonly server: Server
  readonly heads: Heads | null
  readonly request: DoorRequest
  readonly response: ServerResponse
}

export function listener(server: Server): Listener {
  // A server of others may have set headers of its own, which only Node knows how to write.
  const heads = server.connections === null || !takesHeads() ? null : new Heads(server.connections)
  return (incoming, response) => answer(server, heads, incoming, response)
}

// An error that left this function would end the process.
function answer(
  server: Server,
  heads: Heads | null,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { trust, traces, kernel } = server
  let exchange: Exchange | null = null
  try {
    const request = trust === null ? new NodeRequest(incoming) : new ProxiedRequest(incoming, trust)
    const made: Exchange = (exchange = { server, heads, request, response })
    const reply = traces ? origins.run({ kernel, request }, handled, made) : handled(made)
    if (isPromise(reply)) void deliverLater(reply, made)
    else server.post(() => deliver(reply, made))
  } catch (error) {
    sendInstead(error, server, exchange, response)
  }
}

function handled({ server, request }: Exchange): MaybePromise<DoorReply> {
  return server.kernel.handle(request)
}

async function deliverLater(waiting: Promise<DoorReply>, exchange: Exchange): Promise<void> {
  try {
    const reply = await waiting
    exchange.server.post(() => deliver(reply, exchange))
  } catch (error) {
    sendInstead(error, exchange.server, exchange, exchange.response)
  }
}

function deliver(reply: DoorReply, exchange: Exchange): void {
  const { body } = reply
  try {
    if (!exchange.response.destroyed) send(reply, exchange)
    // The client has gone.
    else if (body instanceof ReadableStream) discard(body, () => {})
  } catch (error) {
    if (body instanceof ReadableStream) discard(body, () => {})
    sendInstead(error, exchange.server, exchange, exchange.response)
  }
}

/** Where the answer has begun, only the end of the connection can show that it failed. */
function sendInstead(
  error: unknown,
  { kernel }: Server,
  exchange: Exchange | null,
  response: ServerResponse,
): void {
  try {
    if (response.headersSent || exchange === null || kernel.refuse === undefined) throw error
    send(kernel.refuse(error, exchange.request), exchange)
  } catch (second) {
    kernel.report?.({ event: 'request.failed', error: second, request: exchange?.request ?? null })
    response.destroy()
  }
}

/** From here on, a body is sent piece by piece, as the client reads it. */
const LARGE = 65_536

function send(reply: DoorReply, exchange: Exchange): void {
  const { status, headers, body } = reply
  if (body instanceof ReadableStream) return sendStream(body, reply, exchange)
  const { request, response, server } = exchange
  const { unread } = server
  const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0)
  const silent = body === null || request.method === 'HEAD'
  const isLarge = unread !== null && !silent && size > LARGE
  if (isLarge) unread.makeRoom(size, request)
  // RFC 9110 §8.6: 1xx and 204 carry no length at all.
  const hasLength = body !== null || (status !== 204 && status !== 304)
  if (hasLength) headers.push('Content-Length', String(size))
  const isPlain = writeHead(reply, exchange)
  if (silent) response.end()
  else if (isLarge) sendInPieces(body, size, response)
  // Head and body go out as one text.
  else if (isPlain && typeof body === 'string') response.end(body, encodingOf(body, size))
  else response.end(body)
  // Not `writableFinished`, which becomes true a moment later also for what has gone out already.
  if (response.writableLength > 0) unread?.watch(request, response, headers, size)
}

// A stream that breaks midway must not look finished to the client, and one that is no longer read
// must end: `pipeline` destroys the side that is left.
function sendStream(body: ReadableStream, reply: DoorReply, exchange: Exchange): void {
  const { headers } = reply
  const { request, response, server } = exchange
  const failed = (error: unknown): void =>
    server.kernel.report?.({ event: 'stream.failed', error, request, headers })
  // Node decides how a body without a length ends.
  writeHead(reply, { ...exchange, heads: null })
  if (request.method === 'HEAD') {
    discard(body, failed)
    return void response.end()
  }
  server.unread?.watch(request, response, headers, null)
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  pipeline(source, response, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') failed(error)
  })
}

/** `true`: the head was written as text, which is all ASCII. */
function writeHead(reply: DoorReply, { response, server, heads }: Exchange): boolean {
  const { status, headers } = reply
  const { connections } = server
  // The connection ends with this answer: no other request waits on it.
  if (connections?.closing && !connections.hasMore(response.req.socket))
    headers.push('Connection', 'close')
  const text = heads === null ? null : heads.textOf(reply, response)
  if (text === null) response.writeHead(status, headers)
  else (response as WithHead)[HEAD] = text
  response.statusCode = status
  return text !== null
}

/** One byte a character where all are ASCII, which spares the work of encoding. */
function encodingOf(body: string, size: number): 'latin1' | 'utf8' {
  return body.length === size ? 'latin1' : 'utf8'
}

/** In pieces, because a single large write does not show whether the client reads at all. */
function sendInPieces(body: string | Uint8Array, size: number, response: ServerResponse): void {
  const bytes = typeof body === 'string' ? Buffer.from(body, encodingOf(body, size)) : body
  let at = 0
  const more = (): void => {
    while (at < bytes.byteLength) {
      const piece = bytes.subarray(at, (at += LARGE))
      if (at >= bytes.byteLength) response.end(piece)
      else if (!response.write(piece)) return void response.once('drain', more)
    }
  }
  more()
}

/** Where Node keeps the text of a head until the body is there. */
const HEAD = '_header'
type WithHead = ServerResponse & { [HEAD]: string | null }

/** Does this runtime take the text of a head? Node always has; no documentation promises it. */
function takesHeads(): boolean {
  const probe = new http.ServerResponse(new http.IncomingMessage(new Socket())) as WithHead
  if (probe[HEAD] !== null || probe.headersSent) return false
  probe[HEAD] = 'HTTP/1.1 200 OK\r\n\r\n'
  return probe.headersSent
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const NO_VALUE = /[^\t\x20-\x7e]/
/** Node does more with them than write them. */
const NODES_OWN =
  /^(?:connection|keep-alive|transfer-encoding|trailer|expect|date|content-disposition)$/i
const REMEMBERED = 256

/**
 * The heads of usual answers as text: byte for byte what `writeHead` makes of them, at a third of the cost,
 * because names and values are not checked again and again.
 */
class Heads {
  readonly #connections: Connections
  /** The last line of each name: names and values are few and come again. */
  readonly #lines = new Map<string, { value: string; line: string }>()
  #date = ''

  constructor(connections: Connections) {
    this.#connections = connections
  }

  /** `null`: it is for Node to write, or to refuse. */
  textOf({ status, headers }: DoorReply, response: ServerResponse): string | null {
    const reason = http.STATUS_CODES[status]
    const { shouldKeepAlive, req } = response
    const isUsual = shouldKeepAlive && req.httpVersionMinor === 1 && response.sendDate
    if (!isUsual || reason === undefined || BODILESS.has(status)) return null
    let text = `HTTP/1.1 ${status} ${reason}\r\n`
    for (let at = 0; at < headers.length; at += 2) {
      const line = this.#lineOf(headers[at]!, headers[at + 1]!)
      if (line === null) return null
      text += line
    }
    return `${text}Date: ${this.#now()}\r\n${this.#connections.keepAlive}\r\n`
  }

  #lineOf(name: string, value: string): string | null {
    const last = this.#lines.get(name)
    if (last?.value === value) return last.line
    if (last === undefined && (!NAME.test(name) || NODES_OWN.test(name))) return null
    if (typeof value !== 'string' || NO_VALUE.test(value)) return null
    const line = `${name}: ${value}\r\n`
    if (last !== undefined) [last.value, last.line] = [value, line]
    else if (this.#lines.size < REMEMBERED) this.#lines.set(name, { value, line })
    return line
  }

  /** Read from the clock once a second. */
  #now(): string {
    if (this.#date !== '') return this.#date
    const now = new Date()
    setTimeout(() => (this.#date = ''), 1000 - now.getMilliseconds()).unref()
    return (this.#date = now.toUTCString())
  }
}

/** Node notes that these have no body while it writes their heads. */
const BODILESS: ReadonlySet<number> = new Set([100, 101, 102, 103, 204, 304])
