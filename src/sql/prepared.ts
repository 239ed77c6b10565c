import {
  type Compilable,
  type Expression,
  DummyDriver,
  Kysely,
  createQueryId,
  sql as raw,
} from 'kysely'
import type { Statement } from '../contract/database.ts'
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

/**
 * A statement that is compiled once; its values are the parameters of `build`, whatever their order in the
 * text.
 *
 * @example
 * const rename = prepared((id: number, name: string) =>
 *   builder.updateTable('note').set({ name }).where('id', '=', id),
 * )
 * await database.write(rename(1, 'Errands'))
 */
export function prepared<Values extends readonly unknown[]>(
  build: (...values: Values) => Compilable,
): (...values: Values) => Statement {
  const given = Array.from({ length: build.length }, (_, place) => new Placeholder(place))
  const { sql, parameters } = build(...(given as readonly unknown[] as Values)).compile()
  const places = parameters.map((parameter) => {
    if (parameter instanceof Placeholder) return parameter.place
    throw new Error(`Every value of this statement must be given by name: ${sql}`)
  })
  return (...values) => ({ sql, parameters: places.map((place) => values[place]) })
}

/** Stands for a value that is given when the statement runs. */
class Placeholder {
  readonly place: number

  constructor(place: number) {
    this.place = place
  }
}
