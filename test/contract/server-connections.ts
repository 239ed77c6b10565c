import { createServer } from 'node:net'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Executor, Statement } from '../../src/core/ports/database.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'
import {
  NAMES,
  type ServerDialect,
  emptyDatabase,
  emptyDatabaseUrl,
  migratedDatabase,
  opened,
  placeholder,
  serverOf,
} from '../setup/databases.ts'
import { until } from '../setup/until.ts'
import { newUser } from './user-store.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

/** What the databases say differently. */
export interface ServerWords {
  /** The number of the connection that asks. */
  readonly connectionId: string
  readonly sleep: (seconds: number) => string
  readonly kill: (id: unknown) => string
  /** The name of the database. */
  readonly name: string
  readonly lock: (table: string) => string
  readonly unlock: string
  /** Connections to this database that wait for a lock. */
  readonly waiting: string
}

const run = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters })

/** Milliseconds; a test that fails by waiting fails soon. */
const SOON = 400

/** How a database on a server behaves where something is wrong with the way to it. */
export function testServerConnections(dialect: ServerDialect, words: ServerWords): void {
  const one = run('select 1 as one')
  const idOf = async (database: Pick<Executor, 'rows'>): Promise<unknown> =>
    (await database.rows(run(words.connectionId))).values[0]![0]

  async function failureOf(url: string, statement = one): Promise<Error> {
    const database = opened(dialect, url, { connectTimeout: 700 })
    const error: unknown = await database.rows(statement).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    return error as Error
  }

  describe(`the way to ${NAMES[dialect]}`, () => {
    test('may be a unix socket', async () => {
      const { socketUrl } = await serverOf(dialect)
      expect(await opened(dialect, socketUrl).read(one)).toEqual([{ one: 1 }])
    })

    test('a wrong password is said, and not repeated', async () => {
      const { url } = await serverOf(dialect)
      const error = await failureOf(url.replace('not-secret', 'wr0ng-passw0rd'))
      expect(error.message).toContain('refuses this account')
      expect(`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`).not.toMatch(
        /wr0ng/,
      )
    })

    test('nobody listens there', async () => {
      const { url } = await serverOf(dialect)
      const error = await failureOf(url.replace(/:\d+\//, ':1/'))
      expect(error.message).toContain('cannot be reached (ECONNREFUSED)')
      expect(error.message).toContain('127.0.0.1:1/')
      expect(error.message).not.toContain('not-secret')
    })

    test('somebody listens and says nothing', async () => {
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { url } = await serverOf(dialect)
      const { port } = silent.address() as { port: number }
      const error = await failureOf(url.replace(/:\d+\//, `:${port}/`))
      expect(error.message).toMatch(/cannot be reached|none became free/)
      silent.close()
    })

    test('the database does not exist', async () => {
      const { url } = await serverOf(dialect)
      const error = await failureOf(url.replace(/\w+$/, 'nowhere'))
      expect(error.message).toMatch(/does not exist|refuses this account/)
    })

    test('the tables are not there yet', async () => {
      const database = await emptyDatabase(dialect)
      for (const question of [
        () => storesOf(database).users.byUsername('alice'),
        () => storesOf(database).tokens.byDigest('d1'),
        () => storesOf(database).users.insert(newUser('alice')),
      ]) {
        const error: unknown = await Promise.resolve(question()).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(DatabaseUnavailable)
        expect(String(error)).toMatch(
          /has no table "colophon_(?:user|token)"\. Run the migrations first/,
        )
      }
    })

    test.each(['nonsense', `${dialect}://user:pa#ss@host/db`, ''])(
      'an address that is none is refused without repeating it: %s',
      (url) => {
        expect(() => opened(dialect, url)).toThrow(ConfigurationError)
        expect(() => opened(dialect, url)).toThrow(/^(?!.*pa#ss)/)
      },
    )

    test('an address of another database is refused', () => {
      expect(() => opened(dialect, 'redis://localhost/1')).toThrow('begins with')
    })

    test('a database that was closed says so, and can be closed again', async () => {
      const database = await emptyDatabase(dialect)
      await database.read(one)
      await database.close()
      await expect(database.read(one)).rejects.toThrow('has been closed')
      await database.close()
    })

    test('nothing is opened before it is used', async () => {
      const closed = opened(dialect, `${dialect}://user:password@127.0.0.1:1/nowhere`).close()
      await expect(closed).resolves.toBeUndefined()
    })
  })

  describe(`connections to ${NAMES[dialect]}`, () => {
    test('one that breaks in the middle is the failure of its query only', async () => {
      const database = await emptyDatabase(dialect)
      const other = await emptyDatabase(dialect)
      const long = database.transaction(async (transaction) => {
        const id = await idOf(transaction)
        const [sleeping] = await Promise.allSettled([
          transaction.rows(run(words.sleep(20))),
          other.write(run(words.kill(id))),
        ])
        expect(sleeping).toMatchObject({ reason: { name: 'DatabaseUnavailable' } })
        return transaction.rows(one)
      })
      await expect(long).rejects.toThrow(DatabaseUnavailable)
      expect(await database.read(one)).toEqual([{ one: 1 }])
    })

    test('those that break while nobody uses them are replaced', async () => {
      const database = await emptyDatabase(dialect, { connections: 3 })
      const other = await emptyDatabase(dialect)
      const ids = await Promise.all(Array.from({ length: 3 }, () => idOf(database)))
      for (const id of new Set(ids)) await other.write(run(words.kill(id)))
      await expect
        .poll(() => database.read(one).catch((error: unknown) => error))
        .toEqual([{ one: 1 }])
      const answers = await Promise.all(Array.from({ length: 10 }, () => database.read(one)))
      expect(answers).toHaveLength(10)
    })

    test('are as many as was said, and the others wait', async () => {
      const database = await emptyDatabase(dialect, { connections: 2 })
      const ids = await Promise.all(Array.from({ length: 20 }, () => idOf(database)))
      expect(new Set(ids).size).toBeLessThanOrEqual(2)
    })

    test('that are all busy for too long are a failure that says so', async () => {
      const database = await emptyDatabase(dialect, { connections: 1, connectTimeout: SOON })
      // On a machine that does other work, the first one may take longer.
      await until(() => database.read(one))
      await database.transaction(async () => {
        await expect(database.read(one)).rejects.toThrow('none became free in time')
      })
      expect(await database.read(one)).toEqual([{ one: 1 }])
    })

    test('a refused statement costs no connection', async () => {
      const database = await emptyDatabase(dialect, { connections: 1 })
      const before = await idOf(database)
      for (const wrong of ['selec', 'select nothing_of_this_name()', 'select 1 from (select']) {
        const error: unknown = await database.rows(run(wrong)).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(Error)
        expect(error).not.toBeInstanceOf(DatabaseUnavailable)
      }
      expect(await idOf(database)).toBe(before)
    })

    test('a lock that is not let go is a failure, and no endless wait', async () => {
      const database = await migratedDatabase(dialect, { lockTimeout: 1000 })
      const { id } = await storesOf(database).users.insert(newUser('alice'))
      await database.transaction(async (transaction) => {
        const sql = `update colophon_user set email = 'x' where id = ${placeholder(dialect, 1)}`
        await transaction.write(run(sql, id))
        await expect(database.write(run(sql, id))).rejects.toThrow('waited too long for a lock')
      })
    })

    test('a program ends although the database is open', async () => {
      const url = await emptyDatabaseUrl(dialect)
      const [name, file] =
        dialect === 'postgres' ? ['openPostgres', 'postgres/open'] : ['openMysql', 'mysql/open']
      const text = `import { ${name} } from ${JSON.stringify(`${process.cwd()}/src/storage/${file}.ts`)}
        await ${name}({ url: process.argv[1] }).rows({ sql: 'select 1', parameters: [] })`
      const child = spawn(process.execPath, ['--input-type=module', '-e', text, url], {
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: 120_000,
      })
      const [code] = await once(child, 'close')
      expect(code).toBe(0)
    })
  })

  describe(`values of ${NAMES[dialect]}`, () => {
    test.each([
      [undefined, 'Parameter 2 of this statement is undefined (NULL is null)'],
      [new Date('never'), 'an invalid date'],
      [Symbol('x'), 'a value of type symbol'],
      [() => 1, 'a value of type function'],
    ])('%s is refused', async (value, message) => {
      const database = await emptyDatabase(dialect)
      const sql = `select ${placeholder(dialect, 1)}, ${placeholder(dialect, 2)}`
      await expect(database.rows(run(sql, 1, value))).rejects.toThrow(message)
    })

    test('come back as they went: texts, bytes, integers, truth and points in time', async () => {
      const database = await emptyDatabase(dialect)
      const [bytes, time] =
        dialect === 'postgres' ? ['bytea', 'timestamptz'] : ['blob', 'datetime(3)']
      await database.write(
        run(
          `create table kept (id bigint primary key, word varchar(50), bytes ${bytes}, yes boolean, at ${time})${dialect === 'mysql' ? ' character set utf8mb4' : ''}`,
        ),
      )
      const at = new Date('2026-01-02T03:04:05.678Z')
      const values = [2n ** 60n, `ä€😀'"\\`, new Uint8Array([0, 255, 1]), true, at]
      const slots = values.map((_, index) => placeholder(dialect, index + 1)).join(', ')
      await database.write(run(`insert into kept values (${slots})`, ...values))
      await database.write(run(`insert into kept values (${slots})`, 7, null, null, false, null))
      const { values: rows } = await database.rows(run('select * from kept order by id'))
      const truth = dialect === 'postgres' ? [true, false] : [1, 0]
      expect(rows).toEqual([
        [7, null, null, truth[1], null],
        [2n ** 60n, `ä€😀'"\\`, Buffer.from([0, 255, 1]), truth[0], at],
      ])
    })

    test('integers beyond 2^53 are bigints, the others are numbers', async () => {
      const database = await emptyDatabase(dialect)
      const integer = dialect === 'postgres' ? 'bigint' : 'signed'
      const sql = `select cast('9007199254740993' as ${integer}) as large, cast('-9007199254740991' as ${integer}) as small`
      expect(await database.read(run(sql))).toEqual([
        { large: 9007199254740993n, small: -9007199254740991 },
      ])
    })

    test('a change that changes nothing finds its row all the same', async () => {
      const database = await migratedDatabase(dialect)
      const { id } = await storesOf(database).users.insert(newUser('alice'))
      expect(await storesOf(database).users.update(id, { email: 'alice@example.com' })).toBe(true)
    })

    test('names are compared exactly: neither case, accents nor spaces at the end are lost', async () => {
      const { users } = storesOf(await migratedDatabase(dialect))
      const names = ['alice', 'Alice', 'alicé', 'alice ', 'alıce', 'straße', 'strasse', '😀', '😁']
      for (const name of names) await users.insert(newUser(name))
      for (const name of names) expect((await users.byUsername(name))?.user.username).toBe(name)
      expect(await users.byUsername('ALICE')).toBeNull()
      expect(await users.byUsername('alice  ')).toBeNull()
    })
  })
}
