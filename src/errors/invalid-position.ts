import { ApiError } from './api-error.ts'

/** A position that is none of the order it is used with; nothing was read. Uncaught, it is answered like any 404. */
export class InvalidPosition extends ApiError {
  static override readonly status = 404
  static override readonly code = 'not_found'
  static override readonly detail = 'There is no such place in this list.'
}
