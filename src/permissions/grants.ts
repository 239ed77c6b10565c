import type { Permission } from '../contract/permission.ts'

// oxlint-disable no-explicit-any -- each `any` stands for the half of a pair that is not asked for
/** What a permission proves about the user; of several, what any of them proves. */
export type GrantOf<P> = P extends Permission<any, infer G> ? G : never

/** What a list of permissions proves together. */
export type Grants<L> = L extends readonly [infer H, ...infer T] ? GrantOf<H> & Grants<T> : unknown

/** The objects that all permissions of a list can judge. */
export type Targets<L> = L extends readonly [infer H, ...infer T]
  ? (H extends Permission<infer X, any> ? X : unknown) & Targets<T>
  : unknown
