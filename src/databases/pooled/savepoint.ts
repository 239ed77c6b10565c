import {
  type CompiledQuery,
  IdentifierNode,
  type QueryCompiler,
  RawNode,
  createQueryId,
} from 'kysely'

/** `savepoint "a"` and its like, in the SQL of a dialect. */
export function savepointQuery(
  command: 'savepoint' | 'rollback to' | 'release' | 'release savepoint',
  name: string,
  compile: QueryCompiler['compileQuery'],
): CompiledQuery {
  const parts = [RawNode.createWithSql(`${command} `), IdentifierNode.create(name)]
  return compile(RawNode.createWithChildren(parts), createQueryId())
}
