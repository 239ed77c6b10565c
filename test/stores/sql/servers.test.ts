import type { Database } from '../../../src/contract/storage.ts'
import { testDatabase } from '../../contract/database.ts'
import { testListSource } from '../../contract/list-source.ts'
import { testSessionStore } from '../../contract/session-store.ts'
import { testTokenStore } from '../../contract/token-store.ts'
import { testUserStore } from '../../contract/user-store.ts'
import {
  NAMES,
  SERVERS,
  emptyDatabase,
  migratedDatabase,
  placeholder,
} from '../../setup/databases.ts'
import { sqlSource } from '../../../src/sources/sql-source.ts'

for (const dialect of SERVERS) {
  const stores = {
    open: () => migratedDatabase(dialect),
    async deleteUser(database: Database, id: number): Promise<void> {
      const sql = `delete from colophon_user where id = ${placeholder(dialect, 1)}`
      await database.write({ sql, parameters: [id] })
    },
  }

  testDatabase(NAMES[dialect], {
    open: () => emptyDatabase(dialect),
    placeholder: (position) => placeholder(dialect, position),
  })
  testUserStore(NAMES[dialect], async () => (await migratedDatabase(dialect)).users)
  testTokenStore(NAMES[dialect], stores)
  testSessionStore(NAMES[dialect], stores)

  testListSource(`a table of ${NAMES[dialect]}`, async (size) => {
    const database = await emptyDatabase(dialect)
    const db = database.kysely<{ item: { id: number } }>()
    await db.schema.createTable('item').addColumn('id', 'integer').execute()
    const items = Array.from({ length: size }, (_, index) => ({ id: index + 1 }))
    if (size > 0) await db.insertInto('item').values(items).execute()
    return sqlSource({ database, query: db.selectFrom('item').select('id'), key: 'id' })
  })
}
