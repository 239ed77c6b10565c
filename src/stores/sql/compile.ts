import {
  type Compilable,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Database } from '../../contract/storage.ts'
import type { Tables } from './schema.ts'

/** Whose SQL is spoken. */
export type DialectName = Database['dialect']

const PARTS = {
  sqlite: [SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler],
  postgres: [PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler],
  mysql: [MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler],
} as const

/** Builds and compiles queries in the SQL of a dialect; runs nothing. */
export function queryBuilder(dialect: DialectName): Kysely<Tables> {
  const [Adapter, Introspector, QueryCompiler] = PARTS[dialect]
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new Introspector(kysely),
      createQueryCompiler: () => new QueryCompiler(),
    },
  })
}

const SLOT = Symbol('slot')

/** Stands for a value that is given when the statement runs. */
export function slot<T>(): T {
  return SLOT as T
}

/** The text of a query of which every value is a slot; they are given in the order of the text. */
export function textOf(query: Compilable): string {
  const { sql, parameters } = query.compile()
  if (!parameters.every((parameter) => parameter === SLOT)) {
    throw new Error(`Every value must be a slot: ${sql}`)
  }
  return sql
}
