/** The result of `make`; `null` if it throws an error of this kind. */
export function attempt<T>(kind: abstract new (...parts: never) => Error, make: () => T): T | null {
  try {
    return make()
  } catch (error) {
    if (error instanceof kind) return null
    throw error
  }
}
