// Keys in the rows of a list, and keys of other rows, lead to the pages of these rows.
import type { Generated } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  HTMLRenderer,
  JSONRenderer,
  PageNumberPagination,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { DATABASES } from '../../behaviour/databases.ts'

interface Tables {
  doctor: { id: Generated<number>; name: string }
  visit: { id: Generated<number>; doctor: number | null; reason: string }
  note: { id: Generated<number>; visit: number; doctor: number; text: string }
}
const database = await DATABASES[0]![1]()
for (const sql of [
  'create table doctor (id integer primary key, name text not null)',
  'create table visit (id integer primary key, doctor integer, reason text not null)',
  'create table note (id integer primary key, visit integer not null, doctor integer not null, text text not null)',
  "insert into doctor values (7, 'Lee')",
  "insert into visit values (1, 7, 'Flu'), (2, null, 'Cold')",
  "insert into note values (5, 1, 7, 'Rest')",
])
  await database.write({ sql, parameters: [] })

const db = database.kysely<Tables>()
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'id' })
const id = field.integer({ readOnly: true })
const doctor = serializer({ id, name: field.text() })
const visit = serializer({
  number: field.integer({ source: 'id', readOnly: true }),
  physician: field.related(doctors, { source: 'doctor', nullable: true, since: 'v2' }),
  doctor: field.related(doctors, { nullable: true, until: 'v2' }),
  notes: field.embedMany(
    { store: notes, by: 'visit', writable: true },
    serializer({ id, text: field.text(), doctor: field.related(doctors) }),
  ),
})
const note = serializer({
  id,
  visit: field.related(visits, { readOnly: true }),
  // the address of a note has its visit, which nobody says here
  other: field.related(notes, { source: 'visit', readOnly: true }),
  doctor: field.related(doctors),
})

const api = defineApi({
  urls: defineUrls({
    ...resourceUrls('visit', '/:version<v1|v2>/visits/', ':id<int>'),
    ...resourceUrls('doctor', '/:version<v1|v2>/doctors/', ':id<int>'),
    ...resourceUrls('note', '/:version<v1|v2>/visits/:visit<int>/notes/', ':id<int>'),
  }),
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  pagination: new PageNumberPagination({ pageSize: 10 }),
})
const parent = resource(api, 'visit', {
  store: visits,
  serializer: visit,
  performCreate: (_input, _request, store) => store.insert({ reason: '' }),
})
const app = api.serve(
  [
    ...parent,
    ...resource(api, 'doctor', { store: doctors, serializer: doctor }),
    ...resource(api, 'note', {
      store: notes,
      serializer: note,
      parent,
      by: 'visit',
      performCreate: (_input, _request, store) => store.insert({ text: '', doctor: 7 }),
    }),
  ],
  { configuration: configurationOf() },
)
const { request } = client(app)
const page = async (path: string) => {
  const { text } = await request('GET', path, { headers: { accept: 'text/html' } })
  return text
}
const linksIn = (html: string) =>
  [...html.matchAll(/<[iu]><a href="http:\/\/localhost([^"]*)">([^<]*)<\/a>/g)].map(
    ([, url, text]) => `${text} ${url}`,
  )

describe('a page leads', () => {
  test.each([
    [
      'from a list to its rows, and to the rows that they name',
      '/v2/visits/',
      ['1 /v2/visits/1/', '7 /v2/doctors/7/', '2 /v2/visits/2/'],
    ],
    [
      'by the names of its version',
      '/v1/visits/',
      ['1 /v1/visits/1/', '7 /v1/doctors/7/', '2 /v1/visits/2/'],
    ],
    ['from a row to those that it names', '/v2/visits/1/', ['7 /v2/doctors/7/']],
    [
      'below a parent, within it',
      '/v2/visits/1/notes/',
      ['5 /v2/visits/1/notes/5/', '1 /v2/visits/1/', '7 /v2/doctors/7/'],
    ],
    ['from a row of a parent', '/v2/visits/1/notes/5/', ['1 /v2/visits/1/', '7 /v2/doctors/7/']],
  ])('%s', async (_what, path, links) => {
    expect(linksIn(await page(path))).toEqual(links)
  })

  test('and a comparison of two versions has no links, which would differ', async () => {
    expect(linksIn(await page('/v2/visits/1/?_view=compare-v1'))).toEqual([])
  })

  test('and the data to change has the rows that are written with it', async () => {
    const html = await page('/v2/visits/1/')
    expect(html).toMatch(
      /&quot;notes&quot;: \[\s*\{\s*&quot;id&quot;: 5|"notes": \[\s*\{\s*"id": 5/,
    )
  })
})
