// What policies answer.

/** Who a scheme says is asking. */
export interface Identity<out User = unknown, out Auth = unknown> {
  readonly user: User
  readonly auth: Auth
}

/** A no that brings its own words, where those of the permission do not fit. */
export interface Refusal {
  readonly allowed: false
  /** @default the permission's */
  readonly message?: string | object
  /** @default the permission's */
  readonly code?: string
}

/**
 * What a permission says: yes, no, a no that explains itself, or `null`: no opinion, which
 * denies nothing. Anything else, as programs without types may give it, is a no.
 */
export type Opinion = boolean | null | Refusal

/** `wait`: seconds until it is worth asking again, `null` where that is not known. */
export type Admission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly wait: number | null }
