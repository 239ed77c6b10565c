import {
  type CompiledQuery,
  MysqlQueryCompiler,
  PostgresQueryCompiler,
  type QueryCompiler,
  type SelectQueryNode,
  SqliteQueryCompiler,
  createQueryId,
} from 'kysely'
import type { Database } from '../../contract/storage.ts'

/** Makes the text of a query. */
export type Compile = (node: SelectQueryNode) => CompiledQuery

const COMPILERS: { readonly [D in Database['dialect']]: new () => QueryCompiler } = {
  sqlite: SqliteQueryCompiler,
  postgres: PostgresQueryCompiler,
  mysql: MysqlQueryCompiler,
}

export function compilerOf(dialect: Database['dialect']): Compile {
  const compiler = new COMPILERS[dialect]()
  return (node) => compiler.compileQuery(node, createQueryId())
}
