// The list of a Drizzle table: it maps the properties of questions to columns, and the values of answers to those of Drizzle.
import type { SQL, Table } from 'drizzle-orm'
import type { Compilable, OperationNodeSource } from 'kysely'
import type {
  Condition,
  Portion,
  SeekRequest,
  SortKey,
  Stretch,
  Window,
} from '../../core/ports/list-source.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import { portionOf } from '../../core/std/row-objects.ts'
import { type RelationScope, theirColumn } from '../../resources/serializers/tenant-references.ts'
import type { KnownScope } from '../sql/query/relations.ts'
import type { AnyTables } from '../sql/dialect.ts'
import { sqlSource } from '../sql/query/sql-source.ts'
import type { ListDatabase, SqlDatabase, SqlSource } from '../sql/sql-database.ts'
import type { RelatedStore, StoredRelation, StoredTable } from '../sql/table/sql-table.ts'
import type { Values } from '../sql/table/scopes.ts'
import { declaredIn } from './columns.ts'
import { TableMapping } from './mapping.ts'
import { type DrizzleInstance, type DrizzleQuery, selectOf, writerOf } from './queries.ts'

/** Rows of another Drizzle table that belong to those of this one, as for `sqlTable`, with properties for columns. */
export interface RelatedDrizzle<Ours extends string = string> extends RelatedStore<Ours> {
  /** The table from `drizzleTable`; its `only` applies. */
  readonly store: RelatedStore['store']
}

export interface MappedRelation extends RelatedDrizzle {
  readonly mapping: TableMapping
  readonly stored: StoredTable
}

/** The relations by name. */
export type RelatedMappings = ReadonlyMap<string, MappedRelation>

export function storedRelation(
  name: string,
  { stored, by, source, columns, scope, mapping: theirs }: MappedRelation,
  ours: TableMapping,
): StoredRelation {
  for (const [property, other] of Object.entries(scope ?? {})) {
    ours.nameOf(property)
    if (other !== null) theirs.nameOf(other)
  }
  return {
    store: stored,
    columns: columns.map((column) => theirs.nameOf(column)),
    ...(by !== undefined && { by: theirs.nameOf(by) }),
    ...(source !== undefined && { source: ours.nameOf(source) }),
    scope: scope === null ? null : scopeOf(name, theirs, scope),
  }
}

/** Looks values up by property, because a column may have the name of another property. */
function scopeOf(name: string, theirs: TableMapping, scope: RelationScope = {}): KnownScope {
  return (ours, value) => {
    const property = theirColumn(ours, scope)
    if (property === null) return null
    if (theirs.has(property)) return Object.entries(theirs.scope({ [property]: value }))[0]!
    throw new ConfigurationError(
      `The relation "${name}" has no property "${property}", by which its list has a scope. Say which it is (scope: { ${ours}: '…' }), or that any row may be seen (scope: null, or { ${ours}: null }).`,
    )
  }
}

/** Options for listing rows of a Drizzle table or query. */
export type DrizzleSourceOptions<Row> = {
  /** The database with the tables, from `colophon/sql`. */
  readonly database: ListDatabase & Pick<SqlDatabase, 'kysely'>
  /** The result of `drizzle()`. No statement runs on it. */
  readonly db: DrizzleInstance
  /** Properties that identify a row together, and that are never `null`. */
  readonly key: readonly [keyof NoInfer<Row> & string, ...(keyof NoInfer<Row> & string)[]]
} & (
  | {
      readonly table: Table & { readonly $inferSelect: Row }
      /** A condition for the rows of the list. @default all */
      readonly only?: SQL
    }
  | {
      /** A select that names each column: `db.select({ id: tickets.id, team: teams.name }).from(…)`. */
      readonly query: DrizzleQuery<Row>
      readonly only?: never
    }
)

/**
 * A read-only list: a Drizzle table with several key columns, or a query. Use `drizzleTable` for a table with one key column.
 *
 * @throws ConfigurationError as `drizzleTable` does; the query gives objects in rows, or has an order, limit, lock or UNION
 * @example
 * const filmActors = drizzleSource({ database, db, table: schema.filmActors, key: ['filmId', 'actorId'] })
 * const query = db.select({ id: tickets.id, team: teams.name }).from(tickets).leftJoin(teams, eq(teams.id, tickets.teamId))
 * const listed = drizzleSource({ database, db, query, key: ['id'] })
 */
export function drizzleSource<Row>(
  options: DrizzleSourceOptions<Row>,
): SqlSource<Row, keyof Row & string> {
  const { database, db, key } = options
  if ('query' in options && options.only !== undefined)
    throw new ConfigurationError('drizzleSource(): "only" of a query belongs into its where().')
  const { columns, query } =
    'query' in options ? selected(options.query, db, database) : listed(options)
  const source = sqlSource({ database, query, key: key.map((each) => columns.nameOf(each)) })
  return new MappedSource(source, columns, new Map()) as unknown as SqlSource<
    Row,
    keyof Row & string
  >
}

type TableRows = Pick<DrizzleSourceOptions<unknown>, 'database' | 'db'> & {
  readonly table: Table
  readonly only?: SQL
}

interface Listed {
  readonly columns: TableMapping
  readonly query: Compilable<Values> & OperationNodeSource
}

function listed({ database, db, table, only }: TableRows): Listed {
  const columns = TableMapping.of(table, db, database)
  const rows = database.kysely<AnyTables>().selectFrom(columns.table).select(columns.names)
  return { columns, query: only === undefined ? rows : rows.where(columns.expression(only)) }
}

function selected(
  query: DrizzleQuery<unknown>,
  db: DrizzleInstance,
  database: ListDatabase,
): Listed {
  const writer = writerOf(db, 'query')
  const types = declaredIn(database, () => node)
  const { known, node } = selectOf(query, writer, { dialect: database.dialect.name, types })
  const columns = new TableMapping({ table: 'query', writer, known, types })
  return { columns, query: { toOperationNode: () => node } as Listed['query'] }
}

/** Maps the rows of a portion, and its table if it has one. */
export function mapPortion(portion: Portion<Values>, columns: TableMapping): Portion<Values> {
  const { table } = portion
  if (table === undefined) return { rows: portion.rows.map((row) => columns.row(row)) }
  return portionOf(columns.rows(table))
}

export class MappedSource implements SqlSource<Values, string> {
  readonly takesCut = true
  readonly #source: SqlSource<Values, string>
  readonly #columns: TableMapping
  readonly #related: RelatedMappings

  constructor(source: SqlSource<Values, string>, columns: TableMapping, related: RelatedMappings) {
    this.#source = source
    this.#columns = columns
    this.#related = related
  }

  count(cap?: number): MaybePromise<number> {
    return this.#source.count(cap)
  }

  slice(offset: number, limit: number): MaybePromise<readonly Values[]> {
    return after(this.cut(offset, limit), ({ rows }) => rows)
  }

  get unique(): readonly string[] {
    return this.#source.unique!.map((name) =>
      this.#columns.propertyOf(name.slice(name.lastIndexOf('.') + 1)),
    )
  }

  readonly cut = (offset: number, limit: number): MaybePromise<Portion<Values>> =>
    after(this.#source.cut(offset, limit), (found) => mapPortion(found, this.#columns))

  readonly page = (
    at: (count: number) => Window,
  ): MaybePromise<Portion<Values> & { readonly count: number }> =>
    after(this.#source.page(at), (found) =>
      Object.assign(mapPortion(found, this.#columns), { count: found.count }),
    )

  readonly estimate = (): MaybePromise<number | null> => this.#source.estimate()

  readonly where = (anyOf: readonly Condition[]): this =>
    this.#with(this.#source.where(anyOf.map((each) => this.#condition(each))))

  readonly orderBy = (keys: readonly SortKey[]): this =>
    this.#with(this.#source.orderBy(this.#keys(keys)))

  /** Passes properties on, because each relation knows its own columns for them. */
  readonly relating = (values: Values): this => this.#with(this.#source.relating(values))

  readonly seek = (request: SeekRequest): MaybePromise<Stretch<Values>> => {
    const keys = this.#keys(request.keys)
    return after(this.#source.seek({ ...request, keys }), (found) => {
      const { more, first, last } = found
      return Object.assign(mapPortion(found, this.#columns), { more, first, last })
    })
  }

  #with(source: SqlSource<Values, string>): this {
    return new MappedSource(source, this.#columns, this.#related) as this
  }

  #keys(keys: readonly SortKey[]): readonly SortKey[] {
    return keys.map((key) => ({ ...key, field: this.#named(key.field).field }))
  }

  #condition(condition: Condition): Condition {
    const { columns, property, field } = this.#named(condition.field)
    return { ...condition, field, ...columns.compared(property, condition) }
  }

  /** Finds the column of `createdAt`, or of `comments.createdAt` in a relation. */
  #named(text: string): { columns: TableMapping; property: string; field: string } {
    const point = text.indexOf('.')
    const columns = point < 0 ? undefined : this.#related.get(text.slice(0, point))?.mapping
    if (columns === undefined)
      return { columns: this.#columns, property: text, field: this.#columns.nameOf(text) }
    const property = text.slice(point + 1)
    return { columns, property, field: `${text.slice(0, point)}.${columns.nameOf(property)}` }
  }
}
