// SEC24: clients filter and order by what a list declares: nothing else reaches the database, and no count tells of it.
// More: test/behaviour/21-filters.test.ts, test/policies/filters/.
import { expect, test } from 'vitest'
import {
  FieldFilter,
  LimitOffsetPagination,
  OrderingFilter,
  SearchFilter,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { sqlTable } from '../../src/sql.ts'
import { client } from '../../src/testing.ts'
import { attacked } from './service.ts'

const { database } = await attacked()
const store = sqlTable({
  database,
  db: database.kysely<{ note: { id: number; text: string; owner: number } }>(),
  table: 'note',
  key: 'id',
})
const statements: string[] = []
const rows = database.rows.bind(database)
database.rows = (statement) => {
  statements.push(statement.sql)
  return rows(statement)
}
const api = defineApi({
  urls: { notes: '/notes/' },
  filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  pagination: new LimitOffsetPagination({ defaultLimit: 10 }),
})
const notes = list({
  source: store.source,
  serializer: { represent: ({ id, text }) => ({ id, text }) },
  searchFields: ['text'],
  orderingFields: ['text'],
  filterFields: ['text'],
})
const { get } = client(
  api.serve([api.endpoint('notes', { authentication: [] }).get(notes)], {
    configuration: configurationOf(),
  }),
)
const plain = (await get('/notes/')).data

test.each([
  'owner=1',
  'owner=2',
  'owner__gt=0',
  'text__startswith=o',
  'text__regex=^o',
  'id=1',
  'id__in=1',
  'owner__username__startswith=a',
  'colophon_user.password__gt=a',
  'ordering=owner',
  'ordering=-owner',
  'ordering=id',
  'ordering=owner__password',
  'ordering=random()',
  'ordering=text%20desc;drop%20table%20note',
  'ordering=(select%20password%20from%20colophon_user)',
  '__proto__=1',
  'constructor=1',
])('?%s changes neither rows nor count nor order', async (query) => {
  const { status, data } = await get(`/notes/?${query}`)
  expect([status, data]).toEqual([200, plain])
})

test('values are bound, and no name of a client is in a statement', async () => {
  statements.length = 0
  const nasty = encodeURIComponent(`x' or 1=1 -- "password`)
  for (const name of ['text', 'search', 'ordering', 'password', nasty])
    expect((await get(`/notes/?${name}=${nasty}`)).status).toBe(200)
  expect(statements.filter((sql) => sql.includes('password') || sql.includes('or 1=1'))).toEqual([])
})
