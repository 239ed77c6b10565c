import type { MaybePromise } from '../../contract/request.ts'
import type { Executor, Rows } from '../../contract/storage.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { ConnectionLost } from './connection-lost.ts'
import { inTime } from './in-time.ts'
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

/** Times a statement's patience: one run may go silent, and another one answers. */
const RUNS = 2

/** Work that waits for a run, and not for ever. What happens to it happens to no other. */
export class Waiter<T> implements Waiting {
  readonly promise: Promise<T>
  readonly #work: Work<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: unknown) => void
  #again = true
  #over = false

  /** `patience`: milliseconds that a statement is waited for. */
  constructor(work: Work<T>, patience: number) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.promise = inTime(promise, RUNS * patience, () => this.#late(RUNS * patience))
    this.#work = work
    this.#resolve = resolve
    this.#reject = reject
  }

  async read(found: Rows, reader: Reader): Promise<boolean> {
    if (this.#over) return true
    try {
      this.#resolve(await this.#work(found, reader))
      return true
    } catch (error) {
      return this.fail(error)
    }
  }

  fail(error: unknown): boolean {
    const waits = this.#again && !this.#over && isPassing(error)
    this.#again = false
    if (!waits) this.#reject(error)
    return !waits
  }

  #late(milliseconds: number): DatabaseUnavailable {
    this.#over = true
    return new DatabaseUnavailable(
      `The database did not come to read a list in ${milliseconds / 1000} s.`,
    )
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof OutdatedPlan
}
