import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConstraintViolation, type SqlDatabase, sqlTable } from '../../../src/sql.ts'
import { ChangedMeanwhile } from '../../../src/core/errors/api-errors.ts'
import { WritingConnection } from '../../../src/storage/sqlite/driver.ts'
import { nextTurn, temporarySqlite } from '../../contract/temporary.ts'

interface Tables {
  shelf: { id: number }
  book: { id: number; code: string; size: number | null; shelf: number | null }
}

const TABLES = `
  create table shelf (id integer primary key);
  insert into shelf values (1), (2);
  create table book (id integer primary key, code text not null unique, shelf integer references shelf,
    size integer not null on conflict rollback check (size > 0));`

function library() {
  const database = temporarySqlite()
  for (const sql of TABLES.split(/;\n/)) void database.write({ sql, parameters: [] })
  const db = database.kysely<Tables>()
  return { database, books: sqlTable({ database, db, table: 'book', key: 'id' }) }
}

type Books = ReturnType<typeof library>['books']
type Asked = (books: Books) => unknown

const ids = fc.integer({ min: 1, max: 6 })
/** Many of them are refused: taken keys and codes, sizes and shelves that may not be. No size undoes the transaction. */
const values = fc.record({
  id: ids,
  code: fc.constantFrom('a', 'b', 'c', 'd'),
  size: fc.constantFrom(-1, 1, 1, 2, 3, null),
  shelf: fc.constantFrom(null, 1, 2, 9),
})
const changes = values.map(({ code, size, shelf }) => ({ code, size, shelf }))

const write: fc.Arbitrary<Asked> = fc.oneof(
  values.map(
    (book): Asked =>
      (books) =>
        books.insert(book),
  ),
  fc.tuple(ids, changes).map(
    ([id, book]): Asked =>
      (books) =>
        books.update(id, book),
  ),
  // A row that another has changed meanwhile.
  fc.tuple(ids, changes, values).map(
    ([id, book, seen]): Asked =>
      (books) =>
        books.update(id, book, seen),
  ),
  // Out of the rows that it is narrowed to: its statement has worked when it is refused.
  values.map(
    (book): Asked =>
      (books) =>
        books.only((query) => query.where('size', '<', 2)).insert(book),
  ),
  ids.map(
    (id): Asked =>
      (books) =>
        books.remove(id),
  ),
)

async function outcome(work: unknown): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ConstraintViolation) return [error.kind, ...error.columns]
    return error instanceof ChangedMeanwhile ? 'changed' : (error as Error).message
  }
}

function everything(database: SqlDatabase): Promise<readonly unknown[]> {
  return database.kysely<Tables>().selectFrom('book').selectAll().orderBy('id').execute()
}

describe('writes that share a transaction', () => {
  test('come to what they come to one after the other: who fails, fails alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 24 }), async (writes) => {
        const [together, alone] = [library(), library()]
        const answers = await Promise.all(writes.map((each) => outcome(each(together.books))))
        const expected: unknown[] = []
        for (const each of writes) expected.push(await outcome(each(alone.books)))
        expect(answers).toEqual(expected)
        expect(await everything(together.database)).toEqual(await everything(alone.database))
        together.database.close()
        alone.database.close()
      }),
      { numRuns: 60 },
    )
  })

  test('not where a reference is checked at the end only: another write could heal what is to be refused', async () => {
    const database = temporarySqlite()
    const run = (sql: string) => void database.write({ sql, parameters: [] })
    run('create table shelf (id integer primary key)')
    run(`create table book (id integer primary key,
      shelf integer references shelf DEFERRABLE  INITIALLY DEFERRED)`)
    const db = database.kysely<{ book: { id: number; shelf: number } }>()
    const books = sqlTable({ database, db, table: 'book', key: 'id' })
    const answers = [books.insert({ id: 1, shelf: 9 }), books.remove(1)].map(outcome)
    expect(await Promise.all(answers)).toEqual([['does_not_exist', 'shelf'], false])
  })

  test('are committed once, however many came in a turn, and before any is told', async () => {
    const { books } = library()
    await books.find(0)
    const told: string[] = []
    let id = 0
    const { write: own } = WritingConnection.prototype
    const spied = vi.spyOn(WritingConnection.prototype, 'write').mockImplementation(function (
      this: WritingConnection,
      statement,
    ) {
      told.push(/^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT)|$/.exec(statement.sql)![0])
      return own.call(this, statement)
    })
    onTestFinished(() => spied.mockRestore())
    const together = async (...codes: readonly string[]) => {
      const writes = codes.map(async (code) => {
        await outcome(books.insert({ id: ++id, code, size: 1, shelf: null }))
        told.push(code)
      })
      await Promise.all(writes)
      return told.splice(0).filter((each) => each !== '')
    }
    expect(await together('a', 'b', 'c')).toEqual(['BEGIN', 'COMMIT', 'a', 'b', 'c'])
    // One that fails is undone by itself, in this transaction and in those that follow.
    const [one, other] = ['SAVEPOINT', 'SAVEPOINT']
    const begun = ['BEGIN', 'ROLLBACK', 'BEGIN', one, other, 'ROLLBACK', 'COMMIT']
    expect(await together('d', 'a')).toEqual([...begun, 'd', 'a'])
    expect(await together('e', 'f')).toEqual(['BEGIN', one, other, 'COMMIT', 'e', 'f'])
    for (let turn = 0; turn < 99; turn++) await together(`${turn} one`, `${turn} other`)
    expect(await together('g', 'h')).toEqual(['BEGIN', 'COMMIT', 'g', 'h'])
  })

  test('no reader sees them before, not even in the process that writes', async () => {
    const { database } = library()
    const count = { sql: 'select count(*) from book', parameters: [] }
    const insert = (id: number) => ({
      sql: `insert into book values (?, ?, null, 1)`,
      parameters: [id, `code ${id}`],
    })
    const seen = [1, 2].map((id) =>
      database.together!((executor) => {
        void executor.write(insert(id))
        return [executor.rows(count), database.rows(count)].map(
          (rows) => 'values' in rows && rows.values[0]![0],
        )
      }),
    )
    expect(await Promise.all(seen)).toEqual([
      [1, 0],
      [2, 0],
    ])
    expect(database.rows(count)).toMatchObject({ values: [[2]] })
  })

  test('wait for a transaction that is open, and are not undone with it', async () => {
    const { database, books } = library()
    await books.find(0)
    const book = { code: 'a', size: 1, shelf: null }
    const { promise: pause, resolve: go } = Promise.withResolvers<void>()
    const undone = database.transaction(async (transaction) => {
      await books.in(transaction).insert({ ...book, id: 1 })
      await pause
      throw new Error('no')
    })
    let isTold = false
    const kept = outcome(books.insert({ ...book, id: 2 })).then(() => (isTold = true))
    await nextTurn()
    await nextTurn()
    expect(isTold).toBe(false)
    go()
    await expect(undone).rejects.toThrow('no')
    await kept
    expect(await everything(database)).toMatchObject([{ id: 2 }])
  })

  test('each waits as long as it may for its turn, and is done or not', async () => {
    const database = temporarySqlite({ queueTimeout: 50 })
    void database.write({ sql: 'create table word (word text)', parameters: [] })
    const word = { sql: `insert into word values ('late')`, parameters: [] }
    const { promise: pause, resolve: go } = Promise.withResolvers<void>()
    const open = database.transaction(() => pause)
    const late = database.together!((executor) => executor.write(word))
    await expect(late).rejects.toThrow('waited 50 ms')
    const inTime = database.together!((executor) =>
      executor.rows({ sql: 'select 1', parameters: [] }),
    )
    go()
    await Promise.all([open, inTime])
    expect(database.read({ sql: 'select * from word', parameters: [] })).toEqual([])
  })

  test('what waits within is refused: others would come in between', async () => {
    const { database } = library()
    const waits = database.together!(() => Promise.resolve(1))
    await expect(waits).rejects.toThrow('cannot wait')
    expect(await database.transaction(() => 'free again')).toBe('free again')
  })
})
