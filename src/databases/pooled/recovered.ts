import type { MaybePromise } from '../../contract/request.ts'

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
    return result instanceof Promise ? result.catch(recover) : result
  } catch (error) {
    return recover(error)
  }
}
