import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { configurationOf, defineApi } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import {
  type ScheduledTask,
  type TasksOptions,
  defineTasks,
  every,
} from '../../../src/operations.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { temporaryDirectory } from '../../contract/temporary.ts'
import { until } from '../../setup/until.ts'

/** Two processes, as far as leases can tell: each has a connection of its own to one file. */
async function processes(tasks: (of: string) => TasksOptions['tasks']) {
  const path = join(temporaryDirectory(), 'app.sqlite')
  const logged: Record<string, unknown>[] = []
  const logger = { error: (line: object) => void logged.push({ ...line }), info: () => {} }
  const all = await Promise.all(
    ['one', 'two'].map(async (of) => {
      const database = openSqlite(path)
      if (of === 'one') await database.migrate()
      const made = defineTasks({ database, tasks: tasks(of) })
      onTestFinished(async () => {
        await made.stop()
        database.close()
      })
      return { start: () => made.start(logger), stop: () => made.stop(60_000) }
    }),
  )
  return { one: all[0]!, two: all[1]!, logged }
}

describe('a task', () => {
  test('runs again and again, in one process at a time', async () => {
    const runs: string[] = []
    let underWay = 0
    let most = 0
    const { one, two } = await processes((of) => ({
      count: every('1 second', async () => {
        most = Math.max(most, ++underWay)
        runs.push(of)
        await new Promise((over) => setTimeout(over, 30))
        underWay--
      }),
    }))
    one.start()
    two.start()
    await until(() => expect(runs.length).toBeGreaterThan(2))
    expect(most).toBe(1)
  })

  test('that fails is logged by its name, and runs again', async () => {
    let runs = 0
    const { one, logged } = await processes(() => ({
      mails: every('1 second', () => {
        runs++
        throw new Error('no mail today')
      }),
    }))
    one.start()
    await until(() => expect(runs).toBe(2))
    expect(logged[0]).toMatchObject({
      event: 'task.failed',
      task: 'mails',
      error: new Error('no mail today'),
    })
  })

  test('that a stop interrupts is begun anew by another process', async () => {
    const begun: string[] = []
    const ended: string[] = []
    const { one, two } = await processes((of) => ({
      nightly: every('1 day', async ({ signal }) => {
        begun.push(of)
        if (of === 'one') await new Promise((over) => signal.addEventListener('abort', over))
        signal.throwIfAborted()
        ended.push(of)
      }),
    }))
    one.start()
    await until(() => expect(begun).toEqual(['one']))
    await one.stop()
    two.start()
    await until(() => expect(ended).toEqual(['two']))
  })

  test('that never ends keeps no process alive after a stop', async () => {
    const program = `
      import { defineTasks, every } from 'colophon/operations'
      import { openSqlite } from 'colophon/sqlite'
      const database = openSqlite(process.argv[1])
      await database.migrate()
      const begun = Promise.withResolvers()
      const never = every('1 day', () => (begun.resolve(), new Promise(() => {})))
      const tasks = defineTasks({ database, tasks: { never } })
      tasks.start({ error: console.error })
      const waiting = setInterval(() => {}, 1000)
      await begun.promise
      clearInterval(waiting)
      await tasks.stop(1)
      console.log('stopped')`
    const path = join(temporaryDirectory(), 'app.sqlite')
    const given = ['--input-type=module', '--eval', program, path]
    const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: 20_000 })
    expect(stdout).toBe('stopped\n')
  })

  test('that was done is not due before its interval is over, after a start anew, too', async () => {
    let runs = 0
    const { one, two } = await processes(() => ({ nightly: every('1 day', () => void runs++) }))
    one.start()
    await until(() => expect(runs).toBe(1))
    await one.stop()
    one.start()
    two.start()
    await new Promise((over) => setTimeout(over, 300))
    expect(runs).toBe(1)
  })

  test('runs at once where its interval was much longer', async () => {
    const runs: string[] = []
    const { one, two } = await processes((of) => ({
      mails: every(of === 'one' ? '30 days' : '1 day', () => void runs.push(of)),
    }))
    one.start()
    await until(() => expect(runs).toEqual(['one']))
    await one.stop()
    two.start()
    await until(() => expect(runs).toEqual(['one', 'two']))
  })

  test('runs while a server of its application runs', async () => {
    const database = openSqlite(join(temporaryDirectory(), 'app.sqlite'))
    await database.migrate()
    let [runs, aborted] = [0, false]
    const work: ScheduledTask['work'] = ({ signal }) => {
      runs++
      return new Promise<void>((over) => {
        signal.addEventListener('abort', () => {
          aborted = true
          over()
        })
      })
    }
    const tasks = defineTasks({ database, tasks: { endless: every('1 minute', work) } })
    const api = defineApi({ urls: { home: '/' }, database, tasks, logger: { error: () => {} } })
    const app = api.serve([api.endpoint('home').get(() => 'here')], {
      configuration: configurationOf(),
    })
    expect(runs).toBe(0)
    const server = await serve(app, { port: 0 })
    await until(() => expect(runs).toBe(1))
    await server.close()
    expect(aborted).toBe(true)
    database.close()
  })
})

describe('a task hears that another may have begun it', () => {
  /** The milliseconds after which its signal is aborted, with a database that answers so. */
  async function abortedAfter(renew: () => Promise<boolean>): Promise<number> {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const start = Date.now()
    let aborted = 0
    const leases = { take: async () => null, renew, release: async () => {} }
    const work: ScheduledTask['work'] = ({ signal }) =>
      new Promise<void>((over) => {
        signal.addEventListener('abort', () => {
          aborted ||= Date.now() - start
          over()
        })
      })
    const database = { leases } as unknown as TasksOptions['database']
    const tasks = defineTasks({ database, tasks: { long: every('1 day', work) } })
    tasks.start({ error: () => {} })
    await vi.advanceTimersByTimeAsync(600_000)
    const after = aborted
    await tasks.stop(0)
    return after
  }

  test('as soon as the database says so', async () => {
    expect(await abortedAfter(async () => false)).toBe(15_000)
  })

  test('before its lease is over, where the database cannot be asked', async () => {
    expect(await abortedAfter(() => Promise.reject(new Error('away')))).toBe(45_000)
    expect(await abortedAfter(() => new Promise(() => {}))).toBe(45_000)
  })

  test('and not as long as the database answers', async () => {
    expect(await abortedAfter(async () => true)).toBe(0)
  })
})

test('a task that is done is not done again because its database was away for a moment', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const calls: string[] = []
  const leases = {
    take: async () => (calls.includes('released') ? 3_600_000 : null),
    renew: async () => true,
    release: async () => {
      calls.push('release')
      if (calls.length < 4) throw new Error('away')
      calls.push('released')
    },
  }
  const database = { leases } as unknown as TasksOptions['database']
  const work = (): void => void calls.push('run')
  const tasks = defineTasks({ database, tasks: { nightly: every('1 day', work) } })
  tasks.start({ error: () => {} })
  await vi.advanceTimersByTimeAsync(600_000)
  await tasks.stop(0)
  expect(calls).toEqual(['run', 'release', 'release', 'release', 'released'])
})

test('a database that is away is asked again', async () => {
  const database = openSqlite(join(temporaryDirectory(), 'app.sqlite'))
  const logged: string[] = []
  const tasks = defineTasks({ database, tasks: { mails: every('1 minute', () => {}) } })
  tasks.start({ error: ({ event }) => void logged.push(String(event)) })
  await until(() => expect(logged).toEqual(['task.unknown']))
  await tasks.stop()
  database.close()
})

describe('when', () => {
  const at = (now: string, interval: string, time: string): number => {
    vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    return every(interval, () => {}, { at: time }).wait() / 3_600_000
  }

  test.each([
    ['2026-11-29T02:00:00Z', '1 day', '03:00', 1],
    ['2026-11-29T03:00:00Z', '1 day', '03:00', 24],
    // The clock of the database was ahead, and the run was short.
    ['2026-11-29T02:59:59Z', '1 day', '03:00', 24 + 1 / 3600],
    ['2026-11-29T04:30:00Z', '1 day', '03:00', 22.5],
    ['2026-11-29T02:00:00Z', '2 days', '03:00', 25],
    ['2026-12-31T23:58:00Z', '1d', '00:00', 1 / 30],
  ])('%s, every %s at %s: in %d hours', (now, interval, time, hours) => {
    expect(at(now, interval, time)).toBeCloseTo(hours, 9)
  })

  test.each([
    ['5 minutes', 300],
    ['1 second', 1],
    ['12h', 43_200],
    ['366 days', 366 * 86_400],
  ])('every %s', (interval, seconds) => {
    expect(every(interval, () => {}).wait()).toBe(seconds * 1000)
  })

  test.each(['', 'often', '0 minutes', '1.5 hours', '5', '367 days', '5 constructor', '-1 day'])(
    'every "%s" is refused',
    (interval) => {
      expect(() => every(interval, () => {})).toThrow(`every("${interval}"): write a whole number`)
    },
  )

  test.each([
    ['1 day', '25:00'],
    ['1 day', '3:00'],
    ['90 minutes', '03:00'],
  ])('every %s at %s is refused', (interval, time) => {
    expect(() => every(interval, () => {}, { at: time })).toThrow('of an interval of whole days.')
  })

  test('a name is no longer than a column', () => {
    const database = openSqlite(join(temporaryDirectory(), 'app.sqlite'))
    const tasks = { ['x'.repeat(101)]: every('1 day', () => {}) }
    expect(() => defineTasks({ database, tasks })).toThrow('more than 100 characters')
  })
})
