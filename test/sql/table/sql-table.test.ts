import { beforeEach, describe, expect, test } from 'vitest'
import { ChangedMeanwhile } from '../../../src/index.ts'
import { ConstraintViolation, sqlTable } from '../../../src/sqlite.ts'
import { onLibraries, type Tables } from '../../behaviour/library.ts'

const fresh = { title: 'New', slug: 'new', words: 10, author: 1, place: null, owner: 'ada' }
type Fresh = Partial<Record<keyof typeof fresh, unknown>>

async function failure(work: unknown): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    return error
  }
}

const described = (error: unknown): unknown =>
  error instanceof ConstraintViolation ? [error.kind, ...error.columns] : error

describe.each(await onLibraries())('a table on $on', (library) => {
  const { articles, authors, comments, database, dialect } = library
  beforeEach(() => library.reset())

  test('gives back what it keeps', async () => {
    const kept = await articles.insert(fresh)
    expect(kept).toEqual({ ...fresh, id: kept.id, hidden: 0 })
    expect(await articles.find(kept.id)).toEqual(kept)
    expect(await articles.update(kept.id, { words: 11 }, kept)).toEqual({ ...kept, words: 11 })
    expect(await articles.remove(kept.id)).toBe(true)
    expect(await articles.find(kept.id)).toBe(null)
  })

  test('numbers are not used again', async () => {
    const first = await articles.insert(fresh)
    await articles.remove(first.id)
    expect((await articles.insert(fresh)).id).toBe(first.id + 1)
  })

  test('a key that is said stays, also a new one', async () => {
    expect((await articles.insert({ ...fresh, id: 77 })).id).toBe(77)
    expect((await articles.update(77, { id: 78 }))?.id).toBe(78)
    expect(await articles.find(77)).toBe(null)
  })

  test('is a list', async () => {
    expect((await articles.source.slice(0, 2)).map(({ id }) => id)).toEqual([1, 2])
    expect(await articles.source.count()).toBe(3)
  })

  test('what was not said stays as it is', async () => {
    expect(await articles.update(1, {})).toMatchObject({ title: 'One' })
    expect(await articles.update(1, { title: undefined, words: 5 })).toMatchObject({
      title: 'One',
      words: 5,
    })
    expect(await articles.update(99, { words: 5 })).toBe(null)
    expect(await articles.remove(99)).toBe(false)
  })

  describe('G3 keys that no row can have', () => {
    test.each([
      'abc',
      '',
      '1 or 1=1',
      '1.5',
      '9223372036854775808',
      '-9223372036854775809',
      '99999999999999999999999999',
      '2147483648',
      '\0',
      '１',
      '1e3',
    ])('%j', async (key) => {
      expect(await articles.find(key)).toBe(null)
      expect(await articles.update(key, { words: 5 })).toBe(null)
      expect(await articles.remove(key)).toBe(false)
    })

    test('a text that writes out a key is this key', async () => {
      expect(await articles.find('2')).toMatchObject({ id: 2 })
    })

    test('texts are compared as texts', async () => {
      const db = database.kysely<Tables>()
      const bySlug = sqlTable({ database, db, table: 'article', key: 'slug' })
      expect(await bySlug.find('two')).toMatchObject({ id: 2 })
      expect(await bySlug.find('0')).toBe(null)
      expect(await bySlug.find("x' or '1'='1")).toBe(null)
      expect(await bySlug.find('a\0b')).toBe(null)
      expect(await bySlug.find('\ud800')).toBe(null)
      expect(await bySlug.find('x'.repeat(100_000))).toBe(null)
    })
  })

  describe('what constraints forbid', () => {
    const rows: readonly (readonly [title: string, values: Fresh, expected: unknown])[] = [
      ['a taken value', { slug: 'two' }, ['unique', 'slug']],
      ['two values that are taken together', { place: 2 }, ['unique', 'author', 'place']],
      ['a reference to nothing', { author: 99 }, ['does_not_exist', 'author']],
      ['NULL', { title: null }, ['null', 'title']],
      ['nothing at all', { title: undefined }, ['required', 'title']],
      ['a CHECK of one column', { words: 0 }, ['invalid', 'words']],
      ['an integer of more than 64 bits', { words: 2n ** 64n }, ['invalid', 'words']],
    ]
    test.each(rows)('%s', async (_title, values, expected) => {
      const error = await failure(articles.insert({ ...fresh, ...values } as never))
      expect(described(error)).toEqual(expected)
      expect(String(error)).not.toContain('two')
      expect(await articles.source.count()).toBe(3)
    })

    test.each(rows.filter(([, values]) => !Object.values(values).includes(undefined)))(
      '%s, in a change',
      async (_title, values, expected) => {
        const error = await failure(articles.update(1, values as never))
        expect(described(error)).toEqual(expected)
        expect(await articles.find(1)).toMatchObject({ title: 'One', words: 100 })
      },
    )

    // SQLite takes every value for every column, unless a table is strict.
    const limits: readonly (readonly [title: string, values: Fresh, expected: unknown])[] = [
      ['a text that is too long', { title: 'x'.repeat(21) }, ['max_length', 'title']],
      ['an integer that is too large', { place: 2 ** 40 }, ['invalid', 'place']],
      ['a text for an integer', { place: 'abc' }, ['invalid', 'place']],
      [
        "a text that speaks of ' for column `words` at row 1",
        { place: "' for column `words` at row 1" },
        ['invalid', 'place'],
      ],
    ]
    test.each(dialect === 'sqlite' ? [] : limits)('%s', async (_title, values, expected) => {
      const error = await failure(articles.insert({ ...fresh, ...values } as never))
      expect(described(error)).toEqual(expected)
    })

    test("a taken value that speaks of ' for key 'PRIMARY'", async () => {
      const slug = "a' for key 'PRIMARY'"
      await articles.insert({ ...fresh, slug })
      const error = await failure(articles.insert({ ...fresh, slug }))
      expect(described(error)).toEqual(['unique', 'slug'])
    })

    test('others refer to it', async () => {
      expect(described(await failure(articles.remove(1)))).toEqual(['protected'])
      expect(described(await failure(authors.remove(1)))).toEqual(['protected'])
      expect(described(await failure(articles.update(1, { id: 50 })))).toEqual(['protected'])
      expect(await articles.source.count()).toBe(3)
      await comments.remove(1)
      expect(await articles.remove(1)).toBe(true)
    })
  })

  describe('a row that was seen', () => {
    test('is changed and deleted as long as it looks like that', async () => {
      const seen = await articles.find(2)
      await articles.update(2, { words: 201 })
      expect(await failure(articles.update(2, { words: 5 }, seen))).toBeInstanceOf(ChangedMeanwhile)
      expect(await failure(articles.remove(2, seen))).toBeInstanceOf(ChangedMeanwhile)
      expect(await articles.find(2)).toMatchObject({ words: 201 })
      expect(await articles.remove(2, await articles.find(2))).toBe(true)
      expect(await articles.update(2, { words: 5 }, seen)).toBe(null)
    })

    test('many who add one each lose nothing', async () => {
      const add = async (): Promise<void> => {
        for (;;) {
          const seen = (await articles.find(2))!
          const error = await failure(articles.update(2, { words: seen.words + 1 }, seen))
          if (!(error instanceof ChangedMeanwhile)) return
        }
      }
      await Promise.all(Array.from({ length: 20 }, add))
      expect(await articles.find(2)).toMatchObject({ words: 220 })
    })
  })

  describe('narrowed', () => {
    const visible = articles.only((query) => query.where('hidden', '=', 0))
    test('what is not in it is not there', async () => {
      expect(await visible.source.count()).toBe(2)
      expect(await visible.find(3)).toBe(null)
      expect(await visible.update(3, { words: 1 })).toBe(null)
      expect(await visible.remove(3)).toBe(false)
      expect(await articles.find(3)).toMatchObject({ words: 300 })
    })

    test('nothing is written that would not be among its rows', async () => {
      const seen = await articles.find(2)
      for (const refused of [
        () => visible.insert({ ...fresh, hidden: 1 }),
        () => visible.update(2, { hidden: 1 }),
        () => visible.update(2, { hidden: 1, words: 1 }, seen),
      ])
        expect(await failure(refused())).toMatchObject({ status: 403, code: 'outside_scope' })
      expect(await articles.find(2)).toEqual(seen)
      expect(await articles.source.count()).toBe(3)
      expect(await visible.insert(fresh)).toMatchObject({ hidden: 0 })
      expect(await visible.update(2, { words: 201 }, seen)).toEqual({ ...seen, words: 201 })
      // What is to leave them is written in the whole table.
      expect(await articles.update(2, { hidden: 1 })).toMatchObject({ id: 2, hidden: 1 })
    })

    test("in a transaction of one's own it goes as far as that", async () => {
      const work = database.transaction(async (transaction) => {
        await articles.in(transaction).update(1, { words: 1 })
        await visible.in(transaction).insert({ ...fresh, hidden: 1 })
      })
      expect(await failure(work)).toMatchObject({ code: 'outside_scope' })
      expect(await articles.find(1)).toMatchObject({ words: 100 })
    })

    test('further and further', async () => {
      const own = visible.only((query) => query.where('owner', '=', 'bob'))
      expect((await own.source.slice(0, 9)).map(({ id }) => id)).toEqual([2])
      expect(await own.find(1)).toBe(null)
    })
  })

  describe('in a transaction', () => {
    test('a second statement that fails undoes the first', async () => {
      const work = database.transaction(async (transaction) => {
        const article = await articles.in(transaction).insert(fresh)
        await comments.in(transaction).insert({ article: article.id + 1, text: 'No.' })
      })
      expect(described(await failure(work))).toEqual(['does_not_exist', 'article'])
      expect(await articles.source.count()).toBe(3)
    })

    test('sees its own changes, which nobody else sees', async () => {
      await database.transaction(async (transaction) => {
        const within = articles.in(transaction)
        await within.update(1, { words: 7 })
        expect(await within.find(1)).toMatchObject({ words: 7 })
        expect(await within.source.count()).toBe(3)
        expect(await articles.find(1)).toMatchObject({ words: 100 })
      })
      expect(await articles.find(1)).toMatchObject({ words: 7 })
    })
  })

  test('of many who insert the same one succeeds', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => failure(articles.insert(fresh))),
    )
    const refused = outcomes.filter((each) => each instanceof ConstraintViolation)
    expect(refused.map(described)).toEqual(Array.from({ length: 19 }, () => ['unique', 'slug']))
    expect(await articles.source.count()).toBe(4)
  })

  test('a table that is not there', async () => {
    const db = database.kysely<{ nothing: { id: number } }>()
    const nothing = sqlTable({ database, db, table: 'nothing', key: 'id' })
    expect(String(await failure((async () => nothing.find(1))()))).toMatch(
      /^DatabaseUnavailable: The database has no table "nothing"\. If a migration of yours makes it, run: colophon migrate\./,
    )
  })
})
