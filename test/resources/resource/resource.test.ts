import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  type App,
  ConfigurationError,
  Conflict,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  QueryParameterVersioning,
  SearchFilter,
  ValidationError,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  paginated,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { contextOf } from '../../../src/core/pipeline/context.ts'
import type { Behaviour } from '../../../src/core/ports/kernel.ts'
import type { FilterBackend, Permission, RowStore } from '../../../src/types.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

interface Team {
  readonly code: string
  readonly name: string
}
type Memory = RowStore<Team, string, Team, Partial<Team>>

/** A store of one's own. */
function memory(teams: Team[]): Memory {
  return {
    key: 'code',
    get source() {
      return arraySource(teams)
    },
    find: (code) => teams.find((team) => team.code === code) ?? null,
    insert: (team) => (teams.push(team), team),
    update(code, changes) {
      const place = teams.findIndex((team) => team.code === code)
      return place < 0 ? null : (teams[place] = { ...teams[place]!, ...changes })
    },
    remove: (code) =>
      teams.some((team) => team.code === code) &&
      teams.splice(
        teams.findIndex((team) => team.code === code),
        1,
      ).length > 0,
  }
}

const quiet = { configuration: configurationOf() }
const team = serializer({ code: field.text(), name: field.text() })
const urls = defineUrls({
  ...resourceUrls('team', '/teams/', ':code'),
  'team-archive': '/teams/:code/archive/',
})
const api = defineApi({ urls })
const archive = { detail: true, post: (_request: unknown, row: Team) => row.name } as const

test('a single object is not asked for an order', async () => {
  const filter: FilterBackend = {
    filter: (source) => source,
    ordering() {
      throw new ValidationError('No such order.')
    },
  }
  const store = memory([{ code: 'a', name: 'Ants' }])
  const app = api.serve(
    [
      ...resource(api, 'team', {
        store,
        serializer: team,
        filters: [filter],
        actions: { archive },
      }),
    ],
    quiet,
  )
  expect((await client(app).get('/teams/a/')).status).toBe(200)
  expect((await client(app).get('/teams/')).status).toBe(400)
})

describe('an action does not take the filters of the list', () => {
  /** Shows the rows of a team to those who name it: no parameter of the query, so it holds for actions as well. */
  const own: FilterBackend = {
    filter: (source, { header }) => {
      const only = header('x-only')
      return only === null
        ? source
        : source.where([{ field: 'code', operator: 'equals', value: only }])
    },
  }
  const served = (queryParams: readonly string[], strictQuery = false) => {
    const strict = defineApi({ urls, strictQuery })
    const store = memory([{ code: 'a', name: 'Ants' }])
    return strict.serve(
      [
        ...resource(strict, 'team', {
          store,
          serializer: team,
          filters: [own, new SearchFilter(), new FieldFilter()],
          searchFields: ['name'],
          filterFields: ['name'],
          actions: { archive: { ...archive, queryParams } },
        }),
      ],
      quiet,
    )
  }
  const parametersOf = (app: App) => {
    const { paths } = openApiDocument(app)
    const { post } = paths['/teams/{code}/archive/'] as { post: { parameters: { name: string }[] } }
    return post.parameters.map(({ name }) => name)
  }

  test('neither where they are asked for, nor in its document', async () => {
    const app = served([])
    expect((await client(app).get('/teams/a/?name=Bees')).status).toBe(404)
    expect((await client(app).post('/teams/a/archive/?name=Bees&search=bees')).data).toBe('Ants')
    expect(parametersOf(app)).toEqual(['code'])
  })

  test('strict queries refuse them', async () => {
    const { post } = client(served([], true))
    expect((await post('/teams/a/archive/?name=Ants')).data).toEqual({ name: [expect.any(String)] })
    expect((await post('/teams/a/archive/')).data).toBe('Ants')
  })

  test('but for those that it names', async () => {
    const app = served(['name', 'why'], true)
    const { post } = client(app)
    expect((await post('/teams/a/archive/?name=Bees')).status).toBe(404)
    expect((await post('/teams/a/archive/?name=Ants&why=now')).data).toBe('Ants')
    expect((await post('/teams/a/archive/?search=ants')).status).toBe(400)
    expect(parametersOf(app)).toEqual(['code', 'name', 'why'])
    const { paths } = openApiDocument(app)
    const parameterOf = (verb: string, path: string, name: string) =>
      (paths[path] as Record<string, { parameters: { name: string }[] }>)[verb]!.parameters.find(
        (each) => each.name === name,
      )
    expect(parameterOf('post', '/teams/{code}/archive/', 'name')).toEqual(
      parameterOf('get', '/teams/{code}/', 'name'),
    )
  })

  test('and for one alone', async () => {
    const { post } = client(served(['why'], true))
    expect((await post('/teams/a/archive/?why=now')).data).toBe('Ants')
    expect((await post('/teams/a/archive/?name=Ants')).status).toBe(400)
  })

  test('filters that look at something else hold', async () => {
    const { post } = client(served([]))
    const only = (code: string) => ({ headers: { 'x-only': code } })
    expect((await post('/teams/a/archive/', only('b'))).status).toBe(404)
    expect((await post('/teams/a/archive/', only('a'))).data).toBe('Ants')
  })
})

describe('a list that an action makes', () => {
  const only: FilterBackend = {
    filter: (source, { header }) =>
      source.where([{ field: 'code', operator: 'equals', value: header('x-only') ?? 'a' }]),
  }
  const served = (action: object, filters: readonly FilterBackend[] = []) => {
    const begun = defineApi({
      urls: defineUrls({ ...resourceUrls('team', '/teams/', ':code'), 'team-all': '/all/' }),
      pagination: new PageNumberPagination({ pageSize: 5 }),
    })
    const store = memory(['a', 'b', 'c'].map((code) => ({ code, name: `Team ${code}` })))
    const spec = {
      store,
      serializer: team,
      filters,
      actions: { all: { detail: false, ...action } },
    }
    const pagination = new PageNumberPagination({ pageSize: 2 })
    return client(
      begun.serve([...resource(begun, 'team', { ...spec, pagination } as never)], quiet),
    )
  }
  const all = (request: ApiRequest, { source }: Memory) =>
    paginated(request, source, undefined, { searchFields: ['name'] })
  const codes = async (app: ReturnType<typeof served>, path: string, headers = {}) => {
    const { data } = await app.get(path, { headers })
    const rows = Array.isArray(data) ? data : (data as { results: Team[] }).results
    return rows.map(({ code }: Team) => code)
  }

  test('is in the style of the resource, or in its own', async () => {
    expect(await codes(served({ get: all }), '/all/')).toEqual(['a', 'b'])
    const one = new PageNumberPagination({ pageSize: 1 })
    expect(await codes(served({ get: all, pagination: one }), '/all/')).toEqual(['a'])
    expect(await codes(served({ get: all, pagination: null }), '/all/')).toEqual(['a', 'b', 'c'])
  })

  test('has the filters of the resource, or its own', async () => {
    const search = new SearchFilter()
    const app = served({ get: all }, [only, search])
    expect(await codes(app, '/all/', { 'x-only': 'c' })).toEqual(['c'])
    expect(await codes(app, '/all/?search=team+b', { 'x-only': 'c' })).toEqual([])
    const own = served({ get: all, filters: [search] }, [only])
    expect(await codes(own, '/all/?search=team+b')).toEqual(['b'])
    const listing = served({ get: list({ source: arraySource([{ code: 'd' }]) }) }, [only])
    expect(await codes(listing, '/all/')).toEqual([])
  })

  test('has no other options', () => {
    expect(() => served({ get: all, searchFields: ['name'] })).toThrow(
      'The action team-all: there is no option "searchFields". It has get,',
    )
  })
})

test('the key is the parameter of its name, wherever in the path it stands', async () => {
  const begun = defineApi({ urls: { 'team-list': '/t/', 'team-detail': '/t/:code/:part/' } })
  const store = memory([{ code: 'a', name: 'Ants' }])
  const app = begun.serve([...resource(begun, 'team', { store, serializer: team })], quiet)
  expect((await client(app).get('/t/a/b/')).data).toEqual({ code: 'a', name: 'Ants' })
  expect((await client(app).get('/t/b/a/')).status).toBe(404)
})

test('any object with the port is a store', async () => {
  const store = memory([{ code: 'a', name: 'Ants' }])
  const app = api.serve(
    [...resource(api, 'team', { store, serializer: team, actions: { archive } })],
    quiet,
  )
  const { get, post, put, patch, delete: remove } = client(app)
  expect((await post('/teams/', { json: { code: 'b', name: 'Bees' } })).status).toBe(201)
  expect((await patch('/teams/b/', { json: { name: 'Bugs' } })).data).toEqual({
    code: 'b',
    name: 'Bugs',
  })
  expect((await put('/teams/b/', { json: { code: 'c', name: 'Cats' } })).status).toBe(200)
  expect((await get('/teams/')).data).toEqual([
    { code: 'a', name: 'Ants' },
    { code: 'c', name: 'Cats' },
  ])
  expect((await post('/teams/c/archive/')).data).toBe('Cats')
  expect((await remove('/teams/a/')).status).toBe(204)
  expect((await get('/teams/a/')).status).toBe(404)
})

test('what is done with a row may be another thing', async () => {
  const store = memory([{ code: 'a', name: 'Ants' }])
  const done: unknown[] = []
  const app = api.serve(
    [
      ...resource(api, 'team', {
        store: () => store,
        serializer: team,
        performCreate: (input, { method }, { insert }) => (done.push(method), insert(input)),
        performUpdate: (row, input, { params }, { update }) => {
          done.push(row.name, params.code)
          return update(row.code, input)
        },
        performDestroy: ({ code }, _request, { update }) => update(code, { name: 'gone' }),
        actions: { archive },
      }),
    ],
    quiet,
  )
  const { get, post, patch, delete: remove } = client(app)
  await post('/teams/', { json: { code: 'b', name: 'Bees' } })
  await patch('/teams/a/', { json: { name: 'Apes' } })
  expect((await remove('/teams/b/')).status).toBe(204)
  expect(done).toEqual(['POST', 'Ants', 'a'])
  expect((await get('/teams/')).data).toEqual([
    { code: 'a', name: 'Apes' },
    { code: 'b', name: 'gone' },
  ])
})

test('the store of a request is asked for once', async () => {
  const store = memory([{ code: 'a', name: 'Ants' }])
  let asked = 0
  const app = api.serve(
    [
      ...resource(api, 'team', {
        store: () => (asked++, store),
        serializer: team,
        actions: { archive },
      }),
    ],
    quiet,
  )
  await client(app).patch('/teams/a/', { json: { name: 'x' } })
  expect(asked).toBe(1)
})

describe('X2 an address without an action is not served', () => {
  test('nor asked for', () => {
    const store = memory([])
    const only = ['list', 'create'] as const
    const begun = defineApi({ urls: { 'team-list': '/teams/' } })
    const app = begun.serve([...resource(begun, 'team', { store, serializer: team, only })], quiet)
    expect(app.describe().map(({ name, methods }) => [name, methods])).toEqual([
      ['team-list', ['GET', 'POST', 'HEAD', 'OPTIONS']],
    ])
  })

  test('an address that is there needs one', () => {
    const endpoints = resource(api, 'team', {
      store: memory([]),
      serializer: team,
      only: ['list'],
      actions: { archive },
    })
    expect(() => api.serve([...endpoints], quiet)).toThrow(/team-detail.*has no endpoint/)
  })

  test('an action needs an address', () => {
    const begun = defineApi({ urls: defineUrls(resourceUrls('team', '/teams/', ':code')) })
    const actions = { archive } as never
    const endpoints = resource(begun, 'team', { store: memory([]), serializer: team, actions })
    expect(() => begun.serve([...endpoints], quiet)).toThrow(/team-archive/)
  })
})

/** What a resource of this declaration hands to its group, by endpoint and verb. */
function declaredBy(spec: object, name = 'team') {
  const made: Record<string, Record<string, Behaviour>> = {}
  const endpoint = (named: string): object => {
    const verbs: Record<string, Behaviour> = (made[named] = {})
    const self: Record<string, unknown> = { name: named }
    for (const verb of ['get', 'post', 'put', 'patch', 'delete'])
      self[verb] = (given: Behaviour) => ((verbs[verb] = given), self)
    return self
  }
  const given = { store: memory([]), serializer: team, ...spec }
  const endpoints = resource({ endpoint } as never as typeof api, name as 'team', given as never)
  const verbs = Object.fromEntries(Object.entries(made).map(([key, of]) => [key, Object.keys(of)]))
  return { made, verbs, endpoints, facts: endpoints['~resource'] }
}
const narrowed = { ...memory([]), within: () => narrowed } as object
const transactional = {
  ...memory([]),
  inTransaction: (work: (transaction: unknown, store: unknown) => unknown) =>
    work('a transaction', transactional),
} as object

describe('X1–X4 what a resource declares', () => {
  test('its endpoints and their verbs, and no others', () => {
    const { verbs, endpoints } = declaredBy({ actions: { archive } })
    expect(verbs).toEqual({
      'team-list': ['get', 'post'],
      'team-detail': ['get', 'put', 'patch', 'delete'],
      'team-archive': ['post'],
    })
    expect([endpoints.list.name, endpoints.detail.name]).toEqual(['team-list', 'team-detail'])
    expect(endpoints.map(({ name }) => name)).toEqual(Object.keys(verbs))
    const fewer = declaredBy({ only: ['retrieve', 'destroy'] })
    expect(fewer.verbs).toEqual({ 'team-detail': ['get', 'delete'] })
    expect(fewer.endpoints.list).toBeUndefined()
  })

  test('permissions of single actions, and of no others', () => {
    const own: Permission = { hasPermission: () => true }
    const { made } = declaredBy({ permissions: { destroy: [own], create: [] } })
    const given = Object.entries(made).flatMap(([name, verbs]) =>
      Object.entries(verbs).map(([verb, { permissions }]) => [`${name} ${verb}`, permissions]),
    )
    const asked = given.filter(([, permissions]) => permissions !== undefined)
    expect(asked).toEqual([
      ['team-list post', []],
      ['team-detail delete', [own]],
    ])
  })

  test('a misspelt option would be ignored: every row would be shown', () => {
    expect(() => declaredBy({ scop: () => ({ code: 'a' }) })).toThrow(
      'The resource team: there is no option "scop". Did you mean "scope"?',
    )
    expect(() => declaredBy({ throttles: [] })).toThrow(/"throttles"\. It has serializer, /)
  })

  test.each<[title: string, permissions: unknown]>([
    ['a list for all actions', [{ hasPermission: () => true }]],
    ['an action that there is not', { delete: [] }],
    ['no list', { destroy: { hasPermission: () => true } }],
    ['a number', 3],
  ])('permissions that would be ignored are refused: %s', (_title, permissions) => {
    expect(() => declaredBy({ permissions })).toThrow(
      /^The resource team: "permissions" must have lists by action/,
    )
  })

  test('a parameter that its address does not have cannot name the row', () => {
    const served = resource(api, 'team', {
      store: memory([]),
      serializer: team,
      lookup: 'pk' as never,
      actions: { archive },
    })
    expect(() => api.serve(served, quiet)).toThrow(
      /^GET of endpoint team-detail: "lookup" is "pk", and the address \S+ has no such parameter\. Name one of its own \(\w+\), or leave "lookup" out\.$/,
    )
  })

  test.each([{}, 'search', [{}], [null]])(
    'filters that are no list of filters are refused',
    (filters) => {
      const store = memory([])
      const served = resource(api, 'team', {
        store,
        serializer: team,
        filters: filters as never,
        actions: { archive },
      })
      expect(() => api.serve(served, quiet)).toThrow(
        'GET of endpoint team-list: "filters" must be a list, such as [new FieldFilter()].',
      )
    },
  )

  const scope = () => ({ name: 'x' })
  const [plain, scoped] = [{}, { scope }].map(
    (given) => declaredBy({ store: narrowed, ...given }, 'club').endpoints,
  )
  const whole = { isWhole: true, isScoped: false, tenant: [] }
  test.each<[title: string, spec: object, facts: object, isAround: boolean]>([
    ['nothing', {}, whole, false],
    ['a scope', { scope }, { ...whole, isWhole: false, isScoped: true }, true],
    [
      'a column of tenants',
      { tenant: 'name' },
      { isWhole: false, isScoped: true, tenant: ['name'] },
      true,
    ],
    ['several', { tenant: ['name', 'code'] }, { tenant: ['name', 'code'] }, true],
    ['a parent', { parent: plain, by: 'name' }, { isWhole: false, isScoped: false }, true],
    ['a parent with a scope', { parent: scoped, by: 'name' }, { isScoped: true }, true],
  ])('whose its rows are: %s', (_, spec, facts, isAround) => {
    const declared = declaredBy({ store: narrowed, lookup: 'code', ...spec })
    expect(declared.facts).toMatchObject({ name: 'team', key: 'code', lookup: 'code', ...facts })
    expect(declared.facts.around !== null).toBe(isAround)
    const { isScoped } = declared.facts
    for (const [name, verbs] of Object.entries(declared.made))
      expect([name, verbs['get']!['~shows']]).toMatchObject([
        name,
        { store: narrowed, isScoped, lookup: 'code' },
      ])
    expect(declared.made['team-detail']!['delete']).not.toHaveProperty('~shows')
    for (const [name, verb] of [
      ['team-list', 'post'],
      ['team-detail', 'put'],
      ['team-detail', 'patch'],
    ] as const)
      expect(declared.made[name]![verb]!['~tenants']).toMatchObject({ isScoped: isAround })
  })

  test('of a store that a request decides, nothing', () => {
    const { facts, made } = declaredBy({ store: () => narrowed, scope })
    expect(facts.key).toBeUndefined()
    expect(made['team-detail']!['get']!['~shows']).toMatchObject({ store: null, isScoped: true })
  })

  test('the rows that decide which are listed', () => {
    const related = [{ field: 'author' }, { field: 'editor' }].map((each) => ({
      ...each,
      store: memory([]),
    }))
    const store = { ...narrowed, related }
    for (const name of ['searchFields', 'filterFields', 'orderingFields', 'ordering']) {
      const { made } = declaredBy({ store, [name]: ['editor', 'author.name'] })
      expect(made['team-list']!['get']!['~shows']!.embeds).toEqual([related[0]])
    }
    const { made } = declaredBy({ store, filters: null })
    expect(made['team-list']!['get']!['~shows']!.embeds).toEqual([])
  })

  test('of actions, the rows that they show and refer to', () => {
    const actions = {
      archive: { detail: true, post: { input: team, output: team, perform: () => null } },
      count: { detail: false, post: { perform: () => null } },
    }
    const { made } = declaredBy({ store: narrowed, scope, actions })
    const acted = made['team-archive']!['post']!
    expect(acted['~shows']).toEqual({ store: narrowed, isScoped: true, embeds: [] })
    expect(acted['~tenants']).toMatchObject({ store: narrowed, isScoped: true })
    expect(made['team-count']!['post']!['~tenants']).toBeUndefined()
    const free = declaredBy({ actions }).made['team-archive']!['post']!
    expect(free['~tenants']).toMatchObject({ isScoped: false })
  })

  const STORE = 'a store with inTransaction(work), as sqlTable() makes it.'
  const validateInTransaction = () => undefined
  const embedding = { fields: { players: { embeds: { store: transactional, writable: true } } } }
  test.each<[title: string, spec: object, refusal: string | null]>([
    [
      'an action called as the list is',
      { actions: { list: archive } },
      'The resource team has an action "list", and its own address has that name. Give the action another one.',
    ],
    [
      'an action called as a single object is',
      { actions: { detail: archive } },
      'The resource team has an action "detail", and its own address has that name. Give the action another one.',
    ],
    [
      'an action without a verb',
      { actions: { archive: { detail: true } } },
      'The action team-archive answers no verb: say get or post.',
    ],
    [
      'a parent without its column',
      { parent: plain, store: narrowed },
      'The resource team has a parent: name its column with "by".',
    ],
    [
      'a store that cannot be narrowed',
      { scope },
      'The resource team: scope and parent need a store with within(values), as sqlTable() makes it.',
    ],
    ['a store that is not known yet, within a scope', { scope, store: () => memory([]) }, null],
    [
      'a rule without transactions',
      { validateInTransaction },
      `The resource team: validateInTransaction needs ${STORE}`,
    ],
    [
      'rows that are written with it, without transactions',
      { serializer: embedding },
      `The resource team: embedded rows that clients write need ${STORE}`,
    ],
    ['a rule', { validateInTransaction, store: transactional }, null],
    [
      'a rule for a store that is not known yet',
      { validateInTransaction, store: () => memory([]) },
      null,
    ],
  ])('%s', (_, spec, refusal) => {
    const declare = () => declaredBy(spec)
    if (refusal === null) expect(declare).not.toThrow()
    else expect(declare).toThrow(new ConfigurationError(refusal))
  })
})

test('G4, O6: what narrows a list narrows single objects, and nothing else of it does', () => {
  const paged = defineApi({ urls: defineUrls(resourceUrls('team', '/teams/', ':code')) })
  const served = resource(paged, 'team', {
    store: memory([]),
    serializer: team,
    filters: [new SearchFilter(), new OrderingFilter()],
    searchFields: ['name'],
    orderingFields: ['name'],
    pagination: new PageNumberPagination({ pageSize: 3 }),
  })
  const { paths } = openApiDocument(paged.serve([...served], quiet))
  const named = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([verb, { parameters = [] }]) => [
      `${verb} ${path}`,
      (parameters as { name: string }[]).map(({ name }) => name),
    ]),
  )
  expect(named).toEqual([
    ['get /teams/', ['page', 'search', 'ordering']],
    ['post /teams/', []],
    ...['get', 'put', 'patch', 'delete'].map((verb) => [
      `${verb} /teams/{code}/`,
      ['code', 'search'],
    ]),
  ])
})

test('rows lead to their pages by their keys, and by those of other rows that clients may see', async () => {
  const clubs = { ...memory([]), find: () => ({ code: 'a', name: 'Apes' }) }
  const club = { store: clubs, key: field.text(), list: 'club-list' } as never
  const named = serializer({
    id: field.text({ source: 'code' }),
    url: field.identity({ route: 'team-detail', param: 'code' } as never),
    club: field.related(club, { source: 'name', readOnly: true }),
    secret: field.related(club, { source: 'name', writeOnly: true, required: false }),
  } as never) as never
  let leads: readonly string[] = []
  const looking: Permission = {
    hasPermission: (request) => {
      const { get } = contextOf(request).endpoint.behaviours
      leads = [...get!.leadsTo!(request).byMember.keys()]
      return true
    },
  }
  const leading = defineApi({
    urls: defineUrls({
      ...resourceUrls('team', '/teams/', ':code<path>'),
      ...resourceUrls('club', '/clubs/', ':code'),
    }),
    permissions: [looking],
  })
  const only = ['list', 'retrieve'] as const
  const served = [
    ...resource(
      leading,
      'team' as never,
      {
        store: memory([{ code: 'a', name: 'x' }]),
        only,
        serializer: named,
      } as never,
    ),
    ...resource(leading, 'club', { store: clubs, only, serializer: team }),
  ]
  const { get } = client(leading.serve(served, quiet))
  expect((await get('/teams/')).status).toBe(200)
  expect(leads).toEqual(['id', 'club'])
  expect((await get('/teams/a/')).status).toBe(200)
  expect(leads).toEqual(['club'])
})

test('a row may be added where no single object has an address', async () => {
  const begun = defineApi({ urls: { 'team-list': '/teams/' } })
  const only = ['list', 'create'] as const
  const served = resource(begun, 'team', { store: memory([]), serializer: team, only })
  const { post } = client(begun.serve([...served], quiet))
  expect((await post('/teams/', { json: { code: 'a', name: 'Ants' } })).status).toBe(201)
})

describe('what a write is given', () => {
  const seen: Record<string, unknown>[] = []
  const row = { code: 'a', name: 'Ants' }
  const spec = {
    only: ['create', 'update', 'partialUpdate', 'destroy'],
    performCreate: (...given: unknown[]) => (seen.push({ given }), row),
    performUpdate: (...given: unknown[]) => (seen.push({ given }), row),
    performDestroy: (...given: unknown[]) => (seen.push({ given }), true),
  } as const
  const asked = async (more: object) => {
    seen.length = 0
    const rows = memory([row])
    const store = 'store' in more ? Object.assign(more.store as object, { ...rows }) : rows
    const serve = resource(api, 'team', {
      serializer: {
        ...team,
        // A schema of an application may say that nothing was sent.
        parse: (given: object) => ({ ...given, code: undefined }),
      },
      ...spec,
      ...more,
      store,
    } as never)
    const archived = api.endpoint('team-archive').post(() => null)
    const { post, patch, delete: remove } = client(api.serve([...serve, archived] as never, quiet))
    const statuses = [
      await post('/teams/', { json: { name: 'Bees' } }),
      await patch('/teams/a/', { json: { name: 'Apes' } }),
      await remove('/teams/a/'),
    ].map(({ status }) => status)
    expect(statuses).toEqual([201, 200, 204])
    return seen.splice(0)
  }

  test.each([
    ['each time', 'may embed rows', true],
    ['only for those that do', 'embeds none', false],
  ])('serializers are told of the scope %s, where one %s', async (_, how, isTold) => {
    const told: boolean[] = []
    const watching = {
      represent: (shown: object, request: { '~around'?: unknown }) => (
        told.push(request['~around'] !== undefined),
        shown
      ),
    }
    const rows = memory([row])
    const store: object = Object.assign(rows, { within: () => rows })
    const served = resource(api, 'team', {
      store,
      scope: () => ({ code: 'a' }),
      only: ['list', 'retrieve'],
      serializer: how === 'embeds none' ? watching : () => watching,
      actions: { archive },
    } as never)
    const { get } = client(api.serve(served as never, quiet))
    for (const path of ['/teams/', '/teams/a/']) expect((await get(path)).status).toBe(200)
    expect(told).toEqual([isTold, isTold])
  })

  test('an action gets the store and the parent, and the row that it is about', async () => {
    const given: string[][] = []
    const perform = (all: object) => (given.push(Object.keys(all).toSorted()), null)
    const own = defineApi({
      urls: { 'team-archive': '/teams/:code/archive/', 'team-count': '/count/' },
    })
    const actions = {
      archive: { detail: true, post: { perform } },
      count: { detail: false, post: { perform } },
    } as const
    const served = resource(
      own,
      'team' as never,
      {
        store: memory([row]),
        serializer: team,
        only: [],
        actions,
      } as never,
    )
    const { post } = client(own.serve(served as never, quiet))
    for (const path of ['/teams/a/archive/', '/count/']) await post(path)
    const all = ['input', 'parent', 'request', 'store']
    expect(given).toEqual([[...all.slice(0, 3), 'row', 'store'], all])
  })

  const request = (method: string) => expect.objectContaining({ method }) as unknown

  test('what was read, the row, the request and the store', async () => {
    const store = expect.objectContaining({ key: 'code' }) as unknown
    const rest = [undefined, undefined]
    expect(await asked({})).toEqual([
      { given: [{ name: 'Bees', code: undefined }, request('POST'), store, ...rest] },
      { given: [row, { name: 'Apes', code: undefined }, request('PATCH'), store, ...rest] },
      { given: [row, request('DELETE'), store, ...rest] },
    ])
  })

  test('a rule that refuses is asked once', async () => {
    let rules = 0
    const store = Object.assign(memory([]), {
      inTransaction: async (work: (...given: unknown[]) => unknown) => work('tx', store),
    }) as never
    const validateInTransaction = () => {
      rules += 1
      throw new Conflict('The team is full.')
    }
    const given = { store, serializer: team, validateInTransaction, actions: { archive } }
    const { post } = client(api.serve([...resource(api, 'team', given as never)] as never, quiet))
    expect((await post('/teams/', { json: row })).status).toBe(409)
    expect(rules).toBe(1)
  })

  test('a rule is asked first, about the row as it is to be, in the transaction that writes', async () => {
    const store: object = {
      inTransaction: async (work: (...given: unknown[]) => unknown) => work('tx', 'within'),
    }
    const validateInTransaction = async (change: Record<string, unknown>) => void seen.push(change)
    const within = { store: 'within', transaction: 'tx', parent: undefined }
    expect(await asked({ store, validateInTransaction })).toEqual([
      { ...within, next: { name: 'Bees' }, row: null, request: request('POST') },
      { given: [expect.anything(), request('POST'), 'within', undefined, 'tx'] },
      { ...within, next: { ...row, name: 'Apes' }, row, request: request('PATCH') },
      { given: [row, expect.anything(), request('PATCH'), 'within', undefined, 'tx'] },
      { ...within, next: null, row, request: request('DELETE') },
      { given: [row, request('DELETE'), 'within', undefined, 'tx'] },
    ])
  })
})

test('a key that its own address cannot name is refused, at the field that holds it', async () => {
  const keyed = defineApi({ urls: defineUrls(resourceUrls('team', '/teams/', ':code<slug>')) })
  const store = memory([{ code: 'a', name: 'Ants' }])
  const named = serializer({ id: field.text({ source: 'code' }), name: field.text() })
  const serve = (given: object) =>
    client(keyed.serve([...resource(keyed, 'team', { store, ...given } as never)], quiet))
  const { post, patch } = serve({ serializer: named })
  const refused = await post('/teams/', { json: { id: 'a b', name: 'Bees' } })
  expect([refused.status, Object.keys(refused.data as object)]).toEqual([400, ['id']])
  expect((await patch('/teams/a/', { json: { id: 'c/d' } })).status).toBe(400)
  expect((await patch('/teams/a/', { json: { name: 'Apes' } })).status).toBe(200)
  expect((await patch('/teams/a/', { json: { id: 'b' } })).data).toEqual({ id: 'b', name: 'Apes' })
  const plain = await serve({ serializer: team }).post('/teams/', {
    json: { code: '☕', name: 'x' },
  })
  expect([plain.status, Object.keys(plain.data as object)]).toEqual([400, ['code']])
})

test('fields of the store, and serializers, are checked when the service starts', () => {
  const store = memory([{ code: 'a', name: 'Ants' }])
  const fields = { searchFields: ['size'] as never, filters: [new SearchFilter()] }
  const unknown = resource(api, 'team', {
    store,
    serializer: team,
    ...fields,
    actions: { archive },
  })
  expect(() => api.serve([...unknown], quiet)).toThrow(/"size"/)

  const versioned = defineApi({
    urls,
    versioning: new QueryParameterVersioning(),
    allowedVersions: ['v1'],
    defaultVersion: 'v1',
  })
  const late = serializer({ code: field.text(), name: field.text({ since: 'v2' }) })
  const serve = () =>
    versioned.serve(
      [
        ...resource(versioned, 'team', {
          store,
          serializer: late,
          only: ['retrieve', 'list'],
          actions: { archive },
        }),
      ],
      quiet,
    )
  expect(serve).toThrow(/"v2"/)
})
