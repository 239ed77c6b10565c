import type { Contract } from './operations.ts'

/** What a client can be made for. */
export type AnyService = Contract

/** The versions that it has; `null`: none. */
export type VersionOf<A> = A extends Contract ? A['version'] : never

/** The version that can be left out: there is one. */
export type OnlyVersion<V> = V

/** By name of the endpoint, what can be asked in the version. */
export type OperationsOf<A, _V> = A extends Contract ? A['operations'] : never
