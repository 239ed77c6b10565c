import type { Authenticator, Identity, ServiceFacts } from '../contract/authentication.ts'
import type { RemoteUserBackend, User } from '../contract/credentials.ts'
import type { Incoming, MaybePromise } from '../contract/request.ts'
import { type OptionRule, able, checkOptions, TEXT } from '../settings/options.ts'
import { after } from '../std/after.ts'
import { CsrfFailed } from './csrf/csrf-failed.ts'

/** What the remote-user scheme is made from. */
export interface RemoteUserAuthenticationOptions {
  /** Where users are found, and made: `accounts.users`, or a backend of your own. */
  readonly users: RemoteUserBackend
  /** Variable of `request.environ` that holds the name. @default 'REMOTE_USER' */
  readonly variable?: string
  /**
   * Refuses requests that write (403) where the browser says that another site has made it send them:
   * by `Origin`, or by `Sec-Fetch-Site`. What names the user is sent by browsers without being asked,
   * so say it where people use the service with a browser. Programs send neither header.
   *
   * @default false
   */
  readonly sameOrigin?: boolean
}

const FLAG: OptionRule = { wants: 'true or false', fits: (value) => typeof value === 'boolean' }

/**
 * Believes the web server in front, which has authenticated the user already (document 5.2, RU1–RU7).
 * `auth` is `null`. Without a name, and for an inactive user, the next scheme is tried. There is no
 * challenge, and no CSRF check but the one of `sameOrigin`.
 *
 * The name comes from the channel that the operator says with `REMOTE_USER_SOURCE`, never from a
 * header that a client can send: see docs/remote-user.md.
 *
 * @throws ConfigurationError when the service starts: there is no such channel
 * @example
 * const api = defineApi({ urls, authentication: [new RemoteUserAuthentication(accounts)] })
 */
export class RemoteUserAuthentication implements Authenticator<User, null> {
  static readonly options: readonly string[] = ['variable', 'sameOrigin']
  static readonly needs: readonly string[] = ['users']

  readonly variable: string
  readonly sameOrigin: boolean
  readonly #users: RemoteUserBackend

  constructor(options: RemoteUserAuthenticationOptions) {
    checkOptions('RemoteUserAuthentication', options, {
      users: able('remoteUser'),
      variable: TEXT,
      sameOrigin: FLAG,
    })
    this.#users = options.users
    this.variable = options.variable ?? 'REMOTE_USER'
    this.sameOrigin = options.sameOrigin ?? false
  }

  /** @throws CsrfFailed (403) with `sameOrigin`: another site has made the browser send this */
  authenticate(request: Incoming): MaybePromise<Identity<User, null> | null> {
    const username = request.environ[this.variable]
    if (username === undefined || username === '') return null
    if (this.sameOrigin && isForeign(request)) throw new CsrfFailed('origin-mismatch')
    return after(this.#users.remoteUser(username), identify)
  }

  check({ remoteUserSource }: ServiceFacts): string | null {
    return remoteUserSource === null ? MISSING : null
  }
}

const MISSING =
  'needs to know who names the user. Set REMOTE_USER_SOURCE, for instance to {"header": "X-Remote-User", "proxies": ["127.0.0.1"]}, or take the scheme out.'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
/** A site is more than an origin: a neighbour under the same domain is not us. */
const FOREIGN_SITES: ReadonlySet<string | null> = new Set(['cross-site', 'same-site'])

function isForeign({ method, header, origin }: Incoming): boolean {
  if (SAFE.has(method)) return false
  const from = header('origin')
  return (from !== null && from !== origin) || FOREIGN_SITES.has(header('sec-fetch-site'))
}

// RU5: a user who has been switched off is nobody, and no error.
function identify(user: User | null): Identity<User, null> | null {
  return user?.isActive ? { user, auth: null } : null
}
