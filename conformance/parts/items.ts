import { byVersion, extend, field, serializer, unique } from 'colophon'
import type { Field, Serializer } from 'colophon/types'
import type { EntryConfig } from '../data.ts'
import type { Request } from '../request.ts'
import { type Book, writtenTime } from '../tables.ts'
import type { World } from '../world.ts'

export const author = serializer({ id: field.integer({ readOnly: true }), name: field.text() })

export type FullBook = ReturnType<typeof fullBook>

/** How a book is shown and written (SERVICE §1). */
export function fullBook({ database, library: { authors, books } }: World) {
  return serializer({
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200 }),
    isbn: field.text({ maxLength: 20, validators: [unique(books, 'isbn')] }),
    price: field.decimal({ maxDigits: 8, decimalPlaces: 2 }),
    pages: field.integer(),
    published: field.date({ nullable: true, required: false }),
    created: stored(field.dateTime(), (time) => writtenTime(database, time)),
    author: field.related({ find: (id) => authors.find(id) }),
  })
}

/** The same field, whose input is what the column takes. */
function stored<F extends Field<never, unknown, string>>(
  like: F,
  write: (text: string) => string,
): F {
  return {
    ...like,
    read: (value, context) => {
      const given = like.read(value, context)
      return typeof given === 'string' ? write(given) : given
    },
  }
}

type BookItem = Serializer<Book, unknown, Request>

const brief = serializer({ id: field.integer(), title: field.text() })

/** With the address of the book; newer versions show a little more. */
function linked(name: string): (request: Request) => BookItem {
  const item = extend(brief, { url: field.identity(name) })
  const newer = extend(item, { pages: field.integer() })
  // Any version may be asked for, so any that is not among them is answered as none is.
  return byVersion<string, BookItem>({ '2.0': newer, v2: newer }, item)
}

/** The item forms of a book (SERVICE §1), by name. */
export const bookItems: Readonly<
  Record<string, (config: EntryConfig, world: World) => BookItem | ((request: Request) => BookItem)>
> = {
  brief: () => brief,
  full: (_config, world) => fullBook(world),
  linked: ({ detail_name = '' }) => linked(detail_name),
}
