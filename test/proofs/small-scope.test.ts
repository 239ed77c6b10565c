// Every table of up to 4 rows over {NULL, 0, 1}², in every order by its two columns that tells something of it (I1).
import { describe, expect, test } from 'vitest'
import type { SortKey } from '../../src/core/ports/list-source.ts'
import { sqlSource } from '../../src/storage/sql/query/sql-source.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { DIALECTS, EVERYWHERE, PATIENCE, freshDatabase } from './databases.ts'
import { type Labelled, throughStyle } from './readers.ts'
import {
  ORDERS,
  SIZES,
  type ScopeTables,
  TABLES,
  type Pair,
  createScope,
  ordersOf,
  fillScope,
  scopeOracle,
} from './small-scope.ts'
import { type Ask, proveWalk } from './walk.ts'

test('the small scope is all of it', () => {
  // Multisets of 0 to 4 out of 9 pairs; 2 × 4 × 4 orders by both columns and 4 by one.
  expect(TABLES).toHaveLength(1 + 9 + 45 + 165 + 495)
  expect(new Set(TABLES.map((table) => JSON.stringify(table))).size).toBe(TABLES.length)
  expect(new Set(ORDERS.map((keys) => JSON.stringify(keys))).size).toBe(32 + 4)
})

test('the largest tables are the same ones with their columns exchanged, so that half of the orders tell all', () => {
  const [inAll = 0, inHalf = 0] = [32 + 4, 16 + 4].map(
    (orders) => TABLES.filter((table) => ordersOf(table).length === orders).length,
  )
  expect([inAll, inHalf]).toEqual([1 + 9 + 45 + 165, 495])
  const halved = TABLES.filter((table) => ordersOf(table) !== ORDERS)
  const known = new Set(halved.map(asText))
  const exchanged = halved.map((table) => asText(table.map(([a, b]): Pair => [b, a])))
  expect(new Set(exchanged)).toEqual(known)
})

/** The rows of a table, whatever their order. */
const asText = (table: readonly Pair[]): string =>
  JSON.stringify(table.map((pair) => JSON.stringify(pair)).toSorted())

const places = EVERYWHERE ? DIALECTS : DIALECTS.slice(0, 1)

describe.each(places)('small tables on %s', (_, dialect) => {
  test('I1 every table, order and page size', { timeout: PATIENCE }, async () => {
    const database = await freshDatabase(dialect)
    await createScope(database)
    const readers = readersOf(database)
    for (const table of TABLES) await proveTable(database, table, readers)
  })
})

interface OrderReaders {
  readonly keys: readonly SortKey[]
  readonly bySize: readonly (readonly [size: number, ask: Ask])[]
}

/** Made once: the table changes below them. */
function readersOf(database: SqlDatabase): readonly OrderReaders[] {
  const query = database.kysely<ScopeTables>().selectFrom('scope').select(['label', 'id', 'a', 'b'])
  const source = sqlSource<Labelled, string>({ database, query, key: 'id' })
  return ORDERS.map((keys) => ({
    keys,
    bySize: SIZES.map((size) => [size, throughStyle({ source, keys, size })] as const),
  }))
}

async function proveTable(
  database: SqlDatabase,
  table: readonly Pair[],
  readers: readonly OrderReaders[],
): Promise<void> {
  await fillScope(database, table)
  const telling = new Set(ordersOf(table))
  for (const { keys, bySize } of readers.filter((reader) => telling.has(reader.keys))) {
    const expected = await scopeOracle(database, keys)
    for (const [size, ask] of bySize.filter(([each]) => each <= Math.max(1, table.length)))
      await naming(table, keys, () => proveWalk(ask, expected, size))
  }
}

async function naming(
  table: readonly Pair[],
  keys: readonly SortKey[],
  prove: () => Promise<void>,
): Promise<void> {
  try {
    await prove()
  } catch (cause) {
    throw new Error(`${JSON.stringify(table)} by ${JSON.stringify(keys)}`, { cause })
  }
}
