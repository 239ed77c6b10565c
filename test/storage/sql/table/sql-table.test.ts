import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ChangedMeanwhile,
  ConfigurationError,
  configurationOf,
  defineApi,
  field,
  resource,
  serializer,
} from '../../../../src/index.ts'
import { ConstraintViolation, sqlTable } from '../../../../src/sql.ts'
import { client } from '../../../../src/testing.ts'
import { onLibraries, type Tables } from '../../../behaviour/library.ts'

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

  test('finds with a promise, so that .then compiles and works', async () => {
    const finding = articles.find(1).then((row) => row?.title)
    expect(await finding).toBe('One')
  })

  test('may be copied with another operation', async () => {
    const find = async (key: number | string) => articles.find(Number(key) + 1)
    const copy = { ...articles, find }
    expect((await copy.find(1))?.title).toBe('Two')
    expect((await copy.source.slice(0, 1))[0]?.title).toBe('One')
    const api = defineApi({ urls: { 'a-list': '/a/', 'a-detail': '/a/:id<int>/' } })
    const one = serializer({ title: field.text() })
    const served = resource(api, 'a', { store: copy, serializer: one, only: ['list', 'retrieve'] })
    const { get } = client(api.serve(served, { configuration: configurationOf() }))
    expect((await get('/a/1/')).data).toEqual({ title: 'Two' })
    expect((await get('/a/')).data).toHaveLength(3)
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
      expect(await visible.update(3, { hidden: 0 }, null)).toBe(null)
      expect(await visible.remove(3, null)).toBe(false)
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

  describe('within values', () => {
    const outside = { status: 403, code: 'outside_scope' }
    const adas = articles.within({ owner: 'ada' })
    const idsOf = async ({ source }: typeof articles) =>
      (await source.slice(0, 99)).map(({ id }) => id)
    const all = async () => articles.source.slice(0, 99)

    test('nothing else is listed, found, changed or deleted', async () => {
      const ids = await idsOf(adas)
      expect(ids).toEqual((await all()).filter(({ owner }) => owner === 'ada').map(({ id }) => id))
      const before = await all()
      const [other] = before.filter(({ owner }) => owner !== 'ada')
      expect(await adas.find(other!.id)).toBe(null)
      expect(await adas.update(other!.id, { words: 1 })).toBe(null)
      expect(await adas.update(other!.id, { words: 1 }, other)).toBe(null)
      expect(await adas.remove(other!.id)).toBe(false)
      expect(await adas.remove(other!.id, other)).toBe(false)
      expect(await all()).toEqual(before)
      expect(await adas.source.where([{ field: 'id', operator: 'gt', value: 0 }]).count()).toBe(
        ids.length,
      )
    })

    test('what is inserted gets them, and may name them', async () => {
      const { owner: _, ...unowned } = fresh
      expect(await adas.insert(unowned as typeof fresh)).toMatchObject({ owner: 'ada' })
      expect(await adas.insert({ ...fresh, slug: 'b' })).toMatchObject({ owner: 'ada' })
      const before = await all()
      const refused = adas.insert({ ...fresh, slug: 'c', owner: 'bob' })
      expect(await failure(refused)).toMatchObject(outside)
      expect(await all()).toEqual(before)
    })

    test('what is changed keeps them', async () => {
      const [id] = await idsOf(adas)
      const before = await all()
      expect(await failure(adas.update(id!, { owner: 'bob', words: 1 }))).toMatchObject(outside)
      expect(await failure(adas.update(id!, { owner: '' }))).toMatchObject(outside)
      expect(await all()).toEqual(before)
      expect(await adas.update(id!, { owner: 'ada', words: 1 })).toMatchObject({ words: 1 })
    })

    test('of several, one', async () => {
      const both = articles.within({ author: [1, '2'] as number[] })
      expect(await idsOf(both)).toEqual(await idsOf(articles))
      const [id] = await idsOf(both)
      expect(await both.update(id!, { author: 2, place: 7 })).toMatchObject({ author: 2 })
      const { author: _, ...nameless } = fresh
      expect(await failure(both.insert(nameless as typeof fresh))).toMatchObject(outside)
      expect(await failure(both.insert({ ...fresh, author: 3 }))).toMatchObject(outside)
      expect(await both.insert({ ...fresh, author: 1, slug: 'c' })).toMatchObject({ author: 1 })
    })

    test('of none, nothing', async () => {
      const none = articles.within({ owner: [] })
      expect(await idsOf(none)).toEqual([])
      expect(await none.find(1)).toBe(null)
      expect(await none.update(1, { words: 1 })).toBe(null)
      expect(await none.remove(1)).toBe(false)
      expect(await failure(none.insert(fresh))).toMatchObject(outside)
    })

    test('NULL is a value', async () => {
      const nowhere = articles.within({ place: null })
      const expected = (await all()).filter(({ place }) => place === null).map(({ id }) => id)
      expect(await idsOf(nowhere)).toEqual(expected)
      const { place: _, ...unplaced } = fresh
      const kept = await nowhere.insert(unplaced)
      expect(kept.place).toBe(null)
      expect(await nowhere.find(kept.id)).toEqual(kept)
      expect(await failure(nowhere.update(kept.id, { place: 1 }))).toMatchObject(outside)
      const seventh = articles.within({ place: [7, null] })
      expect(await seventh.update(kept.id, { place: 7 })).toMatchObject({ place: 7 })
      expect(await seventh.find(kept.id)).toMatchObject({ place: 7 })
      expect(await nowhere.find(kept.id)).toBe(null)
      // What is filled in is not NULL, and what is NULL is not filled in.
      expect(await failure(articles.within({ place: 1 }).insert(fresh))).toMatchObject(outside)
    })

    test('keys beyond 2^53', async () => {
      await library.run('drop table if exists holding')
      await library.run('create table holding (id bigint primary key, tenant bigint not null)')
      type Holding = { id: bigint | number; tenant: bigint | number | string }
      const db = database.kysely<{ holding: Holding }>()
      const holdings = sqlTable({ database, db, table: 'holding', key: 'id' })
      const tenant = 9_007_199_254_740_993n
      const [far, near] = [holdings.within({ tenant }), holdings.within({ tenant: tenant - 1n })]
      const kept = await far.insert({ id: 1 } as Holding)
      expect(BigInt(kept.tenant)).toBe(tenant)
      expect(await far.find(1)).toEqual(kept)
      expect([await far.source.count(), await near.source.count()]).toEqual([1, 0])
      expect(await near.find(1)).toBe(null)
      expect(await near.remove(1, kept)).toBe(false)
      for (const other of [tenant, `${tenant}`, 9_007_199_254_740_991, 1])
        expect(await failure(near.insert({ id: 2, tenant: other }))).toMatchObject(outside)
      expect(await far.update(1, { tenant: `${tenant}` }, kept)).toEqual(kept)
      expect(await failure(far.update(1, { tenant: tenant - 1n }, kept))).toMatchObject(outside)
      expect(await far.remove(1, kept)).toBe(true)
    })

    test('of many, the first alone asks which columns there are', async () => {
      await adas.source.slice(0, 1)
      const asked = vi.spyOn(database, 'rows')
      await articles.within({ owner: 'bob' }).within({ words: 1 }).source.slice(0, 1)
      expect(asked).toHaveBeenCalledTimes(1)
      asked.mockRestore()
    })

    test('one after the other, beside only(), and in a transaction', async () => {
      const nothing = adas.within({ owner: 'bob' })
      expect(await nothing.source.count()).toBe(0)
      expect(await failure(nothing.insert({ ...fresh, slug: 'd' }))).toMatchObject(outside)
      const long = adas.only((query) => query.where('words', '>=', 100))
      expect(await failure(long.insert(fresh))).toMatchObject(outside)
      expect(await long.insert({ ...fresh, words: 100 })).toMatchObject({ words: 100 })
      await database.transaction(async (transaction) => {
        const inside = adas.in(transaction)
        expect(await inside.find(1)).toEqual(await adas.find(1))
        expect(await idsOf(inside)).toEqual(await idsOf(adas))
      })
    })

    test('a moved row is not there, whoever has seen it', async () => {
      const seen = (await adas.find((await idsOf(adas))[0]!))!
      await articles.update(seen.id, { owner: 'bob' })
      expect(await adas.update(seen.id, { words: 1 }, seen)).toBe(null)
      expect(await adas.remove(seen.id, seen)).toBe(false)
    })

    test.each([
      ['undefined', { owner: undefined }, '"owner" of the table "article" is undefined'],
      ['undefined among others', { owner: ['ada', undefined] }, '"article" is undefined'],
      ['no column', { editor: 'ada' }, '"editor"'],
      ['another type', { author: 'Ada' }, '"author"'],
    ])('%s is an error of the program', async (_title, values, message) => {
      const using = async (work: (table: typeof articles) => unknown) =>
        failure((async () => work(articles.within(values as never)))())
      for (const work of [
        (table: typeof articles) => table.find(1),
        (table: typeof articles) => table.source.count(),
        (table: typeof articles) => table.insert(fresh),
        (table: typeof articles) => table.update(1, { words: 1 }),
        (table: typeof articles) => table.remove(1),
      ]) {
        const error = await using(work)
        expect(error).toBeInstanceOf(ConfigurationError)
        expect((error as Error).message).toContain(message)
      }
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
