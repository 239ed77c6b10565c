// Refusals of a table: the constraints that databases name in their errors, and values that a column cannot hold.
import { ConstraintViolation } from '../../../core/errors/storage-errors.ts'
import type {
  Attempt,
  ColumnOfTable,
  Constraint,
  Dialect,
  TableFacts,
  Violation,
} from '../dialect.ts'
import { isExpression } from '../nodes.ts'
import { tableName } from './statements.ts'
import type { Values } from './scopes.ts'

export type ConstrainedColumn = readonly [name: string, kind: Constraint['kind'], column: string]

export function constraintsOf(rows: readonly ConstrainedColumn[]): readonly Constraint[] {
  const byName = Map.groupBy(rows, ([name, kind]) => `${kind} ${name}`)
  return [...byName.values()].map((parts) => {
    const [name, kind] = parts[0]!
    return { name, kind, columns: parts.map(([, , column]) => column) }
  })
}

export function columnsOf(
  name: string | undefined,
  kind: Constraint['kind'],
  { constraints }: TableFacts,
): readonly string[] {
  return constraints.find((each) => each.kind === kind && each.name === name)?.columns ?? []
}

/** A column got NULL, or nothing. */
export function missingValue(column: string, { values }: Attempt): Violation {
  return { kind: column in values ? 'null' : 'required', columns: [column] }
}

/** The error as `ConstraintViolation` if it is about the row; otherwise unchanged. */
export async function toViolation(
  options: { readonly database: { readonly dialect: Dialect }; readonly table: string },
  error: unknown,
  { facts, ...change }: Omit<Attempt, 'table'>,
): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  const table = tableName(options.table).name
  const violation = await options.database.dialect.violation(error, { ...change, table, facts })
  if (violation === null) return error
  const { kind, referring } = violation
  const columns = violation.columns.filter((column) => facts.columns.has(column))
  // A trigger may have written to another table, whose missing value does not concern the client.
  if ((kind === 'null' || kind === 'required') && columns.length === 0) return error
  // If only some columns of a constraint are known, naming these would mislead.
  const known = columns.length === violation.columns.length ? columns : []
  return new ConstraintViolation(kind, { table, columns: known, referring, cause: error })
}

/** @throws ConstraintViolation a value that the column cannot hold, which drivers would fail on or make another of */
export function storable(values: Values, table: string, { columns }: TableFacts): Values {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([column, value]) => {
      if (isExpression(value)) return [column, value]
      try {
        return [column, storedIn(columns.get(column), value)]
      } catch (error) {
        const { message } = error as Error
        const sentence = `The column ${table}.${column} cannot store this: ${message}`
        // A value of a wrong type is the program's mistake, which is logged; one out of range is the client's.
        const cause =
          error instanceof TypeError ? new TypeError(sentence) : new RangeError(sentence)
        throw new ConstraintViolation('invalid', { table, columns: [column], cause })
      }
    }),
  )
}

/** A value in the form that its column has: nothing more is made of it. */
export class AsStored {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function storedIn(column: ColumnOfTable | undefined, value: unknown): unknown {
  if (value instanceof AsStored) return value.value
  const isBeyond = typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
  if (isBeyond && !(column?.type === 'integer unsigned' && column.kind.fits(value)))
    throw new RangeError('an integer of more than 64 bits.')
  const stored = column?.kind.stored === undefined ? value : column.kind.stored(value)
  if (column === undefined || isPlain(stored) || column.kind.takesObjects) return stored
  throw new TypeError(
    `a value of type ${typeof stored}, and the column is ${column.type}. Lists and objects are for a column of JSON: column.json().`,
  )
}

/** Is it one value, which drivers write as such? */
function isPlain(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime())
  if (typeof value === 'object') return value === null || ArrayBuffer.isView(value)
  return typeof value !== 'function' && typeof value !== 'symbol'
}
