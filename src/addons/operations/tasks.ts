import type { AppTasks } from '../../core/app/preset.ts'
import type { Database, Leases } from '../../core/ports/database.ts'
import type { Logger } from '../../core/ports/kernel.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { secondsIn } from '../../core/settings/rates.ts'

/** The arguments of a task. */
export interface TaskRun {
  /** Aborted when the service stops, and when another process may have begun the task, because the database was away. */
  readonly signal: AbortSignal
}

/** Work that is done again and again. */
export interface ScheduledTask {
  /** Milliseconds from the end of one run to the next. */
  readonly wait: () => number
  readonly work: (run: TaskRun) => unknown
}

/** When a task runs. */
export interface EveryOptions {
  /** The time of the day in UTC: `'03:00'`. Only for whole days. @default whenever the interval is over */
  readonly at?: string
}

/**
 * Work that is done once in each interval, whatever the number of processes: for `defineTasks`.
 *
 * @throws ConfigurationError the interval is none, or `at` is no time of a day
 * @example every('5 minutes', ({ signal }) => sendReminders(signal))
 * @example every('1 day', () => closeTickets(), { at: '03:00' })
 */
export function every(
  interval: string,
  work: ScheduledTask['work'],
  { at }: EveryOptions = {},
): ScheduledTask {
  const seconds = secondsIn(interval)
  if (seconds === null)
    throw new ConfigurationError(
      `every("${interval}"): write a whole number and a unit of s, m, h or d, such as "5 minutes" or "1 day".`,
    )
  if (at === undefined) return { wait: () => seconds * 1000, work }
  const minutes = minutesIn(at)
  if (minutes === null || seconds % DAY !== 0)
    throw new ConfigurationError(
      `every("${interval}", …, { at: "${at}" }): "at" is a time such as "03:00", of an interval of whole days.`,
    )
  return { wait: () => untilDay(seconds * 1000, minutes * 60_000), work }
}

const DAY = 86_400

function minutesIn(text: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

/** Milliseconds to the next such moment of a day that the interval reaches. */
function untilDay(interval: number, moment: number): number {
  const now = Date.now()
  const day = DAY * 1000
  const today = now - (now % day) + moment
  // A run that has just begun by the clock of the database may end before that moment by the clock of this process.
  return (today - now > 60_000 ? today : today + day) - now + interval - day
}

/** Options of tasks: their times, and the place of their leases. */
export interface TasksOptions {
  readonly database: Database
  /** By name: a task keeps its place in the interval as long as it has its name. At most 100 characters. */
  readonly tasks: Readonly<Record<string, ScheduledTask>>
}

/**
 * Tasks for `defineApi({ tasks })`: they run while a server of the application runs, each in one process at a time. A lease in the
 * database says in which; where a process dies in the middle, another begins the task anew within two minutes. A new task begins
 * at once. One that fails is logged (`task.failed`) and begins again when its interval is over.
 *
 * @throws ConfigurationError the database has no leases, or a name is too long
 * @example
 * const tasks = defineTasks({ database, tasks: { reminders: every('5 minutes', sendReminders) } })
 * const api = defineApi({ urls, database, tasks })
 */
export function defineTasks({ database, tasks }: TasksOptions): AppTasks {
  const { leases } = database
  if (leases === undefined) throw new ConfigurationError('defineTasks: the database has no leases.')
  const long = Object.keys(tasks).find((name) => name.length > 100)
  if (long !== undefined)
    throw new ConfigurationError(`defineTasks: "${long}" has more than 100 characters.`)
  return new Runners(leases, tasks)
}

class Runners implements AppTasks {
  readonly #leases: Leases
  readonly #tasks: TasksOptions['tasks']
  #stopping = new AbortController()
  #running: Promise<unknown> | null = null

  constructor(leases: Leases, tasks: TasksOptions['tasks']) {
    this.#leases = leases
    this.#tasks = tasks
  }

  start(logger: Logger): void {
    if (this.#running !== null) return
    const stopping = (this.#stopping = new AbortController())
    const shared = { leases: this.#leases, logger, stopping: stopping.signal }
    const all = Object.entries(this.#tasks)
    this.#running = Promise.all(all.map(([name, task]) => new Runner(name, task, shared).go()))
  }

  async stop(patience = 10_000): Promise<void> {
    this.#stopping.abort()
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patience)
    await Promise.race([this.#running, over])
    clearTimeout(timer)
    this.#running = null
  }
}

interface Shared {
  readonly leases: Leases
  readonly logger: Logger
  readonly stopping: AbortSignal
}

/** Milliseconds of a lease, and from one renewal to the next. */
const [HELD, RENEWED] = [60_000, 15_000]
/** Milliseconds after which every process asks again at the latest: a lease of one that has died is over by then. */
const LONGEST_PAUSE = 60_000
/** Milliseconds by which a run may be further away than an interval: clocks of processes differ, and `at` goes by them. */
const TOLERATED = 3_600_000
/** Milliseconds before a database that is away is asked again. */
const AWAY = 5_000

/** One task in this process, from its start to its end. */
class Runner {
  readonly #name: string
  readonly #task: ScheduledTask
  readonly #shared: Shared
  readonly #holder = crypto.randomUUID()

  constructor(name: string, task: ScheduledTask, shared: Shared) {
    this.#name = name
    this.#task = task
    this.#shared = shared
  }

  async go(): Promise<void> {
    const { stopping } = this.#shared
    while (!stopping.aborted) await pause(await this.#turn(), stopping)
  }

  /** Takes a turn, and returns the milliseconds until the next one. */
  async #turn(): Promise<number> {
    const { leases, logger } = this.#shared
    try {
      const longest = this.#task.wait() + TOLERATED
      const wait = await leases.take(this.#name, this.#holder, HELD, longest)
      // A random part keeps processes from asking in the same moment.
      if (wait !== null) return Math.min(wait, LONGEST_PAUSE) + Math.random() * 1000
      const next = (await this.#run()) ? this.#task.wait() : 0
      await this.#release(next)
      return Math.min(next, LONGEST_PAUSE)
    } catch (error) {
      logger.error({ event: 'task.unknown', task: this.#name, error })
      return AWAY
    }
  }

  /**
   * Releases the lease, and tries again as long as it lasts: a task that is done must not begin anew because the database
   * was away for a moment.
   */
  async #release(dueIn: number): Promise<void> {
    const { leases, stopping } = this.#shared
    for (let left = HELD / AWAY - 2; ; left--) {
      try {
        return await leases.release(this.#name, this.#holder, dueIn)
      } catch (error) {
        if (left === 0 || stopping.aborted) throw error
        await pause(AWAY, stopping)
      }
    }
  }

  /** Runs the task. `false`: the run was interrupted, and the task is to begin anew elsewhere. */
  async #run(): Promise<boolean> {
    const { logger, stopping } = this.#shared
    const lease = new Lease(() => this.#shared.leases.renew(this.#name, this.#holder, HELD))
    const signal = AbortSignal.any([stopping, lease.lost])
    const [task, start] = [this.#name, performance.now()]
    try {
      await this.#task.work({ signal })
      logger.info?.({ event: 'task.done', task, duration: Math.round(performance.now() - start) })
    } catch (error) {
      if (signal.aborted) return false
      logger.error({ event: 'task.failed', task, error })
    } finally {
      lease.end()
    }
    return true
  }
}

/** A lease that is kept until its end. If the database cannot be asked, it is lost before another process can have it. */
class Lease {
  readonly #renew: () => Promise<boolean>
  readonly #control = new AbortController()
  // A task that never ends keeps no process alive that has stopped.
  readonly #renewing = setInterval(() => void this.#renewed(), RENEWED).unref()
  #expiry = this.#expires()
  #isOver = false

  constructor(renew: () => Promise<boolean>) {
    this.#renew = renew
  }

  get lost(): AbortSignal {
    return this.#control.signal
  }

  end(): void {
    this.#isOver = true
    clearInterval(this.#renewing)
    clearTimeout(this.#expiry)
  }

  #expires(): NodeJS.Timeout {
    return setTimeout(() => this.#control.abort(), HELD - RENEWED).unref()
  }

  async #renewed(): Promise<void> {
    const isOurs = await this.#renew().catch(() => null)
    if (isOurs === false) this.#control.abort()
    if (isOurs !== true || this.#isOver) return
    clearTimeout(this.#expiry)
    this.#expiry = this.#expires()
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((over) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      over()
    }
    // A host that does not close the application ends nevertheless.
    const timer = setTimeout(end, milliseconds).unref()
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
