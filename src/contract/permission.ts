import type { ApiRequest, MaybePromise } from './request.ts'

/** Decides whether a request may go on. */
// oxlint-disable-next-line no-explicit-any -- a permission without object rules fits any target
export interface Permission<in Target = any, out Grant = unknown> {
  /** Body of the refusal, where the asker is known. */
  readonly message?: string | object
  readonly code?: string
  /** `null`: no opinion, which denies nobody. */
  hasPermission?(request: ApiRequest): MaybePromise<boolean | null>
  hasObjectPermission?(request: ApiRequest, target: Target): MaybePromise<boolean | null>
  /** Type only: what is known about `request.user` once this permission has said yes. */
  readonly '~grants'?: Grant
}
