/** Random choices that are the same for the same seed, so that a run can be repeated. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to 1, without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** `true` once in `times`. */
  once(times: number): boolean {
    return this.next() * times < 1
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }

  /** One to `most` random bytes, as Latin-1. */
  bytes(most: number): string {
    const codes = Array.from({ length: 1 + this.below(most) }, () => this.below(256))
    return String.fromCharCode(...codes)
  }

  /** Random bytes that a header or a target may contain: no line ends, no NUL. */
  visible(most: number): string {
    return this.bytes(most).replace(UNSENDABLE, '~')
  }
}

// oxlint-disable-next-line no-control-regex -- what no request line and no header can hold
const UNSENDABLE = /[\u0000-\u0020\u007f]/g
