// One transaction for statements, typed queries and tables; what locks promise, and what happens where two are in each other's way.
import { describe, expect, test } from 'vitest'
import { ChangedMeanwhile } from '../../src/index.ts'
import {
  DatabaseUnavailable,
  type SqlDatabase,
  type SqlTransaction,
  type TransactionOptions,
  sqlTable,
} from '../../src/sql.ts'
import { nextTurn, temporarySqlite } from '../contract/temporary.ts'
import {
  SERVERS,
  type ServerDialect,
  emptyDatabase,
  emptyDatabaseUrl,
  opened,
} from '../setup/databases.ts'

interface Tables {
  account: { id: number; cents: number }
  entry: { id: number; account: number }
}

const run = async (database: SqlDatabase, sql: string) => database.write({ sql, parameters: [] })

/** Two accounts of 100 cents. PostgreSQL looks for deadlocks at once, not after a second. */
async function withAccounts(name: 'sqlite' | ServerDialect) {
  const database = name === 'sqlite' ? temporarySqlite() : await emptied(name)
  await run(database, 'create table account (id integer primary key, cents integer not null)')
  await run(database, 'create table entry (id integer primary key, account integer not null)')
  await run(database, 'insert into account values (1, 100), (2, 100)')
  const db = database.kysely<Tables>()
  const accounts = sqlTable({ database, db, table: 'account', key: 'id' })
  const entries = sqlTable({ database, db, table: 'entry', key: 'id' })
  return { database, db, accounts, entries }
}

async function emptied(name: ServerDialect): Promise<SqlDatabase> {
  if (name === 'mysql') return emptyDatabase(name)
  const url = await emptyDatabaseUrl(name)
  const first = opened(name, url)
  await run(first, `alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = '20ms'`)
  return opened(name, url)
}

type Bank = Awaited<ReturnType<typeof withAccounts>>

/** All of them have got so far. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  return () => (--parties === 0 && resolve(), promise)
}

describe.each(['sqlite', ...SERVERS] as const)('a transaction on %s', (name) => {
  test('has typed queries and tables, which see the same and are undone together', async () => {
    const { database, accounts, entries } = await withAccounts(name)
    const seen = await database.transaction(async (transaction) => {
      await accounts.in(transaction).insert({ id: 3, cents: 7 })
      const db = transaction.kysely<Tables>()
      const update = db.updateTable('account').set({ cents: 8 }).where('id', '=', 3)
      const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
      const there = await db.selectFrom('account').selectAll().where('id', '>', 2).execute()
      return { numUpdatedRows, there, found: await accounts.in(transaction).find(3) }
    })
    const row = { id: 3, cents: 8 }
    expect(seen).toEqual({ numUpdatedRows: 1n, there: [row], found: row })
    const undone = database.transaction(async ({ kysely, ...transaction }) => {
      await kysely<Tables>().insertInto('entry').values({ id: 1, account: 3 }).execute()
      await entries.in(transaction).insert({ id: 2, account: 3 })
      throw new Error('Stop.')
    })
    await expect(undone).rejects.toThrow('Stop.')
    expect(await entries.source.count()).toBe(0)
  })

  test('has queries that end with it, and begin no other one', async () => {
    const { database } = await withAccounts(name)
    const { kysely, inner } = await database.transaction(async (transaction) => {
      const db = transaction.kysely<Tables>()
      const nested = db.transaction().execute(async () => 1)
      return { kysely: transaction.kysely, inner: await nested.catch((error: Error) => error) }
    })
    expect(inner).toMatchObject({ message: expect.stringContaining('in a transaction already') })
    const late = kysely<Tables>().selectFrom('account').selectAll().execute()
    await expect(late).rejects.toThrow('This transaction is over')
  })

  test('locks a row, which is given as it is; none is null', async () => {
    const { database, accounts } = await withAccounts(name)
    const poor = accounts.only((query) => query.where('cents', '<', 100))
    const locked = await database.transaction(async ({ lock }) => [
      await lock(accounts, 2),
      await lock(accounts, '2'),
      await lock(accounts, 9),
      await lock(poor, 2),
    ])
    expect(locked).toEqual([{ id: 2, cents: 100 }, { id: 2, cents: 100 }, null, null])
  })

  test('does what is to be done after its commit then, and not where it fails', async () => {
    const { database, accounts } = await withAccounts(name)
    const asked: string[] = []
    const request = { afterAnswer: (task: () => unknown) => void task() }
    const task = (text: string) => async () =>
      void asked.push(`${text}: ${(await accounts.find(1))?.cents}`)
    await database.transaction(async (transaction) => {
      transaction.afterCommit(request, task('kept'))
      await accounts.in(transaction).update(1, { cents: 1 })
      expect(asked).toEqual([])
    })
    const failing = database.transaction((transaction) => {
      transaction.afterCommit(request, task('failed'))
      throw new Error('Stop.')
    })
    await expect(failing).rejects.toThrow('Stop.')
    await expect.poll(() => asked).toEqual(['kept: 1'])
  })

  /** Adds a cent, as programs do that read first. */
  const ADDING: readonly (readonly [way: string, add: (bank: Bank) => Promise<unknown>])[] = [
    [
      'behind a lock',
      ({ database, accounts }) =>
        database.transaction(async (transaction) => {
          const found = await transaction.lock(accounts, 1)
          await nextTurn()
          await accounts.in(transaction).update(1, { cents: found!.cents + 1 })
        }),
    ],
    [
      'behind a lock of another row, read by typed queries',
      ({ database, accounts }) =>
        database.transaction(async ({ lock, kysely }) => {
          await lock(accounts, 2)
          const one = kysely<Tables>().selectFrom('account').selectAll().where('id', '=', 1)
          const { cents } = await one.executeTakeFirstOrThrow()
          await nextTurn()
          await kysely<Tables>()
            .updateTable('account')
            .set({ cents: cents + 1 })
            .where('id', '=', 1)
            .execute()
        }),
    ],
    [
      'with the row that was seen',
      async ({ accounts }) => {
        for (;;) {
          const seen = await accounts.find(1)
          await nextTurn()
          try {
            return await accounts.update(1, { cents: seen!.cents + 1 }, seen)
          } catch (error) {
            if (!(error instanceof ChangedMeanwhile)) throw error
          }
        }
      },
    ],
  ]

  test.each(ADDING)('no update is lost: %s', async (_way, add) => {
    const bank = await withAccounts(name)
    await Promise.all(Array.from({ length: 25 }, () => add(bank)))
    expect(await bank.accounts.find(1)).toEqual({ id: 1, cents: 125 })
  })

  /** Moves cents from one account to the other, some there and some back, so that each waits for another one. */
  const MOVING: readonly (readonly [
    way: string,
    move: (bank: Bank, within: SqlTransaction, from: number, to: number) => Promise<unknown>,
  ])[] = [
    [
      'locks',
      async ({ accounts }, transaction, from, to) => {
        const one = await transaction.lock(accounts, from)
        const other = await transaction.lock(accounts, to)
        await accounts.in(transaction).update(from, { cents: one!.cents - 1 })
        await accounts.in(transaction).update(to, { cents: other!.cents + 1 })
      },
    ],
    [
      'typed queries',
      async (_bank, { kysely }, from, to) => {
        const table = kysely<Tables>().updateTable('account')
        const by = (cents: number, id: number) =>
          table
            .set((is) => ({ cents: is('cents', '+', cents) }))
            .where('id', '=', id)
            .execute()
        await by(-1, from)
        await by(1, to)
      },
    ],
  ]

  test.each(MOVING)('those that wait for each other all come through: %s', async (_way, move) => {
    const bank = await withAccounts(name)
    const ways = Array.from({ length: 9 }, (_, index) => (index % 3 === 0 ? [2, 1] : [1, 2]))
    await Promise.all(
      ways.map(([from, to]) =>
        bank.database.transaction((transaction) => move(bank, transaction, from!, to!)),
      ),
    )
    expect(await bank.accounts.source.slice(0, 2)).toEqual([
      { id: 1, cents: 97 },
      { id: 2, cents: 103 },
    ])
  })
})

/** What a server says who has given a transaction up, and who has not. */
const RAISED = {
  postgres: {
    givenUp: ['40001', '40P01'],
    others: ['55P03', '57014'],
    sql: (code: string) => `do $$ begin raise exception 'x' using errcode = '${code}'; end $$`,
  },
  mysql: {
    givenUp: ['1020', '1213'],
    others: ['1205', '1969'],
    sql: (code: string) => `signal sqlstate '40001' set mysql_errno = ${code}`,
  },
} as const satisfies Readonly<Record<ServerDialect, unknown>>

test.each(SERVERS)(
  'on %s, a transaction of an isolation that there is not asks nothing',
  async (name) => {
    const { database, accounts } = await withAccounts(name)
    const before = await accounts.source.count()
    const options = { isolation: 'chaos' } as never
    const undone = database.transaction(
      (each) => accounts.in(each).insert({ id: 3, cents: 7 }),
      options,
    )
    await expect(undone).rejects.toThrow('"chaos" is no isolation of a transaction.')
    expect(await accounts.source.count()).toBe(before)
  },
)

describe.each(SERVERS)('a transaction that %s gives up', (name) => {
  const { givenUp, others, sql } = RAISED[name]

  /** How often it ran, and how that ended, where the first so many are given up. */
  async function trying(times: number, code: string, { catches = false } = {}) {
    const { database, entries } = await withAccounts(name)
    const tasks: number[] = []
    const request = { afterAnswer: (task: () => unknown) => void task() }
    let tried = 0
    const done = database.transaction(async (transaction) => {
      const attempt = ++tried
      transaction.afterCommit(request, () => tasks.push(attempt))
      await entries.in(transaction).insert({ id: 1, account: 1 })
      if (attempt > times) return 'done'
      const raised = transaction.write({ sql: sql(code), parameters: [] })
      await (catches ? Promise.resolve(raised).catch(() => {}) : raised)
      // What comes after an error that is caught must not be kept for itself.
      if (catches) await entries.in(transaction).insert({ id: 2, account: 1 })
      return 'caught'
    })
    const ended = await done.catch((error: unknown) => error)
    return { ended, tried, tasks, kept: await entries.source.count() }
  }

  test.each(givenUp)('runs again, and its tasks come once: %s', async (code) => {
    expect(await trying(2, code)).toEqual({ ended: 'done', tried: 3, tasks: [3], kept: 1 })
  })

  test('runs ten times at most, and then fails', async () => {
    const { ended, ...rest } = await trying(99, givenUp[0])
    expect(ended).toBeInstanceOf(DatabaseUnavailable)
    expect(rest).toEqual({ tried: 10, tasks: [], kept: 0 })
  })

  test.each(others)('nothing else runs again: %s', async (code) => {
    const { ended, ...rest } = await trying(9, code)
    expect(ended).toBeInstanceOf(DatabaseUnavailable)
    expect(rest).toEqual({ tried: 1, tasks: [], kept: 0 })
  })

  test('is over, also for work that catches the error and goes on', async () => {
    const expected = { ended: 'done', tried: 2, tasks: [2], kept: 1 }
    expect(await trying(1, givenUp[0], { catches: true })).toEqual(expected)
  })

  /** Rows that were not there when a transaction began to read. */
  async function seenLater(options?: TransactionOptions): Promise<number> {
    const { database, accounts, entries } = await withAccounts(name)
    const beforeInsert = barrier(2)
    const inserted = barrier(2)
    const counting = database.transaction(async (transaction) => {
      await entries.in(transaction).source.count()
      await beforeInsert()
      await inserted()
      await transaction.lock(accounts, 1)
      return entries.in(transaction).source.count()
    }, options)
    await beforeInsert()
    await entries.insert({ id: 1, account: 1 })
    await inserted()
    return counting
  }

  test('behind a lock it reads what is committed, whatever it has read before', async () => {
    expect(await seenLater()).toBe(1)
  })

  test('isolated further, it goes on to read what it has read', async () => {
    expect(await seenLater({ isolation: 'repeatable read' })).toBe(0)
  })

  test('no update is lost where it is serializable, without any lock', async () => {
    const { database, accounts } = await withAccounts(name)
    const both = barrier(2)
    let tried = 0
    const add = () =>
      database.transaction(
        async (transaction) => {
          const within = accounts.in(transaction)
          const found = await within.find(1)
          if (++tried <= 2) await both()
          await within.update(1, { cents: found!.cents + 1 })
        },
        { isolation: 'serializable' },
      )
    await Promise.all([add(), add()])
    expect(await accounts.find(1)).toEqual({ id: 1, cents: 102 })
    expect(tried).toBe(3)
  })
})

test('a table of PostgreSQL runs its own transactions again, too', async () => {
  const { database, entries } = await withAccounts('postgres')
  await run(database, 'create sequence tries')
  // What a sequence has counted is not undone.
  await run(
    database,
    `create function refuse() returns trigger as $$ begin
      if nextval('tries') < 3 then raise exception 'x' using errcode = '40P01'; end if;
      return new;
    end $$ language plpgsql`,
  )
  await run(
    database,
    'create trigger refusing before insert on entry for each row execute function refuse()',
  )
  expect(await entries.insert({ id: 1, account: 1 })).toEqual({ id: 1, account: 1 })
  const [tried] = await database.read({ sql: 'select last_value from tries', parameters: [] })
  expect(tried).toEqual({ last_value: 3 })
})
