import { describe, expect, test } from 'vitest'
import type { Execution } from '../../../src/storage/kysely.ts'
import type { PooledConnection } from '../../../src/storage/pooled/server-connection.ts'
import type { ConnectionPool } from '../../../src/storage/pooled/server-pool.ts'
import type { Kysely } from 'kysely'
import {
  type Step,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropIndex,
  dropTable,
  migration,
  plainSql,
  renameColumn,
  renameTable,
} from '../../../src/sql.ts'
import type { OwnTables } from '../../../src/storage/database.ts'
import { openMysql } from '../../../src/storage/mysql/open.ts'
import { migrations } from '../../../src/storage/mysql/migrations.ts'
import { createPool, createServerPool } from '../../../src/storage/mysql/driver.ts'
import { PooledDatabase } from '../../../src/storage/pooled/database.ts'
import { Building } from '../../../src/storage/sql/migrations/run-migrations.ts'
import { STEPS } from '../../../src/storage/sql/migrations/own-tables.ts'
import { newUser } from '../../contract/user-store.ts'
import { DIALECTS, emptyDatabaseUrl, migratedDatabaseUrl, opened } from '../../setup/databases.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

class Cut extends Error {}

/** Breaks off before a statement, which is after the one before it, as a program that is killed. */
class CuttingPool implements ConnectionPool {
  readonly #pool: ConnectionPool
  readonly patience = Infinity
  readonly #at: number
  statements = 0

  constructor(url: string, at: number) {
    const limits = { connections: 2, connectTimeout: 5000, statementTimeout: 5000 }
    const open = () => createPool({ url, lockTimeout: 5000, ...limits })
    this.#pool = createServerPool({ open, place: 'MySQL', ...limits })
    this.#at = at
  }

  async connect(): Promise<PooledConnection> {
    const connection = await this.#pool.connect()
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      if (++this.statements >= this.#at) throw new Cut()
      return work()
    }
    return {
      pipelines: connection.pipelines,
      execute: (statement): Promise<Execution> => counted(() => connection.execute(statement)),
      describe: (statement) => counted(() => connection.describe(statement)),
      begin: (beginning) => counted(() => connection.begin(beginning)),
      beginWith: (first) => counted(() => connection.beginWith(first)),
      commit: () => counted(() => connection.commit()),
      rollback: () => counted(() => connection.rollback()),
      unhurry: () => connection.unhurry(),
      hurry: (milliseconds) => connection.hurry(milliseconds),
      // Nobody who is killed says goodbye: what he had begun is undone by the server.
      release: () => connection.release(true),
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

/** Migrates until it is cut; tells how many statements it came to. */
async function migrateUntil(url: string, at: number, own: OwnTables = {}): Promise<number> {
  const pool = new CuttingPool(url, at)
  const database = new PooledDatabase(DIALECTS.mysql, pool, own)
  await database.migrate().catch((error: unknown) => {
    if (!(error instanceof Cut)) throw error
  })
  await pool.close()
  return pool.statements
}

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

/** Everything that the server knows about the tables. */
async function shapeOf(url: string): Promise<unknown> {
  const database = opened('mysql', url)
  const questions = [
    `select table_name, column_name, column_type, is_nullable, column_default, collation_name, extra
     from information_schema.columns where table_schema = database() order by 1, ordinal_position`,
    `select table_name, index_name, seq_in_index, column_name, non_unique
     from information_schema.statistics where table_schema = database() order by 1, 2, 3`,
    `select table_name, constraint_name, delete_rule, referenced_table_name
     from information_schema.referential_constraints where constraint_schema = database() order by 1, 2`,
    `select routine_name, routine_definition, security_type from information_schema.routines
     where routine_schema = database() order by 1`,
  ]
  const answers = []
  for (const question of questions) answers.push((await database.rows(run(question))).values)
  await database.close()
  return answers
}

/** A token in the table as it was before tokens had names, where that is there and empty. */
async function plantToken(url: string): Promise<void> {
  const database = opened('mysql', url)
  const { values } = await database.rows(
    run(`select column_name from information_schema.columns
         where table_schema = database() and table_name = 'colophon_token'`),
  )
  const columns = values.map(([name]) => name)
  if (columns.length > 0 && !columns.includes('name')) {
    await database.write(
      run(`insert ignore into colophon_user
           values (1, 'alice', '', '', true, false, false, 0, null)`),
    )
    await database.write(run(`insert ignore into colophon_token values ('d1', 's1', 1, 0)`))
  }
  await database.close()
}

const STEPS_OF_ALL_KINDS: readonly Step[] = [
  createTable('a', { id: column.id(), text: column.text({ maxLength: 50, unique: true }) }),
  createTable('b', { id: column.id(), a: column.references('a', { onDelete: 'cascade' }) }),
  addColumn('b', 'c', column.references('a', { nullable: true })),
  createIndex('b', ['a', 'c']),
  dropIndex('b', ['a', 'c']),
  createTable('gone', { id: column.id() }),
  dropTable('gone'),
  dropColumn('b', 'c'),
  renameColumn('a', 'text', 'word'),
  renameTable('b', 'd'),
  addColumn('d', 'n', column.integer({ default: 0 })),
]

describe('migrations of MariaDB, which cannot be undone', () => {
  test('are finished by the next run, wherever they broke off, and no row is lost', async () => {
    const whole = await emptyDatabaseUrl('mysql')
    const statements = await migrateUntil(whole, Infinity)
    const shape = await shapeOf(whole)
    const url = await emptyDatabaseUrl('mysql')
    // Each run gets two statements further than it needs to get anywhere; the last one is whole.
    for (let at = 1; at <= statements + 6; at++) {
      await migrateUntil(url, at)
      await plantToken(url)
    }
    const database = opened('mysql', url)
    expect(await database.migrate()).toEqual([])
    expect(await shapeOf(url)).toEqual(shape)
    expect((await storesOf(database).tokens.byDigest('d1'))?.user.username).toBe('alice')
    await database.close()
  })

  test('of an application are finished by the next run as well, and change each row once', async () => {
    const own = defineMigrations([migration('1_a', STEPS_OF_ALL_KINDS)])
    const whole = await migratedDatabaseUrl('mysql')
    const statements = await migrateUntil(whole, Infinity, { migrations: own })
    const shape = await shapeOf(whole)
    const url = await migratedDatabaseUrl('mysql')
    for (let at = 1; at <= statements + 6; at++) await migrateUntil(url, at, { migrations: own })
    const database = openMysql({ url, migrations: own })
    expect(await database.migrate()).toEqual([])
    expect(await shapeOf(url)).toEqual(shape)
    await database.close()
  })

  test('are finished where any statement was done and not noted', async () => {
    const parts = (db: Kysely<unknown>) => {
      const building = new Building(db, migrations)
      return STEPS_OF_ALL_KINDS.flatMap((step) => building.partsOf(step['~step']))
    }
    const whole = openMysql({ url: await emptyDatabaseUrl('mysql') })
    const db = whole.kysely<unknown>()
    const all = parts(db)
    for (let done = 1; done <= all.length; done++) {
      await migrations.run(db, 'a step', all.slice(0, done))
      await whole.write(run('update colophon_migration_progress set statements = ?', done - 1))
      await migrations.run(db, 'a step', all.slice(0, done))
    }
    const { values } = await whole.rows(run('select * from d'))
    expect(values).toEqual([])
    await whole.close()
  })

  test('of an application: what the server refused is refused again, and plain SQL is never skipped', async () => {
    const open = (...steps: readonly Step[]) =>
      openMysql({ url, migrations: defineMigrations([migration('1_a', steps)]) })
    const url = await emptyDatabaseUrl('mysql')
    const wrong = open(plainSql('update nowhere set x = 1'))
    await expect(wrong.migrate()).rejects.toThrow('nowhere')
    await expect(wrong.migrate()).rejects.toThrow('nowhere')
    await wrong.write(
      run('update colophon_migration_progress set statements = 0 where step = ?', 'app:1_a'),
    )
    await expect(wrong.migrate()).rejects.toThrow('nowhere')
    await wrong.write(run('create table b (id integer)'))
    const taken = open(createTable('b', { id: column.id(), text: column.text() }))
    await expect(taken.migrate()).rejects.toThrow('already exists')
    await expect(taken.migrate()).rejects.toThrow('already exists')
    await Promise.all([wrong.close(), taken.close()])
  })

  test('copy each row once, also where a copy was not noted', async () => {
    const database = opened('mysql', await emptyDatabaseUrl('mysql'))
    const db = database.kysely<unknown>()
    const statementsOf = (step: string) => STEPS[step]!(db, migrations)
    for (const step of ['0001_users', '0002_tokens'])
      await migrations.run(db, step, statementsOf(step))
    await storesOf(database).users.insert(newUser('alice'))
    await database.write(run(`insert into colophon_token values ('d1', 's1', 1, 0)`))
    const [last, all] = ['0004_named_tokens', statementsOf('0004_named_tokens')]
    await migrations.run(db, last, all.slice(0, 2))
    await database.write(
      run('update colophon_migration_progress set statements = 1 where step = ?', last),
    )
    await migrations.run(db, last, all)
    expect((await storesOf(database).tokens.byDigest('d1'))?.user.username).toBe('alice')
  })

  test('that fail for a reason of their own say so, and do not go on', async () => {
    const url = await emptyDatabaseUrl('mysql')
    const database = opened('mysql', url)
    await database.write(run('create table colophon_session (id integer)'))
    await expect(database.migrate()).rejects.toThrow('already exists')
    expect(await database.pendingMigrations()).toEqual([
      '0003_sessions',
      '0004_named_tokens',
      '0005_counters',
      '0006_audit',
      '0007_roles',
      '0008_leases',
      '0009_identities',
      '0010_addresses',
      '0011_factors',
      '0012_spent_links',
      '0013_refresh_families',
      '0014_passkeys',
      '0015_links_epoch',
    ])
  })
})
