import type { MaybePromise } from '../std/after.ts'

/** Facts that the adapter sets and a client never can: `REMOTE_ADDR`, `REMOTE_USER`. */
export type Environ = Readonly<Record<string, string | undefined>>

/** A request body, not read yet. */
export interface Body {
  /** `Content-Length`, in bytes; `null` without one (a chunked body). */
  readonly length: number | null
  /** Throws `PayloadTooLarge` as soon as more than `limit` bytes are there. */
  bytes(limit: number): Promise<Uint8Array>
  /** Gives the same body piece by piece, as the client sends it, and only as fast as it is read. It can be read once. */
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
  /** When the head of the request had arrived, by `performance.now()`. @default now */
  readonly began?: number | undefined
  readonly environ: Environ
  /** Was the client's address vouched for: by a trusted server in front, or by the caller? @default false */
  readonly vouched?: boolean
  /** The identity of the asker, if the adapter itself vouches for it (tests do). Then no scheme is asked. */
  readonly identity?: { readonly user: unknown; readonly auth: unknown }
  /** The error for which the adapter stops this request. It is answered like any error, before anything else. */
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

/** The end of an answer. */
export interface AnswerEnd {
  /** The bytes of the answer that went out, with its head if the adapter writes it. */
  readonly bytes: number
  /** Did the connection end before the answer? */
  readonly aborted: boolean
  /** The error that broke the answer off; `undefined` or `null`: no error is known. */
  readonly error?: unknown
  /** The status of the answer that was sent in its place. */
  readonly status?: number
  /** When the answer ended, by `performance.now()`. @default now */
  readonly at?: number
}

/** The members of an application that an adapter needs. None of them throws. */
export interface Kernel {
  /** Answers a request. Errors inside become answers. */
  handle(request: PlainRequest): MaybePromise<PlainReply>
  /**
   * Makes the answer that replaces an unsent one, and reports the end of `unsent`, if there was one. Its status is that of
   * an `ApiError`, else 500 with a line in the log. `request` is `null` if the bytes never became a request.
   */
  refuse?(error: unknown, request: PlainRequest | null, unsent?: PlainReply | null): PlainReply
  /** Logs an error that no answer can report any more. */
  report?(failure: Failure): void
  /** Tells the application that a server stops. From then on, it tells probes to send no more requests. */
  drain?(): void
  /** Checks the application before a server listens, and rejects if it could not answer requests. */
  open?(): Promise<void>
  /** Opens an application that no server has opened; `null`: it is open. */
  readonly '~opening'?: () => Promise<void> | null
  /**
   * Waits so many milliseconds for work under way, and closes connections that it holds. A later request opens them again.
   */
  close?(patience?: number): Promise<void>
}

/** A failure outside of `handle`, with the headers of the answer, if there was one. */
export interface Failure {
  /** Name of the line in the log: `stream.failed`. */
  readonly event: string
  readonly error: unknown
  readonly request: PlainRequest | null
  readonly headers?: readonly string[]
}
