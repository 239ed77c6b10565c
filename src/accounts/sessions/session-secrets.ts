import { randomBytes } from 'node:crypto'
import { deriveKey } from '../../std/crypto/derive-key.ts'
import { keyedDigest } from '../../std/crypto/keyed-digest.ts'

const BYTES = 32
/** What 32 random bytes look like in base64url: other values of the cookie are nobody's. */
const VALUE = /^[A-Za-z0-9_-]{43}$/
const CSRF_LENGTH = 32

/**
 * How sessions are kept: the table holds keyed digests, so that neither the database alone nor the
 * service's secret alone gives anybody a session.
 */
export class SessionSecrets {
  /** Under the current secret. */
  readonly digest: (cookie: string) => string
  /** Under the ones before it, which still find sessions. */
  readonly earlier: readonly ((cookie: string) => string)[]
  readonly #csrf: (cookie: string) => string

  constructor([current = '', ...fallbacks]: readonly string[]) {
    this.digest = digestUnder(current)
    this.earlier = fallbacks.map(digestUnder)
    this.#csrf = keyedDigest(deriveKey(current, 'csrf of session'))
  }

  /** S10: 32 characters. It is made from the value of the cookie, so it has to be stored nowhere. */
  csrfSecret(cookie: string): string {
    return this.#csrf(cookie).slice(0, CSRF_LENGTH)
  }
}

function digestUnder(secretKey: string): (cookie: string) => string {
  return keyedDigest(deriveKey(secretKey, 'session digest'))
}

/** The value of a session cookie that nobody has guessed. */
export function newSessionValue(): string {
  return randomBytes(BYTES).toString('base64url')
}

/** Could this be one of ours? Others are not worth a question to the database. */
export function isSessionValue(value: string): boolean {
  return VALUE.test(value)
}
