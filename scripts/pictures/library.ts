// A library whose pages appear in the documentation and in tests in a browser. It is in memory, so every start makes a new one.
import {
  type App,
  CursorPagination,
  FieldFilter,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  SessionAuthentication,
  URLPathVersioning,
  arraySource,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  destroy,
  field,
  list,
  partialUpdate,
  retrieve,
  serializer,
  update,
} from 'colophon'
import { ActAs, actAsPages, actAsUrls, loginPages, loginUrls } from 'colophon/browsable'
import type { Accounts } from 'colophon/accounts'
import { kept } from './rows.ts'

const AUTHORS = ['Jane Austen', 'Frances Burney', 'Maria Edgeworth', 'Ann Radcliffe']
const TITLES: readonly (readonly [title: string, author: number, year: number])[] = [
  ['Emma', 1, 1815],
  ['Evelina', 2, 1778],
  ['Persuasion', 1, 1817],
  ['Castle Rackrent', 3, 1800],
  ['Northanger Abbey', 1, 1817],
  ['The Mysteries of Udolpho', 4, 1794],
  ['Mansfield Park', 1, 1814],
  ['Belinda', 3, 1801],
  ['Sense and Sensibility', 1, 1811],
  ['Cecilia', 2, 1782],
  ['Pride and Prejudice', 1, 1813],
]
const KINDS = { novel: 'Novel', letters: 'Novel in letters', gothic: 'Gothic novel' }

interface Book {
  readonly id: number
  readonly title: string
  readonly author_id: number
  readonly year: number
  readonly kind: keyof typeof KINDS
  readonly isbn: string
  readonly subjects: readonly string[]
  readonly on_loan: boolean
}

function bookAt(at: number): Book {
  const [title, author_id, year] = TITLES[at % TITLES.length]!
  return {
    id: at + 1,
    title,
    author_id,
    year,
    kind: author_id === 4 ? 'gothic' : author_id === 2 ? 'letters' : 'novel',
    isbn: `978-0-00-${1000 + at}`,
    subjects: author_id === 4 ? ['suspense', 'travel'] : ['marriage', 'manners'],
    on_loan: at % 3 === 0,
  }
}

const author = serializer({
  url: field.identity('author-detail'),
  name: field.text({ maxLength: 100 }),
})
const book = serializer({
  url: field.identity('book'),
  title: field.text({ maxLength: 100, helpText: 'As on its spine.' }),
  author: field.hyperlink('author-detail', { source: 'author_id', since: 'v2' }),
  year: field.integer({ until: 'v2' }),
  published: field.integer({ source: 'year', since: 'v2', min: 1450, max: 2100 }),
  kind: field.choice(KINDS),
  isbn: field.text({ since: 'v2', maxLength: 20, required: false, default: '' }),
  subjects: field.list(field.text(), { since: 'v2', required: false, default: [] }),
  on_loan: field.boolean({ since: 'v2', required: false, default: false }),
})

const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`column${at}`, at]))
const long = Array.from({ length: 60_000 }, (_, id) => ({ id, name: 'A <b>long</b> list & more' }))

/** An application with two versions, both styles of pages, forms, uploads, a protected address, and staff who act as others. */
export function library(accounts: Accounts): App {
  const urls = defineUrls({
    ...loginUrls,
    ...actAsUrls,
    root: '/',
    books: '/:version<v1|v2>/books/',
    book: '/:version<v1|v2>/books/:id<int>/',
    'book-loans': '/:version<v1|v2>/books/:id<int>/loans/',
    'author-list': '/:version<v1|v2>/authors/',
    'author-detail': '/:version<v1|v2>/authors/:id<int>/',
    feed: '/feed/',
    own: '/own/',
    staff: '/staff/',
    scans: '/scans/',
    big: '/big/',
    wide: '/wide/',
  })
  const actAs = new ActAs({ accounts })
  const api = defineApi({
    urls,
    accounts,
    authentication: [new SessionAuthentication({ sessions: accounts.sessions, actAs })],
    permissions: [new IsAuthenticatedOrReadOnly()],
    browsable: { title: 'Library API' },
    logger: { error: console.error },
  })
  const versioned = api.group({
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const rows = Array.from({ length: 240 }, (_, at) => bookAt(at))
  const authors = AUTHORS.map((name, at) => ({ id: at + 1, name }))
  const { find, save, remove } = kept(rows)
  const books = versioned.endpoint('books', {
    title: 'Books',
    description:
      'The books of the library, with those that are on loan.\n\nSearch looks at `title` and `isbn`. What may be done with the data is told at https://example.com/terms.',
    pagination: new PageNumberPagination({ pageSize: 10 }),
    filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  })
  const loans = Array.from({ length: 30 }, (_, at) => ({
    id: at + 1,
    book: TITLES[at % TITLES.length]![0],
    reader: at % 3 === 0 ? 'bob' : 'mary',
  }))
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      ...actAsPages(api, { accounts, actAs }),
      api
        .endpoint('root', { title: 'Library', description: 'Everything that the library lends.' })
        .get(({ origin }) => ({
          books: `${origin}/v2/books/`,
          authors: `${origin}/v2/authors/`,
          feed: `${origin}/feed/`,
          loans: `${origin}/own/`,
        })),
      books
        .get(
          list({
            source: () => arraySource(rows, { key: 'id' }),
            serializer: book,
            searchFields: ['title', { column: 'isbn' }],
            orderingFields: ['title', { name: 'year', column: 'year' }],
            filterFields: ['kind', 'title', { name: 'year__gte', column: 'year', lookup: 'gte' }],
          }),
        )
        .post(
          create({
            serializer: book,
            save: (input) => {
              const made = { ...bookAt(rows.length), ...input }
              rows.push(made)
              return made
            },
          }),
        ),
      versioned
        .endpoint('book', { title: 'Book', description: 'One book, with where it leads.' })
        .get(retrieve({ find, serializer: book }))
        .put(update({ find, serializer: book, save }))
        .patch(partialUpdate({ find, serializer: book, save }))
        .delete(destroy({ find, remove })),
      versioned.endpoint('book-loans', { title: 'Loans' }).get(() => []),
      versioned
        .endpoint('author-list', { title: 'Authors', filters: [new SearchFilter()] })
        .get(list({ source: arraySource(authors), serializer: author, searchFields: ['name'] })),
      versioned.endpoint('author-detail', { title: 'Author' }).get(
        retrieve({
          find: kept(authors).find,
          serializer: author,
        }),
      ),
      api
        .endpoint('feed', {
          title: 'Feed',
          description: 'What came last, by a cursor: nothing is missed, and nothing comes twice.',
          pagination: new CursorPagination({ pageSize: 5, ordering: '-id' }),
        })
        .get(list({ source: arraySource(rows, { key: 'id' }) })),
      api
        .endpoint('own', {
          title: 'My loans',
          description: 'Readers see their own loans, the staff all of them.',
          permissions: [new IsAuthenticated()],
          pagination: new PageNumberPagination({ pageSize: 5 }),
        })
        .get(
          list({
            source: ({ user }) =>
              arraySource(
                loans.filter(({ reader }) => user.isStaff || reader === user.username),
                { key: 'id' },
              ),
          }),
        ),
      api
        .endpoint('staff', { title: 'Staff room', permissions: [new IsAdminUser()] })
        .get(() => ({ kettle: 'on' })),
      api.endpoint('scans', { title: 'Scans', description: 'Pages of a book as pictures.' }).post(
        create({
          serializer: serializer({
            title: field.text({ maxLength: 50 }),
            file: field.file({ writeOnly: true, types: ['image/png', 'application/pdf'] }),
            pages: field.integer({ min: 1, required: false, default: 1 }),
            size: field.integer({ readOnly: true }),
          }),
          save: ({ title, pages, file }) => ({ title, pages, size: file.size }),
        }),
      ),
      api.endpoint('big', { title: 'Many' }).get(() => long),
      api.endpoint('wide', { title: 'Wide' }).get(() => wide),
    ],
    { configuration: configurationOf() },
  )
}
