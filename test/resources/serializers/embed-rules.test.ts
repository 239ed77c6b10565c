// What is refused about embedded rows, and where else than in lists they are shown.
import type { Generated } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  HTMLRenderer,
  JSONRenderer,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  many,
  omit,
  partial,
  reply,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { sqlTable } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { DATABASES } from '../../behaviour/databases.ts'

interface Tables {
  doctor: { id: Generated<number>; clinic: number; name: string }
  visit: { id: Generated<number>; clinic: number; doctor: number | null; title: string }
  note: { id: Generated<number>; visit: number; text: string }
}
const database = await DATABASES[0]![1]()
const run = (sql: string) => database.write({ sql, parameters: [] })
await run(
  'create table doctor (id integer primary key, clinic integer not null, name text not null)',
)
await run(
  'create table visit (id integer primary key, clinic integer not null, doctor integer, title text not null)',
)
await run('create table note (id integer primary key, visit integer not null, text text not null)')
await run(`insert into doctor values (1, 1, 'Lee'), (2, 2, 'Amar')`)
await run(`insert into visit values (1, 1, 1, 'Flu'), (2, 1, 2, 'Torn'), (3, 1, null, 'None')`)
await run(`insert into note values (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c')`)

const db = database.kysely<Tables>()
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'id' })

const id = field.integer({ readOnly: true })
const doctor = serializer({ id, name: field.text() })
const note = serializer({ text: field.text() })
const visit = serializer({
  id,
  title: field.text(),
  clinic: field.integer({ required: false }),
  doctorId: field.related(doctors, { source: 'doctor', nullable: true }),
  doctor: field.embed(doctors, doctor, { nullable: true, until: 'v2' }),
  physician: field.embed(doctors, doctor, { nullable: true, source: 'doctor', since: 'v2' }),
  notes: field.embedMany({ store: notes, by: 'visit', scope: null }, note),
})
const urls = defineUrls({
  ...resourceUrls('visit', '/:version<v1|v2>/visits/', ':id<int>'),
  'visit-again': '/:version<v1|v2>/visits/:id<int>/again/',
  'visit-alone': '/:version<v1|v2>/visits/:id<int>/alone/',
})
const log: object[] = []
const api = defineApi({
  urls,
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  logger: {
    error: (record: object) => void log.push(record),
    warn: (record: object) => void log.push(record),
  },
})
const show = serializer({
  ...omit(visit, ['doctor', 'physician']).fields,
  doctor: field.embed(doctors, doctor),
})
const app = api.serve(
  resource(api, 'visit', {
    store: visits,
    scope: () => ({ clinic: 1 }),
    serializer: visit,
    actions: {
      again: {
        detail: true,
        get: async (request, row) => (await show.representAll([row as never], request))[0],
      },
      alone: { detail: true, get: (request, row) => reply(visit.represent(row, request)) },
    },
  }),
  { configuration: configurationOf() },
)
const seen = client(app).expectContract()

describe('a visit with its doctor and notes', () => {
  const lee = { id: 1, name: 'Lee' }
  const first = {
    id: 1,
    title: 'Flu',
    clinic: 1,
    doctorId: 1,
    notes: [{ text: 'a' }, { text: 'b' }],
  }

  test.each([
    ['v1', { ...first, doctor: lee }],
    ['v2', { ...first, physician: lee }],
  ])('is shown in %s by the name that the field has there', async (version, expected) => {
    expect((await seen.get(`/${version}/visits/1/`)).data).toEqual(expected)
    expect((await seen.get(`/${version}/visits/`)).data).toMatchObject([
      expected,
      { id: 2, notes: [{ text: 'c' }] },
      { id: 3, notes: [] },
    ])
  })

  test('has what the answers to writing show, and takes nothing for what is embedded', async () => {
    const json = { title: 'New', doctorId: 1, physician: { id: 9, name: 'Eve' }, notes: [] }
    const made = await seen.post('/v2/visits/', { json })
    const key = (made.data as { id: number }).id
    expect(made.data).toEqual({
      id: key,
      title: 'New',
      clinic: 1,
      doctorId: 1,
      physician: lee,
      notes: [],
    })
    const changed = await seen.patch(`/v2/visits/${key}/`, {
      json: { doctorId: null, physician: lee },
    })
    expect(changed.data).toMatchObject({ doctorId: null, physician: null })
    const whole = await seen.put(`/v2/visits/${key}/`, { json: { ...json, title: 'Old' } })
    expect(whole.data).toMatchObject({ title: 'Old', physician: lee })
    await seen.delete(`/v2/visits/${key}/`)
  })

  test('does not show a doctor of another clinic, whoever wrote the key', async () => {
    const { data } = await seen.get('/v2/visits/2/')
    expect(data).toMatchObject({ doctorId: 2, physician: null })
    log.length = 0
    expect((await client(app).get('/v2/visits/2/again/')).data).toMatchObject({ doctor: null })
    expect(log).toMatchObject([
      { event: 'value.unshowable', field: 'doctor', endpoint: 'visit-again' },
    ])
  })

  test('is not shown by represent() alone, which says what to use instead', async () => {
    log.length = 0
    expect((await client(app).get('/v2/visits/1/alone/')).status).toBe(500)
    expect(JSON.stringify(log)).toContain('Use await representAll([row], request).')
  })

  test('is in OPTIONS read-only, with its members, and in forms not at all', async () => {
    const { data } = await client(app).request('OPTIONS', '/v2/visits/1/')
    expect(data).toMatchObject({
      actions: {
        PUT: {
          physician: {
            type: 'nested object',
            read_only: true,
            children: { name: { type: 'string' } },
          },
          notes: {
            type: 'list',
            read_only: true,
            child: { children: { text: { type: 'string' } } },
          },
        },
      },
    })
    const page = await client(app).get('/v2/visits/1/', { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Lee')
    expect(page.text).toContain('name="doctorId"')
    expect(page.text).not.toContain('name="physician"')
    expect(page.text).not.toContain('name="notes"')
  })

  test('is an object and a list of at most so many in documents', () => {
    const { components } = openApiDocument(app, { version: 'v2' }) as never as {
      components: { schemas: Record<string, { properties?: Record<string, object> }> }
    }
    const shown = Object.values(components.schemas).find(
      ({ properties = {} }) => 'notes' in properties,
    )
    expect(shown!.properties).toMatchObject({
      notes: { type: 'array', maxItems: 100, items: { $ref: expect.anything() }, readOnly: true },
      physician: { readOnly: true },
    })
  })
})

const serve = (shown: object, options: object = {}): unknown => {
  const own = defineApi({ urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')) })
  const given = { store: visits, serializer: shown, only: ['list', 'retrieve'], ...options }
  const endpoints = resource(own, 'visit', given as never) as unknown as never[]
  return own.serve(endpoints as never, { configuration: configurationOf() })
}
const nest = (levels: number): ReturnType<typeof serializer> =>
  levels === 0
    ? (doctor as never)
    : (serializer({ id, boss: field.embed(doctors, nest(levels - 1) as never) as never }) as never)
const manyOf = (inner: object, limit?: number) =>
  field.embedMany({ store: notes, by: 'visit', ...(limit && { limit }) }, inner as never) as never
const without = { key: 'id', manyByKey: () => [], find: () => null }

test.each([
  [
    'five levels',
    nest(5),
    {},
    /^GET of endpoint visit-list: The field "boss\.boss\.boss\.boss\.boss" embeds rows 5 levels deep, and 4 are the most/,
  ],
  [
    'lists in lists without limits',
    serializer({ id, notes: manyOf(serializer({ id, notes: manyOf(note) })) }),
    {},
    /The field "notes\.notes" would embed up to 10000 rows in one, and 1000/,
  ],
  [
    'a store without manyByKey',
    serializer({
      boss: field.embed(
        { store: { key: 'id', find: () => null } as never },
        doctor as never,
      ) as never,
    }),
    {},
    /The field "boss" has a store without manyByKey/,
  ],
  [
    'a store without within in a scope',
    serializer({
      boss: field.embed(without as never, doctor as never, { source: 'doctor' }) as never,
    }),
    { scope: () => ({ clinic: 1 }) },
    /The field "boss" has a store without within\(values\).*scope: null/,
  ],
  [
    'a nested one that embeds',
    serializer({
      doctor: field.nested(serializer({ notes: manyOf(note) }), { readOnly: true }) as never,
    }),
    {},
    /The field "doctor" nests a serializer that embeds rows/,
  ],
])('%s are refused when the service starts', (_, shown, options, expected) => {
  expect(() => serve(shown, options)).toThrow(expected)
})

test.each([
  ['four levels', nest(4), {}],
  [
    'lists in lists with limits',
    serializer({ id, notes: manyOf(serializer({ id, notes: manyOf(note, 10) }), 100) }),
    {},
  ],
  [
    'a store without within, open to every tenant',
    serializer({
      boss: field.embed({ store: without, scope: null }, doctor as never, {
        source: 'doctor',
      }) as never,
    }),
    { scope: () => ({ clinic: 1 }) },
  ],
])('%s are served', (_, shown, options) => {
  expect(() => serve(shown, options)).not.toThrow()
})

test.each([
  ['an item of a list', () => field.list(field.embed(doctors, doctor)), /use field\.embedMany/],
  [
    'a limit of no rows',
    () => field.embedMany({ store: notes, by: 'visit', limit: 0 }, note),
    /limit 0/,
  ],
  [
    'many() of it',
    () => many(visit),
    /many\(\) shows rows by themselves.*many\(omit\(…, \["doctor/,
  ],
])('%s is refused where it is declared', (_, declare, expected) => {
  expect(declare).toThrow(expected)
})

test('rows that are shown within a scope elsewhere are not embedded without one', () => {
  const own = defineApi({
    urls: defineUrls({
      ...resourceUrls('doctor', '/doctors/', ':id<int>'),
      ...resourceUrls('visit', '/visits/', ':id<int>'),
      'visit-own': '/own/',
    }),
  })
  const within = { scope: () => ({ clinic: 1 }) }
  const one = serializer({ id, doctor: field.embed(doctors, doctor, { nullable: true }) })
  const scoped = resource(own, 'doctor', {
    store: doctors,
    ...within,
    serializer: doctor,
    only: ['list', 'retrieve'],
  })
  const configuration = configurationOf()
  const start = (...endpoints: readonly object[]) =>
    own.serve(endpoints as never, { configuration })
  const whole = resource(own, 'visit', {
    store: visits,
    serializer: one,
    only: ['list', 'retrieve'],
  })
  const tenant = resource(own, 'visit', {
    store: visits,
    ...within,
    serializer: one,
    only: ['list', 'retrieve'],
  })
  const alone = own.endpoint('visit-own').get(list({ source: visits.source, serializer: one }))
  const open = serializer({
    id,
    doctor: field.embed({ store: doctors, scope: null }, doctor, { nullable: true }),
  })
  const free = own.endpoint('visit-own').get(list({ source: visits.source, serializer: open }))
  const refusal =
    /^GET of endpoint visit-(?:list|own): "doctor" leads to rows that GET of endpoint doctor-(?:list|detail) shows within a scope/
  expect(() => start(...scoped, ...whole, alone)).toThrow(refusal)
  expect(() => start(...scoped, ...tenant, alone)).toThrow(/visit-own: "doctor" leads/)
  expect(() => start(...scoped, ...tenant, free)).not.toThrow()
})

test('a copy with another represent() shows rows by it, and partial() embeds as before', async () => {
  const copy = { ...show, represent: ({ id: key }: { id: number }) => ({ key }) }
  const request = { endpointName: 'x', settings: {}, version: null } as unknown as ApiRequest
  expect(await copy.representAll([{ id: 7 } as never], request)).toEqual([{ key: 7 }])
  const row = { id: 1, title: 'Flu', clinic: 1, doctor: 1 }
  expect(await partial(show).representAll([row as never], request)).toMatchObject([
    { doctor: { id: 1, name: 'Lee' } },
  ])
})

test('embedded rows that come as a table are shown from it: no object is made of any', async () => {
  const table = {
    columns: ['visit', 'text'],
    values: [
      [1, 'a'],
      [3, 'b'],
      [1, 'c'],
    ],
  } as const
  const noted = {
    key: 'id',
    manyByKey: () => ({
      table,
      get rows(): never {
        throw new Error('Rows were made of the table.')
      },
    }),
  }
  const shown = serializer({
    id,
    notes: field.embedMany({ store: noted as unknown as typeof notes, by: 'visit' }, note),
  })
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }]
  const request = { settings: {}, version: null } as ApiRequest
  expect(await shown.representAll(rows, request)).toEqual([
    { id: 1, notes: [{ text: 'a' }, { text: 'c' }] },
    { id: 2, notes: [] },
    { id: 3, notes: [{ text: 'b' }] },
  ])
})
