import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlainReply, PlainRequest, Kernel } from '../ports/http-adapter.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { Connections, type Listener, type RunningServer, http, listener } from './exchange.ts'
import { type Listening, type TrustOptions, bySocket, isUnixSocket, trustOf } from './listening.ts'
import { openedByFirst } from './opening.ts'
import { origins } from '../std/statements.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** An application, as this adapter sees it. */
export interface Servable extends Kernel {
  readonly service?: { readonly host: string; readonly port: number } & TrustOptions
}

/** Options for listening, and limits of a server. */
export interface NodeServerOptions {
  /** 0 takes any free port. @default the key `PORT`, else 8000 */
  readonly port?: number
  /**
   * Address to listen on, `unix:/path/to.sock`, or `fd:3` for a socket that another program has opened, such as
   * systemd. @default the key `HOST`, else 127.0.0.1
   */
  readonly host?: string
  /**
   * Milliseconds that requests in flight get to finish when the server stops, and tasks after answers in what is left of
   * them, or in a second. @default 10,000
   */
  readonly gracePeriod?: number
  /** Milliseconds for the headers of a request to arrive. @default 10,000 */
  readonly headersTimeout?: number
  /** Milliseconds for a whole request, body included, to arrive. @default 60,000 */
  readonly requestTimeout?: number
  /** Milliseconds an idle connection is kept; longer than the proxy in front keeps it. @default 65,000 */
  readonly keepAliveTimeout?: number
  /** Bytes of all headers together; more are answered with 431. @default 16,384 */
  readonly maxHeaderSize?: number
  /** Milliseconds that an answer may get no further, because its client does not read. @default 30,000 */
  readonly writeTimeout?: number
  /**
   * Bytes of all answers together that wait for their readers. Above it, readers that have stood still for a
   * second lose their connections, and new answers of more than 64 KiB are 503. @default 268,435,456 (256 MiB)
   */
  readonly maxBufferedBytes?: number
  /**
   * Unhandled rejections, such as of `void failing()` in a handler. `log`: a line with the endpoint, and the
   * process goes on. `leave`: to Node, which ends the process, or to a listener of your own. @default 'log'
   */
  readonly unhandledRejections?: 'log' | 'leave'
  /** The way in which the server gets its connections: a worker is handed them. */
  readonly '~listening'?: Listening
}

/**
 * Serves an application on a port or a unix socket, and resolves when it listens.
 *
 * @throws CannotListen the port or the socket is in use, or not allowed
 * @throws ConfigurationError tables of the application are not up to date: run `colophon migrate` before. A
 * database that cannot be asked now is no reason: requests ask it again
 * @example
 * const server = await serve(app, { port: 8000 })
 * process.once('SIGTERM', () => void server.close())
 */
export async function serve(
  app: Servable,
  options: NodeServerOptions = {},
): Promise<RunningServer> {
  const { gracePeriod = 10_000, writeTimeout = 30_000, maxBufferedBytes = 2 ** 28 } = options
  const port = options.port ?? app.service?.port ?? 8000
  const host = options.host ?? app.service?.host ?? '127.0.0.1'
  const logs = options.unhandledRejections !== 'leave'
  const server = createNodeServer(options)
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) =>
    answerClientError(app, code, socket),
  )
  const { '~listening': listening = bySocket } = options
  const connections = new Connections(server, gracePeriod, listening.stop)
  const serving = {
    kernel: app,
    handle: null,
    trust: trustOf(app.service, false),
    traces: logs,
    connections,
    post: connections.turn.post,
    unread: new UnreadAnswers(app, writeTimeout, maxBufferedBytes),
  }
  // The listener is set before the server listens, because a worker may be given connections in the same turn.
  connections.answerWith(listener(serving))
  await app.open?.()
  const url = await listening.listen(server, port, host).catch(async (error: unknown) => {
    // Opened parts, such as scheduled tasks, would keep the process alive.
    await app.close?.(LEAST_PATIENCE)
    throw error
  })
  // The kind of a handed-over socket is known only now, one turn before the first request can be read.
  serving.trust = trustOf(app.service, isUnixSocket(url))
  if (logs) server.once('close', logRejections(app))
  const close = async (): Promise<void> => {
    const deadline = performance.now() + gracePeriod
    app.drain?.()
    await connections.close()
    await app.close?.(Math.max(deadline - performance.now(), LEAST_PATIENCE))
  }
  return {
    url,
    get closing() {
      return connections.closing
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Milliseconds for tasks of requests that took the whole grace period. */
const LEAST_PATIENCE = 1_000

/** Facts that a listener cannot find out by itself. */
export interface ListenerOptions {
  /**
   * The server around it listens on a unix socket: its clients count as `unix` among the trusted proxies.
   * Otherwise a connection without an address is not trusted. @default false
   */
  readonly unixSocket?: boolean
}

/**
 * The listener alone, for mounting in a `node:http` server, Express or Fastify that exists already. Its first request opens
 * the application, unless `app.open()` did.
 */
export function toListener(app: Servable, options: ListenerOptions = {}): Listener {
  return listener({
    kernel: app,
    handle: openedByFirst(app),
    trust: trustOf(app.service, options.unixSocket ?? false),
    traces: false,
    connections: null,
    // Answers are written at once, because the surrounding server may rely on that.
    post: (deliver) => deliver(),
    unread: null,
  })
}

function createNodeServer(options: NodeServerOptions): Server {
  const { headersTimeout = 10_000, requestTimeout = 60_000 } = options
  return http.createServer({
    headersTimeout,
    requestTimeout,
    // Node looks for late clients every 30 seconds, which is too seldom for shorter timeouts.
    connectionsCheckingInterval: Math.ceil(Math.min(headersTimeout, requestTimeout) / 2),
    // Node's own refusal would not reach observers, so requests without a host are refused here.
    requireHostHeader: false,
    keepAliveTimeout: options.keepAliveTimeout ?? 65_000,
    maxHeaderSize: options.maxHeaderSize ?? 16_384,
    // RFC 9110 §5.3: a header sent twice is a list. By default, Node drops some second ones.
    joinDuplicateHeaders: true,
    // Requests without a body begin as ended, which saves a tenth of a small request's cost.
    optimizeEmptyRequests: true,
  })
}

/**
 * Logs unhandled rejections of this app's requests, and those that belong to no request, until the returned function is
 * called.
 */
function logRejections(app: Kernel): () => void {
  const log = (error: unknown): void => {
    const { kernel = null, request = null } = origins.getStore() ?? {}
    if (kernel !== null && kernel !== app) return
    const own = kernel === null ? null : (request as PlainRequest)
    app.report?.({ event: 'rejection.unhandled', error, request: own })
  }
  process.on('unhandledRejection', log)
  return () => void process.off('unhandledRejection', log)
}

/** The reason why bytes did not become a request, by Node's code. */
function refusalOf(code: string): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError(Message.of('request_header_fields_too_large')).answeredWith(431)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError(Message.of('request_timeout')).answeredWith(408)
  return new ParseError(Message.of('parse_error.http'))
}

/** Answers what never became a request, then the connection ends. */
function answerClientError(app: Kernel, code: string | undefined, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const error = refusalOf(code ?? '')
  const { status } = error
  const { headers, body, ended }: Partial<PlainReply> = app.refuse?.(error, null) ?? {}
  const text = typeof body === 'string' ? body : ''
  const all = [
    ...(headers ?? []),
    'Content-Length',
    `${Buffer.byteLength(text)}`,
    'Connection',
    'close',
  ]
  const lines = all.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []))
  const first = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`
  const bytes = Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n${text}`)
  socket.end(bytes)
  ended?.({ bytes: bytes.byteLength, aborted: false })
}
