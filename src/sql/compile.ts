import {
  type Compilable,
  type Expression,
  DummyDriver,
  Kysely,
  createQueryId,
  sql as raw,
} from 'kysely'
import type { Compile, Dialect } from './dialect.ts'
import type { Tables } from './migrations/schema.ts'

/** Builds and compiles queries in the SQL of a dialect; runs nothing. */
export function queryBuilder(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: { ...dialect.queryBuilder, createDriver: () => new DummyDriver() },
  })
}

/** Makes the text of queries of lists and tables in the SQL of a dialect. */
export function compilerOf({ queryBuilder: { createQueryCompiler } }: Dialect): Compile {
  const compiler = createQueryCompiler()
  return (node) => compiler.compileQuery(node, createQueryId())
}

/** Rows that are read at a time where all are wanted. In the text: MySQL takes no limit as a value. */
export const PAGE: Expression<number> = raw.lit(500)

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
