import type { RemoteUserSource } from './remote-user.ts'
import type { Incoming, MaybePromise } from './request.ts'
import type { Route } from '../types/routes.ts'

/** Who a scheme says is asking. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
}

/** What a policy may ask of the service in which it is to work. */
export interface ServiceFacts {
  /** Is there a secret to seal with? */
  readonly hasSecret: boolean
  readonly remoteUserSource: RemoteUserSource | null
  /** The whole address table. */
  readonly routes: readonly Route[]
}

/** A way to find out who is asking. */
export interface Authenticator<out User = unknown, out Auth = unknown> {
  /**
   * `null`: not attempted, the next scheme is tried.
   *
   * @throws AuthenticationFailed attempted, and answered at once
   */
  readonly authenticate: (request: Incoming) => MaybePromise<Identity<User, Auth> | null>
  /** Value of `WWW-Authenticate`. A first scheme without one turns 401 into 403. */
  authenticateHeader?(request: Incoming): string | null
  /** Asked when the service starts: what it misses, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(service: ServiceFacts): string | null
}
