import { type ColumnDefinitionBuilder, type Generated, type RawBuilder, sql } from 'kysely'
import type { SqlDatabase } from 'colophon/sqlite'

export interface AuthorTable {
  id: number
  name: string
}

export interface BookTable {
  id: number
  title: string
  isbn: string
  /** In hundredths, so that it is ordered by value. */
  price: number
  pages: number
  /** `2003-07-22` */
  published: string | null
  /** UTC, always with six digits of a second, so that texts are ordered as times. */
  created: string
  author: number
}

/** The tables of the library, beside those that Colophon keeps. */
export interface Tables {
  author: Numbered<AuthorTable>
  book: Numbered<BookTable>
}

/** Counts up by itself. */
type Numbered<Row extends { id: number }> = Omit<Row, 'id'> & { id: Generated<number> }

/** Typed queries over the library. */
export type Queries = ReturnType<typeof queriesOf>

export function queriesOf(database: SqlDatabase) {
  return database.kysely<Tables>()
}

/** Creates the tables of the library where they are not there. */
export async function createTables(database: SqlDatabase): Promise<void> {
  const { schema } = queriesOf(database)
  const numbered = numberedIn(database)
  const text = textIn(database)
  await schema
    .createTable('author')
    .ifNotExists()
    .addColumn('id', 'integer', numbered)
    .addColumn('name', text(100), (column) => column.notNull())
    .execute()
  await schema
    .createTable('book')
    .ifNotExists()
    .addColumn('id', 'integer', numbered)
    .addColumn('title', text(200), (column) => column.notNull())
    .addColumn('isbn', text(20), (column) => column.notNull().unique())
    .addColumn('price', 'integer', (column) => column.notNull())
    .addColumn('pages', 'integer', (column) => column.notNull())
    .addColumn('published', text(10))
    .addColumn('created', text(30), (column) => column.notNull())
    .addColumn('author', 'integer', (column) => column.notNull().references('author.id'))
    .execute()
}

/** How a key that counts up by itself is written differs. */
function numberedIn({ dialect }: SqlDatabase) {
  return (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    dialect.name === 'PostgreSQL'
      ? column.generatedByDefaultAsIdentity().primaryKey()
      : column.primaryKey().autoIncrement()
}

/** Texts are ordered by code point everywhere, and hold every character. */
function textIn({ dialect }: SqlDatabase) {
  const collation = {
    SQLite: '',
    PostgreSQL: ' collate "C"',
    MySQL: ' character set utf8mb4 collate utf8mb4_nopad_bin',
  }[dialect.name]
  return (length: number): RawBuilder<string> => sql.raw(`varchar(${length})${collation}`)
}
