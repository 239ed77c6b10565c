// A service of the size of a support desk, as text: eight resources of tenants in about 330 lines, two versions.
import type { Files } from './application.ts'

const names = ['ticket', 'order', 'invoice', 'device', 'contract', 'visit', 'report', 'asset']

/** Writes the service: tables, addresses, the API, and for each resource its serializer and endpoints. */
export function writeDesk(): Files {
  return {
    'base.ts': baseFile,
    ...Object.fromEntries(names.map((name) => [`${name}.ts`, resourceFile(name)])),
    'app.ts': appFile,
  }
}

/** Writes the service, and a program that calls each of its endpoints in the second version. */
export function writeDeskClient(): Files {
  return { ...writeDesk(), 'client.ts': clientFile }
}

const clientFile = `import { createClient } from 'colophon/client'
import type app from './app.ts'

const client = createClient<typeof app, 'v2'>({ baseUrl: '', routes: {}, version: 'v2' })

${names
  .map(
    (name) => `for await (const { id, title } of client.rows('${name}-list')) {
  const { status } = await client.get('${name}-detail', { params: { id } })
  if (status === 'closed') await client.patch('${name}-detail', { params: { id }, body: { title } })
  else await client.post('${name}-close', { params: { id } })
}
await client.post('${name}-list', { body: { title: '', body: '' } })
await client.delete('${name}-detail', { params: { id: 7 } })`,
  )
  .join('\n')}
`

const baseFile = `import { IsAuthenticated, type RequestWith, TokenAuthentication } from 'colophon'
import type { TokenVerifier } from 'colophon/types'
import { URLPathVersioning, type User, defineApi, defineUrls, resourceUrls } from 'colophon'
import { FieldFilter, OrderingFilter, PageNumberPagination, SearchFilter } from 'colophon'
import type { SqlDatabase } from 'colophon/sql'
import type { Generated } from 'kysely'

interface Row {
  id: Generated<number>
  title: string
  body: string
  status: 'open' | 'closed'
  organisation_id: number
  author_id: number
  created: number
  closed: number | null
}
export interface Tables {
${names.map((name) => `  ${name}: Row`).join('\n')}
}
declare const database: SqlDatabase
declare const tokens: TokenVerifier
export const db = database.kysely<Tables>()
export { database }

export const urls = defineUrls({
${names
  .map(
    (name) => `  ...resourceUrls('${name}', '/:version<v1|v2>/${name}s/', ':id<int>'),
  '${name}-close': '/:version<v1|v2>/${name}s/:id<int>/close/',`,
  )
  .join('\n')}
})
export class IsMember {
  hasPermission({ user }: RequestWith<{ user: User }>): boolean {
    return user.isActive
  }
}
export const api = defineApi({
  urls,
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated(), new IsMember()],
  pagination: new PageNumberPagination(),
  filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
})
`

const resourceFile = (
  name: string,
): string => `import { field, resource, serializer } from 'colophon'
import { sqlTable } from 'colophon/sql'
import { api, database, db } from './base.ts'

const table = sqlTable({ database, db, table: '${name}', key: 'id' })
export const ${name} = serializer({
  id: field.integer({ readOnly: true }),
  subject: field.text({ source: 'title', maxLength: 200, until: 'v2' }),
  title: field.text({ maxLength: 200, since: 'v2' }),
  body: field.text({ maxLength: 5000 }),
  status: field.choice(['open', 'closed'], { default: 'open' }),
  organisation: field.integer({ source: 'organisation_id', readOnly: true }),
  author: field.integer({ source: 'author_id', readOnly: true }),
  created: field.integer({ readOnly: true }),
})
export const ${name}s = resource(api, '${name}', {
  store: ({ user }) => table.only((query) => query.where('organisation_id', '=', Number(user.id))),
  serializer: ${name},
  searchFields: ['body'],
  orderingFields: ['created'],
  filterFields: ['status', 'created__gte'],
  ordering: '-created',
  performCreate: (input, { user }, store) =>
    store.insert({ ...input, organisation_id: 7, author_id: Number(user.id), created: 0, closed: null }),
  actions: {
    close: { detail: true, post: (_request, row) => table.update(row.id, { closed: row.created }) },
  },
})
`

const appFile = `import { api } from './base.ts'
${names.map((name) => `import { ${name}s } from './${name}.ts'`).join('\n')}

export default api.serve([
${names.map((name) => `  ...${name}s,`).join('\n')}
])
`
