// Random tables, walked with cursors in random orders: no row twice, none missing (I1, I2).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { type Case, type Route, proofCase } from './cases.ts'
import { type DIALECTS, PATIENCE, RUNS, casesOf, freshDatabase } from './databases.ts'
import { createProofTable, fill, oracle, proofSource } from './proof-table.ts'
import { throughApplication, throughStyle } from './readers.ts'
import { proveStretches } from './stretches.ts'
import { proveWalk } from './walk.ts'

/** Ways through one table. */
const ROUTES = 4
const IN_CI = { sqlite: 600, postgres: 100, mysql: 100 }

/** The proof for one database, in a test file of its own: those of servers mostly wait, beside another one. */
export function proveWalks([name, dialect]: (typeof DIALECTS)[number]): void {
  describe(`a walk with cursors on ${name}`, () => {
    const cases = casesOf(dialect, IN_CI)

    test(`I1, I2 ${cases} random cases`, { timeout: PATIENCE }, async () => {
      const database = await freshDatabase(dialect)
      await createProofTable(database)
      let walked = 0
      const property = fc.asyncProperty(proofCase(dialect, ROUTES), async (proof) => {
        await proveCase(database, proof)
        walked += ROUTES
      })
      await fc.assert(property, { ...RUNS, numRuns: Math.ceil(cases / ROUTES) })
      expect(walked).toBeGreaterThanOrEqual(cases)
    })
  })

  test(`I1 long texts that differ at their end on ${name}`, async () => {
    const database = await freshDatabase(dialect)
    await createProofTable(database)
    const rows = Array.from({ length: 30 }, (_row, label) => [
      `${'x'.repeat(390)}${(label * 7) % 30}`,
    ])
    for (const column of ['c_text', 'c_words', 'c_folded']) {
      const keys = [{ field: column, descending: false, nulls: 'first' as const }]
      const routes = [1, 4, 29].map((size) => ({ keys, size }))
      await proveCase(database, { content: { columns: [column], rows, firstId: 1n }, routes })
    }
  })
}

/** The first way goes through the whole application, the last one once more past the style. */
async function proveCase(database: SqlDatabase, { content, routes }: Case): Promise<void> {
  await fill(database, content)
  for (const [place, route] of routes.entries()) {
    const expected = await oracle(database, route.keys)
    await proveRoute(database, route, place, expected)
  }
}

async function proveRoute(
  database: SqlDatabase,
  { keys, size }: Route,
  place: number,
  expected: readonly number[],
): Promise<void> {
  const source = proofSource(database, keys)
  const read = place === 0 ? throughApplication : throughStyle
  await proveWalk(read({ source, keys, size }), expected, size)
  if (place === ROUTES - 1) await proveStretches({ source, keys, expected }, size)
}
