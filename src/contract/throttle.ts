import type { ApiRequest, MaybePromise } from './request.ts'

/** `wait`: seconds until it is worth asking again, `null` where nobody can say. */
export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly wait: number | null }

/** Decides whether a request comes too soon. `null`: no opinion. */
export interface Throttle {
  admit(request: ApiRequest): MaybePromise<Verdict | null>
}
