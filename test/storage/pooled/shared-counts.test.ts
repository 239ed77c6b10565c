import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { OutdatedPlan } from '../../../src/storage/pooled/failures.ts'
import type { SlowPool } from '../../contract/slow-pool.ts'
import { COUNT, lost, outcomes, started } from '../../contract/shared-work.ts'
import { nextTurn } from '../../contract/temporary.ts'

// Time goes on where a test says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

describe('those who wait for the same count', () => {
  test('of one turn share one run, and each reads its own page in it', async () => {
    const { pool, page } = started()
    const pages = Promise.all(['a', 'b', 'c'].map((name) => page(name)))
    await pool.endAll()
    expect(await pages).toEqual([
      [0, 0, 'a'],
      [0, 0, 'b'],
      [0, 0, 'c'],
    ])
    expect(pool.runs).toHaveLength(1)
  })

  test('never join a run that has begun: they wait for the next, which begins when this one has counted', async () => {
    const { pool, page } = started()
    const pages = [page('a')]
    await nextTurn()
    await pool.end('connect')
    pages.push(page('b'))
    await nextTurn()
    pages.push(page('c'))
    await nextTurn()
    expect(pool.pending.map(({ what }) => what)).toEqual(['count'])
    await pool.end('count')
    await pool.end('connect')
    expect(pool.pending.map(({ what }) => what)).toEqual(['page', 'count'])
    await pool.endAll()
    expect(await Promise.all(pages)).toEqual([
      [0, 0, 'a'],
      [1, 1, 'b'],
      [1, 1, 'c'],
    ])
  })

  test('join a run that has no connection yet', async () => {
    const { pool, count } = started()
    const counts = [count()]
    await nextTurn()
    counts.push(count())
    await pool.endAll()
    expect(await Promise.all(counts)).toEqual([0, 0])
  })

  test('count by the same text and the same values of the same types', async () => {
    const { pool, count } = started()
    const values: unknown[] = [
      1,
      1,
      '1',
      1n,
      true,
      'true',
      null,
      'null',
      new Date(1),
      new Date(1),
      Buffer.from('1'),
    ]
    const counts = values.map((value) => count({ sql: 'count where a = ?', parameters: [value] }))
    counts.push(count({ sql: 'count where b = ?', parameters: [1] }))
    counts.push(count({ sql: 'count', parameters: ['a', 'b'] }))
    counts.push(count({ sql: 'count', parameters: ['a","string b'] }))
    await pool.endAll()
    expect(await Promise.all(counts)).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10, 11])
  })

  test('count alone where nobody can tell whether the values are the same', async () => {
    const { pool, count } = started()
    const values = [1, 2]
    const counts = [values, values].map((value) =>
      count({ sql: 'count where a = any(?)', parameters: [value] }),
    )
    await pool.endAll()
    expect(await Promise.all(counts)).toEqual([0, 1])
  })

  test('leave nothing behind', async () => {
    const { pool, shared, page } = started()
    const pages = [1, 2, 3, 1].map((value) => page('a', { sql: 'count', parameters: [value] }))
    expect(shared.size).toBe(3)
    const outcome = outcomes(pages)
    await nextTurn()
    pool.pending[0]!.end(new Error('no connection'))
    await pool.endAll()
    await outcome
    expect(shared.size).toBe(0)
    expect(pool.connections).toBe(0)
    expect(pool.runs.every(({ open }) => !open)).toBe(true)
  })
})

describe('a count that hangs', () => {
  test('holds up nobody who comes later: the next run begins without it, a few times at most', async () => {
    const { pool, page } = started()
    const hanging = page('a')
    await nextTurn()
    await pool.end('connect')
    const later = page('b')
    await nextTurn()
    expect(pool.pending.map(({ what }) => what)).toEqual(['count'])
    await expect.poll(() => pool.pending.map(({ what }) => what)).toEqual(['count', 'connect'])
    await pool.end('connect')
    // The other one may hang as well, so it is given twice the time.
    pool.pending.at(-1)!.end()
    await nextTurn()
    pool.pending.at(-1)!.end()
    expect(await later).toEqual([1, 1, 'b'])
    await pool.endAll()
    expect(await hanging).toEqual([0, 0, 'a'])
  })

  test('is given up by those who wait for it, and what comes of it is read by nobody', async () => {
    const { pool, page } = started()
    pool.patience = 40
    const given = page('a')
    await nextTurn()
    await pool.end('connect')
    await expect(given).rejects.toThrow('did not come to read a list in 0.08 s')
    await pool.end('count')
    expect(pool.pending).toEqual([])
    expect(pool.connections).toBe(0)
  })
})

describe('pages of one run', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const pagesUnderway = (pool: SlowPool) =>
    pool.pending.filter(({ what }) => what === 'page').length

  /** All have asked, and are counted. */
  async function counted() {
    const { pool, page } = started()
    const pages = names.map((name) => page(name))
    await nextTurn()
    await pool.end('connect')
    vi.advanceTimersByTime(1)
    await pool.end('count')
    return { pool, outcome: outcomes(pages) }
  }

  test('leave together: after the first one, twice as many as have been read', async () => {
    const { pool, outcome } = await counted()
    const underway: number[] = []
    for (let read = 0; read < names.length; read++) {
      underway.push(pagesUnderway(pool))
      await pool.end('page')
    }
    expect(underway).toEqual([1, 2, 1, 5, 4, 3, 2, 1])
    expect(await outcome).toEqual(names.map((name) => [0, 0, name]))
  })

  test.each([
    ['four at first', 0, [4, 3, 2, 1, 4, 3, 2, 1]],
    ['as many as it has time for', 4, [2, 1, 4, 3, 2, 1, 2, 1]],
    ['one', 100, [1, 2, 1, 5, 4, 3, 2, 1]],
  ])(
    'leave together from the beginning where the last run can tell: %s',
    async (_, took, sizes) => {
      const { pool, page } = started()
      const first = page('first')
      await nextTurn()
      await pool.end('connect')
      await pool.end('count')
      const pages = names.map((name) => page(name))
      await nextTurn()
      vi.advanceTimersByTime(took)
      await pool.end('page')
      await first
      await pool.end('connect')
      vi.advanceTimersByTime(1)
      await pool.end('count')
      const underway: number[] = []
      for (let read = 0; read < names.length; read++) {
        underway.push(pagesUnderway(pool))
        await pool.end('page')
      }
      expect(underway).toEqual(sizes)
      await Promise.all(pages)
    },
  )

  test('leave together only where their run has time for so many', async () => {
    const { pool, page } = started()
    const pages = names.map((name) => page(name))
    await nextTurn()
    await pool.end('connect')
    vi.advanceTimersByTime(10)
    await pool.end('count')
    const underway: number[] = []
    for (const takes of [40, 20, 20]) {
      underway.push(pagesUnderway(pool))
      vi.advanceTimersByTime(takes)
      await pool.end('page')
    }
    // Eighty milliseconds are over in the middle of them.
    expect(underway).toEqual([1, 1, 1])
    await pool.endAll()
    await Promise.all(pages)
  })

  test('disturb no other page where one fails, whatever comes of the others', async () => {
    const { pool, outcome } = await counted()
    for (let read = 0; read < 3; read++) await pool.end('page')
    const broken = new Error('division by zero')
    await pool.end('page')
    await pool.end('page', broken)
    await pool.end('page', new Error('the transaction is aborted'))
    await pool.endAll()
    expect(await outcome).toEqual([
      [0, 0, 'a'],
      [0, 0, 'b'],
      [0, 0, 'c'],
      [0, 0, 'd'],
      broken,
      ...['f', 'g', 'h'].map((name) => [1, 1, name]),
    ])
  })
})

describe('what fails', () => {
  test('in one page is the failure of that one; those behind it read in the next run', async () => {
    const { pool, page } = started()
    const pages = ['a', 'b', 'c'].map((name) => page(name))
    const outcome = outcomes(pages)
    await nextTurn()
    await pool.end('connect')
    await pool.end('count')
    await pool.end('page')
    const broken = new Error('division by zero')
    await pool.end('page', broken)
    await pool.endAll()
    expect(await outcome).toEqual([[0, 0, 'a'], broken, [1, 1, 'c']])
  })

  test('without a statement disturbs nobody', async () => {
    const { pool, shared, page } = started()
    const noPage = new Error('no such page')
    const outcome = outcomes([
      page('a'),
      shared.read(COUNT, () => {
        throw noPage
      }),
      page('c'),
    ])
    await pool.endAll()
    expect(await outcome).toEqual([[0, 0, 'a'], noPage, [0, 0, 'c']])
  })

  test('while counting is the failure of all who wait for this count, and of nobody else', async () => {
    const { pool, page } = started()
    const pages = [page('a'), page('b')]
    await nextTurn()
    await pool.end('connect')
    pages.push(page('c'))
    const outcome = outcomes(pages)
    const broken = new Error('no such table')
    await pool.end('count', broken)
    await pool.endAll()
    expect(await outcome).toEqual([broken, broken, [1, 1, 'c']])
    expect(pool.connections).toBe(0)
  })

  test('because there is no connection is the failure of those who asked for it', async () => {
    const { pool, page } = started()
    const pages = [page('a'), page('b')]
    await nextTurn()
    pages.push(page('late'))
    const outcome = outcomes(pages)
    const busy = new DatabaseUnavailable('All connections are busy.')
    await pool.end('connect', busy)
    await pool.endAll()
    expect(await outcome).toEqual([busy, busy, [0, 0, 'late']])
  })

  test('with the connection while counting is asked again, once', async () => {
    const { pool, page } = started()
    const pages = [page('a'), page('b')]
    await nextTurn()
    await pool.end('connect')
    await pool.end('count', lost())
    pages.push(page('c'))
    const outcome = outcomes(pages)
    await pool.end('connect')
    const again = lost()
    await pool.end('count', again)
    await pool.endAll()
    expect(await outcome).toEqual([again, again, [2, 2, 'c']])
  })

  test.each([
    ['the connection', lost()],
    ['a plan that is out of date', new OutdatedPlan(new Error('cached plan'))],
  ])('in a page with %s is read again, once, in another run', async (_, failure) => {
    const { pool, page } = started()
    const outcome = outcomes([page('a'), page('b')])
    await nextTurn()
    await pool.end('connect')
    await pool.end('count')
    await pool.end('page', failure)
    await pool.end('connect')
    await pool.end('count')
    await pool.end('page', failure)
    await pool.endAll()
    expect(await outcome).toEqual([failure, [2, 2, 'b']])
  })
})

describe('a database that is slow', () => {
  test('reads eight times as long as it counted; then the next run goes on, first with those who are left', async () => {
    const { pool, page } = started()
    const names = ['a', 'b', 'c', 'd']
    const pages = names.map((name) => page(name))
    await nextTurn()
    await pool.end('connect')
    vi.advanceTimersByTime(10)
    await pool.end('count')
    vi.advanceTimersByTime(80)
    await pool.end('page')
    vi.advanceTimersByTime(1)
    const late = page('late')
    await pool.end('page')
    await pool.endAll()
    expect(await Promise.all(pages)).toEqual([
      [0, 0, 'a'],
      [0, 0, 'b'],
      [1, 1, 'c'],
      [1, 1, 'd'],
    ])
    expect(await late).toEqual([1, 1, 'late'])
  })

  test('serves somebody with each run, however slow it is, in the order in which they came', async () => {
    const { pool, page } = started()
    const pages = ['a', 'b', 'c'].map((name) => page(name))
    await nextTurn()
    await pool.end('connect')
    await pool.end('count')
    pages.push(page('late'))
    await nextTurn()
    // The next run has no connection yet when those who are left come back.
    vi.advanceTimersByTime(1000)
    await pool.end('page')
    while (pool.pending.length > 0) {
      const { what } = pool.pending[0]!
      if (what === 'page') vi.advanceTimersByTime(1000)
      await pool.end(what)
    }
    expect(await Promise.all(pages)).toEqual([
      [0, 0, 'a'],
      [1, 1, 'b'],
      [2, 2, 'c'],
      [3, 3, 'late'],
    ])
  })
})
