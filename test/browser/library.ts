// A library, for people who look at its pages.
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  type App,
  CursorPagination,
  FieldFilter,
  IsAuthenticated,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  URLPathVersioning,
  arraySource,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from '../../src/index.ts'
import type { Accounts } from '../../src/sqlite.ts'

const TITLES = [
  'Emma',
  'Persuasion',
  'Northanger Abbey',
  'Mansfield Park',
  'Sense and Sensibility',
  'Pride and Prejudice',
  'Lady Susan',
  'The Watsons',
  'Sanditon',
]

const rows = Array.from({ length: 240 }, (_, at) => ({
  id: at + 1,
  title: TITLES[at % TITLES.length]!,
  year: 1811 + (at % TITLES.length),
  kind: at % 3 === 0 ? ('novel' as const) : ('letters' as const),
  isbn: `978-0-00-${1000 + at}`,
}))

const book = serializer({
  url: field.identity('book'),
  title: field.text({ maxLength: 100, helpText: 'As on its spine.' }),
  year: field.integer({ until: 'v2' }),
  published: field.integer({ source: 'year', since: 'v2', min: 1450 }),
  kind: field.choice({ novel: 'Novel', letters: 'Letters' }),
  isbn: field.text({ since: 'v2' }),
})

const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`column${at}`, at]))
const long = Array.from({ length: 60_000 }, (_, id) => ({ id, name: 'A <b>long</b> list & more' }))

/** Its addresses are those of an API with two versions, pages by number and by cursor, and a closed place. */
export function library(accounts: Accounts): App {
  const urls = defineUrls({
    ...loginUrls,
    root: '/',
    books: '/:version<v1|v2>/books/',
    book: '/:version<v1|v2>/books/:id<int>/',
    'book-loans': '/:version<v1|v2>/books/:id<int>/loans/',
    feed: '/feed/',
    own: '/own/',
    big: '/big/',
    wide: '/wide/',
  })
  const api = defineApi({
    urls,
    accounts,
    browsable: { title: 'Library API' },
    logger: { error: console.error },
  })
  const versioned = api.group({
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const books = versioned.endpoint('books', {
    title: 'Books',
    description:
      'The books of the library.\n\nSearch looks at `title` and `isbn`. The terms are at https://example.com/terms.',
    pagination: new PageNumberPagination({ pageSize: 10 }),
    filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  })
  const store = arraySource(rows, { key: 'id' })
  return api.serve([
    ...loginPages(api, { accounts }),
    api
      .endpoint('root', { title: 'Library', description: 'Everything that the library lends.' })
      .get(({ origin }) => ({ books: `${origin}/v2/books/`, feed: `${origin}/feed/` })),
    books.get(
      list({
        source: store,
        serializer: book,
        searchFields: ['title', { column: 'isbn' }],
        orderingFields: ['title', { name: 'year', column: 'year' }],
        filterFields: ['kind', 'title', { name: 'year__gte', column: 'year', lookup: 'gte' }],
      }),
    ),
    versioned
      .endpoint('book', { title: 'Book', description: 'One book, with where it leads.' })
      .get((request) => book.represent(rows[request.params.id - 1]!, request)),
    versioned.endpoint('book-loans', { title: 'Loans' }).get(() => []),
    api
      .endpoint('feed', {
        title: 'Feed',
        pagination: new CursorPagination({ pageSize: 5, ordering: '-id' }),
      })
      .get(list({ source: store })),
    api.endpoint('own', { title: 'My loans', permissions: [new IsAuthenticated()] }).get(() => []),
    api.endpoint('big', { title: 'Many' }).get(() => long),
    api.endpoint('wide', { title: 'Wide' }).get(() => wide),
  ])
}
