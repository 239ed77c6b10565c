// The port of authentication schemes: who is asking.
import type { BrowserAccess } from '../page.ts'
import type { Handler } from '../kernel.ts'
import type { ApiRequest, Incoming } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { MaybePromise } from '../../std/after.ts'
import type { SecurityFacts } from '../../types/documents.ts'

/** A way to find out who is asking. */
export interface Authenticator<out User = unknown, out Auth = unknown> {
  /** `null`: not attempted, the next scheme is tried. Throws `AuthenticationFailed`, answered at once. */
  readonly authenticate: (request: Incoming) => MaybePromise<Identity<User, Auth> | null>
  /** Value of `WWW-Authenticate`. A first scheme without one turns 401 into 403. `isRefused`: a scheme refused what was sent. */
  authenticateHeader?(request: Incoming, isRefused?: boolean): string | null
  /** The same of a 403, where the credentials that this scheme took lack one of these scopes (RFC 6750, 3.1). @default none */
  scopeChallenge?(scopes: readonly string[]): string
  /** Headers of the answers to requests that it has identified, such as a nonce for the next one. @default none */
  answerHeaders?(request: Incoming): Readonly<Record<string, string>>
  /** How clients send it, for documents. @default something in `Authorization` */
  security?(): SecurityFacts
  /** What each request carries as it is, so that a reader on the way could use it: findings warn of it. @default neither */
  readonly sends?: 'password' | 'token'
  /** For a scheme that browsers send by themselves: what pages need in order to log in, and to send forms. */
  readonly browser?: BrowserAccess<Incoming>
  /** Asked when the service starts: what it misses, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(service: ServiceFacts): string | null
}

/** Who a scheme says is asking. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
  /**
   * When this user proved who they are, by a password or more: of a session, when it began. Credentials that are only kept,
   * such as tokens, prove nothing anew. @default not known
   */
  readonly authenticatedAt?: Date | null
  /** Whose view this user wants to see on pages. @default their own */
  readonly acting?: ActedFor | null
}

/** Another identity, in whose place pages are shown: `actingAs` of `colophon/browsable` makes it. */
export interface ActedFor {
  /** What a page calls it. */
  readonly name: string
  /** Answers in place of the handler, where people will see the answer. */
  answer(handle: Handler, request: ApiRequest): MaybePromise<unknown>
}
