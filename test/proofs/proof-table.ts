import { dialectOf } from '../setup/dialects.ts'
// The table of the proofs, filled and read with SQL written by hand.
import type { SeekableSource, SortKey } from '../../src/core/ports/list-source.ts'
import { sqlSource } from '../../src/storage/sql/query/sql-source.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import type { Content } from './cases.ts'
import { CREATE_COLLATION, type Dialect, type Value, declaration, kindsOf } from './kinds.ts'

/** Rows as a query reads them. `label` tells them apart for the proof, `id` for the source. */
export interface ProofTables {
  proof: { label: number; id: number | string | bigint; [column: string]: unknown }
}

/** Creates the table. Its rows lie in no useful order, and some columns have an index. */
export async function createProofTable(database: SqlDatabase): Promise<void> {
  const dialect = dialectOf(database)
  if (dialect === 'postgres') await write(database, CREATE_COLLATION)
  const columns = kindsOf(dialect).map((kind) => declaration(kind, dialect))
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await write(
    database,
    `create table proof (label integer not null, id ${integer} not null unique, ${columns.join(', ')})`,
  )
  for (const column of ['c_int', 'c_moment', 'c_folded', 'c_text_there'])
    await write(database, `create index proof_${column} on proof (${column})`)
}

/** Puts these rows, and no others, into the table. */
export async function fill(database: SqlDatabase, content: Content): Promise<void> {
  await write(database, dialectOf(database) === 'postgres' ? 'truncate proof' : 'delete from proof')
  await insert(database, content, 0)
}

/** Adds rows with labels from `first` on. */
export async function insert(
  database: Pick<SqlDatabase, 'dialect' | 'write'>,
  { columns, rows, firstId }: Content,
  first: number,
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map((row, index) => [
    first + index,
    String(firstId + scattered(first + index)),
    ...row,
  ])
  await database.write({
    sql: `insert into proof (label, id, ${columns.join(', ')}) values ${places(values, dialectOf(database))}`,
    parameters: values.flat(),
  })
}

/** The list under test. It shows what it is ordered by, as lists do. */
export function proofSource(
  database: SqlDatabase,
  keys: readonly SortKey[],
): SeekableSource<{ label: number }, string> {
  const shown = keys.map(({ field }) => field).filter((field) => field !== 'id')
  const query = database
    .kysely<ProofTables>()
    .selectFrom('proof')
    .select(['label', 'id', ...shown])
    .$castTo<{ label: number }>()
  return sqlSource<{ label: number }, string>({ database, query, key: 'id' })
}

/** A key in no relation to the order in which rows come: 7919 has no factor in common with 10007. */
export function scattered(label: number): bigint {
  return BigInt((label * 7919) % 10_007)
}

/** The whole list in one query: what pages must add up to. */
export async function oracle(
  database: SqlDatabase,
  keys: readonly SortKey[],
): Promise<readonly number[]> {
  const order = orderBy(dialectOf(database), keys)
  const { values } = await database.rows({
    sql: `select label from proof order by ${order}`,
    parameters: [],
  })
  return values.map(([label]) => Number(label))
}

/** An order that the unique key makes total, in the direction of the last key. */
export function orderBy(dialect: Dialect, keys: readonly SortKey[]): string {
  const last = keys.at(-1)!
  const total = keys.some(({ field }) => field === 'id')
    ? keys
    : [...keys, { ...last, field: 'id' }]
  return total.map((key) => BY_KEY[dialect](key)).join(', ')
}

const standard = ({ field, descending, nulls }: SortKey): string =>
  `${field} ${descending ? 'desc' : 'asc'} nulls ${nulls}`

const BY_KEY: { readonly [D in Dialect]: (key: SortKey) => string } = {
  sqlite: standard,
  postgres: standard,
  mysql: ({ field, descending, nulls }) =>
    `${field} is ${nulls === 'first' ? 'not ' : ''}null, ${field} ${descending ? 'desc' : 'asc'}`,
}

export function places(rows: readonly (readonly unknown[])[], dialect: Dialect): string {
  if (dialect !== 'postgres')
    return rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
  let place = 0
  return rows.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`).join(', ')
}

async function write(database: SqlDatabase, sql: string, parameters: Value[] = []): Promise<void> {
  await database.write({ sql, parameters })
}
