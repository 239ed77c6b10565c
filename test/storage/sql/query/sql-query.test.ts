import { sql } from 'kysely'
import { sqlSource } from '../../../../src/storage/sql/query/sql-source.ts'
import { testListSource } from '../../../contract/list-source.ts'
import { testQuerySource } from '../../../contract/query-source.ts'
import { type Item, testSeekableSource } from '../../../contract/seekable-source.ts'
import { DATABASES, type Tables, itemTable, removal } from './query-fixture.ts'

for (const [name, dialect] of DATABASES) {
  const runs = dialect === 'sqlite' ? 100 : 20
  const fill = itemTable(dialect)

  const openTable = async (items: readonly Item[]) => {
    const database = await fill(items)
    const query = database.kysely<Tables>().selectFrom('item').select(['id', 'kind', 'name'])
    return { source: sqlSource({ database, query, key: 'id' }), remove: removal(database) }
  }
  testQuerySource(`a table of ${name}`, openTable, { runs })
  testSeekableSource(`a table of ${name}`, openTable, { runs })

  /** Raw SQL may be an aggregate: conditions stay outside. */
  const openComputed = async (items: readonly Item[]) => {
    const database = await fill(items)
    const query = database
      .kysely<Tables>()
      .selectFrom('item')
      .select([
        sql<number>`item.id + 0`.as('id'),
        'kind',
        sql<string | null>`coalesce(item.name, null)`.as('name'),
      ])
    return { source: sqlSource({ database, query, key: 'id' }), remove: removal(database) }
  }
  testQuerySource(`a query with raw SQL on ${name}`, openComputed, { runs: runs / 4 })
  testSeekableSource(`a query with raw SQL on ${name}`, openComputed, { runs: runs / 4 })

  const openAll = async (items: readonly Item[]) => {
    const database = await fill(items)
    const query = database.kysely<Tables>().selectFrom('item').selectAll()
    return { source: sqlSource({ database, query, key: 'item.id' }), remove: removal(database) }
  }
  testSeekableSource(`all columns of a table of ${name}`, openAll, { runs: runs / 4 })

  testListSource(`a narrowed table of ${name}`, async (size) => {
    const items = Array.from({ length: size + 3 }, (_, index) => ({
      id: index + 1,
      kind: 1,
      name: null,
    }))
    const database = await fill(items)
    const query = database.kysely<Tables>().selectFrom('item').select('id')
    const source = sqlSource({ database, query, key: 'id', fields: { number: 'item.id' } })
    return source.where([{ field: 'number', operator: 'lte', value: size }])
  })
}
