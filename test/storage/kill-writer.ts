// A program that makes users with tokens and prints the key of each when it is acknowledged, until it is killed.
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'

const [path = '', process_ = '', count = '0'] = process.argv.slice(2)
const { users, tokens } = createAccounts({
  database: openSqlite({ path }),
  secretKey: () => 'a secret for this test',
})

for (let number = 0; number < Number(count); number++) {
  const user = await users.create({ username: `user-${process_}-${number}` })
  const { key } = await tokens.obtain(user)
  process.stdout.write(`${user.username} ${key}\n`)
}
