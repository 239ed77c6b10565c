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
  // Everyone may read, and whoever writes says who they are.
  permissions: [new IsAuthenticatedOrReadOnly()],
  pagination: new PageNumberPagination({
    pageSize: 20,
    pageSizeQueryParam: 'page_size',
    // Counting ends at 10,000: no search makes the database look for more.
    count: 'capped',
  }),
  // No page is longer, and none begins further back, whatever a client asks for.
  maxPageSize: 100,
  maxOffset: 10_000,
  filters: [new SearchFilter(), new FieldFilter()],
  // A misspelt parameter is 400, and does not show all rows; so is a member of a body that no field has.
  strictQuery: true,
  strictBody: true,
  // Ten wrong passwords for an account in ten minutes; the next is 429.
  credentialFailures: '10/10m',
  // Where throttles are set, answers say how much is left.
  rateLimitHeaders: true,
  // What happens is logged as lines of JSON. In tests, only what fails.
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
