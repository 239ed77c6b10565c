// Servers have readers and writers at the same moment: whoever is left alone is seen exactly once (I1).
import { describe, expect, test } from 'vitest'
import type { SortKey } from '../../src/core/ports/list-source.ts'
import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { EVERYWHERE, PATIENCE } from './databases.ts'
import { createProofTable, fill, insert, oracle, proofSource } from './proof-table.ts'
import { NAMES, SERVERS, emptyDatabase } from '../setup/databases.ts'
import { throughStyle } from './readers.ts'
import { type Ask, follow, labelsOf } from './walk.ts'
import { proveSeen } from './writers.ts'

const ROWS = 300
const SIZE = 7
/** Walks there and back. */
const WALKS = EVERYWHERE ? 300 : 12
const COLUMNS = ['c_int', 'c_moment', 'c_words', 'c_uuid']

const KEYS: readonly SortKey[] = [
  { field: 'c_int', descending: true, nulls: 'first' },
  { field: 'c_moment', descending: false, nulls: 'last' },
  { field: 'c_words', descending: true, nulls: 'last' },
]

describe.each(SERVERS)('writers beside a reader', (dialect) => {
  test(`I1 ${WALKS} walks there and back on ${NAMES[dialect]}`, { timeout: PATIENCE }, async () => {
    const database = await emptyDatabase(dialect)
    await createProofTable(database)
    await fill(database, content(Array.from({ length: ROWS }, (_, label) => label)))
    const stop = new AbortController()
    const writing = [write(database, 1, stop.signal), write(database, 3, stop.signal)]
    const walking = walks(database).finally(() => stop.abort())
    // Nobody writes any more when the database goes, however the walks ended.
    const [walked, ...written] = await Promise.allSettled([walking, ...writing])
    if (walked.status === 'rejected') throw walked.reason
    for (const changes of written) {
      if (changes.status === 'rejected') throw changes.reason
      expect(changes.value).toBeGreaterThan(WALKS)
    }
  })
})

async function walks(database: SqlDatabase): Promise<void> {
  const ask = throughStyle({ source: proofSource(database, KEYS), keys: KEYS, size: SIZE })
  const untouched = (await oracle(database, KEYS)).filter(isUntouched)
  for (let walk = 0; walk < WALKS; walk++) await thereAndBack(ask, untouched)
}

async function thereAndBack(ask: Ask, untouched: readonly number[]): Promise<void> {
  const first = await ask(null)
  const forward = [first, ...(await follow(ask, first, 'next', ROWS))]
  proveSeen('forward', labelsOf(forward).filter(isUntouched), untouched, new Set())
  const last = forward.at(-1)!
  const back = [last, ...(await follow(ask, last, 'previous', ROWS))].toReversed()
  proveSeen('backward', labelsOf(back).filter(isUntouched), untouched, new Set())
}

/** Writers have the odd ones. */
function isUntouched(label: number): boolean {
  return label % 2 === 0
}

/** Moves its rows about in the order, deletes them and puts them back, until it is told to stop. */
async function write(database: SqlDatabase, own: number, stop: AbortSignal): Promise<number> {
  let changes = 0
  while (!stop.aborted) {
    const label = own + 4 * ((changes * 37) % Math.trunc(ROWS / 4))
    await patiently(() => change(database, label, changes))
    changes++
  }
  return changes
}

/** Writers of MariaDB may wait for each other; one of them is sent away then, and tries again. */
async function patiently(work: () => Promise<void>, tries = 20): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (tries === 1 || !(error instanceof DatabaseUnavailable)) throw error
    await patiently(work, tries - 1)
  }
}

async function change(database: SqlDatabase, label: number, turn: number): Promise<void> {
  const run = (sql: string) =>
    database.write({ sql: `${sql} where label = ${label}`, parameters: [] })
  if (turn % 3 === 0) await run(`update proof set c_int = ${turn % 5}`)
  else if (turn % 3 === 1) await run('update proof set c_bool = (c_int is null)')
  else {
    await run('delete from proof')
    await insert(database, content([label + turn]), label)
  }
}

/** Rows with few values: most of them tie with others. */
function content(seeds: readonly number[]) {
  const rows = seeds.map((seed) => [
    seed % 5 === 0 ? null : String(seed % 4),
    seed % 7 === 0 ? null : `2026-03-01 12:00:00.12345${seed % 3}`,
    ['a', 'A', 'é', '😀', null][seed % 5]!,
    null,
  ])
  return { columns: COLUMNS, rows, firstId: 1n }
}
