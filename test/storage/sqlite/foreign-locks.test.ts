import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { ForeignLocks } from '../../../src/storage/sqlite/failures.ts'

/** A file that is locked until someone says otherwise. */
class File {
  locked = true
  attempts = 0

  readonly use = (): number => {
    this.attempts++
    if (!this.locked) return this.attempts
    const cause = Object.assign(new Error('database is locked'), { errcode: 5 })
    throw new DatabaseUnavailable('The file is locked.', { cause })
  }
}

const PATIENCE = 5000

describe('locks of other processes', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
  })

  test('what meets none is done at once', async () => {
    const file = new File()
    file.locked = false
    const done = new ForeignLocks(PATIENCE).outwait(file.use)
    expect(file.attempts).toBe(1)
    expect(await done).toBe(1)
  })

  test('what meets one is tried again after 1, 2, 4, 8 ms at most, then every 5 to 10 ms', async () => {
    const file = new File()
    const done = new ForeignLocks(PATIENCE).outwait(file.use)
    await vi.advanceTimersByTimeAsync(15)
    expect(file.attempts).toBeGreaterThanOrEqual(5)
    const soFar = file.attempts
    await vi.advanceTimersByTimeAsync(1000)
    expect(file.attempts - soFar).toBeGreaterThanOrEqual(100)
    expect(file.attempts - soFar).toBeLessThanOrEqual(200)
    file.locked = false
    await vi.advanceTimersByTimeAsync(10)
    expect(await done).toBe(file.attempts)
  })

  test('a lock that outlasts the patience is the failure of what met it, and nothing else is tried again', async () => {
    const file = new File()
    const outcome = vi.fn<(error: unknown) => void>()
    new ForeignLocks(PATIENCE).outwait(file.use).catch(outcome)
    await vi.advanceTimersByTimeAsync(PATIENCE - 1)
    expect(outcome).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(11)
    expect(outcome).toHaveBeenCalledWith(expect.any(DatabaseUnavailable))
    const broken = vi.fn<() => void>(() => {
      throw new DatabaseUnavailable('The disk is full.')
    })
    await expect(new ForeignLocks(PATIENCE).outwait(broken)).rejects.toThrow('full')
    expect(broken).toHaveBeenCalledTimes(1)
  })

  test('what waited for its turn behind it has waited too, what came later has not', async () => {
    const file = new File()
    const locks = new ForeignLocks(PATIENCE)
    const begun = performance.now()
    const first = locks.outwait(file.use, begun).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(PATIENCE + 10)
    expect(await first).toBeInstanceOf(DatabaseUnavailable)
    await expect(locks.outwait(file.use, begun)).rejects.toThrow(DatabaseUnavailable)
    const later = locks.outwait(file.use, begun + PATIENCE - 100)
    await vi.advanceTimersByTimeAsync(PATIENCE - 200)
    file.locked = false
    await vi.advanceTimersByTimeAsync(10)
    expect(await later).toBe(file.attempts)
  })

  test('what waited long for its own process is as patient as others', async () => {
    const file = new File()
    const work = new ForeignLocks(PATIENCE).outwait(file.use, performance.now() - 2 * PATIENCE)
    file.locked = false
    await vi.advanceTimersByTimeAsync(10)
    expect(await work).toBe(2)
  })
})
