// Registration, forgotten passwords and log-ins with accounts of the default cost; an injected delay holds known ones back.
import { configurationOf, defineApi, defineUrls, obtainToken } from 'colophon'
import { passwordReset, passwordResetUrls, registration, registrationUrls } from 'colophon/account'
import { defineAccounts } from 'colophon/accounts'
import { loginPages, loginUrls } from 'colophon/browsable'
import { serve } from 'colophon/node'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'

const [path = '', people = '0', delay = '0', cost = ''] = process.argv.slice(2)
const database = openSqlite({ path })
await database.migrate()
const configuration = configurationOf({
  SECRET_KEY: 'a secret for benchmarks only',
  TRUSTED_PROXIES: ['127.0.0.1', '::1'],
})
const passwordCost = { memory: 8, passes: 1, parallelism: 1 }
const accounts = defineAccounts({
  database,
  configuration,
  ...(cost === 'small' && { passwordCost }),
})
await accounts.users.create({ username: 'first', password: 'wonderland' })
// A hash for each would take minutes, so all have the first one's.
await database.write({
  sql: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
    insert into colophon_user (username, email, password, is_active, is_staff, is_superuser, date_joined)
    select printf('user%06da', i), printf('user%06da@example.com', i), (select password from colophon_user), 1, 0, 0, 0 from n`,
  parameters: [Number(people)],
})
const api = defineApi({
  urls: defineUrls({
    ...loginUrls,
    ...passwordResetUrls,
    ...registrationUrls,
    token: '/token/',
    ping: '/ping/',
  }),
  accounts,
  logger: { error: () => {} },
  around: (request, next) => {
    const until = request.header('x-known') === '1' ? performance.now() + Number(delay) / 1000 : 0
    while (performance.now() < until);
    return next()
  },
})
const mail = () => {}
const app = api.serve(
  [
    ...loginPages(api, { accounts }),
    ...passwordReset(api, { accounts, mail }),
    ...registration(api, { accounts, mail }),
    api.endpoint('token').post(obtainToken({ accounts })),
    api.endpoint('ping').get(() => 'here'),
  ],
  { configuration },
)
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
