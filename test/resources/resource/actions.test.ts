// Actions that say what they read and show, in a clinic: visits belong to clinics, and their doctors too.
import { Validator } from '@seriousme/openapi-schema-validator'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Generated } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  Conflict,
  action,
  byVersion,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  destroy,
  field,
  list,
  partialUpdate,
  resource,
  resourceUrls,
  retrieve,
  serializer,
  update,
} from '../../../src/index.ts'
import { breakingIn, changesOf } from '../../../src/addons/gate/contract.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { sqlTable } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'
import { contractsOf } from '../../../src/tools/cli/contract-commands.ts'

interface Tables {
  doctor: { id: Generated<number>; clinic: number; name: string }
  visit: {
    id: Generated<number>
    clinic: number
    doctor: number
    reason: string | null
    state: Generated<string>
  }
}
interface Member {
  /** `null`: those of all clinics. */
  readonly clinic: number | null
  readonly role: 'doctor' | 'clerk'
}
const ada: Member = { clinic: 1, role: 'doctor' }
const bob: Member = { clinic: 1, role: 'clerk' }
const root: Member = { clinic: null, role: 'doctor' }
const eve: Member = { clinic: 2, role: 'doctor' }

const database = openSqlite({ path: join(mkdtempSync(join(tmpdir(), 'colophon-')), 'a.sqlite') })
const run = (sql: string) => database.write({ sql, parameters: [] })
await run('create table doctor (id integer primary key, clinic integer not null, name text)')
await run(`create table visit (id integer primary key, clinic integer not null,
  doctor integer not null references doctor, reason text, state text not null default 'open')`)
beforeEach(async () => {
  await run('delete from visit')
  await run('delete from doctor')
  await run(`insert into doctor values (1, 1, 'Grey'), (2, 2, 'House'), (3, 1, 'Who')`)
  await run(`insert into visit values (1, 1, 1, null, 'open'), (2, 2, 2, null, 'open'),
    (3, 1, 1, 'Locked', 'open')`)
})

const db = database.kysely<Tables>()
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })

const urls = defineUrls({
  ...resourceUrls('visit', '/visits/', ':id<int>'),
  'visit-cancel': '/visits/:id<int>/cancel/',
  'visit-assign': '/visits/:id<int>/assign/',
  'visit-walk-in': '/visits/walk-in/',
  'visit-old': '/visits/:id<int>/old/',
  quote: '/quote/',
})
const visit = serializer({
  id: field.integer({ readOnly: true }),
  doctor: field.related(doctors),
  reason: field.text({ nullable: true }),
  state: field.text({ readOnly: true }),
})
const cancellation = {
  reason: field.text({ maxLength: 10 }),
  remark: field.text({ required: false, since: 'v2' }),
}
const isDoctor = {
  message: 'Only doctors may do this.',
  hasPermission: ({ user }: { user: unknown }) => (user as Member).role === 'doctor',
  hasObjectPermission: (_request: unknown, { reason }: { reason: string | null }) =>
    reason !== 'Locked',
}
const clinicOf = ({ user }: { user: unknown }): { clinic?: number } => {
  const { clinic } = user as Member
  return clinic === null ? {} : { clinic }
}

/** What was read, in turn. */
const read: unknown[] = []
beforeEach(() => void (read.length = 0))

function served(fields: object = cancellation) {
  const api = defineApi({
    urls,
    versioning: new AcceptHeaderVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
  })
  const reads = serializer(fields as typeof cancellation, { name: 'Cancellation' })
  const whole = resource(api, 'visit', {
    store: visits,
    scope: clinicOf,
    tenant: 'clinic',
    only: ['list', 'retrieve', 'update', 'partialUpdate', 'destroy'],
    serializer: visit,
    actions: {
      cancel: {
        detail: true,
        post: {
          input: reads,
          output: visit,
          permissions: [isDoctor],
          perform: ({ input, row, store }) => {
            read.push(input)
            return store.update(row.id, { reason: input.reason, state: 'cancelled' }, row)
          },
        },
        put: { output: visit, status: 202, perform: () => null },
        delete: {
          perform: async ({ row, store, input }) => {
            read.push(input)
            await store.update(row.id, { state: 'open' })
          },
        },
      },
      assign: {
        detail: true,
        post: {
          input: serializer({ doctor: field.related(doctors) }),
          output: visit,
          perform: ({ input, row, store }) => store.update(row.id, input, row),
        },
      },
      'walk-in': {
        detail: false,
        post: {
          input: visit,
          output: visit,
          status: 201,
          // The clinic is filled in: that of the request, or of the doctor.
          perform: ({ input, store }) => store.insert({ ...input, state: 'here' } as never),
        },
        put: { perform: () => Promise.reject(new Conflict()) },
        // A careless one: the key is what was sent.
        delete: { perform: ({ store, request }) => store.remove(Number(request.query.get('key'))) },
      },
      old: { detail: true, post: (_request, row) => row.state },
    },
  })
  const basket = serializer({ count: field.integer({ min: 1 }) })
  const both = byVersion({ v1: basket, v2: basket })
  const price = serializer({ total: field.integer() })
  const quote = api.endpoint('quote').post(
    action({
      input: both,
      output: price,
      perform: ({ input, request }) => ({ total: input.count * (request.user ? 2 : 1) }),
    }),
  )
  return api.serve([...whole, quote], {
    configuration: configurationOf({ SECRET_KEY: 'x'.repeat(50) }),
  })
}
const app = served()
const { post, put, delete: remove, get, options } = client(app)
const v2 = { accept: 'application/json; version=v2' }

describe('an action of a row', () => {
  test('reads and checks its body, and shows what it gives', async () => {
    const { status, data } = await post('/visits/1/cancel/', { as: ada, json: { reason: 'Ill' } })
    expect([status, data]).toEqual([200, { id: 1, doctor: 1, reason: 'Ill', state: 'cancelled' }])
    expect(read).toEqual([{ reason: 'Ill' }])
  })

  test.each([
    ['nothing', {}, 'required'],
    ['too much', { reason: 'x'.repeat(11) }, 'max_length'],
    ['of another kind', { reason: [] }, 'invalid'],
  ])('says what is wrong with it: %s', async (_name, json, code) => {
    const wrong = await post('/visits/1/cancel/', {
      as: ada,
      json,
      headers: { accept: 'application/problem+json, application/json' },
    })
    expect(wrong.status).toBe(400)
    expect(wrong.data).toMatchObject({ errors: { reason: [{ code }] } })
    expect(read).toEqual([])
  })

  test('asks its own permissions beside the others, about the request and about the row', async () => {
    const json = { reason: 'Ill' }
    expect((await post('/visits/1/cancel/', { as: bob, json })).status).toBe(403)
    expect((await post('/visits/3/cancel/', { as: ada, json })).status).toBe(403)
    // those of another verb are not asked
    expect((await remove('/visits/3/cancel/', { as: bob })).status).toBe(204)
    expect(read).toEqual([undefined])
  })

  test('is within the scope', async () => {
    const json = { reason: 'Ill' }
    expect((await post('/visits/2/cancel/', { as: ada, json })).status).toBe(404)
    expect((await post('/visits/2/cancel/', { as: eve, json })).status).toBe(200)
  })

  test('refers to no row of another tenant', async () => {
    const foreign = await post('/visits/1/assign/', { as: ada, json: { doctor: 2 } })
    expect([foreign.status, Object.keys(foreign.data as object)]).toEqual([400, ['doctor']])
    const own = await post('/visits/1/assign/', { as: ada, json: { doctor: 3 } })
    expect(own.data).toMatchObject({ id: 1, doctor: 3 })
  })

  test('without an output has no body, and a row that is gone is 404', async () => {
    const { status, text } = await remove('/visits/1/cancel/', { as: ada })
    expect([status, text]).toEqual([204, ''])
    expect((await put('/visits/1/cancel/', { as: ada })).status).toBe(404)
  })

  test('reads the fields of the version', async () => {
    const json = { reason: 'Ill', remark: 'Soon.' }
    await post('/visits/1/cancel/', { as: ada, json })
    await post('/visits/1/cancel/', { as: ada, json, headers: v2 })
    expect(read).toEqual([{ reason: 'Ill' }, json])
  })
})

describe('an action of the list', () => {
  test('has the status that it names, and the store of the request', async () => {
    const made = await post('/visits/walk-in/', { as: ada, json: { doctor: 1, reason: null } })
    expect([made.status, made.data]).toEqual([
      201,
      { id: 4, doctor: 1, reason: null, state: 'here' },
    ])
    const foreign = await post('/visits/walk-in/', { as: ada, json: { doctor: 2, reason: null } })
    expect(foreign.status).toBe(400)
  })

  test('writes nothing outside of the scope', async () => {
    await remove('/visits/walk-in/?key=2', { as: ada })
    expect(await visits.find(2)).not.toBeNull()
    await remove('/visits/walk-in/?key=1', { as: ada })
    expect(await visits.find(1)).toBeNull()
  })

  test('of one who may write everywhere, belongs where what it refers to does', async () => {
    const json = { doctor: 2, reason: null }
    expect((await post('/visits/walk-in/', { as: root, json })).status).toBe(201)
    expect(await visits.find(4)).toMatchObject({ clinic: 2 })
  })

  test('may refuse', async () => {
    expect((await put('/visits/walk-in/', { as: ada })).status).toBe(409)
  })
})

test('an endpoint of its own may declare one', async () => {
  const { status, data } = await post('/quote/', { as: ada, json: { count: 3 } })
  expect([status, data]).toEqual([200, { total: 6 }])
  const wrong = await post('/quote/', { as: ada, json: { count: 0 } })
  expect([wrong.status, Object.keys(wrong.data as object)]).toEqual([400, ['count']])
})

interface Operation {
  readonly requestBody?: { readonly content: object }
  readonly responses: Readonly<Record<string, object>>
}
const operationOf = (version: string, path: string, verb: string) => {
  const { paths } = openApiDocument(app, { version })
  return (paths as Record<string, Record<string, Operation>>)[path]![verb]!
}

describe('documents', () => {
  test('are valid, and know what is read and answered', async () => {
    for (const version of ['v1', 'v2']) {
      const document = openApiDocument(app, { version })
      const { valid, errors } = await new Validator().validate({ ...document })
      expect([valid, errors]).toEqual([true, undefined])
    }
    const cancel = operationOf('v1', '/visits/{id}/cancel/', 'post')
    const text = JSON.stringify(cancel.requestBody)
    expect(text).toContain('#/components/schemas/')
    expect(JSON.stringify(cancel.responses['200'])).toContain('#/components/schemas/')
    expect(Object.keys(cancel.responses)).toEqual(
      expect.arrayContaining(['200', '400', '403', '404', '409']),
    )
    expect(cancel.responses).not.toHaveProperty('2XX')
    const undo = operationOf('v1', '/visits/{id}/cancel/', 'delete')
    expect(undo).not.toHaveProperty('requestBody')
    expect(undo.responses['204']).not.toHaveProperty('content')
    expect(operationOf('v1', '/visits/walk-in/', 'post').responses).toHaveProperty('201')
    // a function says nothing of itself
    expect(operationOf('v1', '/visits/{id}/old/', 'post').responses).toHaveProperty('2XX')
  })

  test('know the fields of each version', () => {
    const fieldsIn = (version: string) => {
      const { components } = openApiDocument(app, { version })
      const { schemas } = components as { schemas: Record<string, { properties?: object }> }
      return Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
        name === 'CancellationWrite' ? Object.keys(properties) : [],
      )
    }
    expect(fieldsIn('v1')).toEqual(['reason'])
    expect(fieldsIn('v2')).toEqual(['reason', 'remark'])
  })

  test('show the gate what has changed', async () => {
    const changed = async (fields: object) => {
      const [before, after] = await Promise.all([app, served(fields)].map(contractsOf))
      const changes = changesOf(before!, after!, new Date())
      return changes.flatMap((each) => breakingIn(each).map(({ code }) => code))
    }
    expect(await changed(cancellation)).toEqual([])
    expect(await changed({ ...cancellation, reason: field.text({ maxLength: 5 }) })).toEqual([
      'request-max-length-lowered',
      'request-max-length-lowered',
    ])
  })
})

describe('errors that an action names', () => {
  const price = serializer({ total: field.integer() })
  const servedWith = (verb: 'get' | 'post' | 'delete', spec: object) => {
    const api = defineApi({ urls: defineUrls({ quote: '/quote/' }) })
    const behaviour = action(spec as { perform: () => unknown }) as never
    const endpoint = api.endpoint('quote')[verb](behaviour)
    return api.serve([endpoint], { configuration: configurationOf() })
  }
  const sold = () => Promise.reject(new Conflict('All are sold.', 'sold'))

  test('are in the document beside those that follow, and answers with them fit it', async () => {
    const errors = { 409: ['sold', 'closed'], 423: ['locked'] }
    const own = servedWith('post', { input: price, output: price, errors, perform: sold })
    const { paths, components } = openApiDocument(own, { version: null })
    const { responses } = (paths as Record<string, Record<string, Operation>>)['/quote/']!['post']!
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '404', '409', '415', '423']),
    )
    expect(JSON.stringify(components)).toContain('"enum":["closed","conflict","sold"]')
    const held = client(own).expectContract()
    const problem = { accept: 'application/problem+json, application/json' }
    const refused = await held.post('/quote/', { json: { total: 1 }, headers: problem })
    expect([refused.status, refused.data]).toMatchObject([409, { code: 'sold' }])
    const unnamed = client(servedWith('post', { input: price, output: price, perform: sold }))
    await expect(
      unnamed.expectContract().post('/quote/', { json: { total: 1 }, headers: problem }),
    ).rejects.toThrow(/sold/)
  })

  test.each([
    ['get', { input: price }, /GET of endpoint quote: "input" reads a body/],
    ['delete', { input: price }, /DELETE of endpoint quote: "input" reads a body/],
    ['post', { errors: { 200: ['done'] } }, /"errors" must be lists of codes by status.*200/],
    ['post', { errors: { 409: [] } }, /has 409: \[\]/],
    ['post', { errors: { 409: [''] } }, /has 409/],
    ['post', { errors: { conflict: ['sold'] } }, /has NaN/],
    ['post', { errors: null as never }, /endpoint quote: "errors" is null/],
  ] as const)('refuse to start where they cannot be: %s %j', (verb, spec, sentence) => {
    expect(() => servedWith(verb, { ...spec, perform: sold })).toThrow(sentence)
  })

  const billed = () => Promise.reject(new Conflict('It is billed.', 'billed'))
  const one = { find: () => ({ total: 1 }), serializer: price }
  const STANDARD = {
    list: ['get', list, { source: billed, serializer: price }],
    create: ['post', create, { serializer: price, save: billed }],
    retrieve: ['get', retrieve, { ...one, find: billed }],
    update: ['put', update, { ...one, save: billed }],
    partialUpdate: ['patch', partialUpdate, { ...one, save: billed }],
    destroy: ['delete', destroy, { find: () => ({}), remove: billed }],
  } as const

  test.each(Object.entries(STANDARD))('%s names its own', async (_, [verb, make, spec]) => {
    const serve = (errors?: object) => {
      const api = defineApi({ urls: defineUrls({ quote: '/quote/' }) })
      const behaviour = (make as (spec: never) => unknown)({
        ...spec,
        ...(errors && { errors }),
      } as never)
      const endpoint = api.endpoint('quote')[verb](behaviour as never)
      return client(api.serve([endpoint], { configuration: configurationOf() })).expectContract()
    }
    const asked = {
      ...(verb.startsWith('p') && { json: { total: 1 } }),
      headers: { accept: 'application/problem+json, application/json' },
    }
    const refused = await serve({ 409: ['billed'] })[verb]('/quote/', asked)
    expect([refused.status, refused.data]).toMatchObject([409, { code: 'billed' }])
    await expect(serve()[verb]('/quote/', asked)).rejects.toThrow(/409|billed/)
    expect(() => serve({ 200: ['done'] })).toThrow(/"errors" must be lists of codes by status/)
  })

  test('stand in a resource by action', async () => {
    const serve = (errors: object) => {
      const api = defineApi({ urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')) })
      const spec = { store: visits, serializer: visit, performDestroy: billed, errors }
      const made = resource(api, 'visit', spec as never)
      return client(api.serve([...made], { configuration: configurationOf() })).expectContract()
    }
    const { status } = await serve({ destroy: { 409: ['billed'] } }).delete('/visits/1/')
    expect(status).toBe(409)
    const problem = { headers: { accept: 'application/problem+json, application/json' } }
    await expect(serve({}).delete('/visits/1/', problem)).rejects.toThrow(/billed/)
    expect(() => serve({ delete: { 409: ['billed'] } })).toThrow(
      `The resource visit: "errors" must have codes by action and status ("delete"), such as { destroy: { 409: ['billed'] } }. Actions are list,`,
    )
    expect(() => serve({ destroy: { 409: [] } })).toThrow(
      /DELETE of endpoint visit-detail: "errors"/,
    )
    expect(() => serve([])).toThrow(/"errors" must have codes/)
  })

  test('a body is refused for the verbs of a resource, too', () => {
    const api = defineApi({ urls: defineUrls({ 'visit-cancel': '/visits/:id<int>/cancel/' }) })
    const actions = {
      cancel: { detail: true, delete: { input: price, perform: () => null } },
    } as object
    const wrong = resource(
      api,
      'visit' as never,
      {
        store: visits,
        serializer: visit,
        only: [],
        actions,
      } as never,
    )
    expect(() => api.serve(wrong as never, { configuration: configurationOf() })).toThrow(
      /DELETE of endpoint visit-cancel: "input" reads a body/,
    )
  })
})

describe('forms', () => {
  test('OPTIONS tells the fields to those who may send them', async () => {
    const shown = await options('/visits/1/cancel/', { as: ada })
    expect(shown.data).toMatchObject({ actions: { POST: { reason: { max_length: 10 } } } })
    const hidden = await options('/visits/1/cancel/', { as: bob })
    expect(hidden.data).not.toHaveProperty('actions.POST')
  })

  test('a page has a form with the fields', async () => {
    const page = (path: string, as: Member) =>
      get(path, { as, headers: { accept: 'text/html' } }).then(({ text }) => text)
    expect(await page('/visits/1/cancel/', ada)).toMatch(/<input[^>]*name="reason"/)
    expect(await page('/visits/1/cancel/', bob)).not.toMatch(/name="reason"/)
    // a function has raw data alone
    expect(await page('/visits/1/old/', ada)).toMatch(/<textarea/)
    expect(await page('/visits/1/old/', ada)).not.toMatch(/name="reason"/)
  })
})
