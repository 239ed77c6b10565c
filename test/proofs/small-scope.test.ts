// Every table of up to 4 rows over {NULL, 0, 1}², in every order by its two columns (I1).
import { describe, expect, test } from 'vitest'
import type { SortKey } from '../../src/contract/source.ts'
import { sqlSource } from '../../src/sources/sql-source.ts'
import type { SqlDatabase } from '../../src/stores/sql/sql-database.ts'
import { DIALECTS, EVERYWHERE, PATIENCE, freshDatabase } from './databases.ts'
import { throughStyle } from './readers.ts'
import {
  ORDERS,
  SIZES,
  type ScopeTables,
  WORLDS,
  createWorlds,
  scopeOracle,
} from './small-scope.ts'
import { proveWalk } from './walk.ts'

test('the small scope is all of it', () => {
  // Multisets of 0 to 4 out of 9 pairs; 2 × 4 × 4 orders by both columns and 4 by one.
  expect(WORLDS).toHaveLength(1 + 9 + 45 + 165 + 495)
  expect(new Set(WORLDS.map((world) => JSON.stringify(world))).size).toBe(WORLDS.length)
  expect(new Set(ORDERS.map((keys) => JSON.stringify(keys))).size).toBe(32 + 4)
})

const places = EVERYWHERE ? DIALECTS : DIALECTS.slice(0, 1)

describe.each(places)('small tables on %s', (_, dialect) => {
  test('I1 every table, order and page size', { timeout: PATIENCE }, async () => {
    const database = await freshDatabase(dialect)
    await createWorlds(database)
    for (const keys of ORDERS) await proveOrder(database, keys)
  })
})

async function proveOrder(database: SqlDatabase, keys: readonly SortKey[]): Promise<void> {
  const lists = await scopeOracle(database, keys)
  for (const [world, expected] of lists.entries()) {
    const query = database
      .kysely<ScopeTables>()
      .selectFrom('scope')
      .select(['label', 'id', 'a', 'b'])
      .where('world', '=', world)
    const source = sqlSource({ database, query, key: 'id' })
    for (const size of SIZES.filter((each) => each <= Math.max(1, expected.length)))
      await proving(world, keys, () =>
        proveWalk(throughStyle({ source, keys, size }), expected, size),
      )
  }
}

async function proving(
  world: number,
  keys: readonly SortKey[],
  prove: () => Promise<void>,
): Promise<void> {
  try {
    await prove()
  } catch (cause) {
    throw new Error(`${JSON.stringify(WORLDS[world])} by ${JSON.stringify(keys)}: ${cause}`, {
      cause,
    })
  }
}
