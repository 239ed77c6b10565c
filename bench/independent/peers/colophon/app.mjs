// Colophon as an application would write it, from the built package (colophon.sh builds and installs it).
import {
  CursorPagination, IsAuthenticated, IsAuthenticatedOrReadOnly, PageNumberPagination, TokenAuthentication, URLPathVersioning,
  allOf, configurationOf, defineApi, defineUrls, field, list, serializer,
} from 'colophon'
const url = process.env.DATABASE_URL
const { defineAccounts, openDatabase, sqlSource } = await import(url.startsWith('postgres') ? 'colophon/postgres' : 'colophon/sqlite')
const configuration = configurationOf({ DATABASE_URL: url, SECRET_KEY: 'bench-secret-key-bench-secret-key', ALLOWED_HOSTS: ['*'] })
const database = openDatabase(configuration)
const accounts = defineAccounts({ database, secretKey: 'bench-secret-key-bench-secret-key' })
const db = database.kysely()
const columns = ['id', 'title', 'isbn', 'price', 'pages', 'published', 'author_id']
const books = sqlSource({ database, query: db.selectFrom('books_book').select(columns), key: 'id' })
const bigbooks = sqlSource({ database, query: db.selectFrom('books_bigbook').select([...columns, 'created']), key: 'id' })
const book = serializer({
  url: field.identity('book-detail'),
  id: field.integer(),
  title: field.text(),
  isbn: field.text(),
  price: field.decimal({ maxDigits: 8, decimalPlaces: 2 }),
  pages: field.integer(),
  published: field.date(),
  author: field.hyperlink('author-detail', { source: 'author_id' }),
})
const api = defineApi({
  urls: defineUrls({
    hello: '/hello',
    me: '/me',
    'book-list': '/:version/books/',
    'book-cursor': '/:version/books/cursor/',
    'book-detail': '/:version/books/:id<int>/',
    'author-detail': '/:version/authors/:id<int>/',
  }),
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
})
const members = api.group({ permissions: [allOf(new IsAuthenticated(), new IsAuthenticatedOrReadOnly())] })
const app = api.serve(
  [
    api.endpoint('hello', { authentication: [], permissions: [] }).get(() => ({ hello: 'world' })),
    members.endpoint('me').get((request) => ({ user: request.user.username, auth: request.header('authorization').slice(6) })),
    members.endpoint('book-list', { pagination: new PageNumberPagination({ pageSize: 100 }) }).get(list({ source: books, serializer: book })),
    members.endpoint('book-cursor', { pagination: new CursorPagination({ pageSize: 100, ordering: ['-created', 'id'] }) }).get(list({ source: bigbooks, serializer: book })),
    members.endpoint('book-detail').get(() => ({})),
    api.endpoint('author-detail').get(() => ({})),
  ],
  { configuration },
)
export default app
