/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** Of any library: a query of Drizzle, Knex or Prisma is no `Promise`, and runs when it is awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return value instanceof Promise || typeof (value as PromiseLike<T> | null)?.then === 'function'
}

/** Known before it is called; another function may give a promise too. */
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

/** What the work gives; where it fails, at once or later, what `recover` makes of the failure. */
export function recovering<T, R>(
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
 * Fails a moment later, for what clients make fail all the time. There it costs a sixth: within a call by Node itself, the engine
 * finds out where each error is thrown, and once more where it is thrown again.
 */
export function failing(error: () => Error): Promise<never> {
  return NOW.then(() => {
    throw error()
  })
}

/** Fails when all of it has come to an end, so that nothing is still under way then. */
export async function allDone(works: readonly (() => unknown)[]): Promise<void> {
  const results = await Promise.allSettled(works.map(async (work) => work()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
