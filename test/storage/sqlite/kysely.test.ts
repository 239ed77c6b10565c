import { sql, type Generated } from 'kysely'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { temporarySqlite } from '../../contract/temporary.ts'

interface Tables {
  article: { id: Generated<number>; title: string; published: boolean }
}

async function withArticles() {
  const database = temporarySqlite({ queueTimeout: 1000 })
  const kysely = database.kysely<Tables>()
  await kysely.schema
    .createTable('article')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('title', 'text', (column) => column.unique())
    .addColumn('published', 'boolean')
    .execute()
  return { database, kysely }
}

describe('typed queries', () => {
  test('select, insert, update and delete', async () => {
    const { kysely } = await withArticles()
    const inserted = await kysely
      .insertInto('article')
      .values({ title: 'One', published: true })
      .executeTakeFirst()
    expect(inserted.insertId).toBe(1n)
    const updated = await kysely.updateTable('article').set({ published: false }).executeTakeFirst()
    expect(updated.numUpdatedRows).toBe(1n)
    const found = await kysely.selectFrom('article').select(['id', 'title']).execute()
    expectTypeOf(found).toEqualTypeOf<{ id: number; title: string }[]>()
    expect(found).toEqual([{ id: 1, title: 'One' }])
    expect((await kysely.deleteFrom('article').executeTakeFirst()).numDeletedRows).toBe(1n)
  })

  test('inserts give back what they are asked for', async () => {
    const { kysely } = await withArticles()
    const query = kysely
      .insertInto('article')
      .values({ title: 'One', published: true })
      .returning('id')
    expect(await query.execute()).toEqual([{ id: 1 }])
  })

  test('raw SQL, with and without rows', async () => {
    const { kysely } = await withArticles()
    await sql`insert into article (title) values (${'Raw'})`.execute(kysely)
    const { rows } = await sql`select title from article`.execute(kysely)
    expect(rows).toEqual([{ title: 'Raw' }])
  })

  test('a transaction keeps all or nothing, and sees itself', async () => {
    const { kysely } = await withArticles()
    const work = kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto('article').values({ title: 'Gone', published: true }).execute()
      expect(await transaction.selectFrom('article').select('title').execute()).toHaveLength(1)
      expect(await kysely.selectFrom('article').select('title').execute()).toHaveLength(0)
      throw new Error('Undo.')
    })
    await expect(work).rejects.toThrow('Undo.')
    expect(await kysely.selectFrom('article').select('title').execute()).toEqual([])
  })

  test('savepoints undo a part', async () => {
    const { kysely } = await withArticles()
    const transaction = await kysely.startTransaction().execute()
    await transaction.insertInto('article').values({ title: 'Kept', published: true }).execute()
    const inner = await transaction.savepoint('an "inner" part').execute()
    await inner.insertInto('article').values({ title: 'Gone', published: true }).execute()
    await inner.rollbackToSavepoint('an "inner" part').execute()
    await inner.releaseSavepoint('an "inner" part').execute()
    await transaction.commit().execute()
    expect(await kysely.selectFrom('article').select('title').execute()).toEqual([
      { title: 'Kept' },
    ])
  })

  test('transactions of both kinds take turns', async () => {
    const { database, kysely } = await withArticles()
    const titles = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(
      titles.map((title, index) =>
        index % 2 === 0
          ? kysely.transaction().execute(async (transaction) => {
              await transaction.insertInto('article').values({ title, published: true }).execute()
            })
          : database.transaction(async (transaction) => {
              await Promise.resolve()
              await transaction.write({
                sql: 'insert into article (title) values (?)',
                parameters: [title],
              })
            }),
      ),
    )
    expect(await kysely.selectFrom('article').select('title').orderBy('title').execute()).toEqual(
      titles.map((title) => ({ title })),
    )
  })

  test('a stream gives every row', async () => {
    const { kysely } = await withArticles()
    await kysely
      .insertInto('article')
      .values([
        { title: 'a', published: true },
        { title: 'b', published: true },
      ])
      .execute()
    const titles: string[] = []
    for await (const { title } of kysely.selectFrom('article').select('title').stream())
      titles.push(title)
    expect(titles).toEqual(['a', 'b'])
  })

  test('closing the query builder leaves the database open', async () => {
    const { database, kysely } = await withArticles()
    await kysely.destroy()
    expect(database.read({ sql: 'select 1 as one', parameters: [] })).toEqual([{ one: 1 }])
  })
})
