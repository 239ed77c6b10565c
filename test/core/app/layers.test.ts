import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Behaviour,
  type Configuration,
  PageNumberPagination,
  configurationOf,
  defineApi,
  list,
  readConfiguration,
} from '../../../src/index.ts'
import type { Permission } from '../../../src/types.ts'
import { SERVICE_DEFAULTS } from '../../../src/core/settings/service-keys.ts'
import { client } from '../../../src/testing.ts'
import { numbers, scheme, tokens } from '../../behaviour/fixtures.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'colophon-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** The layers from outside in; each may say the page size. */
const LAYERS = ['api', 'colophon.json', 'environment', 'group', 'GET of a', 'endpoint a'] as const
type Name = (typeof LAYERS)[number]

function pageSizeWhere(said: Partial<Record<Name, number | null>>): [size: unknown, from: string] {
  const values = (name: Name): object => (name in said ? { pageSize: said[name] } : {})
  const keys = (name: Name): object => (name in said ? { PAGE_SIZE: said[name] } : {})
  writeFileSync(join(cwd, 'colophon.json'), JSON.stringify(keys('colophon.json')))
  const env =
    'environment' in said ? { COLOPHON_PAGE_SIZE: JSON.stringify(said['environment']) } : {}
  const api = defineApi({ urls: { a: '/a/' }, ...values('api') })
  const behaviour: Behaviour = { handle: () => 'ok', policy: { ...keys('GET of a') } }
  const app = api.serve(
    [api.group(values('group')).endpoint('a', values('endpoint a')).get(behaviour)],
    {
      configuration: readConfiguration({ cwd, env }),
    },
  )
  const { settings, provenance } = app.describe()[0]!
  return [settings.pageSize, provenance.pageSize]
}

describe('defaults ◁ api ◁ file ◁ environment ◁ group ◁ behaviour ◁ endpoint', () => {
  test('nobody said anything', () => expect(pageSizeWhere({})).toEqual([null, 'defaults']))

  test.each(LAYERS.map((name, index) => [name, index] as const))('%s alone', (name, index) => {
    expect(pageSizeWhere({ [name]: index + 1 })).toEqual([index + 1, name])
  })

  const pairs = LAYERS.slice(1).map((inner, index) => [inner, LAYERS[index]!] as const)
  test.each(pairs)('%s has the last word over %s', (inner, outer) => {
    expect(pageSizeWhere({ [outer]: 1, [inner]: 2 })).toEqual([2, inner])
  })

  test.each(pairs)('%s may switch off what %s says', (inner, outer) => {
    expect(pageSizeWhere({ [outer]: 1, [inner]: null })).toEqual([null, inner])
  })

  test('all at once', () => {
    const said = Object.fromEntries(LAYERS.map((name, index) => [name, index + 1]))
    expect(pageSizeWhere(said)).toEqual([6, 'endpoint a'])
  })
})

class ApiUserAuthentication {
  authenticate(): { user: object; auth: null } {
    return { user: { isAuthenticated: true, username: 'api' }, auth: null }
  }
}
class OnlyFrom implements Permission {
  static readonly options: readonly string[] = ['place']
  readonly #place: string
  constructor({ place }: { place: string }) {
    this.#place = place
  }
  hasPermission(request: { header(name: string): string | null }): boolean {
    return request.header('x-place') === this.#place
  }
}
const guest = () => ({ username: 'guest', isAuthenticated: false })

describe('classes that keys name', () => {
  const api = defineApi({
    urls: { list: '/list/', me: '/:edition/me/', plain: '/me/' },
    accounts: {
      users: { authenticate: async () => null },
      tokens,
      events: { logTo: () => undefined },
      check: () => undefined,
      sessions: { settings: SERVICE_DEFAULTS, read: () => null },
    } as never,
    classes: { ApiUserAuthentication, OnlyFrom, guest },
  })
  const me = (request: { user: unknown; version: unknown }) => ({
    user: (request.user as { username: string } | null)?.username ?? null,
    version: request.version,
  })
  const endpoints = [
    api.endpoint('list').get(list({ source: numbers(9) })),
    api.endpoint('me').get(me),
    api.endpoint('plain').get(me),
  ]
  const clientWith = (keys: Readonly<Record<string, unknown>>) =>
    client(api.serve(endpoints, { configuration: configurationOf(keys) }))

  test('a style with attributes as the document spells them', async () => {
    const asking = clientWith({
      DEFAULT_PAGINATION_CLASS: {
        class: 'PageNumberPagination',
        page_size: 4,
        page_size_query_param: 'size',
        max_page_size: 5,
      },
    })
    expect((await asking.get('/list/')).data).toMatchObject({ results: [1, 2, 3, 4] })
    expect((await asking.get('/list/?size=9')).data).toMatchObject({ results: [1, 2, 3, 4, 5] })
  })

  test('a style by its name, with the page size beside it', async () => {
    const asking = clientWith({ DEFAULT_PAGINATION_CLASS: 'PageNumberPagination', PAGE_SIZE: 2 })
    expect((await asking.get('/list/')).data).toMatchObject({ count: 9, results: [1, 2] })
  })

  test('classes of the application', async () => {
    const asking = clientWith({
      DEFAULT_AUTHENTICATION_CLASSES: ['ApiUserAuthentication'],
      DEFAULT_PERMISSION_CLASSES: [{ class: 'OnlyFrom', place: 'here' }],
    })
    expect((await asking.get('/me/')).status).toBe(403)
    expect((await asking.get('/me/', { headers: { 'x-place': 'here' } })).data).toEqual({
      user: 'api',
      version: null,
    })
  })

  test('the token scheme, which takes the accounts of the api', async () => {
    const asking = clientWith({
      DEFAULT_AUTHENTICATION_CLASSES: [{ class: 'TokenAuthentication', keyword: 'Bearer' }],
    })
    expect((await asking.get('/me/', { headers: { authorization: 'Bearer k-ada' } })).data).toEqual(
      { user: 'ada', version: null },
    )
  })

  test('versioning', async () => {
    const asking = clientWith({
      DEFAULT_VERSIONING_CLASS: 'URLPathVersioning',
      VERSION_PARAM: 'edition',
      ALLOWED_VERSIONS: ['1.0'],
      DEFAULT_VERSION: '2.0',
    })
    const versions = await Promise.all(
      ['/1.0/me/', '/2.0/me/', '/me/'].map(
        async (path) => ((await asking.get(path)).data as { version: string }).version,
      ),
    )
    expect(versions).toEqual(['1.0', '2.0', '2.0'])
    expect((await asking.get('/3.0/me/')).status).toBe(404)
  })

  test('a factory, and none', async () => {
    expect((await clientWith({ UNAUTHENTICATED_USER: 'guest' }).get('/me/')).data).toMatchObject({
      user: 'guest',
    })
    expect((await clientWith({ UNAUTHENTICATED_USER: null }).get('/me/')).data).toMatchObject({
      user: null,
    })
  })

  test('keys hold outside every endpoint too', async () => {
    const answer = await clientWith({ DEFAULT_RENDERER_CLASSES: ['HTMLRenderer'] }).get('/nope/')
    expect([answer.status, answer.header('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
  })

  test('schemes of the api do not run where there is no endpoint', async () => {
    let asked = 0
    const counted = scheme(() => {
      asked += 1
      return null
    })
    const own = defineApi({ urls: { a: '/a/' }, authentication: [counted] })
    const app = own.serve([own.endpoint('a').get(() => 'ok')], { configuration: configurationOf() })
    expect((await client(app).get('/nope/')).status).toBe(404)
    expect(asked).toBe(0)
  })
})

test('a configuration is read when serve() is called, not before', () => {
  const api = defineApi({ urls: { a: '/a/' }, pagination: new PageNumberPagination() })
  const wrong = (): Configuration => readConfiguration({ cwd, env: { COLOPHON_PAGE_SIZE: 'ten' } })
  expect(() => api.serve([api.endpoint('a').get(() => 'ok')], { configuration: wrong() })).toThrow(
    /PAGE_SIZE \(environment\)/,
  )
})
