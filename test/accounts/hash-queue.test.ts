import { describe, expect, test } from 'vitest'
import { HashQueue } from '../../src/accounts/hash-queue.ts'
import { ServiceUnavailable } from '../../src/errors/server-errors.ts'
import { nextTurn } from '../contract/temporary.ts'

/** Work that ends when it is told to. */
function jobs(count: number) {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const started: number[] = []
  const work = (number: number) => async (): Promise<number> => {
    started.push(number)
    await gates[number]!.promise
    return number
  }
  return { gates, started, work }
}

describe('the queue of password hashes', () => {
  test('runs a few at a time, the others in the order in which they came', async () => {
    const queue = new HashQueue({ running: 2 })
    const { gates, started, work } = jobs(6)
    const done = [0, 1, 2, 3, 4].map((number) => queue.run(work(number)))
    await nextTurn()
    expect(started).toEqual([0, 1])
    gates[1]!.resolve()
    await nextTurn()
    expect(started).toEqual([0, 1, 2])
    done.push(queue.run(work(5)))
    await nextTurn()
    expect(started).toEqual([0, 1, 2])
    for (const gate of gates) gate.resolve()
    expect(await Promise.all(done)).toEqual([0, 1, 2, 3, 4, 5])
    expect(started).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('refuses more than may wait: 503, come back in a second', async () => {
    const queue = new HashQueue({ running: 1, waiting: 1 })
    const { gates, started, work } = jobs(3)
    const done = [queue.run(work(0)), queue.run(work(1))]
    const refused = await queue.run(work(2)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ServiceUnavailable)
    expect(refused).toMatchObject({
      status: 503,
      code: 'unavailable',
      headers: { 'Retry-After': '1' },
    })
    for (const gate of gates) gate.resolve()
    await Promise.all(done)
    expect(started).toEqual([0, 1])
    expect(await queue.run(work(2))).toBe(2)
  })

  test('goes on after work that failed', async () => {
    const queue = new HashQueue({ running: 1 })
    const failing = queue.run(async () => {
      throw new Error('no memory')
    })
    const next = queue.run(async () => 'next')
    await expect(failing).rejects.toThrow('no memory')
    expect(await next).toBe('next')
    expect(await queue.run(async () => 'and on')).toBe('and on')
  })

  test.each([{ running: 0 }, { running: 1.5 }, { waiting: -1 }, { running: NaN }])(
    'cannot be made with %j',
    (options) => {
      expect(() => new HashQueue(options)).toThrow('A HashQueue runs a whole number from 1')
    },
  )
})
