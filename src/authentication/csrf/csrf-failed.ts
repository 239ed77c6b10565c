import { PermissionDenied } from '../../errors/api-errors.ts'

/** What programs may know about a refusal, and people too: nothing here repeats what was sent (S20, D17). */
const SENTENCES = {
  'origin-mismatch': 'the request comes from another site.',
  'referer-missing':
    'a request by HTTPS has to say which page it comes from, and this one does not.',
  'referer-malformed': 'the page that the request comes from cannot be read.',
  'referer-insecure': 'the page that the request comes from was not loaded by HTTPS.',
  'referer-mismatch': 'the request comes from another site.',
  'cookie-missing': 'the CSRF cookie is missing.',
  'cookie-malformed': 'the CSRF cookie is not one of ours.',
  'token-missing': 'the CSRF token is missing.',
  'token-malformed': 'the CSRF token has not the form of one.',
  'token-incorrect': 'the CSRF token does not belong to the cookie.',
} as const

/** Why a request failed the CSRF check, as a code (S20). */
export type CsrfReason = keyof typeof SENTENCES

/**
 * 403: the request may have been made by another site in the name of the user (S4). Its `code` is that
 * of every denial; `reason` says which check failed, and stands at the end of the text in brackets.
 */
export class CsrfFailed extends PermissionDenied {
  readonly reason: CsrfReason

  constructor(reason: CsrfReason) {
    super(`CSRF failed: ${SENTENCES[reason]} (${reason})`)
    this.reason = reason
  }
}
