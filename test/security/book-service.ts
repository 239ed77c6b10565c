import { onTestFinished } from 'vitest'
import type { Generated } from 'kysely'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import { sqlTable } from '../../src/sql.ts'
import {
  IsAuthenticated,
  PageNumberPagination,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../src/index.ts'
import { type TestClient, client } from '../../src/testing.ts'
import type { ServerDatabase } from '../../src/storage/sql/sql-database.ts'
import { type ServerDialect, migratedDatabaseUrl, opened, placeholder } from '../setup/databases.ts'
import { type TcpProxy, startTcpProxy } from '../../scripts/servers/tcp-proxy.ts'

/** Books in a database on a server, which is reached through a proxy. */
export interface BookService extends TestClient {
  readonly proxy: TcpProxy
  /** By way of the proxy. */
  readonly database: ServerDatabase
  /** Past the proxy, with connections of its own. */
  readonly direct: ServerDatabase
  readonly accounts: Accounts
  /** With a token that is good. */
  readonly headers: { readonly authorization: string }
  /** What the log was told. */
  readonly log: Record<string, unknown>[]
  /** Locks a book like another process that does not come to an end, and gives what lets it go. */
  lock(id: number): Promise<() => Promise<void>>
}

type Options = Parameters<typeof opened>[2]

/** A list at `/books/`, one book at `/books/:id/`, and who asks at `/me/`. */
export async function startBooks(
  dialect: ServerDialect,
  options: Options = {},
): Promise<BookService> {
  const url = await migratedDatabaseUrl(dialect)
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  const direct = opened(dialect, url)
  await fill(direct)
  const database = opened(dialect, proxy.via(url), options)
  const secretKey = 'a secret of forty letters for this test.'
  const accounts = defineAccounts({ database, secretKey })
  const ada = await accounts.users.create({ username: 'ada', password: 'long enough 1815' })
  const { key } = await accounts.tokens.obtain(ada)
  const log: Record<string, unknown>[] = []
  return {
    ...client(serve(database, accounts, log)),
    proxy,
    database,
    direct,
    accounts,
    log,
    headers: { authorization: `Token ${key}` },
    lock: (id) => lock(direct, dialect, id),
  }
}

interface Tables {
  book: { id: Generated<number>; title: string }
}

async function fill(database: ServerDatabase): Promise<void> {
  const db = database.kysely<Tables>()
  await db.schema
    .createTable('book')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('title', 'varchar(200)', (column) => column.notNull())
    .execute()
  const ids = Array.from({ length: 20 }, (_, index) => index + 1)
  await db
    .insertInto('book')
    .values(ids.map((id) => ({ id, title: `Volume ${id}` })))
    .execute()
}

function serve(database: ServerDatabase, accounts: Accounts, log: Record<string, unknown>[]) {
  const db = database.kysely<Tables>()
  const books = sqlTable({ database, db, table: 'book', key: 'id' })
  const book = serializer({
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200 }),
  })
  const urls = defineUrls({ me: '/me/', ...resourceUrls('book', '/books/', ':id<int>') })
  const api = defineApi({
    urls,
    accounts,
    pagination: new PageNumberPagination({ pageSize: 10 }),
    authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
    logger: { error: (record) => log.push({ ...record }) },
  })
  const me = api
    .endpoint('me', { permissions: [new IsAuthenticated()] })
    .get(({ user }) => ({ name: (user as { username: string }).username }))
  return api.serve([me, ...resource(api, 'book', { store: books, serializer: book })], {
    configuration: configurationOf(),
  })
}

async function lock(
  database: ServerDatabase,
  dialect: ServerDialect,
  id: number,
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const done = database.transaction(async (transaction) => {
    const sql = `update book set title = 'mine' where id = ${placeholder(dialect, 1)}`
    await transaction.write({ sql, parameters: [id] })
    locked.resolve()
    await over.promise
  })
  await locked.promise
  const letGo = async (): Promise<void> => {
    over.resolve()
    await done
  }
  onTestFinished(letGo)
  return letGo
}
