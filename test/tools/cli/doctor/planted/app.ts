// A service with twelve mistakes, each with its kind: five in colophon.json beside it, and those below.
import {
  BasicAuthentication,
  IsAuthenticated,
  LimitOffsetPagination,
  PageNumberPagination,
  SearchFilter,
  SessionAuthentication,
  UserRateThrottle,
  arraySource,
  defineApi,
  list,
  obtainToken,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase() })
const { users } = accounts
const api = defineApi({
  urls: {
    token: '/token/',
    'book-list': '/books/',
    'author-list': '/authors/',
    'note-list': '/notes/',
    'shelf-list': '/shelves/',
    guestbook: '/guestbook/',
  },
  accounts,
  authentication: [new SessionAuthentication(accounts), new BasicAuthentication({ users })],
  pagination: new PageNumberPagination({ pageSize: 20, maxOffset: 10_000, count: 'capped' }),
})
const members = api.group({ permissions: [new IsAuthenticated()] })
const source = arraySource([{ id: 1, title: 'Emma' }])

export default api.serve([
  // unlimited-guesses: here, and wherever Basic is
  api.endpoint('token').post(obtainToken({ accounts })),
  // missing-page-size
  members
    .endpoint('book-list', { pagination: new PageNumberPagination({ maxOffset: 100 }) })
    .get(list({ source })),
  // whole-list
  members.endpoint('author-list', { pagination: null }).get(list({ source })),
  // unlimited-offset, uncapped-search
  members
    .endpoint('note-list', {
      pagination: new LimitOffsetPagination({ defaultLimit: 20, maxLimit: 100, maxOffset: null }),
      filters: [new SearchFilter()],
    })
    .get(list({ source, searchFields: ['title'] })),
  // idle-throttle
  members.endpoint('shelf-list', { throttles: [new UserRateThrottle()] }).get(list({ source })),
  // open-writes
  api.endpoint('guestbook').post(() => null),
])
