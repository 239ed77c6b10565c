import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { lost, outcomes, started } from '../../contract/shared-work.ts'
import { nextTurn } from '../../contract/temporary.ts'

// Time goes on where a test says so.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => vi.useRealTimers()
})

describe('whatever comes in whatever order', () => {
  const ask = fc.record({ act: fc.constant('ask' as const), key: fc.nat(1) })
  const end = fc.record({
    act: fc.constant('end' as const),
    which: fc.nat(20),
    how: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'lost'),
  })
  const turn = fc.record({ act: fc.constant('turn' as const) })
  const time = fc.record({ act: fc.constant('time' as const), takes: fc.nat(20) })

  test('each gets count and page of one run, that began after it asked, or a failure of its own', async () => {
    let shared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(ask, ask, end, end, turn, time), { maxLength: 60, size: 'max' }),
        async (acts) => {
          const { pool, shared: queues, page } = started()
          const asked: { at: number; key: number; outcome: Promise<unknown> }[] = []
          const [pageFailures, heard] = [new Set<Error>(), new Set<Error>()]
          for (const act of acts) {
            if (act.act === 'turn') await nextTurn()
            else if (act.act === 'time') vi.advanceTimersByTime(act.takes)
            else if (act.act === 'ask') {
              const [name, first] = [`${asked.length}`, { sql: 'count', parameters: [act.key] }]
              const outcome = outcomes([page(name, first)]).then(([one]) => one)
              asked.push({ at: pool.now(), key: act.key, outcome })
            } else if (pool.pending.length > 0) {
              const one = pool.pending[act.which % pool.pending.length]!
              if (act.how === 'ok') one.end()
              else {
                const failure = act.how === 'lost' ? lost() : new Error('failed')
                if (one.what === 'page') pageFailures.add(failure)
                one.end(failure)
              }
              // Sometimes several things happen before anybody hears of them.
              if (act.which % 2 === 0) await nextTurn()
            }
          }
          await pool.endAll()
          for (const [index, { at, key, outcome }] of asked.entries()) {
            const result = await outcome
            if (result instanceof Error) {
              // The failure of a page is that of one.
              expect(heard.has(result) && pageFailures.has(result)).toBe(false)
              heard.add(result)
              continue
            }
            const [counted, read, name] = result as [number, number, string]
            expect(name).toBe(`${index}`)
            expect(read).toBe(counted)
            expect(pool.runs[counted]!.first.parameters).toEqual([key])
            expect(pool.runs[counted]!.began).toBeGreaterThan(at)
          }
          shared += asked.length - pool.runs.length
          expect(queues.size).toBe(0)
          expect(pool.connections).toBe(0)
        },
      ),
      { numRuns: 500 },
    )
    expect(shared).toBeGreaterThan(0)
  })
})
