/** A clock that stands still until it is advanced. */
export interface FakeClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Moves on by so many milliseconds. */
  advance(milliseconds: number): void
}

/**
 * Makes a clock for tests.
 *
 * @example
 * const clock = fakeClock(new Date('2026-01-01T00:00:00Z'))
 * clock.advance(60_000)
 */
export function fakeClock(start: Date | number = 0): FakeClock {
  let time = Number(start)
  return {
    now: () => time,
    advance: (milliseconds) => {
      time += milliseconds
    },
  }
}
