/** What `make` gives; `null` where it throws an error of this kind. */
export function attempt<T>(kind: abstract new (...parts: never) => Error, make: () => T): T | null {
  try {
    return make()
  } catch (error) {
    if (error instanceof kind) return null
    throw error
  }
}
