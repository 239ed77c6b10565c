import { DIALECTS } from '../../../setup/dialects.ts'
// What lists may be made of: joins, groups, unions, expressions. Each is narrowed, ordered and walked.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Position, SeekableSource, SortKey } from '../../../../src/core/ports/list-source.ts'
import { ConfigurationError } from '../../../../src/core/errors/configuration-error.ts'
import { sqlSource } from '../../../../src/storage/sql/query/sql-source.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { DATABASES, type Dialect, freshDatabase, run } from './query-fixture.ts'

interface Shop {
  author: { id: number; name: string }
  book: { id: number; title: string; author_id: number | null; pages: number }
}

async function withBooks(dialect: Dialect): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  await run(
    database,
    'create table author (id integer not null primary key, name varchar(20) not null)',
    'create table book (id integer not null primary key, title varchar(20) not null, author_id integer, pages integer not null)',
    `insert into author values (1, 'zoe'), (2, 'adam'), (3, 'mia')`,
    `insert into book values (1, 'e', 1, 30), (2, 'd', 2, 20), (3, 'c', null, 30), (4, 'b', 1, 10), (5, 'a', 9, 20), (6, 'f', 2, 20)`,
  )
  return database
}

const by = <Field extends string>(
  field: Field,
  way: 'asc' | 'desc' = 'asc',
  nulls: 'first' | 'last' = way === 'asc' ? 'first' : 'last',
): SortKey<Field> => ({ field, descending: way === 'desc', nulls })

/** All rows, two at a time, there and back. */
async function walked<Row, Field extends string>(
  source: SeekableSource<Row, Field>,
  keys: readonly SortKey<Field>[],
): Promise<readonly Row[]> {
  const [there, back]: [Row[], Row[]] = [[], []]
  for (const [rows, reverse] of [
    [there, false],
    [back, true],
  ] as const) {
    for (let position: Position | null = null, more = true; more;) {
      const stretch = await source.seek({ keys, position, reverse, limit: 2 })
      rows.push(...(reverse ? stretch.rows.toReversed() : stretch.rows))
      ;[position, more] = [reverse ? stretch.first : stretch.last, stretch.more]
    }
  }
  expect(back.toReversed()).toEqual(there)
  return there
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)

describe.each(DATABASES)('lists of %s', (_, dialect) => {
  test('a key without its table is the column that is selected, or refused', async () => {
    const database = await withBooks(dialect)
    const joined = database
      .kysely<Shop>()
      .selectFrom('book')
      .innerJoin('author', 'author.id', 'book.author_id')
    const titles = joined.select(['book.id', 'title'])
    const books = sqlSource({ database, query: titles, key: 'id' })
    expect(idsOf(await books.slice(0, 9))).toEqual([1, 2, 4, 6])
    expect(idsOf(await walked(books, [by('title')]))).toEqual([4, 2, 1, 6])
    expect(() => sqlSource({ database, query: joined.selectAll('book'), key: 'id' })).toThrow(
      'Say of which: "book.id".',
    )
  })

  test('I1 a join is ordered and narrowed by what it does not show', async () => {
    const database = await withBooks(dialect)
    const query = database
      .kysely<Shop>()
      .selectFrom('book')
      .leftJoin('author', 'author.id', 'book.author_id')
      .select(['book.id', 'book.title'])
    const books = sqlSource({
      database,
      query,
      key: 'book.id',
      fields: { author: 'author.name', size: sql<number>`book.pages / 10` },
    })
    expect(await walked(books, [by('author')])).toEqual([
      { id: 3, title: 'c' },
      { id: 5, title: 'a' },
      { id: 2, title: 'd' },
      { id: 6, title: 'f' },
      { id: 1, title: 'e' },
      { id: 4, title: 'b' },
    ])
    expect(idsOf(await walked(books, [by('author', 'desc', 'first'), by('title')]))).toEqual([
      5, 3, 4, 1, 2, 6,
    ])
    const mine = books.where([{ field: 'author', operator: 'istartsWith', value: 'Z' }])
    expect(idsOf(await mine.orderBy([by('size')]).slice(0, 9))).toEqual([4, 1])
    expect(await mine.count()).toBe(2)
    expect(idsOf(await walked(mine, [by('size', 'desc')]))).toEqual([1, 4])
    expect(Object.keys((await mine.slice(0, 1))[0]!)).toEqual(['id', 'title'])
  })

  test('I1 groups are narrowed by what was counted', async () => {
    const database = await withBooks(dialect)
    const query = database
      .kysely<Shop>()
      .selectFrom('book')
      .select(({ fn }) => ['author_id', fn.countAll().as('books')])
      .groupBy('author_id')
      .orderBy('books', 'desc')
    const authors = sqlSource({ database, query, key: 'author_id' })
    const several = authors.where([{ field: 'books', operator: 'gte', value: '2' }])
    expect(await several.slice(0, 9)).toEqual([
      { author_id: 2, books: 2 },
      { author_id: 1, books: 2 },
    ])
    expect(await several.count()).toBe(2)
    expect((await walked(authors, [by('author_id')])).map(({ author_id }) => author_id)).toEqual([
      null,
      1,
      2,
      9,
    ])
    expect((await walked(several, [by('books')])).length).toBe(2)
  })

  test('DISTINCT and UNION are narrowed and walked from outside', async () => {
    const database = await withBooks(dialect)
    const db = database.kysely<Shop>()
    const pages = sqlSource({
      database,
      query: db.selectFrom('book').select('pages').distinct(),
      key: 'pages',
    })
    expect(await walked(pages, [by('pages', 'desc')])).toEqual([
      { pages: 30 },
      { pages: 20 },
      { pages: 10 },
    ])
    const names = db
      .selectFrom('book')
      .select(['title as word', 'id'])
      .union(db.selectFrom('author').select(['name as word', 'id']))
    const words = sqlSource({ database, query: names, key: ['word', 'id'] })
    const short = words.where([{ field: 'id', operator: 'lte', value: 2 }])
    expect((await walked(short, [by('word')])).map(({ word }) => word)).toEqual([
      'adam',
      'd',
      'e',
      'zoe',
    ])
    expect(await short.count()).toBe(4)
  })

  test('a DISTINCT without its key among the columns cannot be walked', async () => {
    const database = await withBooks(dialect)
    const query = database.kysely<Shop>().selectFrom('book').select('pages').distinct()
    const source = sqlSource({ database, query, key: 'book.id' })
    await expect(async () =>
      source.seek({ keys: [], position: null, reverse: false, limit: 1 }),
    ).rejects.toThrow('must be among the selected columns')
  })

  test('all columns are known by name, and others are not', async () => {
    const database = await withBooks(dialect)
    const query = database.kysely<Shop>().selectFrom('book as b').selectAll('b')
    const books = sqlSource({ database, query, key: 'b.id' })
    expect(idsOf(await walked(books, [by('pages'), by('title')]))).toEqual([4, 5, 2, 6, 3, 1])
    const wrong = books.orderBy([by('titel' as 'title')])
    await expect(async () => wrong.slice(0, 1)).rejects.toThrow('Do you mean "title"?')
  })

  test('I1 numbers that are not shown order a list', async () => {
    const database = await withBooks(dialect)
    const query = database.kysely<Shop>().selectFrom('book').select('title')
    const books = sqlSource({ database, query, key: 'book.id', fields: { pages: 'book.pages' } })
    const titles = (await walked(books, [by('pages', 'desc')])).map(({ title }) => title)
    expect(titles).toEqual(['c', 'e', 'f', 'a', 'd', 'b'])
  })

  test('I1 a column whose name is raw SQL is shown, and ordered by as one that is not', async () => {
    const database = await withBooks(dialect)
    const query = database
      .kysely<Shop>()
      .selectFrom('book')
      .select(['title', ({ ref }) => ref('book.pages').as<'size'>(sql`${sql.id('size')}`)])
    const books = sqlSource({ database, query, key: 'book.id', fields: { pages: 'book.pages' } })
    expect(await walked(books, [by('pages', 'desc'), by('title')])).toEqual([
      { title: 'c', size: 30 },
      { title: 'e', size: 30 },
      { title: 'a', size: 20 },
      { title: 'd', size: 20 },
      { title: 'f', size: 20 },
      { title: 'b', size: 10 },
    ])
  })

  test('conditions of the query hold beside those that are added', async () => {
    const database = await withBooks(dialect)
    const query = database
      .kysely<Shop>()
      .selectFrom('book')
      .select('id')
      .where(sql<boolean>`pages = 10 or pages = 20`)
      .orderBy(sql`title`, 'desc')
    const books = sqlSource({ database, query, key: 'id' })
    const some = books.where([{ field: 'id', operator: 'gt', value: 2 }])
    expect(idsOf(await some.slice(0, 9))).toEqual([6, 4, 5])
    expect(idsOf(await walked(some, [by('id')]))).toEqual([4, 5, 6])
  })

  test('a list that its query cuts is neither narrowed nor ordered nor walked', async () => {
    const database = await withBooks(dialect)
    const query = database.kysely<Shop>().selectFrom('book').select('id').limit(3)
    const books = sqlSource({ database, query, key: 'id' })
    const seek = () => books.seek({ keys: [], position: null, reverse: false, limit: 1 })
    for (const work of [() => books.where([]), () => books.orderBy([]), seek]) {
      await expect(async () => work()).rejects.toThrow(ConfigurationError)
    }
    expect(await books.count()).toBe(3)
  })

  test('a name that means two things is refused', async () => {
    const database = await withBooks(dialect)
    const query = database
      .kysely<Shop>()
      .selectFrom(['book', 'author'])
      .select(['book.id', ({ fn }) => fn<string>('lower', ['book.title']).as('name')])
    const books = sqlSource({ database, query, key: 'book.id', fields: { said: 'name' } })
    await expect(async () =>
      books.seek({ keys: [by('said')], position: null, reverse: false, limit: 1 }),
    ).rejects.toThrow('Say which table')
  })

  test('I1 NULLs of the order of the query itself stand in the same place on all databases', async () => {
    const database = await withBooks(dialect)
    const db = database.kysely<Shop>()
    const books = db.selectFrom('book').select('id')
    const orders = [
      [books.orderBy('author_id'), [3, 1, 4, 2, 6, 5]],
      [books.orderBy('author_id', 'desc'), [5, 6, 2, 4, 1, 3]],
      [books.orderBy('author_id', (item) => item.asc().nullsLast()), [1, 4, 2, 6, 5, 3]],
      [books.orderBy('author_id', (item) => item.desc().nullsFirst()), [3, 5, 6, 2, 4, 1]],
      [books.orderBy('pages', (item) => item.asc().nullsLast()), [4, 2, 5, 6, 1, 3]],
    ] as const
    for (const [query, expected] of orders) {
      const source = sqlSource({ database, query, key: 'id' })
      expect(idsOf(await source.slice(0, 9))).toEqual(expected)
      const last = await source.page((count) => ({ offset: count - 2, limit: 2 }))
      expect(idsOf(last.rows)).toEqual(expected.slice(-2))
      const some = source.where([{ field: 'id', operator: 'gt', value: 1 }])
      expect(idsOf(await some.slice(0, 9))).toEqual(expected.filter((id) => id > 1))
    }
  })
})

/** What is asked where the order says nothing about NULLs, or where there can be none. */
describe('a word about NULLs is said only where it is needed', () => {
  const orderOf = async (
    dialect: Dialect,
    column: 'pages' | 'author_id',
    from: 'book' | 'shelf' | 'desk',
  ) => {
    const database = await withBooks(dialect)
    await run(
      database,
      'create view desk as select * from book',
      'create view shelf as select book.* from author left join book on book.author_id = author.id',
    )
    const texts: string[] = []
    const rows: SqlDatabase['rows'] = (statement) => {
      texts.push(statement.sql)
      return database.rows(statement)
    }
    const query = database
      .kysely<Shop & { shelf: Shop['book']; desk: Shop['book'] }>()
      .selectFrom(from)
      .select(['id', column])
    const { describe: described } = database
    const source = sqlSource({
      database: {
        dialect: DIALECTS[dialect],
        rows,
        describe: (statement) => described!.call(database, statement),
      },
      query,
      key: 'id',
    })
    const nulls = dialect === 'postgres' ? 'first' : 'last'
    await source.orderBy([by(column, 'asc', nulls)] as never).slice(0, 1)
    return texts
      .at(-1)!
      .replace(/.* order by (.*) limit .*/, '$1')
      .replaceAll(/["`]/g, '')
  }

  test.each(DATABASES)('on %s', async (_, dialect) => {
    const shown = { sqlite: 'nulls last', postgres: 'nulls first', mysql: 'is null' }[dialect]
    expect(await orderOf(dialect, 'pages', 'book')).toBe('book.pages, book.id')
    expect(await orderOf(dialect, 'author_id', 'book')).toContain(shown)
    // A view may join from outside what its table never leaves out.
    expect(await orderOf(dialect, 'pages', 'shelf')).toContain(shown)
    expect(await orderOf(dialect, 'pages', 'desk')).toContain(shown)
  })
})
