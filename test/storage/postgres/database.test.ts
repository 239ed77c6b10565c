import { spawnSync } from 'node:child_process'
import { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { testServerConnections } from '../../contract/server-connections.ts'
import { testServerStores } from '../../contract/server-stores.ts'
import { testServerWork } from '../../contract/server-work.ts'
import { newUser } from '../../contract/user-store.ts'
import {
  emptyDatabase,
  emptyDatabaseUrl,
  migratedDatabase,
  opened,
  serverOf,
} from '../../setup/databases.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { createPool } from '../../../src/storage/postgres/pool.ts'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import { loadDriver } from '../../../src/storage/pooled/open.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

const NOWHERE: string = 'a-driver-that-is-nowhere'

const words = {
  connectionId: 'select pg_backend_pid() as id',
  sleep: (seconds: number) => `select pg_sleep(${seconds})`,
  kill: (id: unknown) => `select pg_terminate_backend(${String(id)})`,
  name: 'select current_database()',
  lock: (table: string) => `lock table ${table} in access exclusive mode`,
  unlock: 'select 1',
  waiting: `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
}

testServerStores('postgres')
testServerConnections('postgres', words)
testServerWork('postgres', words)

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

describe('PostgreSQL alone', () => {
  test.each(['America/New_York', 'Asia/Tokyo'])(
    'days and points in time without a zone are those of UTC, also in %s',
    async (TZ) => {
      const url = await emptyDatabaseUrl('postgres')
      const text = `import { openPostgres } from ${JSON.stringify(`${process.cwd()}/src/postgres.ts`)}
        import { sqlTable } from ${JSON.stringify(`${process.cwd()}/src/sql.ts`)}
        const database = openPostgres({ url: process.argv[1] })
        await database.write({ sql: 'create table moment (id int primary key, day date, at timestamp)', parameters: [] })
        const moments = sqlTable({ database, db: database.kysely(), table: 'moment', key: 'id' })
        const row = await moments.insert({ id: 1, day: '2024-02-29', at: '2024-02-29T23:30:00Z' })
        const again = await moments.insert({ ...row, id: 2 })
        const sql = "select day, at, day::text as d, at::text as t from moment where id = 2 union all select 'infinity', '0044-03-15 12:00:00 BC', '', ''"
        console.log(JSON.stringify([row, again, ...await database.read({ sql, parameters: [] })]))
        await database.close()`
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', text, url],
        { encoding: 'utf8', env: { ...process.env, TZ } },
      )
      expect(stderr).toBe('')
      const kept = { day: '2024-02-29T00:00:00.000Z', at: '2024-02-29T23:30:00.000Z' }
      expect(JSON.parse(stdout)).toEqual([
        { id: 1, ...kept },
        { id: 2, ...kept },
        { ...kept, d: '2024-02-29', t: '2024-02-29 23:30:00' },
        { day: null, at: '-000043-03-15T12:00:00.000Z', d: '', t: '' },
      ])
    },
  )

  test('a point in time that no Date can be is no error', async () => {
    const database = await emptyDatabase('postgres')
    const ats = [
      '294276-12-31 23:59:59.999999',
      '294276-12-31 23:59:59',
      '2026-01-01 00:00:00.000001',
    ]
    const found = await database.read<{ at: Date }>(
      run('select at::timestamp as at from unnest($1::text[]) as at', ats),
    )
    expect(found.map(({ at }) => at.toJSON())).toEqual([null, null, '2026-01-01T00:00:00.000Z'])
  })

  test('a pool that exists already may be handed in, prepared statements or not', async () => {
    const url = await emptyDatabaseUrl('postgres')
    for (const prepare of [true, false]) {
      const pool = new Pool({ connectionString: url, max: 3 })
      const database = openPostgres({ pool, prepare })
      await database.migrate()
      const name = prepare ? 'alice' : 'bob'
      for (let i = 0; i < 4; i++) await storesOf(database).users.byUsername(name)
      await storesOf(database).users.insert(newUser(name))
      expect((await storesOf(database).users.byUsername(name))?.user.username).toBe(name)
      const prepared = run(
        `select count(*) as n from pg_prepared_statements where name like 'colophon%'`,
      )
      const counts = await Promise.all([1, 2, 3].map(() => database.read<{ n: number }>(prepared)))
      const most = Math.max(...counts.map(([row]) => row!.n))
      expect(most > 0).toBe(prepare)
      await database.close()
      expect(pool.ended).toBe(true)
    }
  })

  test('statements that never come again are not kept by the server', async () => {
    const database = await emptyDatabase('postgres', { connections: 1 })
    for (let number = 0; number < 700; number++) {
      await database.rows(run(`select ${number} as n`))
      if (number < 400) await database.rows(run(`select ${number} as n`))
    }
    const [row] = await database.read<{ n: number }>(
      run('select count(*) as n from pg_prepared_statements'),
    )
    expect(row!.n).toBeLessThanOrEqual(300)
  })

  test('a statement that was prepared before the tables changed is prepared anew', async () => {
    const database = await emptyDatabase('postgres', { connections: 1 })
    await database.write(run('create table changing (a integer)'))
    await database.write(run('insert into changing values (1)'))
    const all = run('select * from changing')
    for (let i = 0; i < 4; i++) expect(await database.read(all)).toEqual([{ a: 1 }])
    await database.write(run('alter table changing add column b integer'))
    for (let i = 0; i < 4; i++) expect(await database.read(all)).toEqual([{ a: 1, b: null }])
    await database.write(run('alter table changing add column c integer'))
    const found = database.transaction(async (transaction) => transaction.read(all))
    await expect(found).rejects.toThrow('The tables have changed')
    expect(await database.read(all)).toEqual([{ a: 1, b: null, c: null }])
  })

  test('a transaction in which a statement failed keeps nothing, and says so', async () => {
    const database = await emptyDatabase('postgres')
    await database.write(run('create table word (word text unique)'))
    const work = database.transaction(async (transaction) => {
      await transaction.write(run('insert into word values ($1)', 'a'))
      await Promise.resolve(transaction.write(run('insert into word values ($1)', 'a'))).catch(
        () => undefined,
      )
    })
    await expect(work).rejects.toThrow('Nothing was kept')
    expect(await database.read(run('select word from word'))).toEqual([])
    await database.write(run('insert into word values ($1)', 'b'))
  })

  test('applications in schemas of one database do not meet', async () => {
    const url = await emptyDatabaseUrl('postgres')
    const admin = opened('postgres', url)
    const databases = []
    for (const schema of ['blue', 'green']) {
      await admin.write(run(`create schema ${schema}`))
      const database = opened('postgres', `${url}?options=-csearch_path%3D${schema}`)
      expect(await database.pendingMigrations()).not.toEqual([])
      expect(await database.migrate()).not.toEqual([])
      await storesOf(database).users.insert(newUser(schema))
      databases.push(database)
    }
    expect(await storesOf(databases[0]!).users.byUsername('green')).toBeNull()
    expect((await storesOf(databases[1]!).users.byUsername('green'))?.user.username).toBe('green')
    expect(await admin.pendingMigrations()).not.toEqual([])
  })

  test('a migration that fails leaves nothing behind, and no lock', async () => {
    const database = await emptyDatabase('postgres', { connections: 1 })
    await database.write(run('create table colophon_session (id integer)'))
    await expect(database.migrate()).rejects.toThrow('already exists')
    const tables = await database.kysely<unknown>().introspection.getTables()
    expect(tables.map(({ name }) => name)).toEqual(['colophon_session'])
    // The server lists the locks of other tests' databases too.
    const [row] = await database.read<{ n: number }>(
      run(`select count(*) as n from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and datname = current_database()`),
    )
    expect(row!.n).toBe(0)
    await database.write(run('drop table colophon_session'))
    expect(await database.migrate()).toContain('0003_sessions')
  })

  test('a standby that only reads says where to write', async () => {
    const url = await emptyDatabaseUrl('postgres')
    const database = opened('postgres', `${url}?options=-cdefault_transaction_read_only%3Don`)
    const failure = database.write(run('create table x (id integer)'))
    await expect(failure).rejects.toThrow('it is read-only')
    await expect(failure).rejects.toThrow(DatabaseUnavailable)
  })

  test('a server that has no connection to give says so', async () => {
    const url = await emptyDatabaseUrl('postgres')
    const admin = opened('postgres', url)
    const name = new URL(url).pathname.slice(1)
    await admin.write(run(`create role guest login password 'guest'`)).catch(() => undefined)
    await admin.write(run(`alter database ${name} connection limit 0`))
    const guest = url.replace(/\/\/[^@]+@/, '//guest:guest@')
    await expect(opened('postgres', guest).rows(run('select 1'))).rejects.toThrow(
      'has no connection to give',
    )
  })

  test('INSERT … RETURNING finds rows and tells their number', async () => {
    const database = await migratedDatabase('postgres')
    const db = database.kysely<{ item: { id: number } }>()
    await db.schema.createTable('item').addColumn('id', 'bigint').execute()
    const rows = await db
      .insertInto('item')
      .values([{ id: 1 }, { id: 2 }])
      .returning('id')
      .execute()
    expect(rows).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('the driver that is missing is named', async () => {
    const missing = createPool(
      {
        url: 'postgres://localhost/x',
        connections: 1,
        connectTimeout: 1,
        lockTimeout: 1,
        statementTimeout: null,
      },
      () => import(NOWHERE),
    )
    await expect(missing).rejects.toThrow(ConfigurationError)
    await expect(missing).rejects.toThrow('npm install pg')
  })

  test('one that is there and cannot be loaded is not called missing', async () => {
    const x = { name: 'x', oldest: '1.0.0', reaches: 'X is reached' }
    const broken = loadDriver(() => Promise.reject(new SyntaxError('Unexpected token')), x)
    await expect(broken).rejects.toThrow(
      'X is reached with the package x. It is installed, and cannot be loaded: SyntaxError: Unexpected token',
    )
    await expect(broken).rejects.not.toThrow('Run')
  })

  test('an address alone will do', async () => {
    const { url } = await serverOf('postgres')
    const database = openPostgres(url)
    expect((await database.rows({ sql: 'select 1', parameters: [] })).values).toEqual([[1]])
    await database.close()
    expect(() => openPostgres('a.db')).toThrow('not a URL')
  })
})
