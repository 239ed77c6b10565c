import type { MaybePromise } from '../../contract/request.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'

/**
 * What `work` gives, or what `recover` makes of its failure. Asking afterwards why a row was refused
 * needs no error codes of any one database, and no look before the leap, which could be overtaken.
 */
export function recovered<T>(
  work: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const result = work()
    return result instanceof Promise ? result.catch((error) => unlessAway(error, recover)) : result
  } catch (error) {
    return unlessAway(error, recover)
  }
}

/** A database that cannot be used cannot be asked either. */
function unlessAway<T>(error: unknown, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  if (error instanceof DatabaseUnavailable) throw error
  return recover(error)
}
