// The same endpoint with Colophon, as an application would write it.
import { IsAuthenticated, TokenAuthentication, defineApi } from 'colophon'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'
import { tell } from './tell.ts'

const database = openDatabase()
const { tokens } = defineAccounts({ database })

const api = defineApi({
  urls: { me: '/' },
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
})
const me = api.endpoint('me').get(({ user }) => ({ id: user.id, username: user.username }))

const server = await serve(api.serve([me]), { port: 0 })
tell(Number(new URL(server.url).port))
