// A service with an account's own pages, and people who come with real sessions.
import {
  type App,
  BasicAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
} from 'colophon'
import { type AccountOptions, accountEndpoints, accountUrls } from 'colophon/admin'
import { loginPages, loginUrls } from 'colophon/browsable'
import { defineAccounts } from 'colophon/accounts'
import type { SqlDatabase } from 'colophon/sql'
import { client } from 'colophon/testing'
import { notebook } from '../../behaviour/fixtures.ts'
import { CHEAP } from '../../accounts/fixtures.ts'
import { migratedSqlite } from '../../contract/temporary.ts'
import { migratedDatabase } from '../../setup/databases.ts'
import type { Place } from './service.ts'

const ORIGIN = 'http://localhost'

export async function ownPages(
  place: Place = 'sqlite',
  {
    manyTokens = true,
    ...options
  }: { readonly manyTokens?: boolean } & Partial<AccountOptions> = {},
) {
  const database: SqlDatabase = await (place === 'sqlite'
    ? migratedSqlite()
    : migratedDatabase(place))
  const accounts = defineAccounts({
    database,
    secretKey: 'a secret',
    passwordCost: CHEAP,
    manyTokens,
    logger: notebook(),
  })
  const [alice, bob] = [
    await accounts.users.create({ username: 'alice', password: 'wonderland' }),
    await accounts.users.create({ username: 'bob', password: 'builder bob' }),
  ]
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, ...accountUrls }),
    accounts,
    authentication: [
      new SessionAuthentication(accounts),
      new TokenAuthentication(accounts),
      new BasicAuthentication(accounts),
    ],
  })
  const app: App = api.serve(
    [...loginPages(api, { accounts }), ...accountEndpoints(api, { accounts, ...options })],
    { configuration: configurationOf() },
  )
  const trail = async () => {
    const sql = 'select actor, action, username, token from colophon_audit order by id'
    return database.read<Record<string, string | null>>({ sql, parameters: [] })
  }
  return {
    accounts,
    app,
    alice,
    bob,
    trail,
    ...client(app).expectContract(),
    visitor: () => visitor(app),
  }
}

/** A browser as far as it keeps cookies and sends tokens. */
export function visitor(app: App) {
  const jar = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
    if (init.method === 'POST' && !headers.has('origin')) headers.set('origin', ORIGIN)
    // A browser that does not say where it comes from.
    if (headers.get('origin') === '') headers.delete('origin')
    const answer = await app.fetch(
      new Request(ORIGIN + path, { ...init, headers, redirect: 'manual' }),
    )
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return answer
  }
  const page = async (path: string) =>
    (await send(path, { headers: { accept: 'text/html' } })).text()
  const form = async (path: string, fields: Record<string, string>, from = path) => {
    return sendFrom(await page(from), path, fields)
  }
  /** The form of a page that was seen before. */
  const sendFrom = (seen: string, path: string, fields: Record<string, string>) => {
    const hidden = Object.fromEntries(
      [...seen.matchAll(/type="hidden" name="(csrfmiddlewaretoken|link)" value="([^"]+)"/g)].map(
        ([, name, value]) => [name, value],
      ),
    ) as Record<string, string>
    const body = new URLSearchParams({ ...fields, ...hidden })
    return send(path, { method: 'POST', body, headers: { accept: 'text/html' } })
  }
  const json = async (path: string) => (await send(path)).json() as Promise<unknown>
  const logIn = (username: string, password: string) => form('/login/', { username, password })
  return { jar, send, page, form, sendFrom, json, logIn }
}
