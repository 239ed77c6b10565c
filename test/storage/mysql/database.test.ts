import { spawnSync } from 'node:child_process'
import { sql as fragment } from 'kysely'
import { createPool as createMysqlPool } from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { testServerConnections } from '../../contract/server-connections.ts'
import { testServerStores } from '../../contract/server-stores.ts'
import { testServerWork } from '../../contract/server-work.ts'
import { newUser } from '../../contract/user-store.ts'
import { emptyDatabase, emptyDatabaseUrl, migratedDatabase, opened } from '../../setup/databases.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { createPool } from '../../../src/storage/mysql/driver.ts'
import { openMysql } from '../../../src/storage/mysql/open.ts'
import { sqlTable } from '../../../src/storage/sql/table/sql-table.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

const NOWHERE: string = 'a-driver-that-is-nowhere'

const words = {
  connectionId: 'select connection_id() as id',
  sleep: (seconds: number) => `select sleep(${seconds})`,
  kill: (id: unknown) => `kill ${String(id)}`,
  name: 'select database()',
  lock: (table: string) => `lock tables ${table} write`,
  unlock: 'unlock tables',
  waiting: `select id from information_schema.processlist
    where db = database() and state like 'Waiting for table%'`,
}

testServerStores('mysql')
testServerConnections('mysql', words)
testServerWork('mysql', words)

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

describe('MariaDB alone', () => {
  test('a pool that exists already may be handed in', async () => {
    const pool = createMysqlPool({
      uri: await emptyDatabaseUrl('mysql'),
      supportBigNumbers: true,
      timezone: 'Z',
    })
    const database = openMysql({ pool })
    await database.migrate()
    await storesOf(database).users.insert(newUser('alice'))
    expect((await storesOf(database).users.byUsername('alice'))?.user.username).toBe('alice')
    await database.close()
  })

  test('names, digests, keys and subjects of all our tables are compared byte by byte', async () => {
    const database = await migratedDatabase('mysql')
    const { values } = await database.rows({
      sql: `select collation_name, group_concat(distinct table_name order by table_name) from information_schema.columns
        where table_schema = database() and collation_name is not null group by collation_name`,
      parameters: [],
    })
    expect(values).toEqual([['utf8mb4_nopad_bin', expect.stringContaining('colophon_user')]])
  })

  test('a full text search without its index says what is missing', async () => {
    const database = await emptyDatabase('mysql')
    await database.write(run('create table note (id int primary key, text varchar(9))'))
    const search = run("select id from note where match(text) against ('x')")
    await expect(database.read(search)).rejects.toThrow('has no index: give the column one')
  })

  test('a table with a column that the driver does not read is refused, and inspect leaves it out', async () => {
    const database = await emptyDatabase('mysql')
    await database.write(run('create table odd (id int primary key, `__proto__` text)'))
    await database.write(run('create table even (id int primary key)'))
    const db = database.kysely<{ odd: { id: number } }>()
    const columns = sqlTable({ database, db, table: 'odd', key: 'id' }).columns!()
    await expect(columns).rejects.toThrow(ConfigurationError)
    await expect(columns).rejects.toThrow('"odd" has a column "__proto__"')
    const read = await database.dialect.catalogue()
    const { tables, others } = await read(database)
    expect(tables.map(({ name }) => name)).toEqual(['even'])
    expect(others).toEqual([{ name: 'odd', what: expect.stringContaining('"__proto__"') }])
  })

  // As Galera does it when another node was first. The variable outlives what is undone, on this connection.
  const GIVES_UP = `create trigger gives_up before insert on note for each row
    if coalesce(@times, 0) < new.times then
      set @times = coalesce(@times, 0) + 1;
      signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Deadlock found';
    end if`

  test.each([
    ['insert into note (times) values (9)', 1],
    ['insert into note (times) values (10)', 0],
    // Its first statement may have been committed already.
    ['call of_the_application()', 0],
  ])(
    'a statement that was given up nine times runs again, where it is whole: %s',
    async (sql, found) => {
      const database = await emptyDatabase('mysql', { connections: 1 })
      const all = ['create table note (times integer)', GIVES_UP]
      const procedure = 'create procedure of_the_application() insert into note (times) values (1)'
      for (const text of [...all, procedure]) await database.write(run(text))
      const failure = await database.write(run(sql)).then(() => null, String)
      expect(failure === null).toBe(found === 1)
      expect(await database.read(run('select count(*) as n from note'))).toEqual([{ n: found }])
    },
  )

  test('a statement of a transaction that a program has begun by itself does not run again', async () => {
    const database = await emptyDatabase('mysql', { connections: 1 })
    for (const text of ['create table note (times integer)', GIVES_UP])
      await database.write(run(text))
    const done = database
      .kysely<{ note: { times: number } }>()
      .connection()
      .execute(async (own) => {
        await fragment`start transaction`.execute(own)
        await own.insertInto('note').values({ times: 0 }).execute()
        await own.insertInto('note').values({ times: 1 }).execute()
        await fragment`commit`.execute(own)
      })
    await expect(done).rejects.toThrow('waited for each other')
  })

  test.each([1290, 1836])(
    'a connection to a server that takes no writes is closed: %i',
    async (number) => {
      const database = await emptyDatabase('mysql', { connections: 1 })
      await database.write(run('create table note (n integer)'))
      await database.write(
        run(`create trigger refuses before insert on note for each row
        signal sqlstate 'HY000' set mysql_errno = ${number}, message_text = 'It is read-only'`),
      )
      const before = await database.read(run(words.connectionId))
      const refused = database.write(run('insert into note values (1)'))
      await expect(refused).rejects.toThrow('leads to a server that takes no writes')
      expect(await database.read(run(words.connectionId))).not.toEqual(before)
      // The server does what a transaction that only reads asked for.
      const reading = database.kysely<{ note: { n: number } }>().transaction()
      const wrong = reading
        .setAccessMode('read only')
        .execute((own) => own.insertInto('note').values({ n: 1 }).execute())
      await expect(wrong).rejects.toThrow('in a READ ONLY transaction')
    },
  )

  test('its address may say that reads wait for other nodes of a cluster', async () => {
    const url = `${await emptyDatabaseUrl('mysql')}?wsrep_sync_wait=`
    const database = opened('mysql', `${url}3`)
    expect(await database.read(run('select @@wsrep_sync_wait as n'))).toEqual([{ n: 3 }])
    expect(() => openMysql(`${url}16`)).toThrow(ConfigurationError)
  })

  test('both names of the protocol are understood', async () => {
    const url = await emptyDatabaseUrl('mysql')
    const database = opened('mysql', url.replace('mysql:', 'mariadb:'))
    expect(await database.read(run('select 1 as one'))).toEqual([{ one: 1 }])
  })

  test('nothing is cut to fit, and points in time are in UTC', async () => {
    const database = await emptyDatabase('mysql')
    await database.write(run('create table word (word varchar(3), at timestamp(3) null)'))
    await expect(database.write(run('insert into word values (?, null)', 'four'))).rejects.toThrow(
      'too long',
    )
    const at = new Date('2026-07-01T12:00:00.123Z')
    await database.write(run('insert into word values (?, ?)', 'one', at))
    const [row] = await database.read(run('select at, cast(at as char) as text from word'))
    expect(row).toEqual({ at, text: '2026-07-01 12:00:00.123' })
  })

  test('points in time do not depend on where the program runs', async () => {
    const url = await emptyDatabaseUrl('mysql')
    const at = '2026-07-01T12:00:00.123Z'
    const text = `import { openMysql } from ${JSON.stringify(`${process.cwd()}/src/storage/mysql/open.ts`)}
      const database = openMysql({ url: process.argv[1] })
      await database.write({ sql: 'create table moment (at datetime(3))', parameters: [] })
      await database.write({ sql: 'insert into moment values (?)', parameters: [new Date('${at}')] })
      const [row] = await database.read({ sql: 'select at, cast(at as char) as text from moment', parameters: [] })
      console.log(JSON.stringify(row))`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', text, url],
      { encoding: 'utf8', env: { ...process.env, TZ: 'America/New_York' } },
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ at, text: '2026-07-01 12:00:00.123' })
  })

  test('the key of a new row is told', async () => {
    const database = await emptyDatabase('mysql')
    const db = database.kysely<{ item: { id: number; name: string } }>()
    await db.schema
      .createTable('item')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('name', 'varchar(9)')
      .execute()
    const inserted = await db
      .insertInto('item')
      .values({ name: 'x' } as never)
      .executeTakeFirst()
    expect(inserted.insertId).toBe(1n)
  })

  test('the driver that is missing is named', async () => {
    const missing = createPool(
      {
        url: 'mysql://localhost/x',
        connections: 1,
        connectTimeout: 1,
        lockTimeout: 1,
        statementTimeout: null,
      },
      () => import(NOWHERE),
    )
    await expect(missing).rejects.toThrow(ConfigurationError)
    await expect(missing).rejects.toThrow('npm install mysql2')
  })

  test('an address alone will do', () => {
    expect(() => openMysql('mysql://localhost/x')).not.toThrow()
    expect(() => openMysql('a.db')).toThrow('not a URL')
  })
})
