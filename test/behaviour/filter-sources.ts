import { type DialectName, dialectOf } from '../setup/dialects.ts'
import { arraySource } from '../../src/index.ts'
import type { QuerySource, Serializer } from '../../src/types.ts'
import { type Statement, sqlSource } from '../../src/sql.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { DATABASES } from './databases.ts'

/** A book as the list shows it to filters. The table has a column more, which is for nobody. */
export interface Book {
  readonly id: number
  readonly title: string
  readonly pages: number | null
  /** Beyond what a number of JavaScript can hold. */
  readonly copies: bigint
  readonly lent: boolean
}
export type Field = keyof Book
export const byId: Serializer<Book, number> = { represent: ({ id }) => id }

const BEYOND = 9_007_199_254_740_993n

export const BOOKS: readonly (Book & { readonly secret: string })[] = [
  { id: 1, title: 'Silent River', pages: 100, copies: 1n, lent: true, secret: 'zebra' },
  { id: 2, title: 'River of Stone', pages: 300, copies: BEYOND, lent: false, secret: 'apple' },
  { id: 3, title: 'Golden — čas', pages: null, copies: BEYOND + 1n, lent: false, secret: 'mango' },
  { id: 4, title: '日本 100% _x_', pages: 200, copies: 2n, lent: true, secret: 'apple' },
  { id: 5, title: "It's silent", pages: 300, copies: 3n, lent: false, secret: 'kiwi' },
  { id: 6, title: 'river', pages: 50, copies: 4n, lent: true, secret: 'fig' },
]

/** The same books somewhere, with what was sent to the database since it was asked last. */
export interface Books {
  readonly on: string
  readonly dialect: DialectName | 'array'
  readonly source: QuerySource<Book, Field>
  sent(): readonly Statement[]
}

/** In memory and on every database, for `describe.each` with `$on` in its title. */
export async function onBooks(): Promise<readonly Books[]> {
  const tables = DATABASES.map(async ([on, open]) => ({
    on,
    ...(await inTable(await open())),
  }))
  const source = arraySource<Book>(BOOKS.map(({ secret: _secret, ...book }) => book))
  const inMemory = { on: 'an array', dialect: 'array', source, sent: () => [] } as const
  return [inMemory, ...(await Promise.all(tables))]
}

async function inTable(database: SqlDatabase): Promise<Omit<Books, 'on'>> {
  const dialect = dialectOf(database)
  const run = async (sql: string): Promise<void> => {
    await database.write({ sql, parameters: [] })
  }
  await run(
    `create table book (id integer primary key, title ${TEXT[dialect]} not null, pages integer, copies bigint not null, lent boolean not null, secret varchar(40) not null)`,
  )
  const rows = BOOKS.map(
    ({ id, title, pages, copies, lent, secret }) =>
      `(${id}, '${title.replaceAll("'", "''")}', ${pages}, ${copies}, ${lent}, '${secret}')`,
  )
  await run(`insert into book values ${rows.join()}`)
  if (dialect === 'mysql') await run('create fulltext index book_title on book (title)')
  const statements: Statement[] = []
  const query = database
    .kysely<{ book: Book & { secret: string } }>()
    .selectFrom('book')
    .select(['id', 'title', 'pages', 'copies', 'lent'])
  const noted = noting(database, (statement) => statements.push(statement))
  return {
    dialect,
    source: sqlSource({ database: noted, query, key: 'id' }),
    sent: () => statements.splice(0),
  }
}

const TEXT: Readonly<Record<DialectName, string>> = {
  sqlite: 'text',
  postgres: 'varchar(100) collate "C"',
  mysql: 'varchar(100) character set utf8mb4 collate utf8mb4_bin',
}

/** The same database; it tells of every statement, in snapshots too. */
export function noting<T extends object>(target: T, note: (statement: Statement) => void): T {
  return new Proxy(target, {
    get(from, name) {
      const member: unknown = Reflect.get(from, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        for (const each of given) if (isStatement(each)) note(each)
        return Reflect.apply(
          member,
          from,
          given.map((each) => inside(each, note)),
        )
      }
    },
  })
}

const isStatement = (given: unknown): given is Statement =>
  typeof given === 'object' && given !== null && 'sql' in given

function inside(given: unknown, note: (statement: Statement) => void): unknown {
  if (typeof given !== 'function') return given
  return (...found: readonly unknown[]): unknown =>
    given(...found.map((each) => (isReader(each) ? noting(each, note) : each)))
}

const isReader = (given: unknown): given is object =>
  typeof given === 'object' && given !== null && 'rows' in given
