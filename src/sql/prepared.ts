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

/** Stands for a value that is given by its name when the statement runs. */
export type Given<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

/**
 * A statement that is compiled once; its values are given by name, whatever their order in the text.
 *
 * @example
 * const rename = prepared<{ id: number; name: string }>((given) =>
 *   builder.updateTable('note').set({ name: given('name') }).where('id', '=', given('id')),
 * )
 * await database.write(rename({ id: 1, name: 'Errands' }))
 */
export function prepared<Values extends object>(
  build: (given: Given<Values>) => Compilable,
): (values: Values) => Statement {
  const given: Given<Values> = (name) => new Placeholder(name) as never
  const { sql, parameters } = build(given).compile()
  const names = parameters.map((parameter) => {
    if (parameter instanceof Placeholder) return parameter.name as keyof Values
    throw new Error(`Every value of this statement must be given by name: ${sql}`)
  })
  return (values) => ({ sql, parameters: names.map((name) => values[name]) })
}

class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}
