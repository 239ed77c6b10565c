// The SQL of docs/accounts.md, over tables as Django makes them.
import { readFileSync } from 'node:fs'
import { pbkdf2Sync } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { defineAccounts } from '../../src/preset/open-database.ts'
import { NAMES, migratedDatabase } from '../setup/databases.ts'
import { migratedSqlite } from '../contract/temporary.ts'

const page = readFileSync('docs/accounts.md', 'utf8').split('## Coming from Django')[1]!
const [, ...statements] = /```sql([^`]*);\n```/.exec(page)![1]!.split(/(?=insert)/)
const [ofMysql, , ofPostgres] = [...page.matchAll(/`([^`]* \* 1000)`/g)].map(([, text]) => text!)
const [, onSqlite] = /```sql(\npragma[^`]*);\n```/.exec(page)!
const [onPostgres, onMysql] = [...page.matchAll(/`(alter table talk [^`]*)`/g)].map(
  ([, sql]) => sql!,
)
const [, sequence] = /`(select setval[^`]*)`/.exec(page)!

const KEY = '9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b'
const digest = pbkdf2Sync('wonderland', 'salt', 1000, 32, 'sha256').toString('base64')

test.each([
  ['SQLite', () => migratedSqlite(), ['datetime', 'bool', '1'], null, []],
  [
    NAMES.mysql,
    () => migratedDatabase('mysql'),
    ['datetime(6)', 'bool', '1'],
    ofMysql!,
    [onMysql!],
  ],
  [
    NAMES.postgres,
    () => migratedDatabase('postgres'),
    ['timestamptz', 'boolean', 'true'],
    ofPostgres!,
    [onPostgres!, sequence!],
  ],
] as const)('%s: users and tokens of Django', async (_, open, [time, truth, yes], own, more) => {
  const database = await open()
  const key = database.dialect.name === 'MySQL' ? '`key`' : '"key"'
  const at = `'2026-01-02 03:04:05.678${time === 'timestamptz' ? '+00' : ''}'`
  for (const sql of [
    `create table auth_user (id integer primary key, password varchar(128), last_login ${time}, is_superuser ${truth},
       username varchar(150), last_name varchar(150), email varchar(254), is_staff ${truth}, is_active ${truth}, date_joined ${time})`,
    `create table authtoken_token (${key} varchar(40) primary key, created ${time}, user_id integer)`,
    'create table talk (id integer primary key, owner_id integer, constraint talk_owner_fk foreign key (owner_id) references auth_user (id))',
    `insert into auth_user values (7, 'pbkdf2_sha256$1000$salt$${digest}', null, ${yes}, 'alice', '', 'a@example.com', ${yes}, ${yes}, ${at})`,
    'insert into talk values (1, 7)',
    `insert into authtoken_token values ('${KEY}', ${at}, 7)`,
    ...statements.map((each) =>
      each
        .replace(/;\s*$/, '')
        .replaceAll(/strftime\('%s', (\w+)\) \* 1000/g, (all, column: string) =>
          own === null ? all : own.replace('created', column),
        ),
    ),
  ])
    await database.write({ sql, parameters: [] })
  if (database.dialect.name === 'SQLite') {
    const file = await database.read({
      sql: 'select file from pragma_database_list',
      parameters: [],
    })
    using other = new DatabaseSync(String(file[0]!['file']))
    other.exec(onSqlite!)
  }
  for (const sql of more) await database.read({ sql, parameters: [] })
  const { users, tokens } = defineAccounts({ database, secretKey: 'a secret for tests only' })
  const alice = await users.authenticate('alice', 'wonderland')
  expect(alice).toMatchObject({ id: 7, email: 'a@example.com', isStaff: true, isSuperuser: true })
  expect(alice!.dateJoined).toEqual(new Date('2026-01-02T03:04:05Z'))
  expect(await tokens.verify(KEY)).toMatchObject({ user: { id: 7 } })
  expect((await users.create({ username: 'bob' })).id).toBe(8)
  const add = async (id: number) =>
    database.write({ sql: `insert into talk values (${id}, ${id})`, parameters: [] })
  await add(8)
  await expect(add(9)).rejects.toThrow(/foreign key/i)
})
