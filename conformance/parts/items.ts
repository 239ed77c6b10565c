import type { Serializer } from 'colophon'
import type { EntryConfig } from '../data.ts'
import type { Request } from '../request.ts'
import type { AuthorTable, BookTable } from '../tables.ts'

/** How a record is shown. */
export type Item<Row> = Serializer<Row, object, Request>

const brief: Item<BookTable> = { represent: ({ id, title }) => ({ id, title }) }

export const fullBook: Item<BookTable> = {
  represent: ({ id, title, isbn, price, pages, published, created, author }) => ({
    id,
    title,
    isbn,
    price: (price / 100).toFixed(2),
    pages,
    published,
    created: created.replace('.000000Z', 'Z'),
    author,
  }),
}

export const author: Item<AuthorTable> = { represent: ({ id, name }) => ({ id, name }) }

const NEWER: ReadonlySet<string | null> = new Set(['2.0', 'v2'])

/** With the address of the book; newer versions show a little more. */
function linked(name: string): Item<BookTable> {
  return {
    represent: ({ id, title, pages }, { reverse, version }) => ({
      url: reverse(name, { id }),
      id,
      title,
      ...(NEWER.has(version) ? { pages } : {}),
    }),
  }
}

/** The item forms of a book (SERVICE §1), by name. */
export const bookItems: Readonly<Record<string, (config: EntryConfig) => Item<BookTable>>> = {
  brief: () => brief,
  full: () => fullBook,
  linked: ({ detail_name = '' }) => linked(detail_name),
}
