// The port of permissions: may the request proceed?
import type { ApiRequest } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { MaybePromise } from '../../std/after.ts'

/** Decides whether a request may proceed. `Rq` is what it needs to know about it (`RequestWith<{ user: User }>`). */
// oxlint-disable-next-line no-explicit-any -- a permission without object rules fits any target
export interface Permission<in Target = any, out Grant = unknown, Rq = ApiRequest> {
  /** Body of the refusal, if the user is known. */
  readonly message?: string | object
  readonly code?: string
  /** The description in `colophon routes`: `HasRole(admin)`. @default the name of its class */
  readonly description?: string
  /** Asked for every request, before the handler. */
  hasPermission?(request: Rq): MaybePromise<Opinion>
  /** Asked where an endpoint has found its object: `request.checkObjectPermissions`, `retrieve`, `found`. */
  hasObjectPermission?(request: Rq, target: Target): MaybePromise<Opinion>
  /** Called when the service starts: the problem as the rest of a sentence (`asks for …`); `null`: none. */
  check?(service: ServiceFacts): string | null
  /** For documents: does it refuse every request of this method without a user? Absent: clients may try without. */
  needsUser?(method: string): boolean
  /** For documents: the scopes, all of which a limited token needs. @default none */
  readonly scopes?: readonly string[]
  /** Type only: the facts about `request.user` once this permission has agreed. */
  readonly '~grants'?: Grant
}

/** A refusal with words of its own; by default the words are those of the permission. */
export interface Refusal {
  readonly allowed: false
  readonly message?: string | object
  readonly code?: string
}

/** `null`: no opinion, which denies nothing. Anything else, as programs without types may give it, is a no. */
export type Opinion = boolean | null | Refusal
