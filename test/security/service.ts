// The service that the tests of the pitfalls ask: every scheme, notes that belong to somebody, logins.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Generated } from 'kysely'
import { afterAll, onTestFinished } from 'vitest'
import {
  type App,
  BasicAuthentication,
  IsAuthenticated,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  loginSession,
  logoutSession,
  obtainToken,
  resource,
  resourceUrls,
  serializer,
  showSession,
} from '../../src/index.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { type Accounts, type DefineAccountsOptions, defineAccounts } from '../../src/accounts.ts'
import { sqlTable } from '../../src/sql.ts'
import { type SqliteDatabase, openSqlite } from '../../src/sqlite.ts'
import { type TestClient, client } from '../../src/testing.ts'

/** What the tests of one file attack. */
export interface Attacked extends TestClient {
  readonly app: App
  readonly accounts: Accounts
  readonly database: SqliteDatabase
  /** Everything that was told to the log. */
  readonly log: Readonly<Record<string, unknown>>[]
}

interface Tables {
  note: { id: Generated<number>; text: string; owner: number }
}

export const ALICE = { username: 'alice', password: 'wonderland' }
export const ALICES_TOKEN = { authorization: `Token ${'a'.repeat(40)}` }
/** ivan is not active. */
export const IVAN = { username: 'ivan', password: 'terrible' }
export const IVANS_TOKEN = { authorization: `Token ${'b'.repeat(40)}` }

export const basic = ({
  username,
  password,
}: typeof ALICE): { readonly authorization: string } => ({
  authorization: `Basic ${btoa(`${username}:${password}`)}`,
})

/** A door may name a remote user; no header does. */
const KEYS = { SECRET_KEY: 'a secret of these tests', REMOTE_USER_SOURCE: 'environ' }

/** A service with alice, ivan, three notes of alice's, and endpoints that each ask one scheme. */
export async function attacked(
  keys: Readonly<Record<string, unknown>> = {},
  options: Partial<DefineAccountsOptions> = {},
): Promise<Attacked> {
  const database = await temporaryDatabase()
  const configuration = configurationOf({ ...KEYS, ...keys })
  const log: Attacked['log'] = []
  const accounts = defineAccounts({
    database,
    configuration,
    passwordCost: { memory: 8, passes: 1, parallelism: 1 },
    rememberPasswords: 0,
    ...options,
  })
  await fill(accounts, database)
  const app = makeApp(accounts, database, log, configuration)
  return { app, accounts, database, log, ...client(app) }
}

/** Serves an application on a socket until the tests of the file are over. */
export async function onSocket(app: App): Promise<RunningServer> {
  const server = await serve(app, { port: 0 })
  afterwards(() => server.close())
  return server
}

/** After the test, or after those of the file where none has begun. */
function afterwards(cleanUp: () => void | Promise<void>): void {
  try {
    onTestFinished(cleanUp)
  } catch {
    afterAll(cleanUp)
  }
}

async function temporaryDatabase(): Promise<SqliteDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  afterwards(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  return database
}

async function fill({ users, tokens }: Accounts, database: SqliteDatabase): Promise<void> {
  const alice = await users.create(ALICE)
  const ivan = await users.create({ ...IVAN, isActive: false })
  await tokens.create(alice, 'a'.repeat(40))
  await tokens.create(ivan, 'b'.repeat(40))
  const sql =
    'create table note (id integer primary key, text text not null, owner integer not null)'
  await database.write({ sql, parameters: [] })
  for (const text of ['one', 'two', 'three'])
    await database.write({
      sql: 'insert into note (text, owner) values (?, ?)',
      parameters: [text, alice.id],
    })
}

function makeApp(
  accounts: Accounts,
  database: SqliteDatabase,
  log: Attacked['log'],
  configuration: ReturnType<typeof configurationOf>,
): App {
  const { users, tokens, sessions } = accounts
  const notes = sqlTable({ database, db: database.kysely<Tables>(), table: 'note', key: 'id' })
  const note = serializer({ id: field.integer({ readOnly: true }), text: field.text() })
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...resourceUrls('note', '/notes/', ':id<int>'),
      open: '/open/',
      token: '/token/',
      session: '/session/',
      'by-token': '/by/token/',
      'by-basic': '/by/basic/',
      'by-session': '/by/session/',
      'by-remote': '/by/remote/',
      'page-list': '/pages/',
    }),
    accounts,
    authentication: [new TokenAuthentication({ tokens }), new SessionAuthentication(accounts)],
    logger: { error: (record) => void log.push(record), info: (record) => void log.push(record) },
  })
  const members = api.group({ permissions: [new IsAuthenticated()] })
  const schemes = {
    'by-token': new TokenAuthentication({ tokens }),
    'by-basic': new BasicAuthentication({ users }),
    'by-session': new SessionAuthentication({ sessions }),
    'by-remote': new RemoteUserAuthentication({ users }),
  }
  const whoami = ({ user }: { readonly user: unknown }) => (user as { username: string }).username
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      api.endpoint('open').get(whoami).post(whoami),
      api.endpoint('token').post(obtainToken({ accounts })),
      api
        .endpoint('session')
        .get(showSession({ accounts }))
        .post(loginSession({ accounts }))
        .delete(logoutSession({ accounts })),
      ...(Object.keys(schemes) as (keyof typeof schemes)[]).map((name) =>
        members
          .endpoint(name, { authentication: [schemes[name]] })
          .get(whoami)
          .post(whoami),
      ),
      api.endpoint('page-list').get(list({ source: notes.source, serializer: note })),
      ...resource(members, 'note', {
        store: ({ user }) =>
          notes.only((query) => query.where('owner', '=', (user as { id: number }).id)),
        serializer: note,
        performCreate: (input, { user }, store) =>
          store.insert({ ...input, owner: (user as { id: number }).id }),
      }),
    ],
    { configuration },
  )
}
