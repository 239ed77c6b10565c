// Drizzle's own SQL for the query builder: expressions, and selects with their columns and tables.
import { Column, Placeholder, SQL, type SQLWrapper, Subquery, View, is, sql } from 'drizzle-orm'
import {
  AliasNode,
  ExpressionWrapper,
  FromNode,
  GroupByItemNode,
  GroupByNode,
  HavingNode,
  IdentifierNode,
  JoinNode,
  type JoinType,
  type OperationNode,
  RawNode,
  SelectModifierNode,
  type SelectQueryNode,
  TableNode,
  ValueNode,
  WhereNode,
} from 'kysely'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { AnyTables } from '../sql/dialect.ts'
import { columnOf, withAlias } from '../sql/nodes.ts'
import { type KnownColumn, type ColumnPlace, knownColumn, knownExpression } from './columns.ts'

/** The result of `drizzle()`. */
export interface DrizzleInstance {
  readonly select: (...fields: never[]) => unknown
}

/** The part of the instance that writes SQL. */
export interface Writer {
  readonly casing: { getColumnCasing(column: Column): string }
  escapeName(name: string): string
  escapeString(text: string): string
}

/** @throws ConfigurationError `db` is not an instance of Drizzle */
export function writerOf(db: DrizzleInstance, table: string): Writer {
  const { dialect } = db as DrizzleInstance & { readonly dialect?: Partial<Writer> }
  if (dialect?.casing !== undefined && dialect.escapeName !== undefined) return dialect as Writer
  throw new ConfigurationError(
    `drizzleTable(): "db" of the table "${table}" is nothing that drizzle() of drizzle-orm 0.44 or 0.45 gives.`,
  )
}

/** Marks the place of a value; SQL never contains this character. */
const PLACE = '\0'

export type DrizzleExpression = ExpressionWrapper<AnyTables, string, never>

/** Turns SQL of Drizzle into an expression of the query builder, with its values as Drizzle binds them. */
export function expressionOf(
  condition: SQL,
  { casing, escapeName, escapeString }: Writer,
): DrizzleExpression {
  const config = { casing, escapeName, escapeString, escapeParam: () => PLACE }
  const { sql: text, params } = condition.toQuery(config as never)
  if (params.some((each) => is(each, Placeholder)))
    throw new ConfigurationError(
      'SQL of Drizzle has a placeholder, which nothing fills in. Write the value in its place.',
    )
  const values = params.map((each) => ValueNode.create(each))
  return new ExpressionWrapper(RawNode.create(text.split(PLACE), values))
}

/** A select of Drizzle, which is not run. */
export interface DrizzleQuery<Row> {
  readonly _: { readonly result: readonly Row[] }
}

/** The parts that a select of Drizzle keeps. */
interface SelectConfig {
  readonly fields: Readonly<Record<string, unknown>>
  readonly table: unknown
  readonly joins?: readonly Join[]
  readonly where?: SQL
  readonly groupBy?: readonly SQLWrapper[]
  readonly having?: SQL
  readonly distinct?: unknown
}

interface Join {
  readonly joinType: 'left' | 'right' | 'inner' | 'full' | 'cross'
  readonly lateral?: boolean
  readonly table: unknown
  readonly on?: SQL
}

interface Select {
  readonly known: readonly KnownColumn[]
  readonly node: SelectQueryNode
}

/**
 * The columns of a select by property, and its node with the tables, which shows the joins that may lack a row.
 *
 * @throws ConfigurationError the query is no select, or cannot be cut into pages; values of a column would differ from Drizzle's
 */
export function selectOf(
  query: DrizzleQuery<unknown>,
  writer: Writer,
  within: Pick<ColumnPlace, 'dialect' | 'types'>,
): Select {
  const { fields, table, joins, where, groupBy, having, distinct } = configOf(query)
  // An alias is written by its name, as Drizzle does: a second copy of the expression would count as another one.
  const written = (part: SQLWrapper): OperationNode =>
    expressionOf(sql`${part}`, writer).toOperationNode()
  const owners = ownersOf(fields)
  const selected = Object.entries(fields).map(([property, field]) => {
    const place = { ...within, table: 'query', property, name: nameOf(property, field, owners) }
    if (is(field, Column)) {
      const known = knownColumn({ ...place, column: field })
      return { known, node: columnNode(field, writer) }
    }
    const expression = expressionIn(property, field)
    return { known: knownExpression({ ...place, expression }), node: written(expression) }
  })
  const groups = groupBy?.map((each) => GroupByItemNode.create(written(each)))
  const node: SelectQueryNode = {
    kind: 'SelectQueryNode',
    from: FromNode.create([tableNode(table, written)]),
    selections: selected.map((each) => withAlias(each.node, each.known.name)),
    ...(joins && { joins: joins.map((each) => joinNode(each, written)) }),
    ...(where && { where: WhereNode.create(written(where)) }),
    ...(groups && { groupBy: GroupByNode.create(groups) }),
    ...(having && { having: HavingNode.create(written(having)) }),
    ...(distinct === true && { frontModifiers: [SelectModifierNode.create('Distinct')] }),
  }
  return { known: selected.map(({ known }) => known), node }
}

/** Properties by their names in the query; if two share an alias, the first has it. */
type Owners = Map<string, string>

function ownersOf(fields: SelectConfig['fields']): Owners {
  const owners: Owners = new Map()
  for (const [property, field] of Object.entries(fields).toReversed())
    if (is(field, SQL.Aliased)) owners.set(field.fieldAlias, property)
  return owners
}

/** SQL of the query may use Drizzle's aliases and the names of columns, so our own names begin with `$`, unlike these. */
function nameOf(property: string, field: unknown, owners: Owners): string {
  if (is(field, SQL.Aliased) && owners.get(field.fieldAlias) === property) return field.fieldAlias
  let name = `$${property}`
  while (owners.has(name)) name = `$${name}`
  owners.set(name, property)
  return name
}

/** The parts of a query that prevent pages, by their names in Drizzle. */
const UNFIT: Readonly<Record<string, string>> = {
  orderBy: 'an order, which the endpoint gives',
  limit: 'a limit',
  offset: 'an offset',
  lockingClause: 'a lock',
  setOperators: 'a UNION, INTERSECT or EXCEPT',
  withList: 'a WITH',
  useIndex: 'a hint on indexes',
  forceIndex: 'a hint on indexes',
  ignoreIndex: 'a hint on indexes',
}

function configOf(query: DrizzleQuery<unknown>): SelectConfig {
  const config: unknown = Reflect.get(query, 'config')
  if (typeof config !== 'object' || config === null || !('fields' in config))
    throw unservable('is no select of db.select()')
  const parts = config as SelectConfig & Readonly<Record<string, unknown>>
  const part = Object.keys(UNFIT).find((name) => [parts[name] ?? []].flat().length > 0)
  if (part !== undefined) throw unservable(`has ${UNFIT[part]}`)
  if (typeof parts.distinct === 'object') throw unservable('has DISTINCT ON')
  return parts
}

function unservable(why: string): ConfigurationError {
  return new ConfigurationError(
    `drizzleSource(): the query ${why}. Leave it out, or select from the query as a table: db.select().from(query.as('rows')).`,
  )
}

function expressionIn(property: string, field: unknown): SQL {
  if (is(field, SQL)) return field
  if (!is(field, SQL.Aliased))
    throw new ConfigurationError(
      `drizzleSource(): the query gives "${property}" as an object. Name each of its columns: db.select({ id: tickets.id, team: teams.name }).`,
    )
  // A field of a subquery must not repeat the expression, which is inside of the subquery.
  const { isSelectionField } = field as SQL.Aliased & { readonly isSelectionField: boolean }
  const { decoder } = field.sql as SQL & { readonly decoder: never }
  return isSelectionField ? sql`${field}`.mapWith(decoder) : field.sql
}

function columnNode(column: Column, { casing }: Writer): OperationNode {
  return columnOf(namesOf(column.table).name, casing.getColumnCasing(column))
}

type Write = (part: SQLWrapper) => OperationNode

function joinNode({ joinType, lateral, table, on }: Join, written: Write): JoinNode {
  const kind = `${joinType[0]!.toUpperCase()}${joinType.slice(1)}Join`
  const type = `${lateral ? 'Lateral' : ''}${kind}` as JoinType
  const joined = tableNode(table, written)
  return on === undefined
    ? JoinNode.create(type, joined)
    : JoinNode.createWithOn(type, joined, written(on))
}

/** @throws ConfigurationError the table is SQL, whose columns are not known */
function tableNode(table: unknown, written: Write): OperationNode {
  if (is(table, Subquery)) {
    const { sql: rows, alias } = table._
    return AliasNode.create(written(sql`(${rows})`), IdentifierNode.create(alias))
  }
  if (is(table, SQL)) throw unservable('reads from SQL')
  const { schema, stored, name } = namesOf(table)
  const node = schema ? TableNode.createWithSchema(schema, stored) : TableNode.create(stored)
  return name === stored ? node : AliasNode.create(node, IdentifierNode.create(name))
}

interface Names {
  readonly schema?: string
  /** The name in the database. */
  readonly stored: string
  /** The name in the query. */
  readonly name: string
}

/** The names of a table or a view, which keep them under symbols. */
function namesOf(table: unknown): Names {
  const symbol = (name: string): unknown =>
    Reflect.get(table as object, Symbol.for(`drizzle:${name}`))
  if (!is(table, View))
    return {
      schema: symbol('Schema'),
      stored: symbol('OriginalName'),
      name: symbol('Name'),
    } as Names
  const { schema, originalName, name } = symbol('ViewBaseConfig') as Names & {
    originalName: string
  }
  return { schema, stored: originalName, name } as Names
}
