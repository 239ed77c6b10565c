import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { AnswerEnd, PlainRequest, Kernel } from '../ports/http-adapter.ts'
import { ServiceUnavailable } from '../errors/api-errors.ts'
import { LogLimiter } from '../std/log-limiter.ts'

/** Milliseconds without reading after which a client's connection may be closed to make room. */
const STALLED = 1000

/**
 * The answers that clients have not read yet. One that makes no progress is dropped with its connection, and
 * together they hold a bounded number of bytes. What is sent at once never comes here.
 */
export class UnreadAnswers {
  readonly #kernel: Kernel
  readonly #writeTimeout: number
  readonly #maxBufferedBytes: number
  readonly #answers = new Set<Unread>()
  /** A flood of refusals must not become a flood of log lines. */
  readonly #refusals = new LogLimiter(1000)
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(kernel: Kernel, writeTimeout: number, maxBufferedBytes: number) {
    this.#kernel = kernel
    this.#writeTimeout = writeTimeout
    this.#maxBufferedBytes = maxBufferedBytes
  }

  /**
   * Makes room for an answer. One that is larger than the bound is sent while no other answer waits. @throws
   * ServiceUnavailable
   */
  makeRoom(size: number, request: PlainRequest): void {
    if (this.#fits(size)) return
    const now = performance.now()
    this.#check(now)
    const oldestFirst = [...this.#answers].toSorted((a, b) => a.since - b.since)
    for (const one of oldestFirst) {
      if (this.#fits(size) || now - one.since < STALLED) break
      this.#giveUp(one, 'room was needed')
    }
    if (!this.#fits(size)) this.#refuse(request)
  }

  /** Watches an answer until its last byte is sent. `size: null`: a stream, whose size is unknown. */
  watch(
    request: PlainRequest,
    response: ServerResponse,
    headers: readonly string[],
    size: number | null,
  ): void {
    const { socket } = response.req
    const since = performance.now()
    const isStream = size === null
    const one = { request, headers, socket, isStream, since, held: size ?? 0, sent: 0 }
    this.#answers.add(one)
    this.#bytes += one.held
    response.once('close', () => this.#forget(one))
    const period = Math.min(Math.ceil(this.#writeTimeout / 4), 1000)
    this.#timer ??= setInterval(() => this.#check(performance.now()), period).unref()
  }

  #fits(size: number): boolean {
    return this.#bytes === 0 || this.#bytes + size <= this.#maxBufferedBytes
  }

  #check(now: number): void {
    const writeTimeout = this.#writeTimeout
    for (const one of this.#answers) {
      this.#bytes -= one.held
      look(one, now)
      this.#bytes += one.held
      if (now - one.since >= writeTimeout) this.#giveUp(one, `no progress for ${writeTimeout} ms`)
    }
  }

  #giveUp(one: Unread, reason: string): void {
    const { request, headers, socket } = one
    const error = `The client does not read its answer (${reason}).`
    this.#forget(one)
    socket.destroy()
    this.#kernel.report?.({ event: 'answer.unread', error, request, headers })
  }

  #forget(one: Unread): void {
    if (!this.#answers.delete(one)) return
    this.#bytes -= one.held
    if (this.#answers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #refuse(request: PlainRequest): never {
    const count = this.#refusals.count()
    if (count !== null) {
      const held = `${this.#answers.size} answers of ${this.#bytes} bytes wait for their readers`
      const error = `${count} answers refused with 503: ${held}.`
      this.#kernel.report?.({ event: 'answers.refused', error, request })
    }
    throw new ServiceUnavailable()
  }
}

interface Unread {
  readonly request: PlainRequest
  readonly headers: readonly string[]
  readonly socket: Socket
  readonly isStream: boolean
  /** When it last made progress, by `performance.now()`. */
  since: number
  /** Bytes of memory that it holds. */
  held: number
  /** Bytes that the connection had sent by then. */
  sent: number
}

/** Notes progress. A connection without unsent bytes waits for this server, so the client is not at fault. */
function look(one: Unread, now: number): void {
  const { writableLength, bytesWritten } = one.socket
  const sent = bytesWritten - writableLength
  if (one.isStream) one.held = writableLength
  if (writableLength > 0 && sent === one.sent) return
  one.sent = sent
  one.since = now
}

type Ended = (end: AnswerEnd) => void

/** An answer that has been written as a whole. */
interface Written {
  readonly response: ServerResponse
  /** The bytes that the connection had been given before this answer. */
  readonly before: number
  /** The bytes of the answer; `null`: all bytes that the connection was given since. */
  readonly length: number | null
  /** Does some work at the end of the turn. */
  readonly post: (work: () => void) => void
}

/**
 * Reports how an answer ended. Most answers are out by now and need no listeners, which cost more than the rest of an
 * observer.
 */
export function tellEnd(ended: Ended, { response, before, length, post }: Written): void {
  const { socket } = response.req
  const isOut = response.writableLength === 0 && !socket.destroyed && socket.errored === null
  if (!isOut) return watchEnd(ended, response, length === null ? before : startOf(length, response))
  const bytes = length ?? socket.bytesWritten - before
  if (out.push({ ended, bytes }) === 1) post(tellAll)
}

/**
 * The bytes that the connection had been given before the answer. It has not been given those that the response still keeps.
 */
function startOf(length: number, response: ServerResponse): number {
  const { socket } = response.req
  const kept = response.writableLength - socket.writableLength
  return socket.bytesWritten - (length - kept)
}

/** The answers that went out in this turn; they are reported later, so that no observer delays another answer. */
let out: { readonly ended: Ended; readonly bytes: number }[] = []

function tellAll(): void {
  const all = out
  const now = performance.now()
  let at = 0
  out = []
  try {
    while (at < all.length) {
      const { ended, bytes } = all[at++]!
      ended({ bytes, aborted: false, at: now })
    }
  } finally {
    // An error of one observer must not keep the others from being called.
    if (at < all.length && out.unshift(...all.slice(at)) > 0) process.nextTick(tellAll)
  }
}

/**
 * Watches for the end of an answer: Node also says `finish` of bytes that the connection never took, and `close` in any
 * case.
 */
export function watchEnd(
  ended: Ended,
  response: ServerResponse,
  before: number = response.req.socket.bytesWritten,
): void {
  const { socket } = response.req
  let [isOut, start] = [false, before]
  // It waits for answers to earlier requests of the same connection, whose bytes are not its own.
  if (response.socket === null) response.once('socket', () => (start = socket.bytesWritten))
  const tell = (aborted: boolean, error?: unknown): void => {
    const bytes = Math.max(0, socket.bytesWritten - socket.writableLength - start)
    ended({ bytes, aborted, error })
  }
  // Before Node gives the connection to the next answer.
  response.prependOnceListener('finish', () => {
    isOut = true
    tell(socket.destroyed)
  })
  response.once('close', () => {
    if (!isOut) tell(true, response.errored)
  })
}
