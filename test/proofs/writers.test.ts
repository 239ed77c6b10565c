// Rows come, go and change between pages: whoever stays is seen exactly once (I1).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { type Content, type Route, proofCase } from './cases.ts'
import { DIALECTS, PATIENCE, RUNS, casesOf, freshDatabase } from './databases.ts'
import { createProofTable, fill, oracle, proofSource } from './proof-table.ts'
import { throughStyle } from './readers.ts'
import { type Ask, follow, labelsOf } from './walk.ts'
import { type Change, Written, change, disturbed, proveSeen } from './writers.ts'

const IN_CI = { sqlite: 600, postgres: 150, mysql: 150 }
/** Walks among writers cost more, and need fewer tables. */
const SHARE = 10
/** More pages than rows can ever fill, while rows come in. */
const ENOUGH = 2000

describe.each(DIALECTS)('writers between pages on %s', (_, dialect) => {
  const cases = Math.ceil(casesOf(dialect, IN_CI) / SHARE)

  test(`I1 ${cases} random walks, there and back`, { timeout: PATIENCE }, async () => {
    const database = await freshDatabase(dialect)
    await createProofTable(database)
    const changes = fc.array(change, { minLength: 1, maxLength: 60, size: 'max' })
    let walked = 0
    const property = fc.asyncProperty(proofCase(dialect, 1), changes, async (proof, some) => {
      await proveDisturbed(database, proof.content, proof.routes[0]!, some)
      walked++
    })
    await fc.assert(property, { ...RUNS, numRuns: cases })
    expect(walked).toBeGreaterThanOrEqual(cases)
  })
})

async function proveDisturbed(
  database: SqlDatabase,
  content: Content,
  route: Route,
  changes: readonly Change[],
): Promise<void> {
  await fill(database, content)
  const source = proofSource(database, route.keys)
  const ask = throughStyle({ source, ...route })
  const written = new Written(database, content, route)
  const scene = { database, route, ask, disturbed: disturbed(ask, written, changes), written }
  await proveForward(scene)
  await proveBackward(scene)
}

interface Scene {
  readonly database: SqlDatabase
  readonly route: Route
  /** In peace, and with changes behind each page. */
  readonly ask: Ask
  readonly disturbed: Ask
  readonly written: Written
}

async function proveForward({ database, route, disturbed: ask, written }: Scene): Promise<void> {
  const before = await oracle(database, route.keys)
  const first = await ask(null)
  const pages = [first, ...(await follow(ask, first, 'next', ENOUGH))]
  proveSeen('forward', labelsOf(pages), before, written.deleted)
}

async function proveBackward({
  database,
  route,
  ask,
  disturbed: asking,
  written,
}: Scene): Promise<void> {
  const before = await oracle(database, route.keys)
  const first = await ask(null)
  const last = (await follow(ask, first, 'next', ENOUGH)).at(-1) ?? first
  const pages = [last, ...(await follow(asking, last, 'previous', ENOUGH))]
  proveSeen('backward', labelsOf(pages.toReversed()), before, written.deleted)
}

describe('a neighbour that is gone when it is asked for', () => {
  const rows = Array.from({ length: 10 }, (_, label) => [
    label % 2 === 0 ? null : String(label % 3),
  ])
  const content = { columns: ['c_int'], rows, firstId: 1n }
  const keys = [{ field: 'c_int', descending: true, nulls: 'first' as const }]

  async function scene() {
    const database = await freshDatabase('sqlite')
    await createProofTable(database)
    await fill(database, content)
    const ask = throughStyle({ source: proofSource(database, keys), keys, size: 5 })
    const first = await ask(null)
    const second = await ask(first.next)
    const remove = (labels: readonly number[]) =>
      database.write({ sql: `delete from proof where label in (${labels.join()})`, parameters: [] })
    return { ask, first, second, remove }
  }

  test('I1 the next page: it is empty, and the way back shows all that is left', async () => {
    const { ask, first, second, remove } = await scene()
    await remove(second.labels)
    const gone = await ask(first.next)
    expect(gone).toMatchObject({ labels: [], next: null })
    expect(await ask(gone.previous)).toMatchObject({ labels: first.labels, next: null })
  })

  test('I1 the page before: it is empty, and the way on shows all that is left', async () => {
    const { ask, first, second, remove } = await scene()
    await remove(first.labels)
    const gone = await ask(second.previous)
    expect(gone).toMatchObject({ labels: [], previous: null })
    expect(await ask(gone.next)).toMatchObject({ labels: second.labels, previous: null })
  })
})
