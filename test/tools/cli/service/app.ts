import { IsAuthenticated, TokenAuthentication, defineApi, obtainToken } from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'

const accounts = defineAccounts({ database: openDatabase() })
const api = defineApi({
  urls: { me: '/me/', token: '/token/', slow: '/slow/' },
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
})

export default api.serve([
  api
    .endpoint('me', { permissions: [new IsAuthenticated()] })
    .get(({ user }) => ({ username: user.username })),
  api.endpoint('slow').get(() => {
    // What a task leaves open does not keep a process that was told to stop.
    setInterval(() => {}, 60_000)
    // The test that asks tells the process to stop when it reads this.
    console.log('Asked for /slow/')
    return new Promise((resolve) => setTimeout(() => resolve({ slow: true }), 500))
  }),
  api.endpoint('token').post(obtainToken({ accounts })),
])
