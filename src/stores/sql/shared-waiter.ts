import type { MaybePromise } from '../../contract/request.ts'
import type { Executor, Rows } from '../../contract/storage.ts'
import { ConnectionLost } from './connection-lost.ts'
import { OutdatedPlan } from './outdated-plan.ts'

type Reader = Pick<Executor, 'read' | 'rows'>

/** What somebody does who has waited: he gets what was found, and reads on in the same snapshot. */
export type Work<T> = (found: Rows, reader: Reader) => MaybePromise<T>

/** Somebody who waits for a run. */
export interface Waiting {
  /** Works, and answers. `false`: the failure is one that passes, so he waits for another run. */
  read(found: Rows, reader: Reader): Promise<boolean>
  /** Answers with a failure, but for one that passes, once: `false`. Reading twice does no harm. */
  fail(error: unknown): boolean
}

/** Work that waits for a run. What happens to it happens to no other. */
export class Waiter<T> implements Waiting {
  readonly promise: Promise<T>
  readonly #work: Work<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: unknown) => void
  #again = true

  constructor(work: Work<T>) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.promise = promise
    this.#work = work
    this.#resolve = resolve
    this.#reject = reject
  }

  async read(found: Rows, reader: Reader): Promise<boolean> {
    try {
      this.#resolve(await this.#work(found, reader))
      return true
    } catch (error) {
      return this.fail(error)
    }
  }

  fail(error: unknown): boolean {
    const waits = this.#again && isPassing(error)
    this.#again = false
    if (!waits) this.#reject(error)
    return !waits
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof OutdatedPlan
}
