import { availableParallelism } from 'node:os'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { ServiceUnavailable } from '../errors/server-errors.ts'

/** How much is done at the same time. */
export interface HashQueueOptions {
  /**
   * Password hashes that are worked on at the same time.
   *
   * @default one less than there are processors, 1 to 3: Node works on four such jobs, files and names
   * of hosts included, and the event loop needs a processor too
   */
  readonly running?: number
  /** Password hashes that wait for their turn; more are refused. @default 500 */
  readonly waiting?: number
}

/** Does a few expensive things at a time and keeps the rest waiting, but not without end. */
export class HashQueue {
  readonly #running: number
  readonly #waiting: number
  readonly #line: (() => void)[] = []
  #active = 0

  /** @throws ConfigurationError not whole numbers, or nothing would ever run */
  constructor({ running = usualNumber(), waiting = 500 }: HashQueueOptions = {}) {
    if (!Number.isInteger(running) || !Number.isInteger(waiting) || running < 1 || waiting < 0) {
      throw new ConfigurationError(
        `A HashQueue runs a whole number from 1 and keeps a whole number from 0 waiting, not ${running} and ${waiting}.`,
      )
    }
    this.#running = running
    this.#waiting = waiting
  }

  /** @throws ServiceUnavailable (503) too many are waiting already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #enter(): Promise<void> | void {
    if (this.#active < this.#running) return void this.#active++
    if (this.#line.length >= this.#waiting) throw new ServiceUnavailable()
    return new Promise((resolve) => this.#line.push(resolve))
  }

  /** The place goes to whoever has waited longest, so that nobody slips in between. */
  #leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#active--
    else next()
  }
}

function usualNumber(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), 3)
}
