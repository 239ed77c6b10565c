// The port of permissions: may the request proceed?
import type { ApiRequest } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { MaybePromise } from '../../std/after.ts'

/** Decides whether a request may proceed. `Rq` is what it needs to know about it (`RequestWith<{ user: User }>`). */
// oxlint-disable-next-line no-explicit-any -- a permission without object rules fits any target
export interface Permission<in Target = any, out Grant = unknown, Rq = ApiRequest> {
  /** Body of the refusal, where the asker is known. */
  readonly message?: string | object
  readonly code?: string
  /** How `colophon routes` shows it: `HasRole(admin)`. @default the name of its class */
  readonly description?: string
  /** Asked for every request, before the handler. */
  hasPermission?(request: Rq): MaybePromise<Opinion>
  /** Asked where an endpoint has found its object: `request.checkObjectPermissions`, `retrieve`, `found`. */
  hasObjectPermission?(request: Rq, target: Target): MaybePromise<Opinion>
  /** Asked when the service starts: what it misses, as the rest of a sentence (`asks for …`). `null`: nothing. */
  check?(service: ServiceFacts): string | null
  /** For documents: does it refuse every request of this method without a user? Absent: clients may try without. */
  needsUser?(method: string): boolean
  /** For documents: what a token that is limited to scopes must have, all of them. @default nothing */
  readonly scopes?: readonly string[]
  /** Type only: what is known about `request.user` once this permission has agreed. */
  readonly '~grants'?: Grant
}

/** A no with its own words, by default those of the permission. */
export interface Refusal {
  readonly allowed: false
  readonly message?: string | object
  readonly code?: string
}

/** `null`: no opinion, which denies nothing. Anything else, as programs without types may give it, is a no. */
export type Opinion = boolean | null | Refusal
