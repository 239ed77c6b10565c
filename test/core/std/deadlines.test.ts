import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadlines } from '../../../src/core/std/deadlines.ts'

const late = new Error('late')
const discarded: unknown[] = []

/** What came of each work so far. */
const outcomes: unknown[] = []

function watch(deadlines: Deadlines, work: PromiseLike<unknown>): void {
  const at = outcomes.push('pending') - 1
  const ended = (outcome: unknown): void => void (outcomes[at] = outcome)
  deadlines.within(work, (value) => void discarded.push(value)).then(ended, ended)
}

const never = new Promise(() => undefined)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  discarded.length = 0
  outcomes.length = 0
})
afterEach(() => void vi.useRealTimers())

describe('one timer watches all work', () => {
  test('each has its full time, whenever it began', async () => {
    const deadlines = new Deadlines(100, () => late)
    watch(deadlines, never)
    await vi.advanceTimersByTimeAsync(70)
    watch(deadlines, never)
    await vi.advanceTimersByTimeAsync(29)
    expect(outcomes).toEqual(['pending', 'pending'])
    await vi.advanceTimersByTimeAsync(60)
    expect(outcomes).toEqual([late, 'pending'])
    await vi.advanceTimersByTimeAsync(10)
    expect(outcomes).toEqual([late, 'pending'])
    await vi.advanceTimersByTimeAsync(61)
    expect(outcomes).toEqual([late, late])
  })

  test('what is answered in time is answered, and so is its failure', async () => {
    const deadlines = new Deadlines(100, () => late)
    const failure = new Error('refused')
    for (const work of [Promise.resolve(1), Promise.reject(failure)]) watch(deadlines, work)
    await vi.advanceTimersByTimeAsync(1000)
    expect(outcomes).toEqual([1, failure])
    expect(discarded).toEqual([])
  })

  test('any number of works at once makes one timer, and none is left behind', async () => {
    const deadlines = new Deadlines(100, () => late)
    for (let i = 0; i < 1000; i++) watch(deadlines, Promise.resolve(i))
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(51)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an answer that comes too late is discarded, and a failure is nothing', async () => {
    const deadlines = new Deadlines(100, () => late)
    const [first, second] = [Promise.withResolvers(), Promise.withResolvers()]
    for (const { promise } of [first, second]) watch(deadlines, promise)
    await vi.advanceTimersByTimeAsync(160)
    first.resolve('too late')
    second.reject(new Error('too late'))
    await vi.advanceTimersByTimeAsync(1)
    expect(outcomes).toEqual([late, late])
    expect(discarded).toEqual(['too late'])
  })
})

test('work that is given up fails at once, and what comes after it is discarded', async () => {
  const deadlines = new Deadlines(100, () => late)
  const { promise, resolve } = Promise.withResolvers()
  for (const work of [promise, never]) watch(deadlines, work)
  const failure = new Error('given up')
  deadlines.giveUp(failure)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual([failure, failure])
  resolve('too late')
  watch(deadlines, never)
  await vi.advanceTimersByTimeAsync(99)
  expect([outcomes[2], ...discarded]).toEqual(['pending', 'too late'])
  await vi.advanceTimersByTimeAsync(61)
  expect(outcomes[2]).toBe(late)
})

describe('with the timers of the system', () => {
  test('while this process stands still, no time goes by', async () => {
    vi.useRealTimers()
    const deadlines = new Deadlines(200, () => late)
    const { promise, resolve } = Promise.withResolvers()
    watch(deadlines, promise)
    for (let i = 0; i < 3; i++) {
      const until = performance.now() + 100
      while (performance.now() < until);
      await new Promise((next) => void setTimeout(next, 1))
    }
    resolve('there')
    await new Promise(setImmediate)
    expect(outcomes).toEqual(['there'])
  })

  test('an answer that arrived while this process stood still is in time', async () => {
    vi.useRealTimers()
    const deadlines = new Deadlines(1, () => late)
    const answered = new Promise((resolve) => setImmediate(() => resolve('there')))
    watch(deadlines, answered)
    const until = performance.now() + 60
    while (performance.now() < until);
    await answered
    await new Promise(setImmediate)
    expect(outcomes).toEqual(['there'])
  })
})
