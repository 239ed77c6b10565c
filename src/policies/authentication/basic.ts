import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Incoming } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { PasswordVerifier, User } from '../../core/ports/credentials.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { AuthenticationFailed } from '../../core/errors/api-errors.ts'
import { credentialWords, utf8FromBytes } from '../../core/std/http/authorization.ts'
import { toQuotedString } from '../../core/std/http/header-value.ts'
import { refuseForeign } from './csrf/foreign-requests.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'
import { checkNames } from '../../core/settings/options.ts'

/** Options of the Basic scheme. */
export interface BasicAuthenticationOptions<U extends User = User> {
  /** The check of passwords: `accounts.users`, or your own. */
  readonly users: PasswordVerifier<U>
  /** The name of the protected area, which browsers show in the challenge: printable ASCII. @default 'api' */
  readonly realm?: string
}

/**
 * `Authorization: Basic <base64 of username:password>` (AB1–AB13). The user is the one
 * with the password, `auth` is `null`. Whatever is wrong, from bad base64 to an inactive user, gets
 * one and the same answer (I5). A browser repeats a password that it knows, also for pages of
 * other sites: requests that write and come from one of these are 403 (I18).
 *
 * @throws ConfigurationError the realm cannot be written in a header
 * @example
 * const authentication = [new BasicAuthentication({ users: accounts.users, realm: 'reading room' })]
 */
export class BasicAuthentication<U extends User = User> implements Authenticator<U, null> {
  static readonly options: readonly string[] = ['realm']
  static readonly needs: readonly string[] = ['users']

  readonly sends = 'password'
  readonly realm: string
  readonly #users: PasswordVerifier<U>

  constructor(options: BasicAuthenticationOptions<U>) {
    checkNames(new.target, options)
    const { users, realm = 'api' } = options
    this.#users = users
    this.realm = realm
    challengeFor(realm)
  }

  /** @throws CsrfFailed (403) another site has made the browser send this */
  authenticate(request: Incoming): MaybePromise<Identity<U, null> | null> {
    const [scheme, word, ...others] = credentialWords(request.header('authorization'))
    if (scheme?.toLowerCase() !== 'basic') return null
    refuseForeign(request)
    // Exactly one word behind the first (AB3).
    const sent = word === undefined || others.length > 0 ? null : basicCredentials(word)
    if (sent === null) throw new AuthenticationFailed()
    return after(this.#users.authenticate(sent.username, sent.password, request), identify)
  }

  security(): SecurityFacts {
    return { name: 'Basic', scheme: { type: 'http', scheme: 'basic' } }
  }

  authenticateHeader(): string {
    return challengeFor(this.realm)
  }
}

/** A check of the application's own may give inactive users too (AB8). */
function identify<U extends User>(user: U | null): Identity<U, null> {
  if (user === null || !user.isActive) throw new AuthenticationFailed()
  return { user, auth: null, authenticatedAt: new Date() }
}

function challengeFor(realm: unknown): string {
  const quoted = typeof realm === 'string' ? toQuotedString(realm) : null
  if (quoted !== null) return `Basic realm=${quoted}`
  throw new ConfigurationError(
    `BasicAuthentication: "realm" must be printable ASCII, but is ${JSON.stringify(realm)}.`,
  )
}

/**
 * Reads what stands behind `Basic` (RFC 7617 §2): base64 of `username:password`, split at the first
 * colon (AB6). Bytes that are not UTF-8 are Latin-1 (AB5). `null`: not well-formed.
 */
export function basicCredentials(word: string): { username: string; password: string } | null {
  const bytes = Buffer.from(word, 'base64')
  // The decoder skips other characters than base64 and forgives padding, so only its own output is accepted (I6).
  if (bytes.toString('base64') !== word) return null
  const text = utf8FromBytes(bytes) ?? bytes.toString('latin1')
  const colon = text.indexOf(':')
  if (colon < 0 || CONTROL.test(text)) return null
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

// RFC 7617 §2: neither user name nor password has any of them.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1F\x7F]/
