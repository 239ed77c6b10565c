// The service for scripts/walk.ts: a list with a token, page numbers and versions.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  IsAuthenticated,
  NamespaceVersioning,
  PageNumberPagination,
  TokenAuthentication,
  defineApi,
  defineUrls,
  field,
  include,
  list,
  serializer,
} from 'colophon'
import { defineAccounts } from 'colophon/accounts'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'

/** The folder of the service, which is deleted after the walk. */
export const folder: string = mkdtempSync(join(tmpdir(), 'colophon-walk-'))

export const database = openSqlite({ path: join(folder, 'walk.sqlite') })
export const accounts = defineAccounts({ database, logger: { error: console.error } })

const db = database.kysely<{ book: { id: number; title: string } }>()
const books = sqlTable({ database, db, table: 'book', key: 'id' })
const v1 = defineUrls({ 'book-list': '/books/' })
const definition = defineApi({
  urls: defineUrls({ v1: include('/v1', v1) }),
  accounts,
  authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  permissions: [new IsAuthenticated()],
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1'],
  pagination: new PageNumberPagination({ pageSize: 2 }),
})

export const api = definition.serve([
  definition.endpoint('book-list').get(
    list({
      source: books.source,
      serializer: serializer({ id: field.integer(), title: field.text() }),
    }),
  ),
])
