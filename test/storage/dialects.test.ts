import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { lookUpBy } from '../../src/accounts/tables/sql-store.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { nextTurn, temporarySqlite } from '../contract/temporary.ts'
import { SERVERS, emptyDatabase } from '../setup/databases.ts'

interface Tables {
  note: { id: number; digest: string }
}

// What accounts and migrations ask of a dialect; lists and tables have a suite of their own.
describe.each(['sqlite', ...SERVERS] as const)('accounts and migrations on %s', (name) => {
  const open = async (): Promise<SqlDatabase> =>
    name === 'sqlite' ? temporarySqlite() : emptyDatabase(name)

  async function withNotes(): Promise<SqlDatabase> {
    const database = await open()
    const { growing, integer } = await database.dialect.migrations()
    await database
      .kysely()
      .schema.createTable('note')
      .addColumn('id', integer, growing)
      .addColumn('digest', 'varchar(20)')
      .execute()
    return database
  }

  const insert = (database: SqlDatabase, ...digests: readonly string[]) =>
    database
      .kysely<Tables>()
      .insertInto('note')
      .values(digests.map((digest) => ({ digest })) as never)
      .execute()

  test.each([1, 2, 3, 5, 8, 20])('%i keys are found together, each its own row', async (count) => {
    const database = await withNotes()
    const keys = Array.from({ length: count }, (_, index) => `k${index}`)
    await insert(database, ...keys)
    const notes = database.kysely<Tables>().selectFrom('note').select('note.digest')
    const byDigest = lookUpBy(
      database,
      () => notes,
      'note.digest',
      ([digest]) => digest,
    )
    expect(await Promise.all([...keys, 'none'].map(byDigest))).toEqual([...keys, null])
  })

  test('rows that are locked for others to read come back as they are', async () => {
    const database = await withNotes()
    await insert(database, 'a', 'b')
    const notes = database.kysely<Tables>().selectFrom('note').select('digest').orderBy('id')
    const locked = database.dialect.lockShared(notes)
    expect(await locked.execute()).toEqual([{ digest: 'a' }, { digest: 'b' }])
  })

  test('the number of a deleted row is never given again', async () => {
    const database = await withNotes()
    await insert(database, 'a', 'b')
    const db = database.kysely<Tables>()
    const last = db.selectFrom('note').select(sql<number>`max(id)`.as('id'))
    const { id } = await last.executeTakeFirstOrThrow()
    await db.deleteFrom('note').execute()
    await insert(database, 'c')
    expect((await last.executeTakeFirstOrThrow()).id).toBeGreaterThan(id)
  })

  test('one migrates at a time', async () => {
    const database = await withNotes()
    const { exclusively } = await database.dialect.migrations()
    const order: string[] = []
    await Promise.all(
      ['first', 'second'].map((who) =>
        exclusively(database.kysely(), async (connection) => {
          order.push(who)
          await sql`select 1`.execute(connection)
          await new Promise((resolve) => void setTimeout(resolve, 20))
          order.push(who)
        }),
      ),
    )
    expect(order[0]).toBe(order[1])
    expect(order[2]).toBe(order[3])
  })

  test('the statements of a step run in their order', async () => {
    const database = await open()
    const { run } = await database.dialect.migrations()
    const db = database.kysely<Tables>()
    await run(database.kysely(), 'a step', [
      db.schema.createTable('note').addColumn('digest', 'varchar(20)'),
      db.insertInto('note').values({ digest: 'a' } as never),
      db.schema.alterTable('note').renameTo('noted'),
    ])
    expect(await database.read({ sql: 'select digest from noted', parameters: [] })).toEqual([
      { digest: 'a' },
    ])
  })
})

test('look-ups that come while one is under way go together, or when it turns out to be slow', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const asked: (readonly unknown[])[] = []
    const nowhere = openPostgres({ url: 'postgres://nowhere.test/none' })
    const notes = nowhere.kysely<Tables>().selectFrom('note').select('note.digest')
    const silent = {
      dialect: nowhere.dialect,
      rows: ({ parameters }: { readonly parameters: readonly unknown[] }) => {
        asked.push(parameters)
        return new Promise<never>(() => undefined)
      },
    }
    const byDigest = lookUpBy(
      silent,
      () => notes,
      'note.digest',
      ([digest]) => digest,
    )
    for (const key of ['a', 'b', 'c']) {
      void byDigest(key)
      await nextTurn()
    }
    expect(asked).toEqual([[['a']]])
    vi.advanceTimersByTime(25)
    await nextTurn()
    expect(asked).toEqual([[['a']], [['b', 'c']]])
  } finally {
    vi.useRealTimers()
  }
})
