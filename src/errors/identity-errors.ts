import { ApiError } from './api-error.ts'

/** Credentials were shown and are not good (E1.4). Answered with 401, or 403 where nobody challenges (A40). */
export class AuthenticationFailed extends ApiError {
  static override readonly status = 401
  static override readonly code = 'authentication_failed'
  static override readonly detail = 'These credentials are not valid.'
}

/** No credentials were shown and some are needed (E1.5). Answered with 401, or 403 where nobody challenges (A40). */
export class NotAuthenticated extends ApiError {
  static override readonly status = 401
  static override readonly code = 'not_authenticated'
  static override readonly detail = 'Say who you are: this endpoint needs credentials.'
}

/** 403: known, and not allowed (E1.6). */
export class PermissionDenied extends ApiError {
  static override readonly status = 403
  static override readonly code = 'permission_denied'
  static override readonly detail = 'You are not allowed to do this.'
}
