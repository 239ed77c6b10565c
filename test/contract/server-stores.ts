import type { Database } from '../../src/core/ports/database.ts'
import {
  NAMES,
  type ServerDialect,
  emptyDatabase,
  migratedDatabase,
  placeholder,
} from '../setup/databases.ts'
import { testDatabase } from './database.ts'
import { testSessionStore } from './session-store.ts'
import { testTokenStore } from './token-store.ts'
import { testUserStore } from './user-store.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

/** What every database has to do, on a server of this run. */
export function testServerStores(dialect: ServerDialect): void {
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
  testUserStore(NAMES[dialect], async () => storesOf(await migratedDatabase(dialect)).users)
  testTokenStore(NAMES[dialect], stores)
  testSessionStore(NAMES[dialect], stores)
}
