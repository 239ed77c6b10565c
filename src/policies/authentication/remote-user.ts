import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Incoming } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import type { RemoteUserBackend, User } from '../../core/ports/credentials.ts'
import { TEXT, able, checkNames, checkOptions } from '../../core/settings/options.ts'
import { refuseForeign } from './csrf/foreign-requests.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'

/** Options of the remote-user scheme. */
export interface RemoteUserAuthenticationOptions<U extends User = User> {
  /** The backend that finds and makes users: `accounts.users`, or your own. */
  readonly users: RemoteUserBackend<U>
  /** Variable of `request.environ` that holds the name. @default 'REMOTE_USER' */
  readonly variable?: string
}

/**
 * Believes the web server in front, which has authenticated the user already (RU1–RU7).
 * `auth` is `null`. Without a name, and for an inactive user, the next scheme is tried. There is no
 * challenge, and no CSRF token is asked for. A browser repeats what has named the user for pages of other
 * sites too: requests that write and come from one of these are 403 (I18).
 *
 * The name comes from the channel that the operator sets with `REMOTE_USER_SOURCE`, never from a
 * header that a client can send: see docs/remote-user.md.
 *
 * @throws ConfigurationError when the service starts: there is no such channel
 * @example
 * const api = defineApi({ urls, authentication: [new RemoteUserAuthentication(accounts)] })
 */
export class RemoteUserAuthentication<U extends User = User> implements Authenticator<U, null> {
  static readonly options: readonly string[] = ['variable']
  static readonly needs: readonly string[] = ['users']

  readonly variable: string
  readonly #users: RemoteUserBackend<U>

  constructor(options: RemoteUserAuthenticationOptions<U>) {
    checkNames(new.target, options)
    checkOptions('RemoteUserAuthentication', options, { users: able('remoteUser'), variable: TEXT })
    this.#users = options.users
    this.variable = options.variable ?? 'REMOTE_USER'
  }

  /** @throws CsrfFailed (403) another site has made the browser send this */
  authenticate(request: Incoming): MaybePromise<Identity<U, null> | null> {
    const username = request.environ[this.variable]
    if (username === undefined || username === '') return null
    refuseForeign(request)
    // A user who has been switched off counts as none, and is no error (RU5).
    return after(this.#users.remoteUser(username), (user) =>
      user?.isActive ? { user, auth: null } : null,
    )
  }

  security(): SecurityFacts {
    const description =
      'The web server in front authenticates the client, and names the user here. Clients do not send it.'
    const scheme = { type: 'apiKey', in: 'header', name: this.variable, description }
    return { name: 'RemoteUser', scheme }
  }

  check({ remoteUserSource }: ServiceFacts): string | null {
    if (remoteUserSource !== null) return null
    return 'needs to know who names the user. Set REMOTE_USER_SOURCE, for instance to {"header": "X-Remote-User", "proxies": ["127.0.0.1"]}, or take the scheme out.'
  }
}
