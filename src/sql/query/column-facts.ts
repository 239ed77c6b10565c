import { LimitNode, ReferenceNode, type SelectQueryNode, ValueNode } from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { ColumnFacts, Database, Statement } from '../../contract/storage.ts'
import { after } from '../../std/after.ts'
import type { Compile } from './compiler.ts'
import { type Field, type FieldQuery, type StarNames, aliased, starsOf } from './fields.ts'
import { type Table, isAlwaysThere } from './tables.ts'

/** What has to be known of a field before it can be compared. */
export interface FieldFacts {
  /** The type in the database's words; `null`: not known. */
  readonly type: string | null
  readonly scale: number
  readonly nullable: boolean
}

/** The part of a database that knows about columns. */
export type Describing = Pick<Database, 'rows' | 'describe'>

/** What the database knows of the fields, asked in one go. */
export function factsOf(
  database: Describing,
  { query, tables }: FieldQuery,
  fields: readonly Field[],
  compile: Compile,
): MaybePromise<readonly FieldFacts[]> {
  if (database.describe === undefined || fields.length === 0) return fields.map(() => UNKNOWN)
  const selections = fields.map(({ node }, place) => aliased(node, `c${place}`))
  return after(database.describe(noRows({ ...query, selections }, compile)), (columns) =>
    fields.map((field, place) => toFacts(field, columns[place]!, tables)),
  )
}

const UNKNOWN: FieldFacts = { type: null, scale: 0, nullable: true }

function toFacts(
  { origin }: Field,
  { type, scale = 0, nullable, table }: ColumnFacts,
  tables: readonly Table[],
): FieldFacts {
  const isThere =
    !nullable && table !== null && ReferenceNode.is(origin) && isAlwaysThere(tables, origin, table)
  return { type, scale, nullable: !isThere }
}

function noRows(query: SelectQueryNode, compile: Compile): Statement {
  return compile({ ...query, limit: LimitNode.create(ValueNode.createImmediate(0)) })
}

/** What each `*` of a query stands for. */
export function starNames(
  database: Pick<Database, 'rows'>,
  query: SelectQueryNode,
  compile: Compile,
): MaybePromise<StarNames> {
  return starsOf(query).reduce<MaybePromise<StarNames>>(
    (names, star) =>
      after(names, (known) =>
        after(
          database.rows(noRows({ ...query, selections: [star] }, compile)),
          ({ columns }) => new Map([...known, [star, columns]]),
        ),
      ),
    new Map(),
  )
}
