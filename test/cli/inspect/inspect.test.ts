// Databases that were designed elsewhere: what is written for them compiles, serves, and does what it says.
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Plan, planOf } from '../../../src/cli/inspect/plan.ts'
import { openMysql } from '../../../src/databases/mysql/open.ts'
import { openPostgres } from '../../../src/databases/postgres/open.ts'
import { openSqlite } from '../../../src/databases/sqlite/open.ts'
import type { SqlDatabase } from '../../../src/sql/sql-database.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { type DialectName, migratedDatabaseUrl } from '../../setup/databases.ts'
import { type Program, smoke } from './smoke.ts'
import {
  compilerOn,
  createSchema,
  formatterOn,
  inspect,
  programFolder,
  runStatements,
} from './written.ts'

interface Case {
  readonly name: string
  readonly on: DialectName
  readonly schema: string
  /** Rows that only exist together. */
  readonly seeds?: readonly string[]
  readonly given?: Program['given']
}

/** A store has a manager, who works in a store. */
const STAFF = [
  `insert into country (country_id, country) values (1, 'Norway')`,
  `insert into city (city_id, city, country_id) values (1, 'Oslo', 1)`,
  `insert into address (address_id, address, district, city_id, phone) values (1, 'a', 'b', 1, 'c')`,
  `insert into staff (staff_id, first_name, last_name, address_id, store_id, username)
    values (100, 'Ada', 'L', 1, 100, 'ada')`,
  `insert into store (store_id, manager_staff_id, address_id) values (100, 100, 1)`,
]

const CASES: readonly Case[] = [
  { name: 'chinook', on: 'sqlite', schema: 'chinook.sql' },
  { name: 'chinook-2', on: 'mysql', schema: 'chinook.sql' },
  {
    name: 'sakila',
    on: 'mysql',
    schema: 'sakila.sql',
    seeds: ['set foreign_key_checks = 0', ...STAFF, 'set foreign_key_checks = 1'],
  },
  {
    name: 'pagila',
    on: 'postgres',
    schema: 'pagila.sql',
    seeds: [
      'set local session_replication_role = replica',
      ...STAFF,
      ...['country', 'city', 'address'].map(
        (table) => `select nextval('${table}_${table}_id_seq')`,
      ),
    ],
  },
  {
    name: 'hostile-sqlite',
    on: 'sqlite',
    schema: 'hostile-sqlite.sql',
    seeds: ['insert into pair values (7, 8)'],
    given: {
      'child.x': 7,
      'child.y': 8,
      '2 words; drop.odd': 3,
      'account.password_hash': 'x',
      // A trigger writes it.
      'account.token_count': 1,
      'blobs.picture': new Uint8Array([1]),
    },
  },
  {
    name: 'hostile-postgres',
    on: 'postgres',
    schema: 'hostile-postgres.sql',
    given: {
      'article.from': '2022-01-01',
      'article.to': '2022-01-02',
      'article.editor_email': null,
    },
  },
  {
    name: 'hostile-mysql',
    on: 'mysql',
    schema: 'hostile-mysql.sql',
    given: { 'code.secret_key': 'x' },
  },
]

const folder = programFolder()

async function addressOf(on: DialectName): Promise<string> {
  return on === 'sqlite' ? `sqlite:${temporaryPath(afterAll)}` : migratedDatabaseUrl(on, afterAll)
}

function opened(on: DialectName, url: string): SqlDatabase {
  if (on === 'sqlite') return openSqlite({ path: url.slice('sqlite:'.length) })
  return on === 'postgres' ? openPostgres({ url }) : openMysql({ url })
}

const programs = await Promise.all(
  CASES.map(async (each) => {
    const url = await addressOf(each.on)
    const database = opened(each.on, url)
    afterAll(() => database.close())
    await createSchema(database, each.schema)
    await runStatements(database, each.seeds ?? [])
    const out = join(folder, each.name)
    const ran = await inspect('--database', url, '--out', out)
    const catalogue = await (await database.dialect.catalogue())(database)
    const tables = catalogue.tables.filter(
      ({ name, isElsewhere }) => !isElsewhere && !name.startsWith('colophon_'),
    )
    return { ...each, url, out, ran, plan: planOf(catalogue, tables, 'camel') }
  }),
)

/** The program as it was written, on its database. */
async function started(out: string, url: string, plan: Plan): Promise<Program> {
  process.env['DATABASE_URL'] = url
  process.env['SECRET_KEY'] = 'Xq7vLm2RzT9bKc4WnYp8GsDf3HjUe6AoBi5CtExMrNkPwQy1'
  try {
    const { default: app } = await import(join(out, 'app.ts'))
    const { db, database } = await import(join(out, 'stores.ts'))
    afterAll(() => database.close())
    return { app, plan, db }
  } finally {
    delete process.env['DATABASE_URL']
    delete process.env['SECRET_KEY']
  }
}

test('what is written compiles with the strictest settings, and is formatted', async () => {
  expect(programs.map(({ ran }) => ran.complaint)).toEqual(programs.map(() => ''))
  expect(await compilerOn(folder)).toBe('')
  expect(await formatterOn(folder)).toBe('')
}, 60_000)

test('there are more than thirty tables', () => {
  const tables = programs
    .filter(({ name }) => name !== 'chinook-2')
    .map(({ plan }) => plan.resources.length)
  expect(tables.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(30)
})

describe.each(programs)('$name on $on', ({ out, url, plan, given = {} }) => {
  test('every resource does what it says', async () => {
    const program = await started(out, url, plan)
    const found = await smoke({ ...program, given })
    const expected = plan.resources.map(({ name, key, creates }) => {
      if (key === null) return [name, '200 200 405 true']
      return [name, `${creates ? 201 : 405} 200 200 200 200 200 204 404`]
    })
    expect(found).toEqual(Object.fromEntries(expected))
  })
})
