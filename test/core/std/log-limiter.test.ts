import { describe, expect, test, vi } from 'vitest'
import { LogLimiter } from '../../../src/core/std/log-limiter.ts'

/** Once in 1000 ms, by a clock that the test moves. */
function seldom() {
  let time = 5
  const log = new LogLimiter(1000, () => time)
  return {
    pass: (milliseconds: number) => (time += milliseconds),
    count: (kind?: string) => log.count(kind),
  }
}

describe('what happens often is logged seldom', () => {
  test('the first one is due at once, the next ones are counted until it is time', () => {
    const { count, pass } = seldom()
    expect([count(), count(), count()]).toEqual([1, null, null])
    pass(999)
    expect(count()).toBeNull()
    pass(1)
    expect(count()).toBe(4)
    expect(count()).toBeNull()
  })

  test('after a quiet while it is one again', () => {
    const { count, pass } = seldom()
    expect(count()).toBe(1)
    pass(10_000)
    expect(count()).toBe(1)
  })

  test('each kind has a count of its own', () => {
    const { count, pass } = seldom()
    expect([count('a'), count('b'), count('a')]).toEqual([1, 1, null])
    pass(1000)
    expect([count('b'), count('a')]).toEqual([1, 2])
  })

  test('any number of kinds makes a bounded number of lines, and none is left out of the counts', () => {
    const { count, pass } = seldom()
    const shown = (): number[] =>
      Array.from({ length: 5000 }, (_, kind) => count(`kind ${kind}`)).filter((n) => n !== null)
    const first = shown()
    expect(first).toHaveLength(101)
    pass(1000)
    const second = shown()
    expect(second).toHaveLength(101)
    pass(1000)
    const third = shown()
    const total = [...first, ...second, ...third].reduce((sum, n) => sum + n, 0)
    // What is still to come is what came since the last line.
    expect(total).toBe(3 * 101 + 2 * 4899)
  })

  test('a clock on the wall that is set back silences nothing', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const log = new LogLimiter(0)
      expect(log.count()).toBe(1)
      vi.setSystemTime(Date.now() - 86_400_000)
      expect(log.count()).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })
})
