import { describe, expect, test } from 'vitest'
import { Semaphore } from '../../src/storage/semaphore.ts'

const semaphore = (most: number, patience = 10_000) =>
  new Semaphore(most, patience, () => new Error('None became free.'))

describe('a semaphore', () => {
  test('is taken by as many as may, and by the others in the order in which they came', async () => {
    const two = semaphore(2)
    expect([two.take(), two.take()]).toEqual([undefined, undefined])
    const order: string[] = []
    const waiting = ['a', 'b'].map(async (name) => {
      await two.take()
      order.push(name)
    })
    two.end()
    await waiting[0]
    expect(order).toEqual(['a'])
    two.end()
    await waiting[1]
    expect(order).toEqual(['a', 'b'])
  })

  test('that nobody waits for are free again', () => {
    const one = semaphore(1)
    for (let times = 0; times < 3; times++) {
      expect(one.take()).toBeUndefined()
      one.end()
    }
  })

  test('are not waited for for ever, and whoever gave up takes none', async () => {
    const one = semaphore(1, 20)
    void one.take()
    await expect(one.take()).rejects.toThrow('None became free.')
    one.end()
    expect(one.take()).toBeUndefined()
  })
})
