import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { nextTurn, temporaryPath } from '../contract/temporary.ts'

const OPEN = `import { openSqlite } from ${JSON.stringify(`${process.cwd()}/src/storage/sqlite/open.ts`)}
import { storesOf } from ${JSON.stringify(`${process.cwd()}/src/accounts/tables/stores.ts`)}
const database = openSqlite({ path: process.argv[1] })
const { users } = storesOf(database)
const user = { username: 'alice', email: '', password: '', isActive: true, isStaff: false, isSuperuser: false,
  dateJoined: new Date() }
`

async function program(text: string, path: string): Promise<number | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', OPEN + text, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'close')
  return code
}

test('processes that come first at once make one database, migrate it once and lose no write', async () => {
  const path = temporaryPath()
  const work = `
    await database.migrate()
    for (let number = 0; number < 50; number++) {
      await users.insert({ ...user, username: process.pid + '-' + number })
    }`
  const codes = await Promise.all(Array.from({ length: 4 }, () => program(work, path)))
  expect(codes).toEqual([0, 0, 0, 0])
  const database = openSqlite({ path })
  const count = 'select count(*) as count from colophon_user'
  expect(database.read({ sql: count, parameters: [] })).toEqual([{ count: 200 }])
  database.close()
})

test('what another process has committed is visible in the next turn', async () => {
  const path = temporaryPath()
  const database = openSqlite({ path })
  await database.migrate()
  const user = { sql: 'select username from colophon_user', parameters: [] }
  expect(database.read(user)).toEqual([])
  expect(await program('await users.insert(user)', path)).toBe(0)
  await nextTurn()
  expect(database.read(user)).toEqual([{ username: 'alice' }])
  database.close()
})
