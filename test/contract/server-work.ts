import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../src/core/ports/database.ts'
import type { Rows } from '../../src/core/ports/list-source.ts'
import { sqlSource } from '../../src/storage/sql/query/sql-source.ts'
import { SqlTokens, storesOf } from '../../src/accounts/tables/stores.ts'
import {
  NAMES,
  type ServerDialect,
  emptyDatabase,
  emptyDatabaseUrl,
  migratedDatabase,
  opened,
  serverOf,
  DIALECTS,
} from '../setup/databases.ts'
import { shown, testListSource } from './list-source.ts'
import type { ServerWords } from './server-connections.ts'
import { newUser } from './user-store.ts'

interface Tables {
  item: { id: number; name: string }
}

const run = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters })

/** What is done on a server: look-ups that travel together, transactions, typed queries, lists, migrations. */
export function testServerWork(dialect: ServerDialect, words: ServerWords): void {
  async function withItems(size: number) {
    const database = await emptyDatabase(dialect)
    const db = database.kysely<Tables>()
    await db.schema
      .createTable('item')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'varchar(20)')
      .execute()
    const items = Array.from({ length: size }, (_, index) => ({ id: index + 1, name: `n${index}` }))
    if (size > 0) await db.insertInto('item').values(items).execute()
    return { database, db }
  }

  async function withTokens(size: number) {
    const database = await migratedDatabase(dialect)
    const sent: Statement[] = []
    const rows = (statement: Statement): Promise<Rows> => {
      sent.push(statement)
      return database.rows(statement)
    }
    const tokens = new SqlTokens({
      dialect: DIALECTS[dialect],
      rows,
      write: (statement) => database.write(statement),
    })
    for (let number = 0; number < size; number++) {
      const { id } = await storesOf(database).users.insert(newUser(`user-${number}`))
      await tokens.insert(id, {
        digest: `d${number}`,
        sealed: 's',
        name: '',
        scopes: null,
        created: new Date(),
        expires: null,
      })
    }
    sent.length = 0
    const ownerOf = async (digest: string) => (await tokens.byDigest(digest))?.user.username ?? null
    return { database, tokens, sent, ownerOf }
  }

  describe(`look-ups on ${NAMES[dialect]}`, () => {
    test('that wait at the same moment are one query, and each gets its own answer', async () => {
      const { sent, ownerOf } = await withTokens(5)
      const digests = ['d3', 'none', 'd0', 'd4', 'd3']
      expect(await Promise.all(digests.map(ownerOf))).toEqual([
        'user-3',
        null,
        'user-0',
        'user-4',
        'user-3',
      ])
      expect(sent).toHaveLength(1)
    })

    test('of hundreds at once are right, whatever their number', async () => {
      const { sent, ownerOf } = await withTokens(40)
      for (const size of [1, 2, 3, 7, 32, 33, 600]) {
        const numbers = Array.from({ length: size }, (_, index) => (index * 7) % 60)
        const owners = await Promise.all(numbers.map((number) => ownerOf(`d${number}`)))
        expect(owners).toEqual(numbers.map((number) => (number < 40 ? `user-${number}` : null)))
      }
      expect(new Set(sent.map(({ sql }) => sql)).size).toBeLessThanOrEqual(8)
    })

    test('see what was acknowledged before them: a deleted token is dead', async () => {
      const { tokens, ownerOf } = await withTokens(20)
      const others = Array.from({ length: 20 }, (_, number) => number)
      const load = Promise.all(
        Array.from({ length: 30 }, async () =>
          Promise.all(others.map((number) => ownerOf(`d${number}`))),
        ),
      )
      const { user } = (await tokens.byDigest('d7'))!
      await tokens.delete(user.id, '')
      expect(await ownerOf('d7')).toBeNull()
      await load
    })

    test('of what no database can hold find nothing, and disturb nobody', async () => {
      const { ownerOf } = await withTokens(2)
      expect(await Promise.all(['d0', 'a\0b', '\ud800', 'd1', ''].map(ownerOf))).toEqual([
        'user-0',
        null,
        null,
        'user-1',
        null,
      ])
    })

    /** Look-ups that a lock holds up while `work` is done to the connections that wait. */
    async function whileBlocked(
      { database, ownerOf }: Awaited<ReturnType<typeof withTokens>>,
      digests: readonly string[],
      work: (killAll: (waiting: number) => Promise<void>) => Promise<void>,
    ) {
      const [name] = (await database.rows(run(words.name))).values[0]!
      const { url } = await serverOf(dialect)
      const holder = opened(dialect, url.replace(/\w+$/, String(name)))
      const { answers } = await holder.transaction(async (lock) => {
        await lock.write(run(words.lock('colophon_token')))
        const asked = Promise.allSettled(digests.map(ownerOf))
        const waiting = async () => (await holder.rows(run(words.waiting))).values.flat()
        await work(async (number) => {
          await expect.poll(waiting).toHaveLength(number)
          const ids = await waiting()
          for (const id of ids) await holder.write(run(words.kill(id)))
          const left = async () => (await waiting()).filter((id) => ids.includes(id))
          await expect.poll(left).toEqual([])
        })
        await lock.write(run(words.unlock))
        return { answers: asked }
      })
      return answers
    }

    test('whose connection is killed are asked again, each alone', async () => {
      const world = await withTokens(3)
      const answers = await whileBlocked(world, ['d0', 'none', 'd2'], (killAll) => killAll(1))
      expect(answers).toEqual([
        { status: 'fulfilled', value: 'user-0' },
        { status: 'fulfilled', value: null },
        { status: 'fulfilled', value: 'user-2' },
      ])
      expect(world.sent).toHaveLength(4)
    })

    test('whose connections are killed again fail, and the next ones do not', async () => {
      const world = await withTokens(3)
      const answers = await whileBlocked(world, ['d0', 'd1', 'd2'], async (killAll) => {
        await killAll(1)
        await killAll(3)
      })
      for (const answer of answers) {
        expect(answer).toMatchObject({ reason: { name: 'DatabaseUnavailable' } })
      }
      expect(await world.ownerOf('d1')).toBe('user-1')
    })
  })

  describe(`transactions on ${NAMES[dialect]}`, () => {
    test('a statement that is not awaited comes in its turn', async () => {
      const { database, db } = await withItems(0)
      await database.transaction(async (transaction) => {
        const insert = (id: number) => db.insertInto('item').values({ id, name: 'x' }).compile()
        await Promise.all([1, 2, 3].map(async (id) => transaction.write(insert(id))))
      })
      expect(await db.selectFrom('item').selectAll().execute()).toHaveLength(3)
    })

    test('one that is over does nothing more', async () => {
      const { database, db } = await withItems(0)
      const kept = await database.transaction((transaction) => transaction)
      const insert = db.insertInto('item').values({ id: 1, name: 'x' }).compile()
      await expect(kept.write(insert)).rejects.toThrow('This transaction is over')
      expect(await db.selectFrom('item').selectAll().execute()).toEqual([])
    })

    test('a snapshot sees one state, whatever others write meanwhile', async () => {
      const { database, db } = await withItems(3)
      const count = db
        .selectFrom('item')
        .select(({ fn }) => fn.countAll().as('n'))
        .compile()
      const counts = await database.snapshot(async (reader) => {
        const before = await reader.rows(count)
        await db.deleteFrom('item').where('id', '=', 1).execute()
        const after = await reader.rows(count)
        return [before.values[0]![0], after.values[0]![0]]
      })
      expect(counts).toEqual([3, 3])
      expect(await db.selectFrom('item').select('id').execute()).toHaveLength(2)
    })

    test('a snapshot does not write', async () => {
      const { database, db } = await withItems(1)
      const deletion = db.deleteFrom('item').compile()
      await expect(database.snapshot((reader) => reader.rows(deletion))).rejects.toThrow(
        /read.only/i,
      )
      expect(await db.selectFrom('item').select('id').execute()).toHaveLength(1)
    })
  })

  describe(`typed queries on ${NAMES[dialect]}`, () => {
    test('tell what they changed, and find what was inserted', async () => {
      const { db } = await withItems(3)
      const updated = await db
        .updateTable('item')
        .set({ name: 'x' })
        .where('id', '<', 3)
        .executeTakeFirst()
      expect(updated.numUpdatedRows).toBe(2n)
      const deleted = await db.deleteFrom('item').where('name', '=', 'x').executeTakeFirst()
      expect(deleted.numDeletedRows).toBe(2n)
      expect(await db.selectFrom('item').selectAll().execute()).toEqual([{ id: 3, name: 'n2' }])
    })

    test('in a transaction are kept or undone together', async () => {
      const { db } = await withItems(0)
      const insert = (id: number) => ({ id, name: 'x' })
      await db.transaction().execute(async (transaction) => {
        await transaction.insertInto('item').values(insert(1)).execute()
      })
      const undone = db
        .transaction()
        .setIsolationLevel('serializable')
        .execute(async (transaction) => {
          await transaction.insertInto('item').values(insert(2)).execute()
          throw new Error('Undo.')
        })
      await expect(undone).rejects.toThrow('Undo.')
      expect(await db.selectFrom('item').select('id').execute()).toEqual([{ id: 1 }])
    })

    test('may go back to a savepoint', async () => {
      const { db } = await withItems(0)
      const started = await db.startTransaction().execute()
      await started.insertInto('item').values({ id: 1, name: 'x' }).execute()
      const saved = await started.savepoint('here').execute()
      await saved.insertInto('item').values({ id: 2, name: 'x' }).execute()
      await saved.rollbackToSavepoint('here').execute()
      await saved.releaseSavepoint('here').execute()
      await started.commit().execute()
      expect(await db.selectFrom('item').select('id').execute()).toEqual([{ id: 1 }])
    })

    test('stream, and closing the query builder leaves the database open', async () => {
      const { database, db } = await withItems(3)
      const ids: number[] = []
      for await (const { id } of db.selectFrom('item').select('id').orderBy('id').stream())
        ids.push(id)
      expect(ids).toEqual([1, 2, 3])
      await db.destroy()
      expect(await database.read(run('select 1 as one'))).toEqual([{ one: 1 }])
    })
  })

  const open = async (size: number) => {
    const { database, db } = await withItems(size)
    return sqlSource({ database, query: db.selectFrom('item').select('id'), key: 'id' })
  }
  testListSource(`a table of ${NAMES[dialect]}`, open)

  describe(`a page of ${NAMES[dialect]}`, () => {
    test('has count and rows of one snapshot', async () => {
      const { database, db } = await withItems(10)
      const source = sqlSource({ database, query: db.selectFrom('item').select('id'), key: 'id' })
      const deletion = db.deleteFrom('item').where('id', '>', 5).compile()
      let deleted: unknown
      const snapshot: typeof database.snapshot = (work) =>
        database.snapshot((reader) =>
          work({
            read: (statement) => reader.read(statement),
            rows: async (statement) => {
              const found = await reader.rows(statement)
              deleted ??= await database.write(deletion)
              return found
            },
          }),
        )
      const watched = {
        dialect: DIALECTS[dialect],
        rows: (statement: Statement) => database.rows(statement),
        snapshot,
      }
      const racing = sqlSource({
        database: watched,
        query: db.selectFrom('item').select('id'),
        key: 'id',
      })
      expect(shown(await racing.page(() => ({ offset: 4, limit: 3 })))).toEqual({
        count: 10,
        rows: [{ id: 5 }, { id: 6 }, { id: 7 }],
      })
      expect(shown(await source.page(() => ({ offset: 4, limit: 3 })))).toEqual({
        count: 5,
        rows: [{ id: 5 }],
      })
    })
  })

  describe(`migrations on ${NAMES[dialect]}`, () => {
    test('of several processes at once run once', async () => {
      const url = await emptyDatabaseUrl(dialect)
      const databases = Array.from({ length: 5 }, () => opened(dialect, url))
      const done = await Promise.all(databases.map((database) => database.migrate()))
      const all = await databases[0]!.pendingMigrations()
      expect(all).toEqual([])
      expect(done.filter((steps) => steps.length > 0)).toHaveLength(1)
    })

    test('of a program that is killed in the middle are finished by the next', async () => {
      const url = await emptyDatabaseUrl(dialect)
      const [name, file] =
        dialect === 'postgres' ? ['openPostgres', 'postgres/open'] : ['openMysql', 'mysql/open']
      const text = `import { ${name} } from ${JSON.stringify(`${process.cwd()}/src/storage/${file}.ts`)}
        process.stdout.write('ready')
        await ${name}({ url: process.argv[1] }).migrate()`
      for (const wait of [20, 40, 60, 80]) {
        const child = spawn(process.execPath, ['--input-type=module', '-e', text, url], {
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        await once(child.stdout, 'data')
        setTimeout(() => child.kill('SIGKILL'), wait)
        await once(child, 'close')
      }
      const database = opened(dialect, url)
      await database.migrate()
      const { id } = await storesOf(database).users.insert(newUser('alice'))
      expect(await storesOf(database).tokens.ofUser(id, '')).toBeNull()
    })
  })
}
