import { ConnectionLost, ConnectionSilent } from './connection-lost.ts'
import { inTime } from './in-time.ts'

interface WireOptions {
  readonly place: string
  readonly patience: number
  readonly translated: (error: unknown, place: string) => unknown
  readonly release: (unusable: boolean) => void
}

/** The way to a server, in the hands of one user: every question is answered in time, or the way is given up. */
export class Wire {
  readonly #options: WireOptions
  #patience: number
  /** Why nothing more can be asked. */
  lost: ConnectionLost | null = null
  /** When the last question was sent, and when the last answer came. */
  asked = 0
  answered = 0
  #unhurried = false

  constructor(options: WireOptions) {
    this.#options = options
    this.#patience = options.patience
  }

  /** @throws DatabaseUnavailable the failure lies with the database; any other is thrown as it is */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.lost !== null) throw this.lost
    const { place, translated } = this.#options
    const patience = this.#patience
    this.asked = performance.now()
    try {
      const answer = await inTime(question(), patience, () => new ConnectionSilent(place, patience))
      this.answered = performance.now()
      return answer
    } catch (error) {
      const failure = translated(error, place)
      if (failure instanceof ConnectionLost) this.lost = failure
      throw failure
    }
  }

  /** From now on answers may take as long as they like. Nobody else gets the connection then. */
  unhurry(): void {
    this.#patience = Infinity
    this.#unhurried = true
  }

  release(unusable: boolean): void {
    this.#options.release(unusable || this.lost !== null || this.#unhurried)
  }
}
