import {
  type SqlDatabase,
  type TablesOf,
  column,
  createTable,
  defineMigrations,
  migration,
  plainSql,
  sqlTable,
} from 'colophon/sql'
import type { Selectable } from 'kysely'

/** The tables of the library, beside those that Colophon keeps. */
export const migrations = defineMigrations([
  migration('0001_library', [
    createTable('author', { id: column.id(), name: column.text({ maxLength: 100 }) }),
    createTable('book', {
      id: column.id(),
      title: column.text({ maxLength: 200 }),
      isbn: column.text({ maxLength: 20, unique: true }),
      price: column.decimal({ maxDigits: 8, decimalPlaces: 2 }),
      pages: column.integer(),
      published: column.date({ nullable: true }),
      // Books have microseconds; `column.dateTime` keeps milliseconds on SQLite.
      created: column.of<Date | string>({
        sqlite: 'datetime',
        postgres: 'timestamptz',
        mysql: 'datetime(6)',
      }),
      author: column.references('author'),
    }),
    // Texts are ordered by code point (SERVICE §1), whatever the database of the server is set to.
    plainSql({
      sqlite: '',
      postgres:
        'alter table book alter title type varchar(200) collate "C", alter isbn type varchar(20) collate "C"',
      mysql: '',
    }),
  ]),
])

export type Tables = TablesOf<typeof migrations>
export type Author = Selectable<Tables['author']>
export type Book = Selectable<Tables['book']>

/** The library: its queries and its tables. */
export type Library = ReturnType<typeof libraryIn>

export function libraryIn(database: SqlDatabase) {
  const db = database.kysely<Tables>()
  return {
    db,
    authors: sqlTable({ database, db, table: 'author', key: 'id' }),
    books: sqlTable({ database, db, table: 'book', key: 'id' }),
  }
}

/**
 * A point in time, `2024-01-24T03:00:01.851855Z`, as a datetime column takes it. On SQLite that is a text, which is
 * ordered character by character: without the `Z`, a time with a fraction stands behind the same time without one.
 */
export function writtenTime({ dialect }: SqlDatabase, time: string): string {
  return dialect.name === 'PostgreSQL' ? time : time.replace('T', ' ').replace('Z', '')
}
