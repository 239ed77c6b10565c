import {
  CreateTableNode,
  type Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  type UnknownRow,
  sql,
} from 'kysely'

/**
 * Tables of MySQL whose texts are compared byte by byte, as on the other databases: whatever the server
 * is set to, `alice`, `Alice` and `alice ` are three names.
 */
export async function withExactTables(database: Kysely<unknown>): Promise<Kysely<unknown>> {
  return database.withPlugin(new ExactTables(await collationOf(database)))
}

/** MySQL and MariaDB have different names for a collation that ignores nothing, not even spaces at the end. */
async function collationOf(database: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select collation_name as name from information_schema.collations
    where collation_name in ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')`.execute(database)
  return rows[0]?.name ?? 'utf8mb4_bin'
}

class ExactTables implements KyselyPlugin {
  readonly #options: RawNode

  constructor(collation: string) {
    this.#options = RawNode.createWithSql(
      `engine = InnoDB default character set utf8mb4 collate ${collation}`,
    )
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return CreateTableNode.is(node)
      ? CreateTableNode.cloneWithEndModifier(node, this.#options)
      : node
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}
