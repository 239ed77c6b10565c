import type { ServerResponse } from 'node:http'
import { type Duplex, Readable, pipeline } from 'node:stream'
import type { DoorReply, Kernel } from '../contract/door.ts'
import { Message } from '../messages/message.ts'
import type { Connections } from './connections.ts'
import { discard } from './discard.ts'
import type { Exchange } from './node-request.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/** What sending an answer depends on. */
export interface Sending {
  readonly kernel: Kernel
  /** `null`: the server around it closes its connections itself. */
  readonly connections: Connections | null
  /** `null`: the server around it looks after slow readers itself. */
  readonly unread: UnreadAnswers | null
}

/** From here on, a body is sent piece by piece, as the client reads it. */
const LARGE = 65_536

/** Sends an answer, or the 500 in its place. Never throws. */
export function deliver(reply: DoorReply, exchange: Exchange, sending: Sending): void {
  const { body } = reply
  try {
    if (!exchange.response.destroyed) send(reply, exchange, sending)
    // The client has gone.
    else if (body instanceof ReadableStream) discard(body, () => {})
  } catch (error) {
    if (body instanceof ReadableStream) discard(body, () => {})
    deliverInstead(error, exchange, sending)
  }
}

/** The answer to a request whose own cannot be sent; where it has begun, the connection ends. */
export function deliverInstead(error: unknown, exchange: Exchange, sending: Sending): void {
  const { request, response } = exchange
  const { kernel } = sending
  try {
    if (response.headersSent || kernel.refuse === undefined) throw error
    send(kernel.refuse(error, request), exchange, sending)
  } catch (second) {
    kernel.report?.({ event: 'request.failed', error: second, request })
    response.destroy()
  }
}

function send(reply: DoorReply, exchange: Exchange, sending: Sending): void {
  const { body } = reply
  const { incoming, response } = exchange
  if (body instanceof ReadableStream) return sendStream(body, reply, exchange, sending)
  const { unread } = sending
  const size = body === null ? 0 : sizeOf(body)
  const silent = body === null || incoming.method === 'HEAD'
  const isLarge = unread !== null && !silent && size > LARGE
  if (isLarge) unread.makeRoom(size, exchange.request)
  writeHead(reply, hasNoLength(reply) ? null : size, exchange, sending)
  if (silent) response.end()
  else if (isLarge) sendInPieces(body, response)
  else response.end(body)
  // Not `writableFinished`, which becomes true a moment later also for what has gone out already.
  if (unread !== null && response.writableLength > 0) unread.watch(exchange, reply.headers, size)
}

function writeHead(
  { status, headers }: DoorReply,
  length: number | null,
  exchange: Exchange,
  sending: Sending,
): void {
  if (length !== null) headers.push('Content-Length', String(length))
  if (sending.connections?.endsNow(exchange.incoming.socket)) headers.push('Connection', 'close')
  exchange.response.writeHead(status, headers)
}

// RFC 9110 §8.6: 1xx and 204 carry no length at all.
const hasNoLength = ({ status, body }: DoorReply): boolean =>
  body === null && (status === 204 || status === 304)

const sizeOf = (body: string | Uint8Array): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength

/** In pieces, because a single large write does not show whether the client reads at all. */
function sendInPieces(body: string | Uint8Array, response: ServerResponse): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
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

// A stream that breaks midway must not look finished to the client, and one that is no longer read
// must end: `pipeline` destroys the side that is left.
function sendStream(
  body: ReadableStream<Uint8Array>,
  reply: DoorReply,
  exchange: Exchange,
  sending: Sending,
): void {
  const { request, incoming, response } = exchange
  const failed = (error: unknown): void =>
    sending.kernel.report?.({ event: 'stream.failed', error, request, headers: reply.headers })
  writeHead(reply, null, exchange, sending)
  if (incoming.method === 'HEAD') {
    discard(body, failed)
    response.end()
    return
  }
  sending.unread?.watch(exchange, reply.headers, null)
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  pipeline(source, response, (error) => {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') failed(error)
  })
}

interface Refusal {
  readonly status: string
  readonly detail: Message
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: Message.of('request_header_fields_too_large'),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    detail: Message.of('request_timeout'),
  },
}
const MALFORMED: Refusal = {
  status: '400 Bad Request',
  detail: Message.of('parse_error.http'),
}

/** Answers what never became a request: JSON like every other error (I12), then the connection ends. */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  id: string | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({ detail })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...(id === undefined ? [] : [`X-Request-Id: ${id}`]),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
