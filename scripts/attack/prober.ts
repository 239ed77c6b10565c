import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** The experience of an unrelated client. */
export interface Waits {
  /** The longest wait in milliseconds; a request without an answer counts until the end. */
  readonly longest: number
  readonly asked: number
  /** Answers by status; `reset` for broken connections, `hang` for requests without an answer in time. */
  readonly answers: Readonly<Record<string, number>>
}

/** An unrelated client. It asks 50 times a second, in a thread of its own that the attack does not slow down. */
export class Prober {
  readonly #worker: Worker

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  /** Resolves when the first answer has come, so that connecting and compiling are not measured. */
  static async start(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Prober> {
    const worker = new Worker(join(import.meta.dirname, 'prober-thread.ts'), {
      workerData: { url, headers },
    })
    await once(worker, 'message')
    return new Prober(worker)
  }

  /** Stops asking, waits for the requests under way, and reports. */
  async stop(): Promise<Waits> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage('stop')
    const [waits] = (await once(this.#worker, 'message')) as [Waits]
    await this.#worker.terminate()
    return waits
  }
}
