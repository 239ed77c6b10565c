// What policies and handlers answer to a request.
import type { PageControls } from './pagination.ts'

/** Who a scheme says is asking. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
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
