import { ConstraintViolation } from '../../errors/storage-errors.ts'
import { moment } from '../../lists/meanings.ts'
import type { TableFacts } from './facts.ts'
import type { Values } from './statements.ts'
import type { Dialect } from '../dialect.ts'

/**
 * Values as the database takes them; what was not said is left out.
 *
 * @throws ConstraintViolation an integer that no database can hold, which drivers would fail on
 */
export function storable(
  dialect: Dialect,
  values: Values,
  { table, facts }: { readonly table: string; readonly facts: TableFacts },
): Values {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined)
  for (const [column, value] of kept) {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
      throw new ConstraintViolation('invalid', { table, columns: [column] })
  }
  if (dialect.id !== 'mysql') return Object.fromEntries(kept)
  return Object.fromEntries(
    kept.map(([column, value]) => [column, sent(value, facts.columns.get(column)?.type)]),
  )
}

/** MySQL and MariaDB know nothing of the `T` and the `Z` of ISO 8601. */
function sent(value: unknown, type: string | undefined): unknown {
  const isPoint = type === 'datetime' || type === 'timestamp'
  if (!isPoint || typeof value !== 'string') return value
  return moment(value) ?? value
}
