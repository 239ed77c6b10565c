import { inTime } from '../std/deadlines.ts'

/** Milliseconds that tasks get to finish if the stop names no other time; requests get as long by default. */
const PATIENCE = 10_000

export type Task = () => unknown

/** Logs an error with the request that it is about. */
type Report<Request> = (event: string, error: unknown, request: Request) => void

/** Tasks after answers. */
export class AfterAnswers<Request> {
  readonly #report: Report<Request>
  readonly #running = new Map<Promise<void>, Request>()

  constructor(report: Report<Request>) {
    this.#report = report
  }

  /** Requests whose tasks are not done. */
  get size(): number {
    return this.#running.size
  }

  /** Runs the tasks one after the other, once the answer was handed over to be sent, and logs what a task throws. */
  begin(tasks: readonly Task[], request: Request): void {
    const done = this.#run(tasks, request)
    this.#running.set(done, request)
    void done.then(() => this.#running.delete(done))
  }

  /** Waits for all tasks. Tasks that take longer than `patience` are logged and left alone. */
  async finished(patience: number = PATIENCE): Promise<void> {
    const time = `${Math.round(patience)} ms`
    const late = new Error(`What was to be done after the answer took longer than ${time}.`)
    try {
      await inTime(this.#all(), patience, () => late)
    } catch {
      for (const request of this.#running.values()) this.#report('task.unfinished', late, request)
    }
  }

  async #all(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys())
  }

  async #run(tasks: readonly Task[], request: Request): Promise<void> {
    // Servers write the answers of a turn at its end, so work that begins two turns later delays none of them.
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((next) => void setImmediate(next))
    for (const task of tasks) {
      try {
        await task()
      } catch (error) {
        this.#report('task.failed', error, request)
      }
    }
  }
}
