import { type CompiledQuery, type SelectQueryNode, createQueryId } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Makes the text of a query. */
export type Compile = (node: SelectQueryNode) => CompiledQuery

export function compilerOf({ queryBuilder }: Dialect): Compile {
  const compiler = queryBuilder.createQueryCompiler()
  return (node) => compiler.compileQuery(node, createQueryId())
}
