import {
  FieldFilter,
  IsAuthenticatedOrReadOnly,
  PageNumberPagination,
  SearchFilter,
  SessionAuthentication,
  TokenAuthentication,
} from 'colophon'
import { defineApi, defineUrls, obtainToken } from 'colophon'
import { field, resource, resourceUrls, serializer } from 'colophon'
import { loginPages, loginUrls } from 'colophon/browsable'
import { accounts, notes } from './tables.ts'

const urls = defineUrls({
  ...loginUrls,
  home: '/',
  health: '/health/',
  token: '/token/',
  ...resourceUrls('note', '/notes/', ':id<int>'),
})

const api = defineApi({
  urls,
  accounts,
  // Programs send a token; people log in at /login/.
  authentication: [
    new TokenAuthentication({ tokens: accounts.tokens }),
    new SessionAuthentication(accounts),
  ],
  // Everyone may read, but only known users may write.
  permissions: [new IsAuthenticatedOrReadOnly()],
  pagination: new PageNumberPagination({
    pageSize: 20,
    pageSizeQueryParam: 'page_size',
    // Counting ends at 10,000, which limits the cost of a search.
    count: 'capped',
  }),
  // Clients cannot ask for longer pages, or for pages further back.
  maxPageSize: 100,
  maxOffset: 10_000,
  filters: [new SearchFilter(), new FieldFilter()],
  // A misspelt parameter gets a 400 instead of all rows, and so does an unknown member of a body.
  strictQuery: true,
  strictBody: true,
  // Ten wrong passwords for an account in ten minutes; the next is 429.
  credentialFailures: '10/10m',
  // With throttles, answers tell the remaining requests.
  rateLimitHeaders: true,
  // The log has lines of JSON; in tests, only those of errors.
  ...(process.env['NODE_TEST_CONTEXT'] && { logger: { error: console.error } }),
})

const home = api
  .endpoint('home', { description: 'Where to begin.' })
  .get(({ reverse }) => ({ notes: reverse('note-list') }))

const health = api
  .endpoint('health', { description: 'Answers 200 while the service runs.' })
  .get(() => ({ ok: true }))

const token = api
  .endpoint('token', { permissions: [], description: 'Gives a token for a name and a password.' })
  .post(obtainToken({ accounts }))

// List, create, retrieve, update and delete.
const note = resource(api, 'note', {
  store: notes,
  serializer: serializer({
    id: field.integer({ readOnly: true }),
    text: field.text({ maxLength: 500, helpText: 'What is to be remembered.' }),
    done: field.boolean({ default: false }),
    created: field.dateTime({ readOnly: true }),
  }),
  searchFields: ['text'],
  filterFields: ['done'],
})

export default api.serve([...loginPages(api, { accounts }), home, health, token, ...note])
