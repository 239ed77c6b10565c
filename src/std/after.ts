/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** Of any library: a query of Drizzle, Knex or Prisma is no `Promise`, and runs when it is awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return value instanceof Promise || typeof (value as PromiseLike<T> | null)?.then === 'function'
}

/** Calls `next` with the value: at once where it is there already, later where it is promised. */
export function after<T, R>(
  value: T | PromiseLike<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
