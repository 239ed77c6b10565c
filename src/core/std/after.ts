/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** Includes promises of any library: a query of Drizzle, Knex or Prisma is no `Promise`, and runs when it is awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return value instanceof Promise || typeof (value as PromiseLike<T> | null)?.then === 'function'
}

/** The error of code that gave a promise where a value is needed. A failure of the promise must not count as unhandled. */
export function notAwaited(promise: PromiseLike<unknown>, message: string): TypeError {
  Promise.resolve(promise).catch(() => {})
  return new TypeError(message)
}

/** Is the function async? Another function may give a promise too, but this is known before the call. */
export function isAsync(call: unknown): boolean {
  return Object.prototype.toString.call(call) === '[object AsyncFunction]'
}

/** Calls `next` with the value: at once where it is there already, later where it is promised. */
export function after<T, R>(
  value: T | PromiseLike<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}

/** The result of the work; if it fails, at once or later, the result of `recover`. */
export function recoverFrom<T, R>(
  work: () => MaybePromise<T>,
  recover: (error: unknown) => R,
): MaybePromise<T | R> {
  try {
    const done = work()
    return isPromise(done) ? Promise.resolve(done).catch(recover) : done
  } catch (error) {
    return recover(error)
  }
}

const NOW = Promise.resolve()

/**
 * Rejects a moment later, for errors that clients can cause any number of times. Thrown within a call by Node, an error
 * costs six times as much, because the engine searches for the place of each throw.
 */
export function rejectLater(error: () => Error): Promise<never> {
  return NOW.then(() => {
    throw error()
  })
}

/** Runs all work, and fails only once all of it has ended, so that nothing is still under way then. */
export async function allDone(works: readonly (() => unknown)[]): Promise<void> {
  const results = await Promise.allSettled(works.map(async (work) => work()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
