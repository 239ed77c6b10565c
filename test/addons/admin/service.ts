// A service with an administration, for the tests of it.
import {
  type App,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
} from 'colophon'
import { adminEndpoints, adminUrls } from 'colophon/admin'
import { type Accounts, defineAccounts } from 'colophon/accounts'
import type { SqlDatabase } from 'colophon/sql'
import { client } from 'colophon/testing'
import { notebook } from '../../behaviour/fixtures.ts'
import { CHEAP } from '../../accounts/fixtures.ts'
import { migratedSqlite } from '../../contract/temporary.ts'
import { type ServerDialect, migratedDatabase } from '../../setup/databases.ts'

export type Place = 'sqlite' | ServerDialect

export async function administration(
  place: Place,
  { manyTokens = true }: { readonly manyTokens?: boolean } = {},
) {
  const database: SqlDatabase = await (place === 'sqlite'
    ? migratedSqlite()
    : migratedDatabase(place))
  const logged: string[] = []
  const note = (record: object): void => void logged.push(JSON.stringify(record))
  const logger = { ...notebook(), info: note, error: note }
  const accounts: Accounts = defineAccounts({
    database,
    secretKey: 'a secret',
    passwordCost: CHEAP,
    manyTokens,
    refreshTokens: {},
    logger,
  })
  const { users } = accounts
  const [root, staff, alice, bob] = [
    await users.create({ username: 'root', isStaff: true, isSuperuser: true }),
    await users.create({ username: 'staff', password: 'staff secret', isStaff: true }),
    await users.create({ username: 'alice', email: 'alice@example.com', password: 'wonderland' }),
    await users.create({ username: 'bob' }),
  ]
  const api = defineApi({
    urls: defineUrls(adminUrls),
    accounts,
    logger,
    authentication: [new SessionAuthentication(accounts), new TokenAuthentication(accounts)],
  })
  const app: App = api.serve(adminEndpoints(api, { accounts }), {
    configuration: configurationOf(),
  })
  const trail = async () => {
    const sql = 'select actor, action, username, token, request_id from colophon_audit order by id'
    return database.read<Record<string, string | null>>({ sql, parameters: [] })
  }
  return {
    accounts,
    app,
    ...client(app).expectContract(),
    database,
    logged,
    root,
    staff,
    alice,
    bob,
    trail,
  }
}

/** The address of something of the administration. */
export const at = (path: string): string => `/admin/${path}`
