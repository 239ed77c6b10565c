import { type InputOf, type PatchOf, field, serializer, unique } from 'colophon'
import type { SqlTable } from 'colophon/sqlite'
import type { BookTable, Tables } from '../tables.ts'
import type { World } from '../world.ts'
import { bookTable, authorsOf } from './records.ts'

/** How a book is written (SERVICE §1). */
export function bookInput(world: World) {
  const books: SqlTable<Tables, 'book', 'id'> = bookTable(world)
  const authors = authorsOf(world)
  return serializer({
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200 }),
    isbn: field.text({ maxLength: 20, validators: [unique(books, 'isbn')] }),
    price: field.decimal({ maxDigits: 8, decimalPlaces: 2 }),
    pages: field.integer(),
    published: field.date({ nullable: true, required: false }),
    created: field.dateTime(),
    author: field.related({ find: (id) => authors.find(id) }),
  })
}

type BookInput = ReturnType<typeof bookInput>
type BookColumns = Omit<BookTable, 'id' | 'published'> & Partial<Pick<BookTable, 'published'>>

/** A book as it is kept: prices in hundredths, times with all their digits. */
export function toColumns(input: InputOf<BookInput>): BookColumns
export function toColumns(input: PatchOf<BookInput>): Partial<BookColumns>
export function toColumns({ price, created, ...book }: PatchOf<BookInput>): Partial<BookColumns> {
  return {
    ...book,
    ...(price === undefined ? {} : { price: Math.round(Number(price) * 100) }),
    ...(created === undefined ? {} : { created: withMicroseconds(created) }),
  }
}

function withMicroseconds(time: string): string {
  return time.includes('.') ? time : time.replace('Z', '.000000Z')
}
