import { dialectOf } from '../setup/dialects.ts'
import { describe, expect, test } from 'vitest'
import type { Database, Statement } from '../../src/core/ports/database.ts'

export interface DatabaseFixture {
  /** An empty database. */
  open(): Promise<Database> | Database
  /** The placeholder number `position`, counted from 1: `?` or `$1`. */
  placeholder(position: number): string
}

/** What every database has to do, whatever drives it. */
export function testDatabase(name: string, { open, placeholder }: DatabaseFixture): void {
  const insert = (id: number, word: string | null): Statement => ({
    sql: `insert into word (id, word) values (${placeholder(1)}, ${placeholder(2)})`,
    parameters: [id, word],
  })
  const select: Statement = { sql: 'select id, word from word order by id', parameters: [] }

  async function withWords(): Promise<Database> {
    const database = await open()
    await database.write({
      sql: 'create table word (id integer primary key, word varchar(20))',
      parameters: [],
    })
    return database
  }

  describe(`${name} is a database`, () => {
    test('rows come as objects, and as arrays with the names of their columns', async () => {
      const database = await withWords()
      await database.write(insert(1, 'one'))
      await database.write(insert(2, null))
      expect(await database.read(select)).toEqual([
        { id: 1, word: 'one' },
        { id: 2, word: null },
      ])
      const { columns, values } = await database.rows(select)
      expect({ columns, values }).toEqual({
        columns: ['id', 'word'],
        values: [
          [1, 'one'],
          [2, null],
        ],
      })
    })

    test('no rows have names of columns all the same', async () => {
      const { columns, values } = await (await withWords()).rows(select)
      expect({ columns, values }).toEqual({ columns: ['id', 'word'], values: [] })
    })

    test('a write tells how many rows it changed, and is seen at once', async () => {
      const database = await withWords()
      expect(await database.read(select)).toEqual([])
      expect((await database.write(insert(1, 'one'))).changes).toBe(1)
      expect(await database.read(select)).toHaveLength(1)
      const none = await database.write({ sql: 'delete from word where id > 7', parameters: [] })
      expect(none.changes).toBe(0)
    })

    test('values are bound, never pasted in', async () => {
      const database = await withWords()
      await database.write(insert(1, `'; drop table word`))
      expect(await database.read(select)).toEqual([{ id: 1, word: `'; drop table word` }])
    })

    test('a transaction keeps all of its writes, and gives the result of its work', async () => {
      const database = await withWords()
      const result = await database.transaction(async (transaction) => {
        await transaction.write(insert(1, 'one'))
        await transaction.write(insert(2, 'two'))
        return (await transaction.read(select)).length
      })
      expect(result).toBe(2)
      expect(await database.read(select)).toHaveLength(2)
    })

    test('a transaction that throws leaves nothing behind', async () => {
      const database = await withWords()
      const work = database.transaction(async (transaction) => {
        await transaction.write(insert(1, 'one'))
        throw new Error('Changed my mind.')
      })
      await expect(work).rejects.toThrow('Changed my mind.')
      expect(await database.read(select)).toEqual([])
    })

    test('nobody sees a transaction before it is committed', async () => {
      const database = await withWords()
      await database.transaction(async (transaction) => {
        await transaction.write(insert(1, 'one'))
        expect(await database.read(select)).toEqual([])
        expect(await transaction.read(select)).toHaveLength(1)
      })
      expect(await database.read(select)).toHaveLength(1)
    })

    test('transactions at the same time lose no update', async () => {
      const database = await withWords()
      await database.write(insert(1, '0'))
      const increment = async (): Promise<void> =>
        database.transaction(async (transaction) => {
          const [row] = await transaction.read<{ word: string }>({
            sql: `select word from word where id = 1${dialectOf(database) === 'sqlite' ? '' : ' for update'}`,
            parameters: [],
          })
          await new Promise((resolve) => setTimeout(resolve, 1))
          const next = String(Number(row!.word) + 1)
          await transaction.write({
            sql: `update word set word = ${placeholder(1)}`,
            parameters: [next],
          })
        })
      await Promise.all(Array.from({ length: 10 }, increment))
      expect(await database.read(select)).toEqual([{ id: 1, word: '10' }])
    })

    test('a write during a transaction does not slip into it', async () => {
      const database = await withWords()
      let write: unknown
      const work = database.transaction(async (transaction) => {
        await transaction.write(insert(1, 'undone'))
        write = database.write(insert(2, 'kept'))
        await new Promise((resolve) => setTimeout(resolve, 5))
        throw new Error('Undo.')
      })
      await expect(work).rejects.toThrow('Undo.')
      await write
      expect(await database.read(select)).toEqual([{ id: 2, word: 'kept' }])
    })

    test('migrations run once, and say what is missing before', async () => {
      const database = await open()
      const missing = await database.pendingMigrations()
      expect(missing).toEqual([
        '0001_users',
        '0002_tokens',
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
      expect(await database.migrate()).toEqual(missing)
      expect(await database.pendingMigrations()).toEqual([])
      expect(await database.migrate()).toEqual([])
    })
  })
}
