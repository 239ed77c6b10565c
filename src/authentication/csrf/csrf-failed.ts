import { PermissionDenied } from '../../errors/api-errors.ts'
import { Message } from '../../messages/message.ts'

/** Why a request failed the CSRF check, as a code (S20). */
export type CsrfReason =
  | 'origin-mismatch'
  | 'referer-missing'
  | 'referer-malformed'
  | 'referer-insecure'
  | 'referer-mismatch'
  | 'cookie-missing'
  | 'cookie-malformed'
  | 'token-missing'
  | 'token-malformed'
  | 'token-incorrect'

/**
 * 403: the request may have been made by another site in the name of the user (S4). Its `code` is that
 * of every denial; `reason` says which check failed, and stands at the end of the text in brackets.
 * Nothing that was sent is repeated (S20, D17).
 */
export class CsrfFailed extends PermissionDenied {
  readonly reason: CsrfReason

  constructor(reason: CsrfReason) {
    super(Message.of(`permission_denied.${reason}`, { reason }))
    this.reason = reason
  }
}
