import { describe, expect, test } from 'vitest'
import {
  type App,
  FieldFilter,
  QueryParameterVersioning,
  SearchFilter,
  ValidationError,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import type { FilterBackend, RowStore } from '../../../src/types.ts'
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

test.each([
  ['X4 a name that is taken', { list: archive }, /action "list"/],
  ['a verb is needed', { archive: { detail: true } }, /no verb/],
])('%s', (_title, given, message) => {
  const actions = given as never
  const declare = () => resource(api, 'team', { store: memory([]), serializer: team, actions })
  expect(declare).toThrow(message)
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
