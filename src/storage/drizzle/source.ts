// The list of a table of Drizzle: what it is asked by properties, asked by columns; and what it gives, with the values of Drizzle.
import type { InferSelectModel, SQL, Table } from 'drizzle-orm'
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
import type { RelationScope } from '../../resources/serializers/tenant-references.ts'
import type { KnownScope } from '../sql/query/relations.ts'
import type { AnyTables } from '../sql/dialect.ts'
import { sqlSource } from '../sql/query/sql-source.ts'
import type { ListDatabase, SqlDatabase, SqlSource } from '../sql/sql-database.ts'
import type { RelatedStore, StoredRelation, StoredTable } from '../sql/table/sql-table.ts'
import type { Values } from '../sql/table/scopes.ts'
import type { DrizzleInstance } from './columns.ts'
import { TableMapping } from './mapping.ts'

/** Rows of another table of Drizzle that belong to those of this one, as of `sqlTable`: with properties in the place of columns. */
export interface RelatedDrizzle<Ours extends string = string> extends RelatedStore<Ours> {
  /** Made by `drizzleTable`; `only` holds. */
  readonly store: RelatedStore['store']
}

export interface MappedRelation extends RelatedDrizzle {
  readonly mapping: TableMapping
  readonly stored: StoredTable
}

/** By name. */
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

/** By properties, whatever the columns are called: a column may be called as another property is. */
function scopeOf(name: string, theirs: TableMapping, scope: RelationScope = {}): KnownScope {
  return (ours, value) => {
    const property = scope?.[ours] === undefined ? ours : scope[ours]
    if (property === null) return null
    if (theirs.has(property)) return Object.entries(theirs.scope({ [property]: value }))[0]!
    throw new ConfigurationError(
      `The relation "${name}" has no property "${property}", by which its list has a scope. Say which it is (scope: { ${ours}: '…' }), or that any row may be seen (scope: null, or { ${ours}: null }).`,
    )
  }
}

type Property<T extends Table> = keyof InferSelectModel<T> & string

/** What the rows of a table of Drizzle are listed with. */
export interface DrizzleSourceOptions<T extends Table> {
  /** Of `colophon/sql`: the database that the table is in. */
  readonly database: ListDatabase & Pick<SqlDatabase, 'kysely'>
  /** What `drizzle()` gave. No statement runs on it. */
  readonly db: DrizzleInstance
  readonly table: T
  /** Properties that no two rows share together, and that are never `null`. */
  readonly key: readonly [Property<T>, ...Property<T>[]]
  /** Only some of the rows. @default all */
  readonly only?: SQL
}

/**
 * A table of Drizzle whose key are several columns, as a list that is only read. With one column take `drizzleTable`.
 *
 * @throws ConfigurationError as `drizzleTable` does
 * @example
 * const filmActors = drizzleSource({ database, db, table: schema.filmActors, key: ['filmId', 'actorId'] })
 */
export function drizzleSource<T extends Table>({
  database,
  db,
  table,
  key,
  only,
}: DrizzleSourceOptions<T>): SqlSource<InferSelectModel<T>, Property<T>> {
  const columns = new TableMapping(table, db, database.dialect.name)
  const rows = database.kysely<AnyTables>().selectFrom(columns.table).select(columns.names)
  const source = sqlSource({
    database,
    query: only === undefined ? rows : rows.where(columns.expression(only)),
    key: key.map((each) => columns.nameOf(each)),
  })
  return new MappedSource(source, columns, new Map()) as unknown as SqlSource<
    InferSelectModel<T>,
    Property<T>
  >
}

/** With its table, where there is one. */
export function mapped(portion: Portion<Values>, columns: TableMapping): Portion<Values> {
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
    after(this.#source.cut(offset, limit), (found) => mapped(found, this.#columns))

  readonly page = (
    at: (count: number) => Window,
  ): MaybePromise<Portion<Values> & { readonly count: number }> =>
    after(this.#source.page(at), (found) =>
      Object.assign(mapped(found, this.#columns), { count: found.count }),
    )

  readonly estimate = (): MaybePromise<number | null> => this.#source.estimate()

  readonly where = (anyOf: readonly Condition[]): this =>
    this.#with(this.#source.where(anyOf.map((each) => this.#condition(each))))

  readonly orderBy = (keys: readonly SortKey[]): this =>
    this.#with(this.#source.orderBy(this.#keys(keys)))

  /** By properties: each relation knows its own columns for them. */
  readonly relating = (values: Values): this => this.#with(this.#source.relating(values))

  readonly seek = (request: SeekRequest): MaybePromise<Stretch<Values>> => {
    const keys = this.#keys(request.keys)
    return after(this.#source.seek({ ...request, keys }), (found) => {
      const { more, first, last } = found
      return Object.assign(mapped(found, this.#columns), { more, first, last })
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

  /** `createdAt`, or `comments.createdAt` of a relation. */
  #named(text: string): { columns: TableMapping; property: string; field: string } {
    const point = text.indexOf('.')
    const columns = point < 0 ? undefined : this.#related.get(text.slice(0, point))?.mapping
    if (columns === undefined)
      return { columns: this.#columns, property: text, field: this.#columns.nameOf(text) }
    const property = text.slice(point + 1)
    return { columns, property, field: `${text.slice(0, point)}.${columns.nameOf(property)}` }
  }
}
