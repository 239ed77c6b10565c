// Rows come, go and change between pages: whoever stays is seen exactly once (I1).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../src/stores/sql/sql-database.ts'
import { type Content, type Route, proofCase } from './cases.ts'
import { DIALECTS, PATIENCE, RUNS, casesOf, freshDatabase } from './databases.ts'
import { createProofTable, fill, oracle, proofSource } from './proof-table.ts'
import { throughStyle } from './readers.ts'
import { type Ask, follow, labelsOf } from './walk.ts'
import { type Change, Written, change, disturbed, proveSeen } from './writers.ts'

const IN_CI = { sqlite: 200, postgres: 40, mysql: 40 }
/** More pages than rows can ever fill, while rows come in. */
const ENOUGH = 5000

describe.each(DIALECTS)('writers between pages on %s', (_, dialect) => {
  const cases = casesOf(dialect, IN_CI)

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
