// Assertions for the compiler. Nothing in this folder runs: `tsc` reads it, and complains where a claim is wrong.

/** `true` where both are the same type; a union with `any` or a member more is another type. */
export type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A claim: compiles for `true` alone. */
export declare const expectType: <_ extends true>() => void
