import { english } from '../messages/english.ts'
import { Message } from '../messages/message.ts'
import {
  type Detail,
  type DetailInput,
  ErrorDetail,
  fullDetailsOf,
  mapDetail,
  toDetail,
} from './detail.ts'

type Headers = Readonly<Record<string, string>>

/**
 * An error that is an answer: it has a status, a code for programs and a sentence for people (E1).
 * Throw one from anywhere in an endpoint, or extend it.
 *
 * @example
 * class Teapot extends ApiError {
 *   static override readonly status = 418
 *   static override readonly code = 'teapot'
 *   static override readonly detail = 'This one only makes tea.'
 * }
 */
export class ApiError extends Error {
  static readonly status: number = 500
  static readonly code: string = 'error'
  /**
   * The sentence of the catalogue that is shown by default: that of the code, or of the class above. A `detail` with another
   * text takes precedence.
   */
  static get words(): Message {
    if (Object.hasOwn(english, this.code)) return Message.of(this.code as 'error')
    return (Object.getPrototypeOf(this) as typeof ApiError).words
  }
  static get detail(): string {
    return String(this.words)
  }

  readonly status: number
  readonly code: string
  readonly detail: Detail
  /** Headers that go out with the answer. */
  readonly headers: Headers

  constructor(detail?: DetailInput | null, code?: string | null, headers: Headers = {}) {
    const kind = new.target
    const given = detail ?? ((code ?? null) === null ? usualOf(kind) : wordsOf(kind))
    super(String(isOne(given) ? given : usualOf(kind)))
    this.name = kind.name
    this.status = kind.status
    this.code = code ?? kind.code
    this.detail = toDetail(given, this.code)
    this.headers = headers
  }

  /** Codes instead of messages, in the shape of the detail (E3). */
  get codes(): unknown {
    return mapDetail(this.detail, ({ code }) => code)
  }

  /** Messages with their codes, in the shape of the detail. */
  get fullDetails(): unknown {
    return fullDetailsOf(this.detail)
  }

  /** A copy of the error with another status and further headers. */
  answeredWith(status: number, headers: Headers = {}): this {
    return changed(this, { status, headers: { ...this.headers, ...headers } })
  }

  /** A copy of the error in other words, which `wording` makes of sentences of the catalogue. */
  inWords(wording: (message: Message) => string): this {
    return changed(this, { detail: mapDetail(this.detail, (one) => one.inWords(wording)) })
  }
}

/**
 * An error made without its stack. What a client sent caused it, no log shows where, and the stack is what costs most of a
 * refusal, of which clients may send as many as they like.
 *
 * @example throw stackless(() => new NotFound())
 */
export function stackless<E extends ApiError>(make: () => E): E {
  return new Marked(withoutStack(make)) as unknown as E
}

function withoutStack<E>(make: () => E): E {
  const { stackTraceLimit } = Error as { readonly stackTraceLimit?: number }
  // With `--frozen-intrinsics` this does nothing, and errors have their stack.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}

/** Marks the given object, and returns it. The mark is a private member, which no log shows and no type has. */
class Marked extends (function (given: object) {
  return given
} as unknown as new (given: object) => object) {
  readonly #mark = true

  static has(given: object): boolean {
    return #mark in given && given.#mark
  }
}

/** A copy with other members; the message and the stack, which the log shows, stay. */
function changed<E extends ApiError>(error: E, members: object): E {
  const make = (): E => Reflect.construct(Error, [error.message], error.constructor)
  const isStackless = Marked.has(error)
  const copy = isStackless ? stackless(make) : withoutStack(make)
  // Defining this member costs more than the rest of the copy. Node makes the text of a stack on first use.
  if (!isStackless)
    Object.defineProperty(copy, 'stack', { get: () => error.stack, configurable: true })
  return Object.assign(copy, error, members)
}

/** The default text of an error of this class. A class with its own text is not in the catalogue. */
function wordsOf({ detail, words }: typeof ApiError): string | Message {
  return detail === String(words) ? words : detail
}

/** The details of the catalogue's classes. Clients cause these errors often, and the details never differ. */
const USUAL = new WeakMap<typeof ApiError, ErrorDetail>()

function usualOf(kind: typeof ApiError): string | ErrorDetail {
  const known = USUAL.get(kind)
  if (known !== undefined) return known
  const words = wordsOf(kind)
  if (typeof words === 'string') return words
  const detail = new ErrorDetail(words, kind.code)
  // Many requests share this detail.
  Object.freeze(detail)
  USUAL.set(kind, detail)
  return detail
}

function isOne(detail: DetailInput): detail is string | Message | ErrorDetail {
  return typeof detail === 'string' || detail instanceof Message || detail instanceof ErrorDetail
}

/** 400: the data was understood and is not valid (E1.2). The detail is the body (E20). */
export class ValidationError extends ApiError {
  static override readonly status = 400
  static override readonly code = 'invalid'

  constructor(detail?: DetailInput, code?: string | null) {
    const input = detail ?? wordsOf(ValidationError)
    super(isOne(input) || input instanceof ErrorDetail ? [input] : input, code)
  }
}

/** 400: the body cannot be read at all (E1.3). */
export class ParseError extends ApiError {
  static override readonly status = 400
  static override readonly code = 'parse_error'
}

/** Credentials were sent and are not valid (E1.4). Answered with 401, or 403 where no scheme challenges (A40). */
export class AuthenticationFailed extends ApiError {
  static override readonly status = 401
  static override readonly code = 'authentication_failed'
}

/** Credentials are needed and none were sent (E1.5). Answered with 401, or 403 where no scheme challenges (A40). */
export class NotAuthenticated extends ApiError {
  static override readonly status = 401
  static override readonly code = 'not_authenticated'
}

/** 403: the user is known, and not allowed to do this (E1.6). */
export class PermissionDenied extends ApiError {
  static override readonly status = 403
  static override readonly code = 'permission_denied'
}

/** 403: the password is right, and the second factor is still to be proved. `words` gives another reason. */
export class SecondFactorRequired extends ApiError {
  static override readonly status = 403
  static override readonly code = 'second_factor_required'
  constructor(headers: Headers = {}, words: Message = SecondFactorRequired.words) {
    const detail = { detail: words, code: SecondFactorRequired.code }
    super(detail, null, { 'Cache-Control': 'no-store', ...headers })
  }
}

/** 404 (E1.7). */
export class NotFound extends ApiError {
  static override readonly status = 404
  static override readonly code = 'not_found'
}

/** A position that does not belong to the ordering it is used with; nothing was read. Uncaught, it is answered with 404. */
export class InvalidPosition extends ApiError {
  static override readonly status = 404
  static override readonly code = 'not_found'
  static override readonly words: Message = Message.of('not_found.position')
}

/** 405 (E1.8); the answer's `Allow` lists the methods that work. */
export class MethodNotAllowed extends ApiError {
  static override readonly status = 405
  static override readonly code = 'method_not_allowed'

  constructor(method: string, detail?: DetailInput) {
    super(detail ?? Message.of('method_not_allowed', { method }))
  }
}

/** 406: no renderer offers what `Accept` asks for (E1.9). */
export class NotAcceptable extends ApiError {
  static override readonly status = 406
  static override readonly code = 'not_acceptable'
}

/** 409: it is not possible in the current state of the data. */
export class Conflict extends ApiError {
  static override readonly status = 409
  static override readonly code = 'conflict'
}

/** 409: another request has changed the row since it was read; nothing was written. `update` and its like start over. */
export class ChangedMeanwhile extends Conflict {
  static override readonly words: Message = Message.of('conflict.changed')
}

/** 410: it existed once. */
export class Gone extends ApiError {
  static override readonly status = 410
  static override readonly code = 'gone'
}

/** 413: the body is larger than `maxBodySize`, or a file in it than `maxFileSize`. */
export class PayloadTooLarge extends ApiError {
  static override readonly status = 413
  static override readonly code = 'payload_too_large'

  /** `words`: which limit it was, in the catalogue. */
  constructor(
    limit: number,
    words:
      | 'payload_too_large'
      | 'payload_too_large.file'
      | 'payload_too_large.fields' = 'payload_too_large',
  ) {
    super(Message.of(words, { limit }))
  }
}

/** 415: no parser reads this type of body, or none its encoding (E1.10). */
export class UnsupportedMediaType extends ApiError {
  static override readonly status = 415
  static override readonly code = 'unsupported_media_type'

  constructor(mediaType: string, detail?: DetailInput, headers: ApiError['headers'] = {}) {
    super(detail ?? Message.of('unsupported_media_type', { type: mediaType }), null, headers)
  }
}

/** 416: the file has no such part. `Content-Range` gives `size`, the bytes of the file. */
export class RangeNotSatisfiable extends ApiError {
  static override readonly status = 416
  static override readonly code = 'range_not_satisfiable'

  constructor(size: number) {
    super(null, null, { 'Content-Range': `bytes */${size}` })
  }
}

/** 429 (E1.11). `wait`: seconds, rounded up in text and `Retry-After`; `null` where unknown (E5, E6). */
export class Throttled extends ApiError {
  static override readonly status = 429
  static override readonly code = 'throttled'
  readonly wait: number | null

  constructor(wait: number | null = null, detail: string | Message = Message.of('throttled')) {
    const count = wait === null ? null : Math.ceil(wait)
    super(
      count === null ? detail : Message.of('throttled.wait', { detail, count }),
      null,
      count ? { 'Retry-After': String(count) } : {},
    )
    this.wait = wait
  }
}

/** 503: there are too many requests, or a service that is needed is unavailable. `Retry-After` says when to try again. */
export class ServiceUnavailable extends ApiError {
  static override readonly status = 503
  static override readonly code = 'unavailable'

  /** `wait`: seconds. */
  constructor(wait = 1, detail?: string | Message) {
    super(detail, null, { 'Retry-After': String(wait) })
  }
}
