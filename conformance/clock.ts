/** The adjustable clock of the test: it stands still until it is told to move. */
export class AdjustableClock {
  readonly #start: number
  #seconds: number

  /** `start`: seconds since 1970. */
  constructor(start: number) {
    this.#start = start
    this.#seconds = start
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#seconds * 1000
  }

  advance(seconds: number): void {
    this.#seconds += seconds
  }

  reset(): void {
    this.#seconds = this.#start
  }
}
