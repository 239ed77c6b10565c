import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sqliteDialect } from '../../../src/databases/sqlite/dialect.ts'
import { createUsers } from '../../../src/sql/migrations/steps/0001-users.ts'
import { createTokens } from '../../../src/sql/migrations/steps/0002-tokens.ts'
import { nameTokens } from '../../../src/sql/migrations/steps/0004-named-tokens.ts'
import { newUser } from '../../contract/user-store.ts'
import { temporarySqlite, writeNow } from '../../contract/temporary.ts'

test('tokens that were there before they had names keep digest, owner and time, and more may follow', async () => {
  const database = temporarySqlite()
  const db = database.kysely()
  await createUsers(db, sqliteDialect)
  await createTokens(db, sqliteDialect)
  const users = await Promise.all(
    ['alice', 'bob'].map(async (name) => database.users.insert(newUser(name))),
  )
  for (const [number, { id }] of users.entries()) {
    const insert =
      'insert into colophon_token (digest, sealed, user_id, created) values (?, ?, ?, ?)'
    writeNow(database, insert, `d${number}`, `sealed ${number}`, id, 1000 - number)
  }
  await nameTokens(db, sqliteDialect)
  const { tokens } = database
  for (const [number, user] of users.entries()) {
    expect(await tokens.byDigest(`d${number}`)).toMatchObject({
      user,
      name: '',
      scopes: null,
      created: new Date(1000 - number),
      expires: null,
      lastUsed: null,
    })
    expect(await tokens.ofUser(user.id, '')).toMatchObject({ sealed: `sealed ${number}` })
  }
  const named = {
    digest: 'd2',
    sealed: 's',
    name: 'ci',
    scopes: null,
    created: new Date(0),
    expires: null,
  }
  expect(await tokens.insert(users[0]!.id, named)).toBe(true)
  const { rows } = await sql`select name from sqlite_master where name like '%token_new%'`.execute(
    db,
  )
  expect(rows).toEqual([])
})
