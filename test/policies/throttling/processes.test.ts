// Of any number of requests in any number of processes, as many pass as a limit allows.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configurationOf } from '../../../src/index.ts'
import { openDatabase } from '../../../src/sql.ts'
import { migratedDatabaseUrl } from '../../setup/databases.ts'
import type { Load } from './limited-process.ts'
import { addressesOf } from '../../setup/addresses.ts'
import { temporaryPath } from '../../contract/temporary.ts'

const PROCESSES = 4
const EACH = 250

interface Decided {
  readonly at: number
  readonly allowed: boolean
}

interface Outcome {
  readonly hits: readonly Decided[]
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>
}

class Limited {
  readonly child: ChildProcess
  readonly #lines: AsyncIterableIterator<string>

  constructor() {
    const program = ['test/policies/throttling/limited-process.ts']
    this.child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]()
  }

  /** Counts in this store from now on. */
  async countsIn(address: string): Promise<this> {
    this.child.stdin!.write(`${JSON.stringify(address)}\n`)
    expect((await this.#lines.next()).value).toBe('"ready"')
    return this
  }

  /** Sends them all at once, and reads until all are answered, or the process has died. */
  async ask(load: Load, dyingAfter = Infinity): Promise<Outcome> {
    this.child.stdin!.write(`${JSON.stringify(load)}\n`)
    const hits: Decided[] = []
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) {
      const read = JSON.parse(line.value) as Decided | Pick<Outcome, 'statuses'>
      if ('statuses' in read) return { hits, ...read }
      hits.push(read)
      if (hits.length === dyingAfter) this.child.kill('SIGKILL')
    }
    return { hits, statuses: {} }
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    this.child.kill('SIGKILL')
    await once(this.child, 'exit')
  }
}

const allowedOf = (outcomes: readonly Outcome[]): readonly number[] =>
  outcomes.flatMap(({ hits }) => hits.filter(({ allowed }) => allowed).map(({ at }) => at))

/** The most that pass at one moment, and in the end. */
const RATES = [
  ['5/s', 5],
  ['100/min', 100],
  ['5/s 100/min', 5],
] as const

const stores = {
  SQLite: async (): Promise<string> => {
    const url = `sqlite:${temporaryPath(afterAll)}`
    const database = openDatabase({ configuration: configurationOf({ DATABASE_URL: url }) })
    await database.migrate()
    await database.close()
    return url
  },
  PostgreSQL: async () => migratedDatabaseUrl('postgres', afterAll),
  MariaDB: async () => migratedDatabaseUrl('mysql', afterAll),
  Redis: async () => (await addressesOf<{ url: string }>('redis')).url,
}

/** They count in one store after the other: starting them takes as long as what they do. */
const limited = Array.from({ length: PROCESSES }, () => new Limited())
afterAll(async () => {
  for (const one of limited) await one.end()
})

describe.each(Object.entries(stores))('4 processes that count in one %s', (_name, prepared) => {
  let address = ''
  beforeAll(async () => {
    address = await prepared()
    await Promise.all(limited.map((one) => one.countsIn(address)))
  })

  // Each test has a moment of its own, beyond the windows of the others.
  let moment = Date.UTC(2026, 0, 1)
  const loadOf = (rates: string): Load => {
    moment += 86_400_000
    return { rates: rates.split(' '), clock: moment, requests: EACH }
  }

  test.each(RATES)('%s: of 1,000 requests at one moment pass %i', async (rates, limit) => {
    const load = loadOf(rates)
    const outcomes = await Promise.all(limited.map((one) => one.ask(load)))
    expect(allowedOf(outcomes)).toHaveLength(limit)
    const sum = (status: string): number =>
      outcomes.reduce((all, { statuses }) => all + (statuses[status] ?? 0), 0)
    // On a busy machine an answer of the store may come too late for its request.
    const late = sum('503')
    expect(sum('200') + sum('429') + late).toBe(PROCESSES * EACH)
    expect(sum('200')).toBeLessThanOrEqual(limit)
    expect(sum('200')).toBeGreaterThanOrEqual(limit - late)
  })

  test('also where one of them is killed in the middle', async () => {
    const load = loadOf('100/min')
    const victim = await new Limited().countsIn(address)
    const outcomes = await Promise.all([
      victim.ask(load, 20),
      ...limited.slice(1).map((one) => one.ask(load)),
    ])
    await victim.end()
    expect(victim.child.signalCode).toBe('SIGKILL')
    // What the victim had counted and could not tell is missing here, and nowhere else.
    const told = allowedOf(outcomes).length
    expect(told).toBeLessThanOrEqual(100)
    const untold = EACH - outcomes[0].hits.length
    expect(told).toBeGreaterThanOrEqual(100 - untold)
    expect(allowedOf([await limited[0]!.ask(load)])).toEqual([])
  })

  test('5/s in real time: no second holds more, and none was refused without need', async () => {
    const load: Load = { rates: ['5/s'], clock: null, requests: 50 }
    const outcomes: Outcome[] = []
    const keepAsking = async (one: Limited): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        outcomes.push(await one.ask(load))
        await new Promise((resolve) => void setTimeout(resolve, 150))
      }
    }
    await Promise.all(limited.map(keepAsking))
    const allowed = allowedOf(outcomes).toSorted((a, b) => a - b)
    const crowded = allowed.filter((at, i) => (allowed[i + 5] ?? Infinity) < at + 1000)
    expect(crowded).toEqual([])
    const hits = outcomes.flatMap((outcome) => outcome.hits)
    const needless = hits.filter(({ at, allowed: passes }) => {
      const within = allowed.filter((each) => each > at - 1000 && each <= at)
      return !passes && within.length < 5
    })
    expect(needless).toEqual([])
    expect(hits.length).toBeGreaterThan(allowed.length)
  })
})
