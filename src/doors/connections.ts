import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** A server that listens. */
export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8000`, or `unix:/path/to.sock`. */
  readonly url: string
  /** It takes no new connections and finishes what is in flight. */
  readonly closing: boolean
  /** Stops taking requests, finishes those in flight, and resolves when the last is answered. */
  close(): Promise<void>
}

/** All connections of a server: how they take turns, and how they end. */
export class Connections {
  readonly #server: Server
  readonly #gracePeriod: number
  readonly #bySocket = new Map<Socket, Connection>()
  readonly turn: Turn = new Turn()
  /** What a head says of a connection that stays open, as Node writes it. */
  readonly keepAlive: string
  #closed: Promise<void> | null = null
  closing = false

  constructor(server: Server, gracePeriod: number) {
    const { keepAliveTimeout } = server
    const timeout = `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n`
    this.#server = server
    this.#gracePeriod = gracePeriod
    this.keepAlive = `Connection: keep-alive\r\n${keepAliveTimeout === 0 ? '' : timeout}`
  }

  answerWith(answer: Listener): void {
    this.#server.on('connection', (socket: Socket) => {
      // Once read, the address is still known when the client has gone.
      void socket.remoteAddress
      this.#bySocket.set(socket, new Connection(socket, answer, this.turn))
      socket.once('close', () => this.#bySocket.delete(socket))
    })
    this.#server.on('request', (incoming, response) => {
      this.#bySocket.get(incoming.socket)?.take(incoming, response)
    })
  }

  hasMore(socket: Socket): boolean {
    return this.#bySocket.get(socket)?.hasMore ?? false
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
    const closed = new Promise((resolve) => server.close(resolve))
    for (const connection of this.#bySocket.values()) connection.drain()
    await closed
    clearTimeout(impatience)
  }
}

/** Milliseconds that answers may take one after the other. */
const SHARE = 1

/**
 * One turn of the event loop. Node opens a single connection in each: where answers to the clients that it has
 * filled a long turn, new ones would wait for as many long turns as there are of them. Its answers go out together
 * at its end: one that goes alone wakes its reader, which costs as much as to make it.
 */
class Turn {
  #until = 0
  #posted: (() => void)[] = []
  readonly #next = (): void => {
    const posted = this.#posted
    let begun = 0
    this.#until = 0
    this.#posted = []
    try {
      while (begun < posted.length) posted[begun++]!()
    } finally {
      // What one throws, a logger of the application perhaps, is no fault of those behind it.
      for (const deliver of posted.slice(begun)) this.post(deliver)
    }
  }

  /** Has it lasted long enough? It begins with the first who asks. */
  isOver(now: number): boolean {
    if (this.#until !== 0) return now > this.#until
    this.#until = now + SHARE
    setImmediate(this.#next)
    return false
  }

  /** Calls it at the end of the turn. */
  readonly post = (deliver: () => void): void => {
    if (this.#until === 0) this.isOver(performance.now())
    this.#posted.push(deliver)
  }
}

/** Requests that may wait behind the one that is answered; a connection with more of them is closed. */
const MOST_WAITING = 100
/** Milliseconds after its last request for which a client may be about to send the next. */
const QUIET = 500
/** Milliseconds that a client gets to close its side, once it has everything. */
const LINGER = 1000

/**
 * Its requests are answered in the order they came (RFC 9112 §9.3.2), and those of others have their turn in
 * between: so it holds one answer at a time, and takes no more than its share.
 */
class Connection {
  readonly #socket: Socket
  readonly #answer: Listener
  readonly #turn: Turn
  readonly #waiting: Parameters<Listener>[] = []
  #current: ServerResponse | null = null
  /** When it was made, or its last request began. */
  #lastAt = performance.now()
  /** It gets no more answers: what comes now was never accepted. */
  #ended = false

  constructor(socket: Socket, answer: Listener, turn: Turn) {
    this.#socket = socket
    this.#answer = answer
    this.#turn = turn
  }

  /** Another request is here already, behind the one that is answered. */
  get hasMore(): boolean {
    return this.#waiting.length > 0
  }

  take(incoming: IncomingMessage, response: ServerResponse): void {
    if (this.#ended) return
    if (this.#isIdle) this.#begin(incoming, response)
    else if (this.#waiting.length === MOST_WAITING) this.#socket.destroy()
    else if (this.#waiting.push([incoming, response]) === 1) this.#nextAfter(this.#current!)
  }

  /** Ends it: at once where it is idle, else after what it has asked and what it is asking just now. */
  drain(): void {
    // Node destroys a socket after its last answer; what came in since would reset the connection.
    this.#socket.destroySoon = () => this.#end()
    if (this.#ended || this.#socket.destroyed) return
    if (this.#isIdle) this.#endWhenQuiet(this.#socket.bytesRead)
    // The next one begins in a moment.
    else if (this.#current!.closed) setImmediate(() => this.drain())
    // An answer that has begun already could not say that it is the last one.
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
    if (this.#turn.isOver(this.#lastAt)) setImmediate(() => this.#beginLater(incoming, response))
    else this.#answer(incoming, response)
  }

  /** Those that wait keep their order. */
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
    const quietIn = this.#lastAt + QUIET - performance.now()
    if (quietIn <= 0) this.#end()
    else setTimeout(() => this.#endWhenQuiet(bytesRead), quietIn)
  }

  /** The client gets to see the end and everything before, and has the time to say that it has. */
  #end(): void {
    if (this.#ended || this.#socket.destroyed) return
    this.#ended = true
    this.#socket.end()
    const impatience = setTimeout(() => this.#socket.destroy(), LINGER)
    this.#socket.once('close', () => clearTimeout(impatience))
  }
}
