import type { Statement } from '../../src/core/ports/database.ts'
import type { Rows } from '../../src/core/ports/list-source.ts'
import type { Execution } from '../../src/storage/kysely.ts'
import type { PooledConnection } from '../../src/storage/pooled/server-connection.ts'
import type { ConnectionPool } from '../../src/storage/pooled/server-pool.ts'
import { nextTurn } from './temporary.ts'

/** A run: a connection with a snapshot. */
export interface Run {
  readonly number: number
  readonly first: Statement
  /** When its first statement was sent. */
  readonly began: number
  open: boolean
}

/** Something that is under way, until it is told to end. */
export interface Pending {
  readonly what: 'connect' | 'count' | 'page'
  end(failure?: Error): void
}

/** A pool in which everything takes until it is told to end, in any order. */
export class SlowPool implements ConnectionPool {
  /** Milliseconds, by the clock of the machine. */
  patience = 12_000
  readonly runs: Run[] = []
  readonly pending: Pending[] = []
  connections = 0
  /** Goes on whenever somebody looks. */
  #clock = 0

  now(): number {
    return this.#clock++
  }

  async connect(): Promise<PooledConnection> {
    await this.#under('connect')
    this.connections++
    return this.#connection()
  }

  async close(): Promise<void> {}

  /** Ends what is under way for longest. */
  async end(what: Pending['what'], failure?: Error): Promise<void> {
    const next = this.pending.find((one) => one.what === what)
    if (next === undefined) throw new Error(`No ${what} is under way.`)
    next.end(failure)
    await nextTurn()
  }

  async endAll(): Promise<void> {
    // What ends lets others begin, a turn or two later.
    for (let idle = 0; idle < 4; idle++) {
      await nextTurn()
      if (this.pending.length === 0) continue
      this.pending[0]!.end()
      idle = -1
    }
  }

  #under(what: Pending['what']): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (failure?: Error): void => {
        this.pending.splice(this.pending.indexOf(pending), 1)
        if (failure === undefined) resolve()
        else reject(failure)
      }
      const pending: Pending = { what, end }
      this.pending.push(pending)
    })
  }

  #connection(): PooledConnection {
    let run: Run | null = null
    const beginWith = async (first: Statement): Promise<Execution> => {
      run = { number: this.runs.length, first, began: this.now(), open: true }
      this.runs.push(run)
      await this.#under('count')
      return found(run.number)
    }
    const execute = async ({ parameters }: Statement): Promise<Execution> => {
      if (run?.open !== true) throw new Error('There is no snapshot.')
      await this.#under('page')
      return found(run.number, ...parameters)
    }
    return {
      pipelines: true,
      beginWith,
      execute,
      describe: () => Promise.reject(new Error('Nobody asks about columns.')),
      begin: () => Promise.reject(new Error('Nobody begins without a statement.')),
      commit: () => Promise.reject(new Error('Nobody has written.')),
      rollback: async () => {
        if (run !== null) run.open = false
      },
      unhurry: () => Promise.reject(new Error('Nobody migrates.')),
      hurry: () => undefined,
      release: () => void this.connections--,
    }
  }
}

function found(...row: unknown[]): Execution {
  return { values: [row], columns: row.map(String), changes: null }
}

export function firstRow({ values }: Rows): readonly unknown[] {
  return values[0]!
}
