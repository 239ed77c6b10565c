import {
  type Compilable,
  type Expression,
  DummyDriver,
  Kysely,
  createQueryId,
  sql as raw,
} from 'kysely'
import type { Statement } from '../../core/ports/database.ts'
import type { Compile, Dialect } from './dialect.ts'
import { GivenValue, filled } from './query/sql-list.ts'
import type { Tables } from './migrations/schema.ts'

/** It runs nothing. */
export function queryBuilder(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: { ...dialect.queryBuilder, createDriver: () => new DummyDriver() },
  })
}

export function compilerOf({ queryBuilder: { createQueryCompiler } }: Dialect): Compile {
  const compiler = createQueryCompiler()
  return (node) => compiler.compileQuery(node, createQueryId())
}

/** Rows that are read at a time where all are wanted. In the text: MySQL takes no limit as a value. */
export const PAGE: Expression<number> = raw.lit(500)

/** Compiled once; its values are the parameters of `build`, whatever their order in the text. */
export function prepared<Values extends readonly unknown[]>(
  build: (...values: Values) => Compilable,
): (...values: Values) => Statement {
  const given = Array.from({ length: build.length }, (_, place) => new GivenValue(place))
  const statement = build(...(given as readonly unknown[] as Values)).compile()
  if (!statement.parameters.every((parameter) => parameter instanceof GivenValue))
    throw new Error(`Every value of this statement must be given by name: ${statement.sql}`)
  return (...values) => filled(statement, values)
}
