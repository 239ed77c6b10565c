import { ApiError } from './api-error.ts'
import type { DetailInput } from './detail.ts'

/** 400: the data was understood and is not right (E1.2). The detail is the body (E20). */
export class ValidationError extends ApiError {
  static override readonly status = 400
  static override readonly code = 'invalid'
  static override readonly detail = 'Some of this data is not right.'

  constructor(detail: DetailInput = ValidationError.detail, code?: string | null) {
    super(typeof detail === 'string' ? [detail] : detail, code)
  }
}

/** 400: the body cannot be read at all (E1.3). */
export class ParseError extends ApiError {
  static override readonly status = 400
  static override readonly code = 'parse_error'
  static override readonly detail = 'The request could not be read.'
}

/** 404 (E1.7). */
export class NotFound extends ApiError {
  static override readonly status = 404
  static override readonly code = 'not_found'
  static override readonly detail = 'There is nothing here.'
}

/** 405 (E1.8); the answer's `Allow` says what works. */
export class MethodNotAllowed extends ApiError {
  static override readonly status = 405
  static override readonly code = 'method_not_allowed'

  constructor(method: string, detail?: DetailInput) {
    super(detail ?? `${method} is not possible here.`)
  }
}

/** 406: no renderer offers what `Accept` asks for (E1.9). */
export class NotAcceptable extends ApiError {
  static override readonly status = 406
  static override readonly code = 'not_acceptable'
  static override readonly detail = 'None of the accepted media types can be served.'
}

/** 409: it cannot be done to the thing as it is now. */
export class Conflict extends ApiError {
  static override readonly status = 409
  static override readonly code = 'conflict'
  static override readonly detail: string = 'This does not go with the present state of things.'
}

/**
 * 409: somebody else has changed it since it was read, and nothing was written. `update`, `partialUpdate`
 * and `destroy` start over where `save` or `remove` throws it.
 */
export class ChangedMeanwhile extends Conflict {
  static override readonly detail = 'Somebody else is changing this at the same time. Try again.'
}

/** 410: it was here once. */
export class Gone extends ApiError {
  static override readonly status = 410
  static override readonly code = 'gone'
  static override readonly detail = 'This is no longer here.'
}

/** 413: the body is larger than `DATA_UPLOAD_MAX_MEMORY_SIZE` (instead of B7's 400). */
export class PayloadTooLarge extends ApiError {
  static override readonly status = 413
  static override readonly code = 'payload_too_large'

  constructor(limit: number) {
    super(`The body is larger than the ${limit} bytes allowed.`)
  }
}

/** 415: no parser reads this type of body (E1.10). */
export class UnsupportedMediaType extends ApiError {
  static override readonly status = 415
  static override readonly code = 'unsupported_media_type'

  constructor(mediaType: string, detail?: DetailInput) {
    super(detail ?? `Bodies of type "${mediaType}" are not read here.`)
  }
}

/** 429 (E1.11). `wait`: seconds, rounded up in text and `Retry-After`; `null` where unknown (E5, E6). */
export class Throttled extends ApiError {
  static override readonly status = 429
  static override readonly code = 'throttled'
  readonly wait: number | null

  constructor(wait: number | null = null, detail: string = 'Too many requests.') {
    const seconds = wait === null ? null : Math.ceil(wait)
    super(
      seconds === null
        ? detail
        : `${detail} Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      null,
      seconds ? { 'Retry-After': String(seconds) } : {},
    )
    this.wait = wait
  }
}
