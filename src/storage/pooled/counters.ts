import type { Statement } from '../../core/ports/database.ts'
import type {
  Counted,
  CounterStore,
  Hit,
  Limit,
  Standing,
} from '../../core/ports/policies/throttling.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import type { Dialect } from '../sql/dialect.ts'
import { Batch } from '../../core/std/batch.ts'
import { checkLimits, grainOf, idOf, windowOf } from '../counter-rows.ts'

/** A hit, a look or a withdrawal. */
interface Task {
  readonly act: 'look' | 'count' | 'withdraw'
  readonly limits: readonly Limit[]
  readonly at: number | null
  /** When it came, by `performance.now()`. */
  readonly since: number
}

/** Tasks as a routine of the database takes them. */
export interface CounterWork {
  /** The rows, in the order of their bytes, in which every process locks them. */
  readonly ids: readonly string[]
  /**
   * Whole numbers. For each task: its kind (0: look, 1: count, 2: withdraw), whether a moment is given, the moment, the number
   * of limits; for each of these the place of its row among `ids` (from 1), the limit, the window in milliseconds, the cost,
   * whether it is `gcra`, and the milliseconds of which the end of the row is a multiple.
   */
  readonly numbers: readonly number[]
}

/** The statement with which a server counts: it is a transaction of its own. */
export interface CounterStatements {
  /** Gives the answer as a text, see `answersIn`. */
  count(work: CounterWork): Statement
  /** Deletes so many rows at most that are over at this moment. */
  sweep(at: number, most: number): Statement
}

/** The part of a database on a server that counting needs. */
export interface CountingPort {
  readonly dialect: Pick<Dialect, 'gaveUp'>
  readonly statements: CounterStatements
  /** Runs the statement alone; gives the first value of its first row. */
  ask(statement: Statement): Promise<unknown>
}

/** Hits of one statement at most. */
const LARGEST = 250
/**
 * One statement is under way, and the hits that come meanwhile go into the next one. If the statement is slow, because a row
 * is locked or the connection is silent, a second one may run. A third never runs: other work needs connections, too.
 */
const BATCHES = { largest: LARGEST, underway: 1, most: 2 }
/**
 * Times that a statement is asked which the server gives up for another one. Where the operator has made transactions see
 * one state from beginning to end, each statement that has to wait for a row is given up.
 */
const ATTEMPTS = 10
/** Milliseconds between two such attempts at most. */
const PAUSE = 5
/** Milliseconds that a hit waits for its statement; its request has been answered by then. */
const PATIENCE = 5000
/** Rows of hits after which a sweep looks for twice as many rows that are over. */
const SWEEP = 256

/** Hits that wait at the same moment travel as one statement on one connection, and are counted in their order. */
export class PooledCounters implements CounterStore {
  readonly #port: CountingPort
  readonly #batch = new Batch<Task, Counted>((tasks) => this.#run(tasks), BATCHES)
  /** Rows of hits since the last sweep. */
  #rows = 0

  constructor(port: CountingPort) {
    this.#port = port
  }

  async hit({ limits, at, counting }: Hit): Promise<Counted> {
    checkLimits(limits, at)
    return this.#waited(counting ? 'count' : 'look', limits, at)
  }

  async withdraw(limits: readonly Limit[], at: number): Promise<void> {
    checkLimits(limits, at)
    await this.#waited('withdraw', limits, at)
  }

  async clear(): Promise<void> {
    // No row is left to look for.
    this.#rows = 0
    await this.#asked({ sql: 'delete from colophon_counter', parameters: [] })
  }

  /** Waits for a task. Each call makes a task of its own, because the same hit may come twice. */
  async #waited(act: Task['act'], limits: readonly Limit[], at: number | null): Promise<Counted> {
    const counted = await this.#batch.lookUp({ act, limits, at, since: performance.now() })
    if (counted === null)
      throw new DatabaseUnavailable(
        `A request waited ${PATIENCE / 1000} s for the database to count others, and was not counted.`,
      )
    return counted
  }

  async #run(waiting: readonly Task[]): Promise<ReadonlyMap<Task, Counted>> {
    const earliest = performance.now() - PATIENCE
    const tasks = waiting.filter(({ since }) => since >= earliest)
    if (tasks.length === 0) return new Map()
    const work = workOf(tasks)
    const answer = await this.#asked(this.#port.statements.count(work))
    const counted = answersIn(String(answer), tasks)
    this.#rows += work.ids.length
    if (this.#rows >= SWEEP) this.#sweep(counted.at(-1)!.at)
    return new Map(tasks.map((task, index) => [task, counted[index]!]))
  }

  /** Deletes rows that are over, and delays no hit. Rows that it could not delete are left to the next sweep. */
  #sweep(at: number): void {
    const statement = this.#port.statements.sweep(at, 2 * this.#rows)
    this.#rows = 0
    this.#port.ask(statement).catch(() => undefined)
  }

  /** Asks a statement, and asks it again if it was given up: then it has counted nothing. */
  async #asked(statement: Statement): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#port.ask(statement)
      } catch (error) {
        const cause = error instanceof DatabaseUnavailable ? error.cause : error
        const again = cause instanceof Error && this.#port.dialect.gaveUp(cause)
        if (!again || attempt === ATTEMPTS) throw error
      }
      await new Promise((resolve) => void setTimeout(resolve, Math.random() * PAUSE))
    }
  }
}

const ACTS = { look: 0, count: 1, withdraw: 2 } as const

function workOf(tasks: readonly Task[]): CounterWork {
  const all = new Set(tasks.flatMap(({ limits }) => limits.map(idOf)))
  const ids = [...all]
    .map((id) => Buffer.from(id))
    .toSorted(Buffer.compare)
    .map(String)
  const places = new Map(ids.map((id, index) => [id, index + 1]))
  const numbers: number[] = []
  for (const { act, at, limits } of tasks) {
    numbers.push(ACTS[act], at === null ? 0 : 1, at ?? 0, limits.length)
    for (const limit of limits) {
      const isGcra = limit.algorithm === 'gcra' ? 1 : 0
      const place = places.get(idOf(limit))!
      numbers.push(place, limit.limit, windowOf(limit), limit.cost, isGcra, grainOf(limit))
    }
  }
  return { ids, numbers }
}

/**
 * The results of the tasks, from numbers with commas between them: for each task the moment, and for each of its limits whether
 * it allows, what remains, the wait (-1: for ever) and the reset.
 */
function answersIn(text: string, tasks: readonly Task[]): readonly Counted[] {
  const numbers = text.split(',').map(Number)
  let next = 0
  const standing = (): Standing => {
    const [allowed, remaining, wait, reset] = numbers.slice(next, (next += 4))
    return {
      allowed: allowed === 1,
      remaining: remaining!,
      wait: wait! < 0 ? null : wait!,
      reset: reset!,
    }
  }
  return tasks.map(({ limits, act }) => {
    const at = numbers[next++]!
    return { at, standings: act === 'withdraw' ? [] : limits.map(standing) }
  })
}
