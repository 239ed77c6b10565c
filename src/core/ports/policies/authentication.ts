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
  /** The challenge of a 403, if the credentials lack one of these scopes (RFC 6750, 3.1). @default none */
  scopeChallenge?(scopes: readonly string[]): string
  /** Headers for answers to requests that this scheme identified, such as a nonce for the next request. @default none */
  answerHeaders?(request: Incoming): Readonly<Record<string, string>>
  /** The form of the credentials, for documents. @default something in `Authorization` */
  security?(): SecurityFacts
  /**
   * The credential that each request carries in clear, which a reader on the way could use: findings warn of it. @default
   * neither
   */
  readonly sends?: 'password' | 'token'
  /** The parts that pages need to log in and to send forms, if browsers send the credentials by themselves. */
  readonly browser?: BrowserAccess<Incoming>
  /** Called when the service starts: the problem as the rest of a sentence (`needs …`); `null`: none. */
  check?(service: ServiceFacts): string | null
}

/** The identity that a scheme has found. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
  /**
   * When this user proved who they are, by a password or more. For a session it is the time when the session began.
   * Credentials that are only kept, such as tokens, prove nothing anew. @default not known
   */
  readonly authenticatedAt?: Date | null
  /** The user whose view this user wants to see on pages. @default their own */
  readonly acting?: ActedFor | null
}

/** Another identity, whose view pages show: `actingAs` of `colophon/browsable` makes it. */
export interface ActedFor {
  /** The name that a page shows. */
  readonly name: string
  /** Answers in place of the handler if people will see the answer. */
  answer(handle: Handler, request: ApiRequest): MaybePromise<unknown>
}
