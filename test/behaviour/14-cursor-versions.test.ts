// I2: a walk may change its API version on the way, whatever carries the version.
import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  CursorPagination,
  FieldFilter,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  firstOf,
  include,
  list,
  reply,
} from '../../src/index.ts'
import type { UrlTable, VersioningScheme } from '../../src/types.ts'
import { Endless, SECRET } from './cursor-bindings.ts'
import { type Door, doors } from './doors.ts'

/** How to ask in a version; `null`: in none. The path has the query of the filters, if any. */
interface Way {
  /** Namespaces that endpoints are declared in one by one. */
  readonly spaces?: readonly string[]
  readonly urls: UrlTable
  readonly scheme: VersioningScheme<string>
  readonly ask: (
    version: string | null,
    path: string,
  ) => { readonly path: string; readonly headers?: Readonly<Record<string, string>> }
}

const plain = { 'city-list': '/:country/cities/', 'town-list': '/:country/towns/' } as const
const addressed = (version: string | null, path: string): string =>
  version === null ? path : `/${version}${path}`
const inQuery = (version: string | null, path: string): string =>
  version === null ? path : `${path}${path.includes('?') ? '&' : '?'}version=${version}`

const WAYS: Readonly<Record<string, Way>> = {
  path: {
    urls: {
      'city-list': ['/:version<v1|v2>/:country/cities/', '/:country/cities/'],
      'town-list': '/:version<v1|v2>/:country/towns/',
    },
    scheme: new URLPathVersioning(),
    ask: (version, path) => ({ path: addressed(version, path) }),
  },
  namespace: {
    urls: { v1: include('/v1', plain), v2: include('/v2', plain), ...plain },
    scheme: new NamespaceVersioning(),
    ask: (version, path) => ({ path: addressed(version, path) }),
  },
  'namespace in a namespace': {
    spaces: ['', 'library:v1:', 'library:v2:'],
    urls: {
      library: include('/library', { v1: include('/v1', plain), v2: include('/v2', plain) }),
      ...plain,
    },
    scheme: new NamespaceVersioning(),
    ask: (version, path) => ({
      path: version === null ? `/library/v1${path}` : `/library/${version}${path}`,
    }),
  },
  query: {
    urls: plain,
    scheme: new QueryParameterVersioning(),
    ask: (version, path) => ({ path: inQuery(version, path) }),
  },
  header: {
    urls: plain,
    scheme: new AcceptHeaderVersioning(),
    ask: (version, path) => ({
      path,
      headers: version === null ? {} : { accept: `application/json; version=${version}` },
    }),
  },
  host: {
    urls: plain,
    scheme: new HostNameVersioning(),
    ask: (version, path) => ({
      path,
      headers: { host: version === null ? 'localhost' : `${version}.example.com` },
    }),
  },
  'first of query and path': {
    urls: {
      'city-list': ['/:version<v1|v2>/:country/cities/', '/:country/cities/'],
      'town-list': '/:country/towns/',
    },
    scheme: firstOf([new QueryParameterVersioning(), new URLPathVersioning()]),
    ask: (version, path) => ({
      path: version === 'v2' ? inQuery(version, path) : addressed(version, path),
    }),
  },
}

const source = new Endless()

function serveOn({ urls, scheme, spaces = [''] }: Way) {
  const api = defineApi({
    urls,
    versioning: scheme,
    allowedVersions: ['v1', 'v2', null],
    defaultVersion: 'v1',
    filters: [new FieldFilter()],
    pagination: new CursorPagination({ pageSize: 2, ordering: 'id' }),
  })
  const cities = list({ source, filterFields: ['name'] })
  const names = spaces.flatMap((space) => [`${space}city-list`, `${space}town-list`])
  const endpoints = names.map((name) => {
    const shown = { ...cities, handle: async (request: never) => versioned(cities, request) }
    return api.endpoint(name as never).get(shown)
  })
  return api.serve(endpoints, {
    configuration: configurationOf({ ...SECRET, ALLOWED_HOSTS: ['localhost', '.example.com'] }),
  })
}

/** The answer of the list, with the version that was served in a header. */
async function versioned(
  cities: { handle(request: never): unknown },
  request: { readonly version: string | null },
) {
  const found = (await cities.handle(request as never)) as { readonly data: object }
  return reply({ ...found.data, version: request.version })
}

interface Page {
  readonly next: string
  readonly previous: string | null
  readonly version: string | null
}

describe.each(Object.entries(WAYS))('the version in the %s', (_name, way) => {
  describe.each(doors(serveOn(way)))('$name', (door: Door) => {
    const ask = async (version: string | null, path: string) => {
      const sent = { method: 'GET', ...way.ask(version, path) }
      const { status, text } = await door.send(sent)
      return { status, page: JSON.parse(text) as Page }
    }
    const cursorOf = ({ next }: Page): string => new URL(next).searchParams.get('cursor')!

    test.each<[string | null, string | null]>([
      ['v1', 'v2'],
      ['v2', 'v1'],
      [null, 'v2'],
      ['v2', null],
      ['v1', null],
    ])('a walk goes on from %s in %s', async (from, to) => {
      const first = await ask(from, '/de/cities/?name=a')
      const cursor = cursorOf(first.page)
      const second = await ask(to, `/de/cities/?name=a&cursor=${cursor}`)
      expect(second).toMatchObject({ status: 200, page: { version: to ?? 'v1' } })
      const third = await ask(from, `/de/cities/?name=a&cursor=${cursorOf(second.page)}`)
      expect(third).toMatchObject({ status: 200, page: { version: from ?? 'v1' } })
    })

    test.each(['v1', 'v2'])('links stay in %s', async (version) => {
      const { page } = await ask(version, '/de/cities/?name=a')
      const url = new URL(page.next)
      const { headers } = way.ask(version, '/')
      expect(url.searchParams.get('name')).toBe('a')
      const host = headers?.['host']
      if (host !== undefined) expect(url.host).toBe(host)
      const { text, status } = await door.send({
        method: 'GET',
        path: url.pathname + url.search,
        ...(headers && { headers }),
      })
      expect(status).toBe(200)
      expect((JSON.parse(text) as Page).version).toBe(version)
    })

    test('the rest of it stays bound', async () => {
      const { page } = await ask('v1', '/de/cities/?name=a')
      const cursor = cursorOf(page)
      source.reads = 0
      for (const path of [
        `/fr/cities/?name=a&cursor=${cursor}`,
        `/de/cities/?name=b&cursor=${cursor}`,
        `/de/towns/?name=a&cursor=${cursor}`,
      ])
        expect((await ask('v2', path)).status).toBe(404)
      expect(source.reads).toBe(0)
    })
  })
})

describe('what only looks like a version', () => {
  const opens = async (way: Omit<Way, 'ask'>, made: string, used: string, accept = '*/*') => {
    const [door] = doors(serveOn({ ...way, ask: (_version, path) => ({ path }) }))
    const headers = { accept }
    const first = await door!.send({ method: 'GET', path: made, headers })
    expect(first.status).toBe(200)
    const cursor = new URL((JSON.parse(first.text) as Page).next).searchParams.get('cursor')!
    return (await door!.send({ method: 'GET', path: `${used}?cursor=${cursor}`, headers })).status
  }

  test('a namespace that is none is part of the name', async () => {
    const urls = {
      v1: include('/v1', { x: include('/x', plain), y: include('/y', plain) }),
      ...plain,
    }
    const spaces = ['', 'v1:x:', 'v1:y:']
    const way = { urls, spaces, scheme: new NamespaceVersioning() }
    expect(await opens(way, '/v1/x/de/cities/', '/v1/y/de/cities/')).toBe(404)
  })

  test('so is one where a header carries the version', async () => {
    const urls = { v1: include('/v1', plain), v2: include('/v2', plain) }
    const way = { urls, scheme: new AcceptHeaderVersioning() }
    expect(await opens(way, '/v1/de/cities/', '/v2/de/cities/')).toBe(404)
  })

  test('a parameter of the name is bound where another one carries it', async () => {
    const urls = {
      'city-list': '/:version/:edition/cities/',
      'town-list': '/:version/towns/',
    } as const
    const way = { urls, scheme: new URLPathVersioning({ versionParam: 'edition' }) }
    expect(await opens(way, '/a/v1/cities/', '/a/v2/cities/')).toBe(200)
    expect(await opens(way, '/a/v1/cities/', '/b/v1/cities/')).toBe(404)
  })

  test('a parameter "format" of the path is no suffix', async () => {
    const urls = { 'city-list': '/:format/cities/', 'town-list': '/towns/' } as const
    const way = { urls, scheme: new QueryParameterVersioning() }
    expect(await opens(way, '/a/cities/', '/b/cities/')).toBe(404)
  })
})
