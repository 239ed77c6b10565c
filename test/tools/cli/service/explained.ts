import {
  IsAdminUser,
  IsAuthenticated,
  PageNumberPagination,
  TokenAuthentication,
  URLPathVersioning,
  UserRateThrottle,
  defineApi,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase() })
const api = defineApi({
  urls: { books: '/:version<v1|v2>/books/', book: '/:version<v1|v2>/books/:id<int>/' },
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  versions: { v1: { sunsetAt: '2020-01-01', gone: true } },
})
const never = (): never => {
  throw new Error('a handler was run')
}
const staff = { handle: never, permissions: [new IsAdminUser()] }

accounts.events.on('user.deactivated', ({ user, operator }) => {
  console.log(`${user.username} by ${operator?.systemUser} with ${operator?.command}`)
})

export default api.serve([
  api
    .endpoint('books', {
      permissions: [new IsAuthenticated()],
      throttles: [new UserRateThrottle({ rate: '5/m' })],
    })
    .get(never)
    .post(staff),
  api.endpoint('book', { pagination: new PageNumberPagination({ pageSize: 4 }) }).get(never),
])
