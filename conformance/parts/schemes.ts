import {
  type AnonymousUser,
  AuthenticationFailed,
  BasicAuthentication,
  type Identity,
  type Incoming,
  NotAuthenticated,
  PermissionDenied,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  type User,
  anonymousUser,
} from 'colophon'
import type { Authenticator } from 'colophon/types'
import type { Accounts } from 'colophon/accounts'
import { ServiceUnavailable } from './errors.ts'

class RealmBasicAuthentication extends BasicAuthentication {
  constructor({ users }: Pick<Accounts, 'users'>) {
    super({ users, realm: 'reading room' })
  }
}

class BearerAuthentication extends TokenAuthentication {
  override readonly keyword = 'Bearer'
}

/** The header `X-Api-User` names an active user. */
class QuietApiUserAuthentication implements Authenticator<User, string> {
  readonly #users: Accounts['users']

  constructor({ users }: Pick<Accounts, 'users'>) {
    this.#users = users
  }

  async authenticate(request: Incoming): Promise<Identity<User, string> | null> {
    const name = request.header('x-api-user')
    if (name === null) return null
    const user = await this.#users.byUsername(name)
    if (user === null || !user.isActive) throw new AuthenticationFailed()
    return { user, auth: `api-user:${name}` }
  }
}

class ApiUserAuthentication extends QuietApiUserAuthentication {
  authenticateHeader(): string {
    return 'ApiUser realm="library"'
  }
}

class PassingAuthentication implements Authenticator<never, never> {
  authenticate(): null {
    return null
  }
}

class PassingChallengeAuthentication extends PassingAuthentication {
  authenticateHeader(): string {
    return 'Passing'
  }
}

class RejectingAuthentication implements Authenticator<never, never> {
  authenticate(): never {
    throw new AuthenticationFailed()
  }
}

class RejectingChallengeAuthentication extends RejectingAuthentication {
  authenticateHeader(): string {
    return 'Rejecting'
  }
}

class DetailRejectingAuthentication implements Authenticator<never, never> {
  authenticate(): never {
    throw new AuthenticationFailed({ reason: 'locked', attempts: ['first', 'second'] })
  }

  authenticateHeader(): string {
    return 'Detail'
  }
}

class MissingAuthentication implements Authenticator<never, never> {
  authenticate(): never {
    throw new NotAuthenticated()
  }

  authenticateHeader(): string {
    return 'Missing'
  }
}

class ForbiddingAuthentication implements Authenticator<never, never> {
  authenticate(): never {
    throw new PermissionDenied()
  }

  authenticateHeader(): string {
    return 'Forbidding'
  }
}

class UnavailableAuthentication implements Authenticator<never, never> {
  authenticate(): never {
    throw new ServiceUnavailable()
  }
}

/** Knows that a request was signed, not by whom. */
class SignedAnonymousAuthentication implements Authenticator<AnonymousUser, string> {
  authenticate(request: Incoming): Identity<AnonymousUser, string> | null {
    const signature = request.header('x-signature')
    return signature === null ? null : { user: anonymousUser(), auth: `signature:${signature}` }
  }

  authenticateHeader(): string {
    return 'Signature'
  }
}

class NullUserAuthentication implements Authenticator<null, string> {
  authenticate(): Identity<null, string> {
    return { user: null, auth: 'null-user' }
  }

  authenticateHeader(): string {
    return 'Null'
  }
}

/** The schemes of SERVICE §3, by name. The name of the class is the name that identities tell. */
export function schemesOf(accounts: Accounts): Readonly<Record<string, Authenticator>> {
  return byClassName([
    new BasicAuthentication(accounts),
    new RealmBasicAuthentication(accounts),
    new SessionAuthentication(accounts),
    new RemoteUserAuthentication(accounts),
    new TokenAuthentication(accounts),
    new BearerAuthentication(accounts),
    new ApiUserAuthentication(accounts),
    new QuietApiUserAuthentication(accounts),
    new PassingAuthentication(),
    new PassingChallengeAuthentication(),
    new RejectingAuthentication(),
    new RejectingChallengeAuthentication(),
    new DetailRejectingAuthentication(),
    new MissingAuthentication(),
    new ForbiddingAuthentication(),
    new UnavailableAuthentication(),
    new SignedAnonymousAuthentication(),
    new NullUserAuthentication(),
  ])
}

function byClassName(schemes: readonly Authenticator[]): Readonly<Record<string, Authenticator>> {
  return Object.fromEntries(schemes.map((scheme) => [scheme.constructor.name, scheme]))
}
