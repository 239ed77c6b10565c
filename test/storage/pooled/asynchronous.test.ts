import { testDatabase } from '../../contract/database.ts'
import { asynchronous } from '../../contract/asynchronous.ts'
import { migratedSqlite, temporarySqlite } from '../../contract/temporary.ts'
import { testSessionStore } from '../../contract/session-store.ts'
import { testTokenStore } from '../../contract/token-store.ts'
import { testUserStore } from '../../contract/user-store.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

// The stores are written for every database: over one that answers later, calls overtake each other.
testDatabase('a database far away', {
  open: () => asynchronous(temporarySqlite()),
  placeholder: () => '?',
})

testUserStore(
  'a database far away',
  async () => storesOf(asynchronous(await migratedSqlite())).users,
)

testTokenStore('a database far away', {
  open: async () => asynchronous(await migratedSqlite()),
  async deleteUser(database, id) {
    await database.write({ sql: 'delete from colophon_user where id = ?', parameters: [id] })
  },
})

testSessionStore('a database far away', {
  open: async () => asynchronous(await migratedSqlite()),
  async deleteUser(database, id) {
    await database.write({ sql: 'delete from colophon_user where id = ?', parameters: [id] })
  },
})
