import {
  type Compilable,
  type Expression,
  DummyDriver,
  Kysely,
  LimitNode,
  ValueNode,
  createQueryId,
  sql as raw,
} from 'kysely'
import type { Statement } from '../contract/database.ts'
import type { Compile, Dialect } from './dialect.ts'
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
  const given = Array.from({ length: build.length }, (_, place) => new Given(place))
  const statement = build(...(given as readonly unknown[] as Values)).compile()
  if (!statement.parameters.every((parameter) => parameter instanceof Given))
    throw new Error(`Every value of this statement must be given by name: ${statement.sql}`)
  return (...values) => filled(statement, values)
}

/** Stands for a value that is given when the statement runs: the one at this place. */
export class Given {
  readonly place: number

  constructor(place: number) {
    this.place = place
  }
}

/** The first of the values that are given. */
export const LIMIT: LimitNode = LimitNode.create(ValueNode.create(new Given(0)))

/** The statement with what is given; its other values stay. */
export function filled(
  { sql, parameters, asWritten }: Statement,
  given: readonly unknown[],
): Statement {
  const values = parameters.slice()
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (value instanceof Given) values[at] = given[value.place]
  }
  return asWritten ? { sql, parameters: values, asWritten } : { sql, parameters: values }
}

/** The statement of a list, whose values may come in the form that the database writes. */
export function listing({ sql, parameters }: Statement): Statement {
  return { sql, parameters, asWritten: true }
}

/** From here on, powers of two would waste too many parameters of what a database takes. */
const STEP = 1024

/**
 * As long as the next power of two, or the next 1,024 values: the last value fills it up. Each length is another
 * text of SQL, which the database plans and keeps, and clients decide how long a list is.
 */
export function filledUp<T>(values: readonly T[]): readonly T[] {
  const { length } = values
  const size = length > STEP ? Math.ceil(length / STEP) * STEP : 2 ** Math.ceil(Math.log2(length))
  return [...values, ...Array<T>(size - length).fill(values.at(-1)!)]
}
