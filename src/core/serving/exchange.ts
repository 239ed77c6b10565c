// A server of node:http: its connections and their turns, their requests, and how answers are written.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Readable, pipeline } from 'node:stream'
import type { Body, PlainReply, PlainRequest, Environ, Kernel } from '../ports/http-adapter.ts'
import { type MaybePromise, isPromise } from '../std/after.ts'
import { PIECE, bodyOf, discard, isEndless, sendInPieces, takeRest } from './bodies.ts'
import { type Listening, type Trust, withCertificate } from './listening.ts'
import { type UnreadAnswers, tellEnd, watchEnd } from './unread-answers.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { origins } from '../std/statements.ts'
import { TOKEN, joinHeaders } from '../std/http/header-value.ts'
import { formatAddress, parseIp } from '../std/http/network.ts'
import { utf8FromHeader } from '../std/http/authorization.ts'
import { readForwarded } from '../std/http/forwarded.ts'

/** A server that listens. */
export interface RunningServer {
  /** The address: `http://127.0.0.1:8000`, or `unix:/path/to.sock`. */
  readonly url: string
  /** Does the server close? Then it takes no new connections, and finishes requests in flight. */
  readonly closing: boolean
  /** Stops taking requests, finishes those in flight, and resolves when the last is answered. */
  close(): Promise<void>
  /** Closes the server, for `await using server = await serve(app)`. */
  [Symbol.asyncDispose](): Promise<void>
}

export type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** All connections of a server: how they take turns, and how they end. */
export class Connections {
  readonly #server: Server
  readonly #gracePeriod: number
  readonly #stop: Listening['stop']
  readonly #bySocket = new Map<Socket, Connection>()
  readonly turn: Turn = new Turn()
  /** The headers of a connection that stays open, as Node writes them. */
  readonly keepAlive: string
  #closed: Promise<void> | null = null
  closing = false

  constructor(server: Server, gracePeriod: number, stop: Listening['stop']) {
    const { keepAliveTimeout } = server
    const timeout = `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n`
    this.#server = server
    this.#gracePeriod = gracePeriod
    this.#stop = stop
    this.keepAlive = `Connection: keep-alive\r\n${keepAliveTimeout === 0 ? '' : timeout}`
  }

  answerWith(listen: Listener): void {
    this.#server.on('connection', (socket: Socket) => {
      // Reading the address once keeps it known after the client has gone.
      void socket.remoteAddress
      this.#bySocket.set(socket, new Connection(socket, listen, this.turn))
      socket.once('close', () => this.#bySocket.delete(socket))
    })
    const take = (incoming: IncomingMessage, response: ServerResponse): void =>
      this.#bySocket.get(incoming.socket)?.take(incoming, response)
    // Node itself would refuse requests with an expectation, and no observer would see the answer.
    this.#server.on('request', take).on('checkExpectation', take)
  }

  /** Is this answer the last one of its connection? */
  isLast(response: ServerResponse): boolean {
    const connection = this.#bySocket.get(response.req.socket)
    return connection?.endsWith(response) || (this.closing && !connection?.hasMore)
  }

  close(): Promise<void> {
    this.closing = true
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    const server = this.#server
    const impatience = setTimeout(() => server.closeAllConnections(), this.#gracePeriod)
    // Node would destroy connections between two requests, although the second may be on its way.
    server.closeIdleConnections = () => {}
    // Connections that wait come first: once taken, their requests are safe with this process.
    this.turn.isHeld = server.listening
    await this.#stop(server)
    this.turn.isHeld = false
    for (const connection of this.#bySocket.values()) connection.drain()
    const left = [...this.#bySocket.keys()]
    await Promise.all(left.map((socket) => new Promise((gone) => socket.once('close', gone))))
    await new Promise((closed) => server.close(closed))
    clearTimeout(impatience)
  }
}

/** Milliseconds that answers may take one after the other. */
const SHARE = 1

/**
 * One turn of the event loop. Node opens one connection in each turn, so long turns would keep new connections waiting. The
 * answers of a turn go out together at its end: an answer that goes alone wakes its reader, which costs as much as making
 * it.
 */
class Turn {
  /** Is the turn held, so that no request begins? */
  isHeld = false
  /** The time at which the last request began, by `performance.now()`. */
  at = 0
  #until = 0
  #posted: (() => void)[] = []
  readonly #next = (): void => {
    const posted = this.#posted
    let begun = 0
    try {
      // Work that this work posts belongs to the same turn.
      while (begun < posted.length) posted[begun++]!()
    } finally {
      this.#until = 0
      this.#posted = []
      // An error of one piece of work, such as a throwing logger of the application, must not stop the work behind it.
      for (const late of posted.slice(begun)) this.post(late)
    }
  }

  /** Has the turn lasted long enough? The first call begins it. */
  isOver(now: number): boolean {
    this.at = now
    if (this.#until !== 0) return now > this.#until
    this.#until = now + SHARE
    setImmediate(this.#next)
    return false
  }

  /** Adds work for the end of the turn. */
  readonly post = (work: () => void): void => {
    if (this.#until === 0) this.isOver(performance.now())
    this.#posted.push(work)
  }
}

/** Requests that may wait behind the one that is answered; a connection with more of them is closed. */
const MOST_WAITING = 100
/** Milliseconds after a client's last request in which it may be about to send the next. */
const QUIET = 500
/**
 * Milliseconds in which the first request may be on its way: a client that has just connected means to ask, and a busy one
 * is slow.
 */
const FIRST = 5000
/** Milliseconds that a client gets to close its side, once it has everything. */
const LINGER = 1000
/** Milliseconds for a client that sends a large body, and may read the answer late. */
const UPLOADING = 5000

/**
 * One connection. Its requests are answered in their order (RFC 9112 §9.3.2), and those of other connections have their turn
 * in between. So it holds one answer at a time, and takes no more than its share.
 */
class Connection {
  readonly #socket: Socket
  readonly #answer: Listener
  readonly #turn: Turn
  readonly #waiting: Parameters<Listener>[] = []
  #current: ServerResponse | null = null
  /** The time when the connection was made, or when its last request began. */
  #lastAt = performance.now()
  /** Has the connection had its last answer? Requests that come now were never accepted. */
  #ended = false

  constructor(socket: Socket, listen: Listener, turn: Turn) {
    this.#socket = socket
    this.#answer = listen
    this.#turn = turn
  }

  /** Does another request wait behind the one that is being answered? */
  get hasMore(): boolean {
    return this.#waiting.length > 0
  }

  /** Is too much of a body to come for another request? What comes after the answer is bounded in any case. */
  endsWith(response: ServerResponse): boolean {
    const { req } = response
    if (req.complete || !hasBody(req)) return false
    response.once('finish', () => takeRest(req))
    if (!isEndless(req)) return false
    this.#socket.destroySoon = () => this.#end(UPLOADING)
    return true
  }

  take(incoming: IncomingMessage, response: ServerResponse): void {
    if (this.#ended) return
    if (this.#isIdle) this.#begin(incoming, response)
    else if (this.#waiting.length === MOST_WAITING) this.#socket.destroy()
    else if (this.#waiting.push([incoming, response]) === 1) this.#nextAfter(this.#current!)
  }

  /** Ends the connection: at once if it is idle, else after the requests that have arrived or are arriving. */
  drain(): void {
    // Node destroys a socket after its last answer, and bytes that came in since then would reset the connection.
    this.#socket.destroySoon = () => this.#end()
    if (this.#ended || this.#socket.destroyed) return
    if (this.#isIdle) this.#endWhenQuiet(this.#socket.bytesRead)
    // The next request begins in a moment.
    else if (this.#current!.closed) setImmediate(() => this.drain())
    // The answer has already begun, so it cannot say that it is the last one.
    else
      this.#current!.once('close', () => {
        this.#lastAt = performance.now()
        this.drain()
      })
  }

  get #isIdle(): boolean {
    return !this.hasMore && (this.#current === null || this.#current.writableFinished)
  }

  #begin(incoming: IncomingMessage, response: ServerResponse): void {
    this.#current = response
    this.#lastAt = performance.now()
    const isLater = this.#turn.isHeld || this.#turn.isOver(this.#lastAt)
    if (isLater) setImmediate(() => this.#beginLater(incoming, response))
    else this.#answer(incoming, response)
  }

  /** Begins a request that waited; waiting requests keep their order. */
  #beginLater(incoming: IncomingMessage, response: ServerResponse): void {
    if (!this.#socket.destroyed) this.#begin(incoming, response)
  }

  #nextAfter(response: ServerResponse): void {
    // Other connections come first: an answer may take a while of the event loop, and this is one of many.
    response.once('close', () => setImmediate(() => this.#next()))
  }

  #next(): void {
    if (this.#ended || this.#socket.destroyed) return
    const next = this.#waiting.shift()!
    if (this.hasMore) this.#nextAfter(next[1])
    this.#begin(...next)
  }

  #endWhenQuiet(bytesBefore: number): void {
    const { bytesRead } = this.#socket
    // Another request is coming. Its answer is the last.
    if (bytesRead > bytesBefore || (this.#current === null && bytesRead > 0)) return
    const patience = this.#current === null ? FIRST : QUIET
    const quietIn = this.#lastAt + patience - performance.now()
    if (quietIn > 0) setTimeout(() => this.#endWhenQuiet(bytesRead), quietIn)
    // Timers of a busy process are late and run before its sockets, so bytes that have arrived meanwhile are read first.
    else setImmediate(() => this.#socket.bytesRead === bytesRead && this.#end())
  }

  /** Ends the connection. The client gets to see the end and everything before it, and has time to confirm. */
  #end(linger = LINGER): void {
    if (this.#ended || this.#socket.destroyed) return
    this.#ended = true
    this.#socket.end()
    const impatience = setTimeout(() => this.#socket.destroy(), linger)
    this.#socket.once('close', () => clearTimeout(impatience))
  }
}

/** An `import` would read every member of the module, and some of them load the whole of `fetch`. */
export const http: typeof import('node:http') = process.getBuiltinModule('node:http')

/** The parts that all exchanges of a server share; `null`: the surrounding server does this itself. */
interface Serving {
  readonly kernel: Kernel
  /** Opens the application first; `null`: this server has done so. */
  readonly handle: Kernel['handle'] | null
  trust: Trust | null
  /** Can a rejection be traced to its request, by `origins`? */
  readonly traces: boolean
  readonly connections: Connections | null
  /** Writes an answer, now or together with others. */
  readonly post: (deliver: () => void) => void
  readonly unread: UnreadAnswers | null
}

interface Exchange {
  readonly server: Serving
  readonly heads: Heads | null
  readonly request: PlainRequest
  readonly response: ServerResponse
}

export function listener(server: Serving): Listener {
  // A surrounding server may have set headers of its own, which only Node can write.
  const heads = server.connections === null || !takesHeads() ? null : new Heads(server.connections)
  return (incoming, response) => answer(server, heads, incoming, response)
}

// An error that left this function would end the process.
function answer(
  server: Serving,
  heads: Heads | null,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { trust, traces, kernel } = server
  let exchange: Exchange | null = null
  try {
    const request =
      trust === null
        ? new NodeRequest(incoming, response)
        : new ProxiedRequest(incoming, response, trust)
    request.began = server.connections?.turn.at
    const made: Exchange = (exchange = { server, heads, request, response })
    const origin = { kernel, request, tell: undefined }
    const reply = traces ? origins.run(origin, handled, made) : handled(made)
    if (isPromise(reply)) void deliverLater(reply, made)
    else server.post(() => deliver(reply, made))
  } catch (error) {
    sendInstead(error, server, exchange, response)
  }
}

function handled({ server, request }: Exchange): MaybePromise<PlainReply> {
  return server.handle?.(request) ?? server.kernel.handle(request)
}

async function deliverLater(waiting: Promise<PlainReply>, exchange: Exchange): Promise<void> {
  try {
    const reply = await waiting
    exchange.server.post(() => deliver(reply, exchange))
  } catch (error) {
    sendInstead(error, exchange.server, exchange, exchange.response)
  }
}

function deliver(reply: PlainReply, exchange: Exchange): void {
  const { body } = reply
  try {
    if (!exchange.response.destroyed) send(reply, exchange)
    // The client has gone.
    else {
      if (body instanceof ReadableStream) discard(body, () => {})
      reply.ended?.({ bytes: 0, aborted: true })
    }
  } catch (error) {
    if (body instanceof ReadableStream) discard(body, () => {})
    sendInstead(error, exchange.server, exchange, exchange.response, reply)
  }
}

/**
 * Answers with an error in place of the answer. If that one has already begun, only the end of the connection can show that
 * it failed.
 */
function sendInstead(
  error: unknown,
  { kernel }: Serving,
  exchange: Exchange | null,
  response: ServerResponse,
  unsent: PlainReply | null = null,
): void {
  try {
    if (response.headersSent || exchange === null || kernel.refuse === undefined) throw error
    send(kernel.refuse(error, exchange.request, unsent), exchange)
  } catch (second) {
    kernel.report?.({ event: 'request.failed', error: second, request: exchange?.request ?? null })
    // If a head went out, the end of the connection is watched already.
    if (!response.headersSent) unsent?.ended?.({ bytes: 0, aborted: true, error: second })
    response.destroy()
  }
}

function send(reply: PlainReply, exchange: Exchange): void {
  const { status, headers, body } = reply
  // Texts are not tested, because the first use of the class loads all streams of the web.
  if (typeof body === 'object' && body instanceof ReadableStream)
    return sendStream(body, reply, exchange)
  const { request, response, server } = exchange
  const { unread } = server
  const size = typeof body === 'string' ? Buffer.byteLength(body) : (body?.byteLength ?? 0)
  const silent = body === null || request.method === 'HEAD'
  const isLarge = unread !== null && !silent && size > PIECE
  if (isLarge) unread.makeRoom(size, request)
  // RFC 9110 §8.6: 1xx and 204 carry no length at all.
  const hasLength = body !== null || (status !== 204 && status !== 304)
  if (hasLength) headers.push('Content-Length', String(size))
  const head = writeHead(reply, exchange)
  // The length is kept, because asking the connection for it takes longer.
  const length = head === null || isLarge ? null : head.length + (silent ? 0 : size)
  const before = reply.ended === undefined || length !== null ? 0 : response.req.socket.bytesWritten
  if (silent) response.end()
  else if (isLarge)
    sendInPieces(
      typeof body === 'string' ? Buffer.from(body, encodingOf(body, size)) : body,
      response,
    )
  // Head and body go out as one text.
  else if (head !== null && typeof body === 'string') response.end(body, encodingOf(body, size))
  else response.end(body)
  // `writableFinished` is no use here: it becomes true a moment late, even for an answer that has gone out.
  if (response.writableLength > 0) unread?.watch(request, response, headers, size)
  if (reply.ended === undefined) return
  // A surrounding server may hold the answer back.
  if (exchange.heads === null) watchEnd(reply.ended, response, before)
  else tellEnd(reply.ended, { response, before, length, post: server.post })
}

// A stream that breaks midway must not look finished to the client, and one that is no longer read
// must end: `pipeline` destroys the side that is left.
function sendStream(body: ReadableStream, reply: PlainReply, exchange: Exchange): void {
  const { headers } = reply
  const { request, response, server } = exchange
  const failed = (error: unknown): void =>
    server.kernel.report?.({ event: 'stream.failed', error, request, headers })
  // Node decides how a body without a length ends.
  writeHead(reply, { ...exchange, heads: null })
  if (reply.ended !== undefined) watchEnd(reply.ended, response)
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

/** The head that was written as text, which is all ASCII; `null`: Node has written the head. */
function writeHead(reply: PlainReply, { response, server, heads }: Exchange): string | null {
  const { status, headers } = reply
  const { connections } = server
  if (connections?.isLast(response)) headers.push('Connection', 'close')
  const text = heads?.textOf(reply, response) ?? null
  if (text === null)
    response.writeHead(status, connections ? headers : joinHeaders(response, headers))
  else (response as WithHead)[HEAD] = text
  response.statusCode = status
  return text
}

/** The encoding of a body: one byte for each character if all are ASCII, which spares the encoding. */
function encodingOf(body: string, size: number): 'latin1' | 'utf8' {
  return body.length === size ? 'latin1' : 'utf8'
}

/** The member in which Node keeps the text of a head until the body is written. */
const HEAD = '_header'
type WithHead = ServerResponse & { [HEAD]: string | null }

/** Does this runtime take the text of a head? Node always has; no documentation promises it. */
function takesHeads(): boolean {
  const probe = new http.ServerResponse(new http.IncomingMessage(new Socket())) as WithHead
  if (probe[HEAD] !== null || probe.headersSent) return false
  probe[HEAD] = 'HTTP/1.1 200 OK\r\n\r\n'
  return probe.headersSent
}

const NO_VALUE = /[^\t\x20-\x7e]/
/** Headers that Node does not only write, but also acts on. */
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

  /** The head as text; `null`: Node has to write or refuse it. */
  textOf({ status, headers }: PlainReply, response: ServerResponse): string | null {
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
    if (last === undefined && (!TOKEN.test(name) || NODES_OWN.test(name))) return null
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

/** While Node writes these heads, it also notes that they have no body. */
const BODILESS: ReadonlySet<number> = new Set([100, 101, 102, 103, 204, 304])

/** The refusal of a request without one host (RFC 9112 §3.2), or with an expectation other than `100-continue`. */
function refusalOf({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): Error | null {
  if (isRepeated('host', rawHeaders))
    return new ParseError(Message.of('parse_error.repeated_header', { name: 'host' }))
  if (headers.host === undefined && httpVersionMinor === 1)
    return new ParseError(Message.of('parse_error.host'))
  if (headers.expect === undefined || CONTINUE.test(headers.expect)) return null
  return new ApiError(Message.of('expectation_failed')).answeredWith(417)
}

function isRepeated(name: string, raw: readonly string[]): boolean {
  let times = 0
  for (let at = 0; at < raw.length; at += 2)
    if (raw[at]!.length === name.length && raw[at]!.toLowerCase() === name) times++
  return times > 1
}

/** The expectation in Node's own pattern. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** A request of `node:http` as the kernel sees it: nothing is copied until it is asked for. */
export class NodeRequest implements PlainRequest {
  readonly method: string
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly body: Body | null
  readonly refusal: Error | null
  began: number | undefined = undefined
  readonly #incoming: IncomingMessage
  /** The authority of a request line in absolute form, which outranks `Host` (RFC 9112 §3.2.2). */
  readonly #authority: string | null = null
  readonly #response: ServerResponse
  #signal: AbortSignal | null = null

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    scheme: 'http' | 'https' = schemeOf(incoming),
    refusal: Error | null = refusalOf(incoming),
  ) {
    const url = incoming.url!
    this.#incoming = incoming
    this.#response = response
    this.method = incoming.method!
    this.scheme = scheme
    this.refusal = refusal
    this.body = hasBody(incoming) ? bodyOf(incoming) : null
    if (url.startsWith('/')) this.target = url
    else [this.#authority, this.target] = absoluteForm(url)
  }

  get environ(): Environ {
    const { socket } = this.#incoming
    const REMOTE_ADDR = peerAddress(this.#incoming)
    return this.scheme === 'http' ? { REMOTE_ADDR } : withCertificate({ REMOTE_ADDR }, socket)
  }

  get gone(): boolean {
    return this.#incoming.socket.destroyed
  }

  get signal(): AbortSignal {
    return (this.#signal ??= signalOf(this.#incoming, this.#response))
  }

  header(name: string): string | null {
    if (name === 'host' && this.#authority !== null) return this.#authority
    const { headers, rawHeaders } = this.#incoming
    const value = headers[name]
    if (name === 'authorization' && value !== undefined && isRepeated(name, rawHeaders))
      // Credentials come once (RFC 9110 §5.3): of two, a server in front may have believed the other, and
      // without `joinDuplicateHeaders` Node would show the first alone. The fetch adapter has its own way.
      throw new ParseError(Message.of('parse_error.repeated_header', { name }))
    // `headers` is an object of JavaScript, so a name such as "constructor" finds a value that no client sent.
    return typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : null
  }
}

/**
 * A signal that aborts when the client goes away early. Every connection closes at last; one that closes after its answer
 * aborts nothing.
 */
function signalOf({ socket }: IncomingMessage, response: ServerResponse): AbortSignal {
  const control = new AbortController()
  const abort = (): void => control.abort(new DOMException('The client has gone.', 'AbortError'))
  if (response.writableFinished) return control.signal
  if (socket.destroyed) abort()
  // A client may send any number of requests at once, and Node would take their listeners for a leak.
  socket.setMaxListeners(0).once('close', abort)
  response.once('finish', () => socket.off('close', abort))
  return control.signal
}

/** The scheme of the connection itself. In Node only sockets with TLS have `encrypted`, in Bun all do. */
export function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return (socket as { readonly encrypted?: boolean }).encrypted === true ? 'https' : 'http'
}

/** The address of the peer in its one spelling: a server of both kinds of addresses says `::ffff:1.2.3.4` for `1.2.3.4`. */
function peerAddress({ socket }: IncomingMessage): string | undefined {
  const text = socket.remoteAddress
  // The platform already spells IPv4 this way.
  if (text === undefined || !text.includes(':')) return text
  const address = parseIp(text)
  return address === null ? undefined : formatAddress(address)
}

/** Splits `http://host/path`; anything else, such as `*`, is a path that no route has. */
function absoluteForm(url: string): [authority: string | null, target: string] {
  const found = /^https?:\/\/([^/?#]*)/i.exec(url)
  if (found === null) return [null, url]
  const rest = url.slice(found[0].length)
  return [found[1]!, rest.startsWith('/') ? rest : `/${rest}`]
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': stated, 'transfer-encoding': encoding } = headers
  return stated === undefined ? encoding !== undefined : stated !== '0'
}

/** A request that trusted servers in front may have passed on: the peer decides, once for each request. */
export class ProxiedRequest extends NodeRequest {
  readonly vouched: boolean
  readonly #environ: Environ
  readonly #host: string | null
  /** The header of user names. Applications find the name in `environ`, never in the header. */
  readonly #hidden: string | null

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    { proxies, remoteUser, unixSocket }: Trust,
  ) {
    const peer = unixSocket ? 'unix' : parseIp(incoming.socket.remoteAddress ?? '')
    const plain = new NodeRequest(incoming, response)
    const header = (name: string): string | null => plain.header(name)
    const forwarded = readForwarded(header, peer, schemeOf(incoming), proxies)
    const isNamed = remoteUser?.from(peer) ?? false
    const user = isNamed ? userIn(incoming.headersDistinct[remoteUser!.header]) : undefined
    const refusal = user instanceof ParseError ? user : plain.refusal
    super(incoming, response, forwarded?.scheme, refusal)
    const client = forwarded?.client ?? peer
    this.vouched = forwarded !== null
    this.#host = forwarded?.host ?? null
    this.#hidden = remoteUser?.header ?? null
    const environ = {
      REMOTE_ADDR: typeof client === 'bigint' ? formatAddress(client) : undefined,
      REMOTE_USER: typeof user === 'string' ? user : undefined,
      PROXY_CLIENT_CERT: (forwarded && header('client-cert')) ?? undefined,
    }
    // A certificate of a trusted peer belongs to the proxy, not to the client.
    this.#environ = forwarded === null ? withCertificate(environ, incoming.socket) : environ
  }

  override get environ(): Environ {
    return this.#environ
  }

  override header(name: string): string | null {
    if (name === 'host' && this.#host !== null) return this.#host
    return name === this.#hidden ? null : super.header(name)
  }
}

/** The user's name; the error (400): two names were sent, or one that is not UTF-8. */
function userIn([value, second]: readonly string[] = []): string | ParseError | undefined {
  if (second !== undefined) return new ParseError(Message.of('parse_error.two_users'))
  if (value === undefined) return undefined
  return utf8FromHeader(value) ?? new ParseError(Message.of('parse_error.user_encoding'))
}
