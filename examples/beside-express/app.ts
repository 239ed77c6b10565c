// The new API of a bookshop that already has an Express application.
import {
  IsAuthenticatedOrReadOnly,
  LimitOffsetPagination,
  TokenAuthentication,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import { accounts, books } from './books.ts'

// These are whole paths, with the prefix that Express passes on, so that links are right.
const urls = defineUrls(resourceUrls('book', '/api/books/', ':id<int>'))

const api = defineApi({
  urls,
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  permissions: [new IsAuthenticatedOrReadOnly()],
  pagination: new LimitOffsetPagination({ defaultLimit: 20, maxLimit: 100 }),
})

const book = resource(api, 'book', {
  store: books,
  serializer: serializer({
    url: field.identity('book-detail'),
    title: field.text({ maxLength: 200 }),
    cents: field.integer({ min: 0 }),
  }),
})

export default api.serve(book)
