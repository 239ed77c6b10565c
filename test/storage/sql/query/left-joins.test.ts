// Left joins that give no row twice: counted without, and joined to the rows of a page only.
import fc from 'fast-check'
import { type Compilable, type Kysely, type OperationNodeSource, sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Statement } from '../../../../src/core/ports/database.ts'
import { type SqlSource, sqlSource } from '../../../../src/sql.ts'
import type { ListDatabase, SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { DATABASES, type Dialect, freshDatabase, run } from './query-fixture.ts'

interface Book {
  id: number
  title: string
  code: number | null
  author_id: number | null
  sequel_id: number | null
}
interface Library {
  country: { id: number; land: string }
  author: { id: number; name: string; number: number | null; country_id: number | null }
  book: Book
  tag: { id: number; book_id: number; word: string }
}

async function withLibrary(dialect: Dialect): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  await run(
    database,
    'create table country (id integer not null primary key, land varchar(20) not null)',
    'create table author (id integer not null primary key, name varchar(20) not null, number integer unique, country_id integer)',
    'create table book (id integer not null primary key, title varchar(20) not null, code integer, author_id integer, sequel_id integer)',
    'create table tag (id integer not null primary key, book_id integer not null, word varchar(20) not null)',
    `insert into country values (1, 'x'), (2, 'y')`,
    `insert into author values (1, 'zoe', 7, 1), (2, 'adam', 8, null), (3, 'mia', null, 9)`,
    `insert into tag values (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'), (4, 5, 'c'), (5, 5, 'd'), (6, 5, 'e')`,
  )
  return database
}

async function filled(database: SqlDatabase, books: readonly Book[]): Promise<void> {
  await run(database, 'delete from book')
  if (books.length > 0)
    await database.kysely<Library>().insertInto('book').values(books.slice()).execute()
}

interface Shape {
  readonly name: string
  readonly query: (db: Kysely<Library>, schema: string) => Compilable<object> & OperationNodeSource
  readonly key?: readonly string[]
  /** Tables that are joined where rows are counted. */
  readonly counted: readonly string[]
  /** Is a page cut before it is joined? */
  readonly cut: boolean
}

const books = (db: Kysely<Library>) =>
  db
    .selectFrom('book')
    .leftJoin('author', 'author.id', 'book.author_id')
    .select(['book.id', 'book.title', 'author.name'])

const SHAPES: readonly Shape[] = [
  { name: 'a primary key', query: books, counted: [], cut: true },
  {
    name: 'a unique key, and one condition more',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('author', (join) =>
          join.onRef('author.number', '=', 'book.code').on('author.name', '<>', 'adam'),
        )
        .select(['book.id', 'author.name']),
    counted: [],
    cut: true,
  },
  {
    name: 'a column that many rows share',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('tag', 'tag.book_id', 'book.id')
        .select(['book.id', 'tag.id as tag', 'tag.word']),
    key: ['book.id', 'tag.id'],
    counted: ['tag'],
    cut: false,
  },
  {
    name: 'a column that many rows share, beside a primary key',
    query: (db) => books(db).leftJoin('tag', 'tag.book_id', 'book.id').select('tag.word'),
    key: ['book.id', 'tag.id'],
    counted: ['tag'],
    cut: false,
  },
  {
    name: 'no equality',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('author', 'author.id', 'book.id')
        .select('book.id')
        .where('book.id', '>', 0)
        .leftJoin('country', (join) => join.onRef('country.id', '<', 'book.id'))
        .select('country.land'),
    key: ['book.id', 'country.id'],
    counted: ['country'],
    cut: false,
  },
  {
    name: 'the table itself',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('book as sequel', 'sequel.id', 'book.sequel_id')
        .select(['book.id', 'sequel.title', 'book.title as first'])
        .orderBy('book.title', 'desc'),
    counted: [],
    cut: true,
  },
  {
    name: 'one through another, by other names',
    query: (db) =>
      db
        .selectFrom('book as b')
        .leftJoin('author as a', 'a.id', 'b.author_id')
        .leftJoin('country as c', 'c.id', 'a.country_id')
        .select(['b.id', 'a.name', 'c.land'])
        .where('b.id', '>', 1),
    key: ['b.id'],
    counted: [],
    cut: true,
  },
  {
    name: 'one that a condition is about, and one that is not',
    query: (db) =>
      books(db)
        .leftJoin('book as sequel', 'sequel.id', 'book.sequel_id')
        .where('author.name', '=', 'zoe'),
    counted: ['author'],
    cut: false,
  },
  {
    name: 'one through another that a condition is about',
    query: (db) =>
      books(db)
        .leftJoin('country', 'country.id', 'author.country_id')
        .where('country.land', '=', 'x'),
    counted: ['author', 'country'],
    cut: false,
  },
  {
    name: 'a condition on a name alone',
    query: (db) => books(db).where('name', '=', 'zoe'),
    counted: ['author'],
    cut: false,
  },
  {
    name: 'a condition in raw SQL',
    query: (db) => books(db).where(sql<boolean>`author.name is null`),
    counted: ['author'],
    cut: false,
  },
  {
    name: 'a condition in raw SQL on another table',
    query: (db) => books(db).where(sql<boolean>`book.title > 'b'`),
    counted: [],
    cut: true,
  },
  {
    name: 'a condition in a subquery',
    query: (db) =>
      books(db).where(({ exists, selectFrom }) =>
        exists(
          selectFrom('country')
            .select('country.id')
            .whereRef('country.id', '=', 'author.country_id'),
        ),
      ),
    counted: ['author'],
    cut: false,
  },
  {
    name: 'an order by a joined column',
    query: (db) => books(db).orderBy('author.name', 'desc'),
    counted: [],
    cut: false,
  },
  {
    name: 'an order by a name that a joined column has in the rows',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('author', 'author.id', 'author_id')
        .select(['book.id', 'author.name as title'])
        .orderBy('title'),
    counted: [],
    cut: false,
  },
  {
    name: 'names alone',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('author', 'author.id', 'author_id')
        .select(['book.id', 'title', 'name as author'])
        .where('title', '>', 'a'),
    counted: [],
    cut: true,
  },
  {
    name: 'all columns of a table',
    query: (db) => books(db).clearSelect().selectAll('book').select('author.name'),
    counted: [],
    cut: true,
  },
  {
    name: 'all columns',
    query: (db) =>
      db
        .selectFrom('book')
        .leftJoin('author', 'author.number', 'book.code')
        .selectAll('book')
        .select('number'),
    counted: [],
    cut: true,
  },
  {
    name: 'beside an inner join, which leaves rows out',
    query: (db) => books(db).innerJoin('tag', 'tag.book_id', 'book.id').select('tag.word'),
    key: ['book.id', 'tag.id'],
    counted: ['tag'],
    cut: false,
  },
  {
    name: 'below an inner join',
    query: (db) =>
      books(db).innerJoin('country', 'country.id', 'author.country_id').select('country.land'),
    counted: ['author', 'country'],
    cut: false,
  },
  { name: 'DISTINCT', query: (db) => books(db).distinct(), counted: ['author'], cut: false },
  {
    name: 'a part of a list',
    query: (db) => books(db).orderBy('book.title').limit(5).offset(1),
    counted: [],
    cut: true,
  },
  {
    name: 'a table with its schema',
    query: (db, schema) =>
      db
        .withSchema(schema)
        .selectFrom('book as b')
        .leftJoin('author as a', 'a.id', 'b.author_id')
        .select(['b.id', 'a.name']),
    key: ['b.id'],
    counted: [],
    cut: true,
  },
  {
    name: 'columns with their schema',
    query: (db, schema) =>
      db
        .withSchema(schema)
        .selectFrom('book')
        .leftJoin('author', 'author.id', 'book.author_id')
        .select(['book.id', 'author.name']),
    counted: [],
    cut: false,
  },
]

/** Whether the database says that joins are spare; and what it was sent last. */
function listened(database: SqlDatabase, isPlain: boolean) {
  const sent: Statement[] = []
  const { dialect } = database
  const heard: ListDatabase = {
    dialect: isPlain ? { ...dialect, walked: () => null } : dialect,
    describe: (statement) => database.describe!(statement),
    rows: (statement) => {
      sent.push(statement)
      return database.rows(statement)
    },
  }
  return { heard, sent }
}

function listOf(database: ListDatabase, of: SqlDatabase, { query, key }: Shape, schema: string) {
  return sqlSource({
    database,
    query: query(of.kysely<Library>(), schema),
    key: key ?? ['book.id'],
  })
}

async function schemaOf(database: SqlDatabase, dialect: Dialect): Promise<string> {
  if (dialect === 'sqlite') return 'main'
  const text = dialect === 'mysql' ? 'select database()' : 'select current_schema()'
  return String((await database.rows({ sql: text, parameters: [] })).values[0]![0])
}

type List = SqlSource<object>

const bookAt = fc.record({
  title: fc.constantFrom('a', 'b', 'c'),
  code: fc.constantFrom(null, 7, 8, 9),
  author_id: fc.constantFrom(null, 1, 2, 3, 4),
  sequel_id: fc.constantFrom(null, 1, 2, 3, 5),
})

const wanted = fc.record({ offset: fc.nat(14), limit: fc.integer({ min: 1, max: 6 }) })

describe.each(DATABASES)('left joins on %s', (_, dialect) => {
  test('lists are what the plain statements give', async () => {
    const database = await withLibrary(dialect)
    const schema = await schemaOf(database, dialect)
    const lists = SHAPES.map((shape) => {
      const [plain, list] = [true, false].map((isPlain): List =>
        listOf(listened(database, isPlain).heard, database, shape, schema),
      )
      return { shape, plain: plain!, list: list! }
    })
    await fc.assert(
      fc.asyncProperty(fc.array(bookAt, { maxLength: 12 }), wanted, async (made, at) => {
        await filled(
          database,
          made.map((book, place) => ({ id: place + 1, ...book })),
        )
        for (const { shape, plain, list } of lists) {
          const all = await plain.slice(0, 999)
          const read = async (of: List) => ({
            shape: shape.name,
            count: await of.count(),
            capped: await of.count(at.limit),
            columns: Object.keys((await of.slice(0, 1))[0] ?? {}),
            slice: await of.slice(at.offset, at.limit),
            page: await of.page((count) => ({ ...at, offset: Math.max(count - at.offset - 1, 0) })),
          })
          const found = await read(list)
          expect(found).toEqual(await read(plain))
          expect(found.count).toBe(all.length)
          expect(found.slice).toEqual(all.slice(at.offset, at.offset + at.limit))
        }
      }),
      { numRuns: dialect === 'sqlite' ? 40 : 8 },
    )
  })

  test.each(SHAPES)('$name', async (shape) => {
    const database = await withLibrary(dialect)
    const { heard, sent } = listened(database, false)
    const list = listOf(heard, database, shape, await schemaOf(database, dialect))
    await list.count()
    const counting = sent.at(-1)!.sql
    const joined = [...counting.matchAll(/join (?:["`]\w+["`]\.)?["`](\w+)["`]/g)]
    expect(joined.map(([, table]) => table)).toEqual(shape.counted)
    await list.slice(3, 2)
    expect(/from \(select .* limit .*\) as \S+ left join/.test(sent.at(-1)!.sql)).toBe(shape.cut)
  })

  test('tables are looked at once, and filters need no more', async () => {
    const database = await withLibrary(dialect)
    const { heard, sent } = listened(database, false)
    const list = sqlSource({
      database: heard,
      query: books(database.kysely<Library>()),
      key: 'book.id',
    })
    await list.count()
    sent.length = 0
    const some = list.where([{ field: 'title', operator: 'icontains', value: 'a' }])
    await some.count()
    expect(sent.map((statement) => statement.sql)).toEqual([expect.not.stringContaining('join')])
    const his = list.where([{ field: 'name', operator: 'icontains', value: 'a' }])
    await his.count()
    expect(sent.at(-1)!.sql).toContain('left join')
  })

  test('an empty table proves nothing', async () => {
    const database = await withLibrary(dialect)
    const engine = dialect === 'mysql' ? 'engine = myisam' : ''
    await run(
      database,
      `create table kind (id integer not null primary key) ${engine}`,
      `create table draft (id integer not null primary key) ${engine}`,
      `create table note (id integer not null primary key, draft_id integer) ${engine}`,
    )
    const db = database.kysely<{
      kind: { id: number }
      draft: { id: number }
      note: { id: number; draft_id: number }
    }>()
    const query = db
      .selectFrom('draft')
      .innerJoin('kind', 'kind.id', 'draft.id')
      .leftJoin('note', 'note.draft_id', 'draft.id')
      .select(['draft.id', 'note.id as note'])
    const list = sqlSource({ database, query, key: ['draft.id', 'note.id'] })
    expect(await list.count()).toBe(0)
    await run(
      database,
      'insert into kind values (1)',
      'insert into draft values (1)',
      'insert into note values (1, 1), (2, 1)',
    )
    expect(await list.count()).toBe(2)
  })

  test('rows that a page leaves out are looked up nowhere', async () => {
    const database = await withLibrary(dialect)
    const made = Array.from({ length: 400 }, (__, place) => place + 1)
    await filled(
      database,
      made.map((id) => ({ id, title: 't', code: null, author_id: (id % 3) + 1, sequel_id: null })),
    )
    const { heard, sent } = listened(database, false)
    await listOf(heard, database, SHAPES[0]!, '').slice(300, 7)
    const { sql: text, parameters } = sent.at(-1)!
    const explain = {
      sqlite: 'explain query plan ',
      postgres: 'explain (analyze, costs off, timing off, summary off) ',
      mysql: 'analyze format=json ',
    }[dialect]
    const { values } = await database.rows({ sql: explain + text, parameters })
    const plan = values.map((row) => row.map(String).join(' ')).join('\n')
    // The rows of the page come from a part of the plan, which the joined table stands outside of.
    const outside = {
      sqlite: /CO-ROUTINE book\n.*SCAN book\n[^]*SEARCH author/,
      postgres: /Join \(actual rows=7(?:\.00)? loops=1\)/,
      mysql: /"table_name": "author",[^}]*"r_loops": 7,/,
    }[dialect]
    expect(plan).toMatch(outside)
  })
})

// MariaDB has no indexes of some rows.
test.each(DATABASES.filter(([, dialect]) => dialect !== 'mysql'))(
  'left joins on %s: a key of which only some rows have no double',
  async (_, dialect) => {
    const database = await withLibrary(dialect)
    await run(database, `create unique index part on tag (book_id) where word = 'a'`)
    const { heard, sent } = listened(database, false)
    const list = listOf(heard, database, SHAPES[2]!, '')
    await list.count()
    expect(sent.at(-1)!.sql).toContain('left join')
  },
)

test('I15 a database that cannot be reached at first is asked again', async () => {
  const database = await withLibrary('sqlite')
  onTestFinished(() => void database.close())
  let isAway = true
  const sent: string[] = []
  const { dialect } = database
  const heard: ListDatabase = {
    dialect,
    rows: (statement) => {
      if (isAway) throw new Error('away')
      sent.push(statement.sql)
      return database.rows(statement)
    },
  }
  const list = sqlSource({
    database: heard,
    query: books(database.kysely<Library>()),
    key: 'book.id',
  })
  expect(() => list.count()).toThrow('away')
  isAway = false
  expect(await list.count()).toBe(0)
  expect(sent.at(-1)).not.toContain('join')
})
