// The same service with Colophon, as an application would write it.
import { IsAuthenticated, TokenAuthentication, configurationOf, defineApi } from 'colophon'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { openPostgres } from 'colophon/postgres'
import { tellParent } from '../http/server-process.ts'
import { POOL, SECRET_KEY } from './world.ts'

const [url = ''] = process.argv.slice(2)
const database = openPostgres({ url, connections: POOL })
const accounts = defineAccounts({ database, secretKey: SECRET_KEY })

const api = defineApi({ urls: { me: '/me/' } })
const me = api
  .endpoint('me', {
    authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
    permissions: [new IsAuthenticated()],
  })
  .get(({ user }) => ({ id: user.id, username: user.username }))

const app = api.serve([me], { configuration: configurationOf() })
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
