/** Calls `next` with the value: at once where it is there already, later where it is promised. */
export function after<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
