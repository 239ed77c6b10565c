// One endpoint for each scheme, on SQLite; prints the credentials for each.
import {
  BasicAuthentication,
  IsAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from 'colophon'
import { JWTAuthentication, accountUser } from 'colophon/jwt'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'
import { provider } from './provider.ts'

const [path = ''] = process.argv.slice(2)
const database = openSqlite({ path })
const configuration = configurationOf()
const accounts = defineAccounts({ database, configuration, secretKey: 'for benchmarks only' })
const api = defineApi({
  urls: {
    token: '/token/',
    limited: '/limited/',
    basic: '/basic/',
    session: '/session/',
    jwt: '/jwt/',
  },
  accounts,
  permissions: [new IsAuthenticated()],
  logger: { error: (record) => console.error(record) },
})
const schemes = {
  token: new TokenAuthentication(accounts),
  limited: new TokenAuthentication(accounts),
  basic: new BasicAuthentication(accounts),
  session: new SessionAuthentication(accounts),
  jwt: new JWTAuthentication({
    ...provider,
    user: accountUser(accounts, { name: ({ sub }) => sub }),
  }),
}
const endpoints = (Object.keys(schemes) as (keyof typeof schemes)[]).map((name) =>
  api
    .endpoint(name, {
      authentication: [schemes[name]],
      credentialFailures: name === 'limited' ? '10/10m' : null,
    })
    .get(({ user }) => ({ id: user.id, username: user.username })),
)
const server = await serve(api.serve(endpoints, { configuration }), { port: 0 })
tellParent(Number(new URL(server.url).port))
