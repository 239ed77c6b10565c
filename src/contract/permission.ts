import type { ApiRequest, MaybePromise } from './request.ts'

/** A no that brings its own words, where those of the permission do not fit. */
export interface Refusal {
  readonly allowed: false
  /** @default the permission's */
  readonly message?: string | object
  /** @default the permission's */
  readonly code?: string
}

/**
 * What a permission says: yes, no, a no that explains itself, or `null`: no opinion, which denies
 * nobody. Anything else, as programs without types may give it, is a no.
 */
export type Opinion = boolean | null | Refusal

/** Decides whether a request may go on. */
// oxlint-disable-next-line no-explicit-any -- a permission without object rules fits any target
export interface Permission<in Target = any, out Grant = unknown> {
  /** Body of the refusal, where the asker is known. */
  readonly message?: string | object
  readonly code?: string
  /** Asked for every request, before the handler. */
  hasPermission?(request: ApiRequest): MaybePromise<Opinion>
  /** Asked where an endpoint has found its object: `request.checkObjectPermissions`, `retrieve`, `found`. */
  hasObjectPermission?(request: ApiRequest, target: Target): MaybePromise<Opinion>
  /** Type only: what is known about `request.user` once this permission has said yes. */
  readonly '~grants'?: Grant
}
