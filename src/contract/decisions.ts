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

/** `wait`: seconds until it is worth asking again, `null` where that is not known. */
export type Admission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly wait: number | null }
