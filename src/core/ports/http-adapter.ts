import type { MaybePromise } from '../std/after.ts'

/** Facts that the adapter sets and a client never can: `REMOTE_ADDR`, `REMOTE_USER`. */
export type Environ = Readonly<Record<string, string | undefined>>

/** A request body, not read yet. */
export interface Body {
  /** `Content-Length`, in bytes; `null` without one (a chunked body). */
  readonly length: number | null
  /** Throws `PayloadTooLarge` as soon as more than `limit` bytes are there. */
  bytes(limit: number): Promise<Uint8Array>
  /** The same piece by piece, as the client sends it and only as fast as it is read. Once. */
  chunks(limit: number): AsyncIterable<Uint8Array>
}

/** The media type of a body: type in lower case, parameters with lower-case names. */
export interface ContentType {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A request as an adapter hands it in: plain values, and nothing is parsed before it is needed. */
export interface PlainRequest {
  readonly method: string
  /** Path and query as sent: `/items/?page=2`. */
  readonly target: string
  readonly scheme: 'http' | 'https'
  /** When its head was there, by `performance.now()`. @default now */
  readonly began?: number | undefined
  readonly environ: Environ
  /** Was the client's address vouched for: by a trusted server in front, or by the caller? @default false */
  readonly vouched?: boolean
  /** Who is asking, where the adapter itself vouches for it (tests do): no scheme is asked then. */
  readonly identity?: { readonly user: unknown; readonly auth: unknown }
  /** Why the adapter lets this request no further: answered like any error, before anything else. */
  readonly refusal?: Error | null
  /** Has the connection been closed, so that no answer will be read? As of now. @default false */
  readonly gone?: boolean
  /** Aborted when the connection is closed before the answer is sent; made when it is asked for. @default one that never is */
  readonly signal?: AbortSignal
  /** Is the answer a part of a page for people, though it is asked for as data? @default false */
  readonly forPage?: boolean
  /** `null`: a request without a body. */
  readonly body: Body | null
  /** By name in lower case; several values joined (RFC 9110 §5.3), but credentials twice are a `ParseError`. */
  header(name: string): string | null
}

/** The bytes of an answer, in one of the forms that every adapter can send. */
export type Bytes = string | Uint8Array | ReadableStream<Uint8Array>

/** An answer as an adapter sends it; for HEAD the body is there to be measured only. */
export interface PlainReply {
  readonly status: number
  /** Name and value in turn: `['Content-Type', 'application/json']`. */
  readonly headers: string[]
  readonly body: Bytes | null
  /** The adapter calls it once, when the answer has ended. Absent: there is no observer. */
  readonly ended?: (end: AnswerEnd) => void
}

/** How an answer ended. */
export interface AnswerEnd {
  /** Of the answer that went out: with its head, where the adapter writes it. */
  readonly bytes: number
  /** The connection ended first. */
  readonly aborted: boolean
  /** What broke it off; `undefined` or `null`: nothing that is known. */
  readonly error?: unknown
  /** Of what was sent in its place. */
  readonly status?: number
  /** When, by `performance.now()`. @default now */
  readonly at?: number
}

/** What an adapter needs to know of an application. None of it throws. */
export interface Kernel {
  /** What goes wrong inside is an answer. */
  handle(request: PlainRequest): MaybePromise<PlainReply>
  /**
   * The answer in place of one that is not sent (`unsent`, where there was one), whose end it tells: that of an `ApiError`, else 500,
   * and a line in the log. `null`: it never became a request.
   */
  refuse?(error: unknown, request: PlainRequest | null, unsent?: PlainReply | null): PlainReply
  /** Logs what went wrong where no answer can say so any more. */
  report?(failure: Failure): void
  /** A server stops: from now on, the application says to those who ask that it is not to be sent more. */
  drain?(): void
  /** Before a server listens: rejects where requests could not be answered. */
  open?(): Promise<void>
  /**
   * Waits so many milliseconds for what is under way, and lets go of connections that it holds; a request that comes
   * after it makes them again.
   */
  close?(patience?: number): Promise<void>
}

/** Something that went wrong outside of `handle`, with the headers of the answer, where there was one. */
export interface Failure {
  /** Name of the line in the log: `stream.failed`. */
  readonly event: string
  readonly error: unknown
  readonly request: PlainRequest | null
  readonly headers?: readonly string[]
}
