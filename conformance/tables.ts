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
  author: AuthorTable
  book: BookTable
}

/** Typed queries over the library. */
export type Queries = ReturnType<typeof queriesOf>

export function queriesOf(database: SqlDatabase) {
  return database.kysely<Tables>()
}

/** Creates the tables of the library where they are not there. */
export async function createTables({ schema }: Queries): Promise<void> {
  await schema
    .createTable('author')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('book')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('isbn', 'text', (column) => column.notNull().unique())
    .addColumn('price', 'integer', (column) => column.notNull())
    .addColumn('pages', 'integer', (column) => column.notNull())
    .addColumn('published', 'text')
    .addColumn('created', 'text', (column) => column.notNull())
    .addColumn('author', 'integer', (column) => column.notNull().references('author.id'))
    .execute()
}
