/** A value, or a promise of it. Only real promises are awaited. */
export type MaybePromise<T> = T | Promise<T>

/** Calls `next` with the value: at once where it is there already, later where it is promised. */
export function after<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
