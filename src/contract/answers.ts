// What policies and handlers answer to a request.
import type { MaybePromise } from '../std/after.ts'
import type { PageControls } from './pagination.ts'

/** Who a scheme says is asking. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
  /** Whose view this user wants to see on pages. @default their own */
  readonly acting?: ActedFor | null
}

/** Another identity, in whose place a page is shown as far as both may see it. */
export interface ActedFor<in Rq = never> {
  /** What a page calls it. */
  readonly name: string
  readonly user: unknown
  readonly auth: unknown
  /** May the user of this request do that? Asked at each request, before anything is answered. */
  permits(request: Rq): MaybePromise<boolean>
}

/** A no with its own words, by default those of the permission. */
export interface Refusal {
  readonly allowed: false
  readonly message?: string | object
  readonly code?: string
}

/** `null`: no opinion, which denies nothing. Anything else, as programs without types may give it, is a no. */
export type Opinion = boolean | null | Refusal

/** An answer before anyone has rendered it. `data: null` is an answer without a body. */
export interface Reply<Data = unknown> {
  readonly status: number
  /** Several values, such as those of `Set-Cookie`, go out as several lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly data: Data
  /** Replaces the renderer's own `Content-Type`. */
  readonly contentType?: string
  /** Asked only by renderers that make pages. */
  readonly controls?: () => PageControls | null
}
