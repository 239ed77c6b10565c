import {
  type Compilable,
  type Expression,
  DummyDriver,
  Kysely,
  createQueryId,
  sql as raw,
} from 'kysely'
import type { Statement } from '../../core/ports/database.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { keptIn, lazily } from '../../core/std/once.ts'
import type { Compile, Dialect } from './dialect.ts'
import { GivenValue, withValues } from './query/sql-list.ts'
import type { Tables } from './migrations/schema.ts'

/** Makes a query builder that runs nothing. */
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

/** A statement, compiled on first use; its values are the parameters of `build`, in any order in the text. */
export function prepare<Values extends readonly unknown[]>(
  build: (...values: Values) => Compilable,
): (...values: Values) => Statement {
  const statement = lazily(() => compiled(build))
  return (...values) => withValues(statement(), values)
}

function compiled<Values extends readonly unknown[]>(
  build: (...values: Values) => Compilable,
): Statement {
  const given = Array.from({ length: build.length }, (_, place) => new GivenValue(place))
  const statement = build(...(given as readonly unknown[] as Values)).compile()
  if (!statement.parameters.every((parameter) => parameter instanceof GivenValue))
    throw new Error(`Every value of this statement must be given by name: ${statement.sql}`)
  return statement
}

/** The most shapes to remember: the members that clients leave out decide the columns that are written. */
const MOST_SHAPES = 100

/** Statements of one text each, whose values are filled in: building and compiling one costs more than to run it. */
export class Shapes {
  /** `null`: something else than the values themselves becomes of them. */
  readonly #known = new BoundedMap<string, Statement | null>(MOST_SHAPES)

  statement(
    shape: string,
    values: readonly unknown[],
    build: (values: readonly unknown[]) => Statement,
  ): Statement {
    const known = keptIn(this.#known, shape, () => withPlaces(build, values.length))
    return known === null ? build(values) : withValues(known, values)
  }
}

function withPlaces(
  build: (values: readonly unknown[]) => Statement,
  count: number,
): Statement | null {
  const given = Array.from({ length: count }, (_, place) => new GivenValue(place))
  const { sql, parameters } = build(given)
  const places = parameters.filter((parameter) => parameter instanceof GivenValue)
  return new Set(places).size === count ? { sql, parameters } : null
}
