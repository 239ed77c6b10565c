import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  SearchFilter,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  include,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import type { FilterBackend, Permission } from '../../../src/types.ts'
import { sqlTable } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { aboutAll } from '../../../src/resources/resource/nested.ts'
import { type Desk, ada, bob, openDesk, organisationOf } from './desk.ts'

const desk: Desk = await openDesk()
const { tickets, comments, reactions } = desk
beforeEach(() => desk.reset())

const id = field.integer({ readOnly: true })
const ticket = serializer({ id, title: field.text(), organisation: field.integer() })
const comment = serializer({ id, text: field.text(), ticket: field.integer({ required: false }) })
const reaction = serializer({ id, kind: field.text() })
const quiet = { configuration: configurationOf() }
const silent = { error: () => undefined }
const some = { store: tickets, serializer: ticket } as const
const below = { store: comments, serializer: comment, by: 'ticket' } as const

/** An api of tickets and their comments alone, at these addresses. */
function twoLevels(addresses = '/tickets/:ticket<int>/comments/', one = ':id<int>') {
  return defineApi({
    urls: defineUrls({
      ...resourceUrls('ticket', '/tickets/', ':id<int>'),
      ...resourceUrls('comment', addresses as '/t/:ticket<int>/', one as ':id<int>'),
    }),
    logger: silent,
  })
}

describe('the parent', () => {
  test('is asked for under its own permissions, as GET, once for a request', async () => {
    const asked: unknown[] = []
    const watching: Permission = {
      hasPermission: ({ method, endpointName, params, query }) => {
        asked.push([method, endpointName, params, query.names().length])
        return true
      },
      hasObjectPermission: (_request, row: { title: string }) => {
        asked.push(row.title)
        return row.title !== 'Lost key'
      },
    }
    const api = twoLevels()
    const parent = resource(api.group({ permissions: [watching] }), 'ticket', some)
    let narrowed = 0
    const children = resource(api, 'comment', {
      ...below,
      parent,
      scope: () => (narrowed++, {}),
    })
    const { get, patch, request } = client(api.serve([...parent, ...children], quiet))
    const once = [['GET', 'ticket-detail', { id: 1 }, 0], 'Cold office']
    expect((await patch('/tickets/1/comments/1/', { json: { text: 'x' } })).status).toBe(200)
    expect([asked.splice(0), narrowed]).toEqual([once, 1])
    expect((await get('/tickets/1/comments/?a=b')).status).toBe(200)
    expect(asked.splice(0)).toEqual(once)
    expect((await request('OPTIONS', '/tickets/1/comments/1/')).status).toBe(200)
    expect(asked.splice(0)).toEqual(once)
    expect((await get('/tickets/2/comments/')).status).toBe(403)
  })

  test('is the same for all that OPTIONS asks about', async () => {
    let looked = 0
    const api = defineApi({
      urls: defineUrls({
        ...resourceUrls('ticket', '/tickets/', ':id<int>'),
        ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
        'comment-import': '/tickets/:ticket<int>/comments/import/',
      }),
    })
    const parent = resource(api, 'ticket', {
      store: () => (looked++, tickets),
      serializer: ticket,
    })
    const fields = { file: { type: 'field', required: true, read_only: false, label: 'File' } }
    const importing = { handle: () => 'done', form: () => ({ fields }) }
    const children = resource(api, 'comment', {
      ...below,
      parent,
      actions: { import: { detail: false, post: importing, put: importing } },
    })
    const { request } = client(api.serve([...parent, ...children], quiet))
    const { data } = await request('OPTIONS', '/tickets/1/comments/import/')
    expect(data).toMatchObject({ actions: { POST: fields, PUT: fields } })
    expect(looked).toBe(1)
    expect((await request('OPTIONS', '/tickets/9/comments/import/')).data).not.toHaveProperty(
      'actions',
    )
    expect((await request('POST', '/tickets/1/comments/import/')).data).toBe('done')
    expect((await request('POST', '/tickets/9/comments/import/')).status).toBe(404)
  })

  test('stands in the address that a key must fit into', async () => {
    const { database } = desk
    const db = database.kysely<{ comment: { id: number; ticket: number; text: string } }>()
    const byText = sqlTable({ database, db, table: 'comment', key: 'text' })
    const api = defineApi({
      urls: defineUrls({
        ...resourceUrls('ticket', '/tickets/', ':id<int>'),
        ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':text<slug>'),
      }),
    })
    const parent = resource(api, 'ticket', some)
    const children = resource(api, 'comment', {
      store: byText,
      serializer: serializer({ id: field.integer(), text: field.text() }),
      parent,
      by: 'ticket',
    })
    const { post } = client(api.serve([...parent, ...children], quiet))
    const refused = await post('/tickets/1/comments/', { json: { id: 8, text: 'a b' } })
    expect([refused.status, Object.keys(refused.data as object)]).toEqual([400, ['text']])
    const { status } = await post('/tickets/1/comments/', { json: { id: 8, text: 'a-b' } })
    expect(status).toBe(201)
  })

  test('is refused before the body is read', async () => {
    const no: Permission = { hasPermission: () => false }
    const api = twoLevels()
    const parent = resource(api, 'ticket', { ...some, permissions: { retrieve: [no] } })
    const children = resource(api, 'comment', { ...below, parent })
    const { post } = client(api.serve([...parent, ...children], quiet))
    expect((await post('/tickets/1/comments/', { json: {} })).status).toBe(403)
  })

  test('is not taken for the row itself where both have a key of one name', async () => {
    const api = twoLevels('/tickets/:id<int>/comments/', ':comment<int>')
    const parent = resource(api, 'ticket', some)
    const named = serializer({ id: field.integer(), text: field.text() })
    const own = { serializer: named, by: 'ticket', parentParam: 'id' } as const
    const children = resource(api, 'comment', { ...own, store: () => comments, parent })
    const { get, post, patch } = client(api.serve([...parent, ...children], quiet))
    expect((await get('/tickets/1/comments/1/')).data).toMatchObject({ text: 'Very cold' })
    expect((await get('/tickets/1/comments/2/')).status).toBe(404)
    expect((await post('/tickets/1/comments/', { json: { id: 8, text: 'x' } })).status).toBe(201)
    expect((await patch('/tickets/1/comments/8/', { json: { id: 9 } })).status).toBe(200)
    expect((await get('/tickets/1/comments/9/')).data).toMatchObject({ text: 'x' })
  })

  test('is looked up once where others change the row meanwhile', async () => {
    let looked = 0
    let attempts = 0
    const api = twoLevels()
    const parent = resource(api, 'ticket', {
      store: () => (looked++, tickets),
      serializer: ticket,
    })
    const children = resource(api, 'comment', {
      ...below,
      parent,
      async performUpdate(row, input, _request, store) {
        if (attempts++ < 2) await comments.update(row.id, { text: `${attempts}` })
        return store.update(row.id, input, row)
      },
    })
    const { patch } = client(api.serve([...parent, ...children], quiet))
    const { status } = await patch('/tickets/1/comments/1/', { json: { text: 'x' } })
    expect([status, attempts, looked]).toEqual([200, 3, 1])
  })

  test('must be among what its filters leave, which do not read the query of the child', async () => {
    const visible: FilterBackend = {
      filter: (source, { query }) =>
        query.get('all') === null
          ? source.where([{ field: 'id', operator: 'gt', value: 1 } as never])
          : source,
    }
    const api = twoLevels()
    const parent = resource(api, 'ticket', { ...some, filters: [visible] })
    const children = resource(api, 'comment', { ...below, parent })
    const { get } = client(api.serve([...parent, ...children], quiet))
    expect((await get('/tickets/1/comments/?all=1')).status).toBe(404)
    expect((await get('/tickets/2/comments/')).status).toBe(200)
  })

  test('is that of the version', async () => {
    const asked: string[] = []
    const watching: Permission = {
      hasPermission: ({ endpointName }) => (asked.push(endpointName), true),
    }
    const inside = {
      ...resourceUrls('ticket', '/tickets/', ':id<int>'),
      ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
    }
    const api = defineApi({
      urls: defineUrls({ v1: include('/v1', inside), v2: include('/v2', inside) }),
      permissions: [watching],
    })
    const parent = resource(api, 'ticket', some)
    const children = resource(api, 'comment', { ...below, parent })
    const { get } = client(api.serve([...parent, ...children], quiet))
    expect((await get('/v2/tickets/1/comments/')).status).toBe(200)
    expect(asked).toEqual(['v2:comment-list', 'v2:ticket-detail'])
  })

  test('is found by its own look-up, and named by any parameter', async () => {
    const api = defineApi({
      urls: defineUrls({
        ...resourceUrls('ticket', '/tickets/', ':title'),
        ...resourceUrls('comment', '/of/:issue/comments/', ':id<int>'),
      }),
    })
    const byTitle = {
      ...tickets,
      key: tickets.key,
      source: tickets.source,
      find: async (title: string) => {
        const rows = await tickets.source.slice(0, 9)
        return rows.find((row) => row.title === title) ?? null
      },
    }
    const parent = resource(api, 'ticket', {
      store: byTitle,
      serializer: ticket,
      only: ['list', 'retrieve'],
    })
    const children = resource(api, 'comment', { ...below, parent, parentParam: 'issue' })
    const { get } = client(api.serve([...parent, ...children], quiet))
    expect((await get('/of/Lost%20key/comments/')).data).toMatchObject([{ text: 'Still lost' }])
    expect((await get('/of/Lost/comments/')).status).toBe(404)
  })
})

describe('nothing starts', () => {
  test.each([
    [
      'no parameter',
      '/comments/',
      ':id<int>',
      /GET of endpoint comment-list.*\/comments\/ needs a parameter ticket/,
    ],
    ['only one', '/comments/', ':ticket<int>', /GET of endpoint comment-list/],
    ['that of its own row', '/t/:x<int>/comments/', ':ticket<int>', /needs a parameter ticket/],
  ])('%s', (_title, path, one, message) => {
    const api = twoLevels(path, one)
    const parent = resource(api, 'ticket', some)
    const children = resource(api, 'comment', { ...below, parent })
    expect(() => api.serve([...parent, ...children], quiet)).toThrow(message)
  })

  test('without an address of the parent', () => {
    const api = defineApi({
      urls: defineUrls({
        'ticket-list': '/tickets/',
        ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
      }),
    })
    const parent = resource(api, 'ticket', { ...some, only: ['list'] })
    const children = resource(api, 'comment', { ...below, parent })
    expect(() => api.serve([...parent, ...children], quiet)).toThrow(
      /its parent has no address ticket-detail/,
    )
  })

  test('where a level above is not in the address', () => {
    const api = defineApi({
      urls: defineUrls({
        ...resourceUrls('ticket', '/tickets/', ':id<int>'),
        ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
        ...resourceUrls('reaction', '/comments/:comment<int>/reactions/', ':id<int>'),
      }),
    })
    const all = resource(api, 'ticket', some)
    const middle = resource(api, 'comment', { ...below, parent: all })
    const last = resource(api, 'reaction', {
      store: reactions,
      serializer: reaction,
      parent: middle,
      by: 'comment',
    })
    expect(() => api.serve([...all, ...middle, ...last], quiet)).toThrow(
      /endpoint reaction-list.*needs the parameter "ticket"/,
    )
  })

  test('with a store that cannot be narrowed, or without a column', () => {
    const api = twoLevels()
    const parent = resource(api, 'ticket', some)
    const plain = { ...comments, source: comments.source, within: undefined }
    const store = plain as unknown as typeof comments
    expect(() => resource(api, 'comment', { ...below, store, parent })).toThrow(/within/)
    expect(() => resource(api, 'comment', { ...below, store, scope: () => ({}) })).toThrow(/within/)
    const nameless = { ...below, by: undefined, parent } as never
    expect(() => resource(api, 'comment', nameless)).toThrow(/"by"/)
  })

  test('with a field that the store has not, also under a scope', () => {
    const api = twoLevels()
    const wrong = { searchFields: ['size'] as never, filters: [new SearchFilter()] }
    const parent = resource(api, 'ticket', { ...some, ...wrong, scope: () => ({}) })
    const children = resource(api, 'comment', { ...below, parent })
    expect(() => api.serve([...parent, ...children], quiet)).toThrow(/"size"/)
  })
})

/** Tickets under this scope, with what the service logs. */
function scoped(scope: (request: ApiRequest) => unknown, store: unknown = tickets) {
  const logged: string[] = []
  const api = defineApi({
    urls: defineUrls(resourceUrls('ticket', '/tickets/', ':id<int>')),
    logger: { error: (record) => logged.push(String(record['error'])) },
  })
  const spec = { ...some, store, scope, serializer: ticket }
  const app = api.serve([...resource(api, 'ticket', spec as never)], quiet)
  return { ...client(app), logged }
}
const valid = { json: { title: 'x', organisation: 1 } }

/** Its columns are getters, which are no values of its own. */
class Tenant {
  get organisation(): number {
    return 1
  }
}

describe('a scope', () => {
  test.each([
    ['undefined', () => ({ organisation: undefined }), /ticket-.*undefined for "organisation"/],
    ['undefined among others', () => ({ organisation: [1, undefined] }), /for "organisation"/],
    ['nothing', () => undefined, /ticket-.*no object/],
    ['a list', () => [1], /ticket-.*no object/],
    ['a map', () => new Map([['organisation', 1]]), /ticket-.*no object/],
    ['an instance', () => new Tenant(), /ticket-.*no object/],
    ['no such column', () => ({ owner: 1 }), /"owner"/],
    ['a value of another type', () => ({ organisation: 'one' }), /"organisation"/],
  ])('%s is an error of the program', async (_title, scope, message) => {
    const { get, post, patch, delete: remove, logged } = scoped(scope)
    const before = await desk.rows()
    const all = [get('/tickets/'), get('/tickets/1/'), post('/tickets/', valid)]
    const answers = await Promise.all([
      ...all,
      patch('/tickets/1/', { json: { title: 'x' } }),
      remove('/tickets/1/'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
    expect(logged).toHaveLength(5)
    for (const each of logged) expect(each).toMatch(message)
    expect(await desk.rows()).toEqual(before)
  })

  test('of no values shows and takes nothing', async () => {
    const { get, post, patch } = scoped(() => ({ organisation: [] }))
    expect((await get('/tickets/')).data).toEqual([])
    expect((await get('/tickets/1/')).status).toBe(404)
    expect((await patch('/tickets/1/', { json: { title: 'x' } })).status).toBe(404)
    expect((await post('/tickets/', valid)).status).toBe(403)
  })

  test('of several lets rows move among them', async () => {
    const { get, post, patch } = scoped(async () => Promise.resolve({ organisation: [1, 2] }))
    await desk.database.write({ sql: `insert into organisation values (4, 'D')`, parameters: [] })
    await tickets.insert({ title: 'Other', organisation: 4, parent: null })
    expect((await get('/tickets/')).data).toHaveLength(3)
    expect((await patch('/tickets/1/', { json: { organisation: 2 } })).status).toBe(200)
    expect((await patch('/tickets/1/', { json: { organisation: 4 } })).status).toBe(403)
    expect((await post('/tickets/', { json: { title: 'x', organisation: 4 } })).status).toBe(403)
    expect((await post('/tickets/', valid)).status).toBe(201)
  })

  test('of nothing restricts nothing', async () => {
    expect((await scoped(() => ({})).get('/tickets/')).data).toHaveLength(3)
  })

  test('is asked for once', async () => {
    let asked = 0
    const { patch } = scoped(() => (asked++, { organisation: 1 }))
    expect((await patch('/tickets/1/', { json: { title: 'x' } })).status).toBe(200)
    expect(asked).toBe(1)
  })

  test('holds for a store that is promised, and refuses one that cannot be narrowed', async () => {
    const promised = scoped(
      () => ({ organisation: 1 }),
      async () => Promise.resolve(tickets.only((query) => query.where('id', '>', 1))),
    )
    expect((await promised.get('/tickets/')).data).toMatchObject([{ id: 2 }])
    const { get, logged } = scoped(
      () => ({ organisation: 1 }),
      () => ({ key: 'id', source: arraySource([]) }),
    )
    expect((await get('/tickets/')).status).toBe(500)
    expect(logged[0]).toMatch(/ticket-list.*within/)
  })
})

type Write = readonly [
  who: 1 | 2,
  verb: 'post' | 'put' | 'patch' | 'delete',
  path: string,
  body: object,
]

const key = fc.constantFrom(1, 2, 3, 4, 5)
const named = <T>(name: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((each) => (each === undefined ? {} : { [name]: each }))
const onTicket = fc.tuple(
  fc.constantFrom(1, 2),
  fc.constantFrom('post', 'put', 'patch', 'delete'),
  key,
  named('organisation', fc.constantFrom(1, 2, '1', '2', 3)),
)
const onComment = fc.tuple(
  fc.constantFrom(1, 2),
  fc.constantFrom('post', 'put', 'patch', 'delete'),
  fc.tuple(key, key),
  named('ticket', key),
)
const writes: fc.Arbitrary<Write> = fc.oneof(
  onTicket.map(([who, verb, at, body]): Write => {
    const path = verb === 'post' ? '/tickets/' : `/tickets/${at}/`
    return [who, verb, path, { title: 'x', ...body }] as Write
  }),
  onComment.map(([who, verb, [above, at], body]): Write => {
    const path = `/tickets/${above}/comments/${verb === 'post' ? '' : `${at}/`}`
    return [who, verb, path, { text: 'x', ...body }] as Write
  }),
)

test('no row ever leaves or enters a foreign scope', async () => {
  const api = defineApi({
    urls: defineUrls({
      ...resourceUrls('ticket', '/tickets/', ':id<int>'),
      ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
    }),
  })
  const parent = resource(api, 'ticket', {
    store: tickets,
    serializer: serializer({ ...ticket.fields, organisation: field.integer({ required: false }) }),
    scope: ({ user }) => ({ organisation: organisationOf(user) }),
  })
  const children = resource(api, 'comment', { ...below, parent })
  const { request } = client(api.serve([...parent, ...children], quiet))
  /** What belongs to an organisation, tickets and comments. */
  const estate = async (organisation: number): Promise<unknown> => {
    const ours = (await tickets.source.slice(0, 99)).filter(
      (row) => row.organisation === organisation,
    )
    const keys = new Set(ours.map((row) => row.id))
    const theirs = await comments.source.slice(0, 99)
    return [ours, theirs.filter((row) => keys.has(row.ticket))]
  }
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { maxLength: 12 }), async (all) => {
      await desk.reset()
      for (const [who, verb, path, json] of all) {
        const stranger = who === 1 ? 2 : 1
        const before = await estate(stranger)
        const as = who === 1 ? ada : bob
        const { status } = await request(verb.toUpperCase(), path, { as, json })
        expect(status).toBeLessThan(500)
        expect(await estate(stranger)).toEqual(before)
      }
    }),
    { numRuns: 60 },
  )
})

test('an action of all rows that is a behaviour of its own begins where the request is kept to its scope', async () => {
  const steps: string[] = []
  const noting = (step: string) => () => void steps.push(step)
  const own = { looksUp: noting('looks up'), handle: noting('handles') }
  const facts = {
    storeFor: () => (steps.push('keeps'), { store: tickets } as never),
    around: () => (steps.push('narrows'), {}),
  }
  const kept = aboutAll(own, facts)
  await kept.looksUp!({} as never)
  await kept.handle({} as never)
  expect(steps).toEqual(['keeps', 'looks up', 'keeps', 'narrows', 'handles'])
  expect(aboutAll(own, { ...facts, around: null })).toBe(own)
})
