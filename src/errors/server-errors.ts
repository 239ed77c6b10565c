import { ApiError } from './api-error.ts'

/** 503: too much at once, or something that is needed is away. `Retry-After` says when to come back. */
export class ServiceUnavailable extends ApiError {
  static override readonly status = 503
  static override readonly code = 'unavailable'
  static override readonly detail = 'There is too much to do right now. Try again in a moment.'

  /** `wait`: seconds. */
  constructor(wait = 1, detail?: string) {
    super(detail, null, { 'Retry-After': String(wait) })
  }
}
