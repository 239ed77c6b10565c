import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, pipeline } from 'node:stream'
import type { DoorReply, DoorRequest, Kernel } from '../contract/door.ts'
import { discard } from './bodies.ts'
import type { Connections, Listener } from './connections.ts'
import { NodeRequest } from './node-request.ts'
import { ProxiedRequest, type Trust } from './proxied-request.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/** What all exchanges of a server share. `null`: the server around it does that itself. */
interface Server {
  readonly kernel: Kernel
  readonly trust: Trust | null
  /** A rejection can be traced to its request, by `origins`. */
  readonly traces: boolean
  readonly connections: Connections | null
  readonly unread: UnreadAnswers | null
}

/** Where a promise comes from: each one knows the request in which it was made. */
export const origins: AsyncLocalStorage<{
  readonly kernel: Kernel
  readonly request: DoorRequest
}> = new AsyncLocalStorage()

interface Exchange {
  readonly server: Server
  readonly request: DoorRequest
  readonly response: ServerResponse
}

export function listener(server: Server): Listener {
  return (incoming, response) => void answer(server, incoming, response)
}

// An error that left this function would end the process.
async function answer(
  server: Server,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { kernel, trust, traces } = server
  let request: DoorRequest | null = null
  let reply: DoorReply | null = null
  try {
    request = trust === null ? new NodeRequest(incoming) : new ProxiedRequest(incoming, trust)
    const handle = kernel.handle.bind(kernel)
    reply = await (traces ? origins.run({ kernel, request }, handle, request) : handle(request))
    if (!response.destroyed) send(reply, { server, request, response })
    // The client has gone.
    else if (reply.body instanceof ReadableStream) discard(reply.body, () => {})
  } catch (error) {
    if (reply?.body instanceof ReadableStream) discard(reply.body, () => {})
    sendInstead(error, server, request, response)
  }
}

/** Where the answer has begun, only the end of the connection can show that it failed. */
function sendInstead(
  error: unknown,
  server: Server,
  request: DoorRequest | null,
  response: ServerResponse,
): void {
  const { kernel } = server
  try {
    if (response.headersSent || request === null || kernel.refuse === undefined) throw error
    send(kernel.refuse(error, request), { server, request, response })
  } catch (second) {
    kernel.report?.({ event: 'request.failed', error: second, request })
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
  writeHead(reply, exchange)
  if (silent) response.end()
  else if (isLarge) sendInPieces(body, response)
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
  writeHead(reply, exchange)
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

function writeHead({ status, headers }: DoorReply, { response, server }: Exchange): void {
  const { connections } = server
  // The connection ends with this answer: no other request waits on it.
  if (connections?.closing && !connections.hasMore(response.req.socket))
    headers.push('Connection', 'close')
  response.writeHead(status, headers)
}

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
