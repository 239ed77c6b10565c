import type { QuerySource, SeekableSource } from 'colophon'
import { type SqlTable, sqlSource, sqlTable } from 'colophon/sqlite'
import type { EntryConfig } from '../data.ts'
import type { AuthorTable, BookTable, Tables } from '../tables.ts'
import type { World } from '../world.ts'
import { type Item, author, bookItems } from './items.ts'

/** Where the records of an endpoint come from, and how one is shown. */
export interface Records<Row> {
  readonly source: QuerySource<Row, keyof Row & string> & SeekableSource<Row, keyof Row & string>
  find(id: number): Promise<Row | undefined>
  readonly item: Item<Row>
}

export function booksOf(config: EntryConfig, { database, queries }: World): Records<BookTable> {
  const { item = 'full', only = {}, order = [] } = config
  const { ref } = queries.dynamic
  let query = queries.selectFrom('book').selectAll()
  for (const [column, value] of Object.entries(only)) query = query.where(ref(column), '=', value)
  for (const column of order) query = query.orderBy(ref(nameOf(column)), directionOf(column))
  return {
    source: sqlSource({ database, query, key: 'id' }),
    find: (id) => query.where('id', '=', id).executeTakeFirst(),
    item: bookItems[item]!(config),
  }
}

/** All books, for those who change them. */
export function bookTable({ database, queries: db }: World): SqlTable<Tables, 'book', 'id'> {
  return sqlTable({ database, db, table: 'book', key: 'id' })
}

const nameOf = (column: string): string => column.replace(/^-/, '')
const directionOf = (column: string): 'asc' | 'desc' => (column.startsWith('-') ? 'desc' : 'asc')

export function authorsOf({ database, queries }: World): Records<AuthorTable> {
  const query = queries.selectFrom('author').selectAll()
  return {
    source: sqlSource({ database, query, key: 'id' }),
    find: (id) => query.where('id', '=', id).executeTakeFirst(),
    item: author,
  }
}
