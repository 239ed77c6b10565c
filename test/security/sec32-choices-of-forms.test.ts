// SEC32: a form shows no choices of another tenant: neither in the page, nor where it looks for suggestions, nor in errors.
import { afterAll, expect, test } from 'vitest'
import type { Generated } from 'kysely'
import {
  IsAuthenticated,
  SearchFilter,
  type User,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../src/index.ts'
import type { Authenticator } from '../../src/types.ts'
import { sqlTable } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { client } from '../../src/testing.ts'
import { temporaryPath } from '../contract/temporary.ts'

interface Member extends User {
  readonly organisation: number
}
interface Tables {
  team: { id: Generated<number>; organisation: number; name: string }
  ticket: { id: Generated<number>; organisation: number; team: number | null; title: string }
}

// Long keys: the page shows the id of its request, which may have any three digits.
const database = openSqlite({ path: temporaryPath(afterAll) })
afterAll(() => database.close())
for (const sql of [
  'create table team (id integer primary key, organisation integer not null, name text not null)',
  'create table ticket (id integer primary key, organisation integer not null, team integer, title text not null)',
  `insert into team values (739250901, 1, 'Support of the first'), (739250902, 2, 'Repairs of the second')`,
  `insert into ticket values (1, 1, 739250901, 'Cold office'), (2, 2, 739250902, 'Lost key')`,
])
  void database.write({ sql, parameters: [] })

const db = database.kysely<Tables>()
const teams = sqlTable({ database, db, table: 'team', key: 'id' })
const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
const id = field.integer({ readOnly: true })
const members: Authenticator<Member> = { authenticate: () => null }
const api = defineApi({
  urls: defineUrls({
    ...resourceUrls('team', '/teams/', ':id<int>'),
    ...resourceUrls('ticket', '/tickets/', ':id<int>'),
  }),
  authentication: [members],
  permissions: [new IsAuthenticated()],
  filters: [new SearchFilter()],
})
const scope = ({ user }: { readonly user: Member }) => ({ organisation: user.organisation })
const app = api.serve(
  [
    ...resource(api, 'team', {
      store: teams,
      scope,
      serializer: serializer({ id, name: field.text() }),
      searchFields: ['name'],
    }),
    ...resource(api, 'ticket', {
      store: tickets,
      scope,
      serializer: serializer({
        id,
        title: field.text(),
        team: field.related(
          { store: teams, list: 'team-list' },
          { nullable: true, required: false },
        ),
      }),
      searchFields: ['title'],
    }),
  ],
  { configuration: configurationOf() },
)
const { get, post, request } = client(app)

const TENANTS = [
  {
    organisation: 1,
    own: ['739250901', 'Support of the first'],
    other: ['739250902', 'Repairs of the second'],
  },
  {
    organisation: 2,
    own: ['739250902', 'Repairs of the second'],
    other: ['739250901', 'Support of the first'],
  },
] as const

test.each(TENANTS)('tenant $organisation sees its own choices alone', async (tenant) => {
  const as = { id: tenant.organisation, isAuthenticated: true, organisation: tenant.organisation }
  const headers = { accept: 'text/html' }
  const pages = await Promise.all(
    ['/tickets/', `/tickets/${tenant.organisation}/`].map((path) => get(path, { as, headers })),
  )
  const refused = await post('/tickets/', {
    as,
    headers,
    json: { title: 'Lamp', team: Number(tenant.other[0]) },
  })
  const suggested = await get('/teams/?search=of', { as })
  const options = await request('OPTIONS', '/tickets/', { as })
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(refused.status).toBe(400)
  for (const { text } of pages) expect(text).toContain('data-list="/teams/"')
  for (const part of tenant.own) expect(suggested.text).toContain(part)
  for (const part of tenant.other)
    for (const { text } of [...pages, suggested, options]) expect(text).not.toContain(part)
  // What was sent comes back; its name does not.
  expect(refused.text).not.toContain(tenant.other[1])
  // The same answer as for a team that is not there at all.
  const nothing = await post('/tickets/', { as, json: { title: 'Lamp', team: 7 } })
  const foreign = await post('/tickets/', {
    as,
    json: { title: 'Lamp', team: Number(tenant.other[0]) },
  })
  const without = ({ text }: { readonly text: string }) => text.replace(/\d+/g, 'N')
  expect([foreign.status, without(foreign)]).toEqual([nothing.status, without(nothing)])
})
