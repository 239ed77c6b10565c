// An application's observers of answers, and its work before and after handlers.
import type { MaybePromise } from '../../std/after.ts'
import type { AskedStatement } from '../../std/asked-statement.ts'
import type { Reply } from '../representations.ts'
import type { ApiRequest } from '../request.ts'

/** An answer as its client got it, complete or in part. */
export interface SentAnswer {
  /** The `X-Request-Id` of the answer. */
  readonly id: string
  /** The method as sent. `null`: the bytes were no HTTP request, or its headers were too large or too late. */
  readonly method: string | null
  /** Full name of the address, such as `v1:article-list`, which has few values. `null`: there is no such address. */
  readonly endpoint: string | null
  readonly version: string | null
  /** `null` where the request was refused before its user was known. */
  readonly user: unknown
  /** Class of the scheme that named the user, such as `TokenAuthentication`. `null`: none did. */
  readonly scheme: string | null
  readonly status: number
  /** Milliseconds from the head of the request to the last byte of its answer, or to its end. */
  readonly duration: number
  /** Bytes of the answer that went out, with its head. `app.fetch` knows those of the body alone. */
  readonly bytes: number
  /** Did the connection end before the whole answer was sent, or before the request had arrived? */
  readonly aborted: boolean
  /** The error that became the answer or broke it off; `undefined`: none. */
  readonly error: unknown
}

/**
 * Called with each answer once it has gone out, so that it delays none; what it throws is logged. `request` is for
 * all else, such as a header; `null`: what came never became a request.
 */
export interface Observer {
  (answer: SentAnswer, request: ApiRequest | null): unknown
  /**
   * Called when a request has found its endpoint. The follower that it gives hears about the request, and about the answer
   * in place of the observer. `null`: the request is not followed. @default no request is
   */
  readonly follow?: (request: ApiRequest) => Follower | null
}

/** Follows the steps of a request as they happen. Its errors are logged. */
export interface Follower {
  /**
   * Does the work of the request, including its promises, within a context such as that of `AsyncLocalStorage`. @default the
   * work runs without one
   * @default the work is done as it is
   */
  within?(work: () => void): void
  /** The next step begins, which ends the one before. */
  step?(step: RequestStep): void
  /** A database has answered a statement. If one statement serves several requests, one of their followers hears of it. */
  statement?(statement: AskedStatement): void
  /**
   * The answer has gone out. The request is given here, so that a follower need not keep it: one that does doubles what the
   * garbage collection has to do.
   */
  ended(answer: SentAnswer, request: ApiRequest): unknown
}

/** The steps of a request in their order. `answer`: bytes are made of what the handler, or an error, gave. */
export type RequestStep =
  | 'negotiation'
  | 'version'
  | 'sunset'
  | 'authentication'
  | 'permissions'
  | 'throttles'
  | 'handler'
  | 'answer'

/**
 * Acts before and after a handler. `next` asks the handler, or the layer further in, and rejects with what that throws.
 *
 * @returns the answer: that of `next`, or another one
 */
export type Wrapper<in Rq = ApiRequest> = (
  request: Rq,
  next: () => Promise<Reply>,
) => MaybePromise<Reply>
