import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../../../src/storage/sqlite/migrations.ts'
import { STEPS } from '../../../src/storage/sql/migrations/own-tables.ts'
import { newUser } from '../../contract/user-store.ts'
import { temporarySqlite, writeNow } from '../../contract/temporary.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

test('tokens that were there before they had names keep digest, owner and time, and more may follow', async () => {
  const database = temporarySqlite()
  const db = database.kysely()
  const run = (step: string) => migrations.run(db, step, STEPS[step]!(db, migrations))
  await run('0001_users')
  await run('0002_tokens')
  const users = await Promise.all(
    ['alice', 'bob'].map(async (name) => storesOf(database).users.insert(newUser(name))),
  )
  for (const [number, { id }] of users.entries()) {
    const insert =
      'insert into colophon_token (digest, sealed, user_id, created) values (?, ?, ?, ?)'
    writeNow(database, insert, `d${number}`, `sealed ${number}`, id, 1000 - number)
  }
  await run('0004_named_tokens')
  const { tokens } = storesOf(database)
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
