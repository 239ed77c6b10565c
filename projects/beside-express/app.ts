import {
  FieldFilter,
  IsAuthenticatedOrReadOnly,
  PageNumberPagination,
  SearchFilter,
} from 'colophon'
import { TokenAuthentication, defineApi, defineUrls, obtainToken } from 'colophon'
import { field, resource, resourceUrls, serializer } from 'colophon'
import { accounts, notes } from './tables.ts'

// What web.ts passes on begins with /api, so the addresses do too.
const urls = defineUrls({
  health: '/api/health/',
  token: '/api/token/',
  ...resourceUrls('note', '/api/notes/', ':id<int>'),
})

const api = defineApi({
  urls,
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  // Everyone may read, and whoever writes says who they are.
  permissions: [new IsAuthenticatedOrReadOnly()],
  pagination: new PageNumberPagination({
    pageSize: 20,
    pageSizeQueryParam: 'page_size',
    maxPageSize: 100,
    // Counting ends at 10,000: no search makes the database look for more.
    count: 'capped',
  }),
  maxOffset: 10_000,
  filters: [new SearchFilter(), new FieldFilter()],
})

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

export default api.serve([health, token, ...note])
