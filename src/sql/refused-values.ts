import type { MaybePromise } from '../contract/request.ts'
import type { Condition } from '../contract/list-source.ts'
import { unfitValue } from '../errors/unfit-value.ts'
import type { Dialect } from './dialect.ts'

/** What `work` gives; where the database refuses a value, what `refused` makes of it is thrown. */
export function refusing<T>(
  dialect: Dialect,
  work: () => MaybePromise<T>,
  refused: () => Error,
): MaybePromise<T> {
  const explain = (error: unknown): never => {
    throw error instanceof Error && dialect.refusesValue(error) ? refused() : error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(explain) : result
  } catch (error) {
    return explain(error)
  }
}

/**
 * The error for a value that the database refused without naming it: that of a pattern, which it alone can
 * judge, else of one that a client sent.
 */
export function blamed(conditions: readonly Condition[]): Error {
  const fromClient = conditions.filter(({ parameter }) => parameter !== undefined)
  const suspects = fromClient.length > 0 ? fromClient : conditions
  return unfitValue(suspects.find(({ operator }) => operator === 'iregex') ?? suspects[0]!)
}
