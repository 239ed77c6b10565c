import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable, pipeline } from 'node:stream'
import type { DoorReply, Kernel } from '../contract/door.ts'
import type { Bytes } from '../contract/rendering.ts'
import { answerClientError } from './client-error.ts'
import { NodeRequest } from './node-request.ts'
import { ProxiedRequest, type TrustOptions, trustOf } from './proxied-request.ts'
import { CannotListen, type RunningServer, stoppable } from './running-server.ts'
import { removeStaleSocket, restrict, socketPath } from './unix-socket.ts'

/** An application, as this door sees it. */
export interface Servable extends Kernel {
  /** Where to listen, and whom in front to believe. */
  readonly service?: { readonly host: string; readonly port: number } & TrustOptions
}

/** How a server listens, and what it allows. */
export interface NodeServerOptions {
  /** 0 takes a free one. @default the key `PORT`, else 8000 */
  readonly port?: number
  /** Address to listen on, or `unix:/path/to.sock`. @default the key `HOST`, else 127.0.0.1 */
  readonly host?: string
  /** Milliseconds that requests in flight get to finish when the server stops. @default 10,000 */
  readonly gracePeriod?: number
  /** Milliseconds for the headers of a request to arrive. @default 10,000 */
  readonly headersTimeout?: number
  /** Milliseconds for a whole request, body included, to arrive. @default 60,000 */
  readonly requestTimeout?: number
  /** Milliseconds an idle connection is kept; longer than the proxy in front keeps it. @default 65,000 */
  readonly keepAliveTimeout?: number
  /** Bytes of all headers together; more are answered with 431. @default 16,384 */
  readonly maxHeaderSize?: number
}

/**
 * Serves an application on a port or a unix socket, and resolves when it listens.
 *
 * @throws CannotListen the port or the socket is in use, or may not be had
 * @example
 * const server = await serve(app, { port: 8000 })
 * process.once('SIGTERM', () => void server.close())
 */
export async function serve(
  app: Servable,
  options: NodeServerOptions = {},
): Promise<RunningServer> {
  const { gracePeriod = 10_000 } = options
  const port = options.port ?? app.service?.port ?? 8000
  const host = options.host ?? app.service?.host ?? '127.0.0.1'
  const server = createNodeServer(options)
  server.on('clientError', (error, socket) => answerClientError(error, socket, app.nextId?.()))
  const running = stoppable(server, gracePeriod)
  const path = socketPath(host)
  server.on(
    'request',
    listener(app, path !== null, () => running.closing),
  )
  await (path === null ? listen(server, port, host) : listenOnSocket(server, path))
  return Object.assign(running, { url: path === null ? urlOf(server, host) : host })
}

/** What a listener cannot see by itself. */
export interface ListenerOptions {
  /**
   * The server around it listens on a unix socket: who connects is `unix` to the trusted proxies. Of
   * itself, a connection without an address is nobody's.
   *
   * @default false
   */
  readonly unixSocket?: boolean
}

type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** The listener alone, for mounting in a `node:http` server, Express or Fastify that exists already. */
export function toListener(app: Servable, options: ListenerOptions = {}): Listener {
  return listener(app, options.unixSocket ?? false, () => false)
}

function listener(app: Servable, unixSocket: boolean, isClosing: () => boolean): Listener {
  const toRequest = requestsOf(app, unixSocket)
  return (incoming, response) => {
    const answer = app.handle(toRequest(incoming))
    if (answer instanceof Promise) {
      answer.then(
        (reply) => send(reply, incoming, response, isClosing()),
        () => response.destroy(),
      )
    } else send(answer, incoming, response, isClosing())
  }
}

/** Where nobody in front is believed, no request is looked at for it. */
function requestsOf(
  { service }: Servable,
  unixSocket: boolean,
): (incoming: IncomingMessage) => NodeRequest {
  const trust = trustOf(service)
  if (trust === null) return (incoming) => new NodeRequest(incoming)
  return (incoming) => new ProxiedRequest(incoming, trust, unixSocket)
}

function createNodeServer(options: NodeServerOptions): Server {
  const { headersTimeout = 10_000, requestTimeout = 60_000 } = options
  const server = createServer({
    headersTimeout,
    requestTimeout,
    // Node looks for late clients every 30 seconds, which would make the shorter promise empty.
    connectionsCheckingInterval: Math.ceil(Math.min(headersTimeout, requestTimeout) / 2),
    keepAliveTimeout: options.keepAliveTimeout ?? 65_000,
    maxHeaderSize: options.maxHeaderSize ?? 16_384,
    // RFC 9110 §5.3: a header sent twice is a list. By default some second ones are dropped unseen.
    joinDuplicateHeaders: true,
    // Requests without a body start out ended: a tenth of a small request's cost.
    optimizeEmptyRequests: true,
  })
  // Asked once for each connection, the address is still known when the client has gone.
  return server.on('connection', (socket) => void socket.remoteAddress)
}

function send(
  reply: DoorReply,
  incoming: IncomingMessage,
  response: ServerResponse,
  closing: boolean,
): void {
  const { status, headers, body } = reply
  const length = body === null ? lengthOfNothing(status) : lengthOf(body)
  if (length !== null) headers.push('Content-Length', String(length))
  if (closing) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  if (body === null) response.end()
  else if (incoming.method === 'HEAD') {
    if (body instanceof ReadableStream) void body.cancel()
    response.end()
  } else if (body instanceof ReadableStream) pipe(body, response)
  else response.end(body)
}

// RFC 9110 §8.6: 1xx and 204 carry no length at all.
const lengthOfNothing = (status: number): number | null =>
  status === 204 || status === 304 ? null : 0

function lengthOf(body: Bytes): number | null {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.byteLength : null
}

// A stream that breaks midway must not look finished to the client, and one that nobody reads any
// more must not go on: `pipeline` destroys whichever side is left.
function pipe(body: ReadableStream<Uint8Array>, response: ServerResponse): void {
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
  pipeline(source, response, () => {})
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(error, `${host}:${port}`)))
    server.listen(port, host, resolve)
  })
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  await removeStaleSocket(path)
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(error, `unix:${path}`)))
    server.listen(path, resolve)
    // It is bound by now, and nobody has been let in yet.
    if (server.listening) restrict(path)
  })
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
