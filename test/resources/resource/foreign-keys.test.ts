import { beforeEach, describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { client } from '../../../src/testing.ts'
import { DATABASES } from '../../behaviour/databases.ts'
import {
  CursorPagination,
  OrderingFilter,
  QueryParameterVersioning,
  byVersion,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import { type Asking, appOf, asking, openClinics } from './clinic.ts'

const MISSING = ['There is no such object.']
const OTHER = ['This object belongs to another part of the data.']
const ada = asking(1)
const [both, all] = [asking([1, 2]), asking(null)]

const opened = await Promise.all(
  DATABASES.map(async ([on, open]) => {
    const clinics = await openClinics(await open())
    return { on, clinics, app: appOf(clinics), seen: client(appOf(clinics)) }
  }),
)

describe.each(opened)('foreign keys on $on', ({ clinics, seen: { post, patch, put, get } }) => {
  beforeEach(() => clinics.reset())

  const create = async (as: Asking, json: object) => {
    const { status, data } = await post('/visits/', { as, json: { title: 'Check', ...json } })
    return status === 201 ? (data as { id: number; clinic: number }) : data
  }

  test.each([
    ['of the same tenant', ada, { patient: 1, doctor: 2 }, { clinic: 1 }],
    ['of another tenant', ada, { patient: 3 }, { patient: MISSING }],
    ['of one that there is not', ada, { patient: 77 }, { patient: MISSING }],
    ['whose column has another name', ada, { patient: 1, doctor: 4 }, { doctor: MISSING }],
    ['which all tenants share', ada, { patient: 1, country: 1 }, { country: 1 }],
    ['of one of several tenants', both, { patient: 3, doctor: 3 }, { clinic: 2 }],
    ['of a third one', both, { patient: 5 }, { patient: MISSING }],
    ['of two of them', both, { patient: 1, doctor: 3 }, { doctor: OTHER }],
    ['of an administrator, of one', all, { patient: 5, doctor: 6 }, { clinic: 3 }],
    ['of an administrator, of two', all, { patient: 5, doctor: 1 }, { doctor: OTHER }],
    [
      'other than the row, of an administrator',
      all,
      { clinic: 2, patient: 5, doctor: 3 },
      { patient: OTHER },
    ],
    ['and none of it', all, { clinic: 2, patient: 3, doctor: null }, { clinic: 2, doctor: null }],
  ])('%s', async (_, as, json, expected) => {
    expect(await create(as, json)).toMatchObject(expected)
    expect(await clinics.torn()).toEqual([])
  })

  test('a change refers to rows of the tenant that the row has, whoever makes it', async () => {
    const { id } = (await create(ada, { patient: 1, doctor: 1 })) as { id: number }
    const change = async (as: Asking, json: object) => {
      const { status, data } = await patch(`/visits/${id}/`, { as, json })
      return status === 200 ? status : data
    }
    expect(await change(ada, { patient: 2 })).toBe(200)
    expect(await change(ada, { patient: 3 })).toEqual({ patient: MISSING })
    expect(await change(both, { patient: 3 })).toEqual({ patient: OTHER })
    expect(await change(all, { doctor: 5 })).toEqual({ doctor: OTHER })
    expect(await change(all, { doctor: null })).toBe(200)
    // The patient would stay behind.
    expect(await change(all, { clinic: 2 })).toEqual({ clinic: OTHER })
    expect(await change(both, { clinic: 2 })).toEqual({ clinic: OTHER })
    expect(await change(all, { clinic: 2, patient: 1 })).toEqual({
      patient: OTHER,
    })
    expect(await clinics.torn()).toEqual([])
    const whole = { title: 'Moved', clinic: 2, patient: 3, doctor: 4, country: null }
    expect((await put(`/visits/${id}/`, { as: all, json: whole })).data).toMatchObject(whole)
    expect(await clinics.torn()).toEqual([])
  })

  test('what actions parse is within the tenant too', async () => {
    const { id } = (await create(ada, { patient: 1 })) as { id: number }
    const again = async (as: Asking, json: object) =>
      post(`/visits/${id}/again/`, { as, json: { doctor: null, ...json } })
    expect((await again(ada, { patient: 2 })).status).toBe(200)
    expect((await again(ada, { patient: 4 })).data).toEqual({ patient: MISSING })
    expect((await again(all, { patient: 4 })).data).toEqual({ patient: OTHER })
  })

  test('of many rows at once, each for itself', async () => {
    const row = (json: object) => ({ title: 'Check', ...json })
    const load = async (as: Asking, ...json: object[]) =>
      (await post('/visits/import/', { as, json: json.map(row) })).data
    const [first, second] = [
      { clinic: 1, patient: 1, doctor: 1 },
      { clinic: 2, patient: 3, doctor: 4 },
    ]
    expect(await load(all, first, second)).toBe(2)
    expect(await load(all, first, { ...second, doctor: 2 })).toEqual({ 1: { doctor: OTHER } })
    expect(await load(ada, first, second)).toEqual({
      1: { patient: MISSING, doctor: MISSING },
    })
    expect(await clinics.torn()).toEqual([])
  })

  test('of a nested resource: they are of the tenant of the row above', async () => {
    const { id } = (await create(all, { patient: 3 })) as { id: number }
    const note = async (as: Asking, patient: number) => {
      const { status, data } = await post(`/visits/${id}/notes/`, {
        as,
        json: { text: 'Well', patient },
      })
      return status === 201 ? status : data
    }
    expect(await note(both, 4)).toBe(201)
    expect(await note(both, 1)).toEqual({ patient: MISSING })
    expect(await note(all, 1)).toEqual({ patient: MISSING })
    expect(await note(ada, 1)).toMatchObject({ detail: expect.stringContaining('') as string })
    expect((await get(`/visits/${id}/notes/`, { as: ada })).status).toBe(404)
    const unclear = { as: both, json: { text: 'Well', doctor: 1 } }
    expect((await post(`/visits/${id}/notes/`, unclear)).status).toBe(500)
    expect(await clinics.torn()).toEqual([])
  })

  test('no row ever refers across, whoever writes whatever', async () => {
    const key = fc.integer({ min: 1, max: 7 })
    const clinic = fc.integer({ min: 1, max: 4 })
    const who = fc.oneof(clinic, fc.uniqueArray(clinic, { maxLength: 3 }), fc.constant(null))
    const values = {
      patient: key,
      doctor: fc.option(key),
      clinic,
      title: fc.constantFrom('a', 'b'),
      country: fc.constantFrom(null, 1),
    }
    const step = fc.record({
      who,
      at: fc.integer({ min: 0, max: 4 }),
      how: fc.constantFrom('post', 'post', 'patch', 'put', 'again', 'note'),
      json: fc.record(values, { requiredKeys: ['title'] }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        await clinics.reset()
        const keys: number[] = []
        for (const { who: of, at, how, json } of steps) {
          const as = asking(of)
          const path = `/visits/${keys[at] ?? 0}/`
          const asks = {
            post: () => post('/visits/', { as, json }),
            patch: () => patch(path, { as, json }),
            put: () => put(path, { as, json }),
            again: () => post(`${path}again/`, { as, json }),
            note: () => post(`${path}notes/`, { as, json: { text: 'x', patient: json.patient } }),
          } as const
          const { status, data } = await asks[how]()
          expect([how, status < 500, data]).toEqual([how, true, data])
          if (how === 'post' && status === 201) keys.push((data as { id: number }).id)
        }
        expect(await clinics.torn()).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

const { clinics: kept } = opened[0]!

/** A resource of visits with one more field. */
function served(patient: unknown) {
  const api = defineApi({
    urls: defineUrls({
      ...resourceUrls('visit', '/visits/', ':id<int>'),
      ...resourceUrls('patient', '/patients/', ':id<int>'),
    }),
    logger: { error: (record) => void logged.push(record) },
  })
  const visits = resource(api, 'visit', {
    store: kept.visits,
    scope: ({ user }): { clinic?: number } => {
      const { clinics } = user as unknown as Asking
      return clinics === null ? {} : { clinic: clinics as number }
    },
    serializer: serializer({ title: field.text(), patient: patient as typeof PATIENT }),
    performCreate: (input, _request, store) => store.insert(input as never),
  })
  const patients = resource(api, 'patient', {
    store: kept.patients,
    serializer: serializer({ id: field.integer({ readOnly: true }) }),
    only: ['list', 'retrieve'],
  })
  return api.serve([...visits, ...patients], { configuration: configurationOf() })
}
const PATIENT = field.integer()
const logged: Readonly<Record<string, unknown>>[] = []

describe('relations that could leave the tenant', () => {
  const bare = { key: 'id', find: (key: number) => kept.patients.find(key) }

  test.each([
    ['a link that is not looked up', field.hyperlink('patient-detail'), 'look its rows up'],
    ['a store that cannot be narrowed', field.related(bare), 'a store without within'],
    ['in a list', field.list(field.hyperlink('patient-detail')), 'look its rows up'],
  ])('%s: refuses to start', (_, given, problem) => {
    expect(() => served(given)).toThrow(
      new RegExp(`^POST of endpoint visit-list: The field "patient" .*${problem}.*scope: null`),
    )
  })

  test.each([
    ['a link', field.hyperlink({ route: 'patient-detail', scope: null })],
    ['a store', field.related({ store: bare, scope: null })],
    ['a field that is only shown', field.hyperlink('patient-detail', { readOnly: true })],
  ])('%s that says so starts', (_, given) => {
    expect(() => served(given)).not.toThrow()
  })

  test('rows without the column: 500, and the log says what to do', async () => {
    await kept.reset()
    logged.length = 0
    const { post } = client(served(field.related({ find: (id) => ({ id }) })))
    const json = { title: 'Check', patient: 1 }
    expect((await post('/visits/', { as: asking(1), json })).status).toBe(500)
    expect(String(logged[0]!['error'])).toContain(
      'endpoint visit-list: the row at "patient" has no "clinic"',
    )
    expect(await kept.visits.source.count()).toBe(0)
  })

  test('a scope that restricts nothing, of a resource without tenant: 400 at the field', async () => {
    await kept.reset()
    logged.length = 0
    const { post } = client(served(field.related(kept.patients)))
    const json = { title: 'Check', patient: 1 }
    const refused = await post('/visits/', { as: asking(null), json })
    expect(refused.status).toBe(400)
    expect(refused.data).toEqual({
      patient: ['The scope of this request names no tenant, so no object can be referred to.'],
    })
    expect(logged).toEqual([])
    expect(await kept.visits.source.count()).toBe(0)
    const free = client(served(field.related({ store: kept.patients, scope: null })))
    expect((await free.post('/visits/', { as: asking(null), json })).status).not.toBe(400)
  })
})

describe.each(opened)('names of columns that there are not, on $on', ({ clinics, app }) => {
  const start = (spec: object, fields: object = {}, field_ = {}, settings = {}) => {
    const api = defineApi({
      ...settings,
      urls: defineUrls({
        'visit-list': '/visits/',
        'visit-detail': '/visits/:id<int>/',
        'note-list': '/visits/:visit<int>/notes/',
      }),
    })
    const declare = resource as unknown as (...all: unknown[]) => never[]
    const rows = { id: field.integer({ readOnly: true }), ...fields }
    const visits = declare(api, 'visit', {
      store: clinics.visits,
      serializer: serializer({ ...rows, ...field_ }),
      only: ['list', 'retrieve'],
      ...('by' in spec ? {} : spec),
    })
    const notes = declare(api, 'note', {
      store: clinics.notes,
      serializer: serializer(rows),
      parent: visits,
      by: 'visit',
      only: ['list'],
      ...('by' in spec && spec),
    })
    return api.serve([...visits, ...notes], { configuration: configurationOf() }).open()
  }

  const ordered = { ordering: ['doctor.name'], filters: [new OrderingFilter()] }
  const related = (scope = {}) => {
    const { database, doctors } = clinics
    const doctor = { store: doctors, source: 'doctor', columns: ['name'], scope }
    const db = database.kysely<never>()
    const given = { database, db, table: 'visit', key: 'id', relations: { doctor } }
    return { tenant: 'clinic', store: sqlTable(given as never) }
  }

  test.each<[title: string, problem: string, start: () => Promise<void>]>([
    [
      'a source',
      'endpoint visit-list: The field "name" of the serializer names the column "titel", which the table does not have. Did you mean "title"?',
      () => start({}, {}, { name: field.text({ source: 'titel' }) }),
    ],
    [
      'by',
      'endpoint note-list: "by" names the column "visti", which the table does not have. Did you mean "visit"?',
      () => start({ by: 'visti', parentParam: 'visit' }),
    ],
    ['tenant', '"tenant" names the column "clinc"', () => start({ tenant: 'clinc' })],
    [
      'the column of a relation',
      'endpoint visit-list: The scope of the field "doctor" names the column "clinic", which the table does not have. Say which it is (scope: { clinic: ',
      () => start({ tenant: 'clinic' }, {}, { doctor: field.related(clinics.doctors) }),
    ],
    [
      'the order of pages',
      'endpoint visit-list: "ordering" of CursorPagination names the column "created", which the table does not have.',
      () => start({ pagination: new CursorPagination({ pageSize: 2 }) }),
    ],
    [
      'the order of pages by the name of a field',
      'names the column "created", which the table does not have.',
      () => {
        const pagination = new CursorPagination({ pageSize: 2, ordering: ['title', 'created'] })
        return start({ pagination }, {}, { title: field.text({ source: 'id', readOnly: true }) })
      },
    ],
    [
      'the column of a relation that a list names',
      'endpoint visit-list: The scope of the relation "doctor" names the column "clinic", which the table does not have. Say which it is (scope: { clinic: ',
      () => start({ ...related(), ...ordered }),
    ],
  ])('%s: a server does not start', async (_, problem, starting) => {
    await expect(starting()).rejects.toThrow(problem)
  })

  test('what is right starts, and so does what is not known', async () => {
    await expect(app.open()).resolves.toBe(undefined)
    const { visits } = clinics
    const other = field.text({ source: 'titel' })
    await start({ store: visits.only((query) => query.orderBy('title')) }, {}, { other })
    await start({ store: () => visits }, {}, { other })
    await start({ pagination: new CursorPagination({ pageSize: 2, ordering: '-id' }) })
    await start({
      pagination: new CursorPagination({ pageSize: 2 }),
      only: ['create', 'retrieve'],
      performCreate: () => ({ id: 1 }),
    })
    await start(related())
    await start({ ...related({ clinic: 'clinic_id' }), ...ordered })
    await start({}, {}, { other: field.text({ source: 'titel', writeOnly: true }) })
    await start({}, {}, { other: field.text({ source: 'titel', default: 'none' }) })
    const made = serializer({ other })
    await start({ serializer: { ...made, represent: () => ({ other: 'x' }) } })
  })

  describe('or that nothing fills', () => {
    const visit = { title: field.text(), clinic: field.integer(), patient: field.integer() }
    const { clinic: _, ...others } = visit
    const newer = { ...visit, clinic: field.integer({ since: 'v2' }) }
    const older = field.integer({ source: 'clinic', until: 'v2' })
    const creating = (fields: object, spec: object = {}, settings: object = {}) =>
      start({ only: undefined, ...spec }, {}, fields, settings)
    const versioned = (spec: object, versions: object = {}) => {
      const versioning = new QueryParameterVersioning()
      const allowedVersions = ['v1', 'v2']
      return creating({}, spec, { versioning, allowedVersions, defaultVersion: 'v2', versions })
    }
    const own = (changed: object) => ({ serializer: { ...serializer(others), ...changed } })
    const PROBLEM =
      'endpoint visit-list: no field of the serializer fills the column "clinic", which is NOT NULL and has no default: each POST would fail. Add a field for it, fill it in performCreate, give the column a default, or leave out "create" with "only".'

    test.each<[title: string, fields: object, spec?: object]>([
      ['none', others],
      ['one that is only shown', { ...others, clinic: field.integer({ readOnly: true }) }],
      ['an action that does not create', others, { performUpdate: () => null }],
      ['a store of fewer rows', others, { store: clinics.visits.only((query) => query) }],
    ])('%s: a server does not start', async (_title, fields, spec) => {
      await expect(creating(fields, spec)).rejects.toThrow(PROBLEM)
    })

    test.each([
      ['by a field', serializer(newer)],
      ['by a choice', byVersion({ v1: serializer(others), v2: serializer(visit) })],
    ])('in one of two versions %s: neither', async (_title, declared) => {
      const problem = PROBLEM.replace('each POST', '$& of version "v1"')
      await expect(versioned({ serializer: declared })).rejects.toThrow(problem)
    })

    test.each([
      ['another field of that version', { ...newer, place: older }, {}],
      ['what is gone', newer, { v1: { gone: true, sunsetAt: '2020-01-01' } }],
    ])('in one of two versions, and %s: it does', async (_title, fields, versions) => {
      await expect(versioned({ serializer: serializer(fields) }, versions)).resolves.toBe(undefined)
    })

    test.each<[title: string, fields: object, spec?: object]>([
      ['a field', visit],
      ['one of another name', { ...others, place: field.integer({ source: 'clinic' }) }],
      ['one of some versions', newer],
      ['a hidden one', { ...others, clinic: field.hidden(() => 1) }],
      ['one that need not be sent', { ...others, clinic: field.integer({ required: false }) }],
      ['performCreate', others, { performCreate: () => ({ id: 1 }) }],
      ['a scope', others, { scope: () => ({ clinic: 1 }) }],
      ['tenants', others, { tenant: 'clinic' }],
      ['no POST', others, { only: ['list', 'retrieve'] }],
      ['a store of requests', others, { store: () => clinics.visits }],
      ['an insert of its own', others, { store: { ...clinics.visits, insert: () => ({}) } }],
      ['a parse of its own', {}, own({ parse: () => ({}) })],
      [
        'a validator, which may add to the input',
        {},
        { serializer: serializer(others, { validate: () => null }) },
      ],
      ['a choice by the request', {}, { serializer: () => serializer(others) }],
    ])('%s: it does', async (_title, fields, spec) => {
      await expect(creating(fields, spec)).resolves.toBe(undefined)
    })
  })
})
