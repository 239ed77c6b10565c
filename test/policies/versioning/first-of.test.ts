import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  ConfigurationError,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  NoReverseMatch,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  firstOf,
} from '../../../src/index.ts'
import type { VersioningScheme } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

const later = (name: string): VersioningScheme => ({
  determineVersion: async (request: Incoming) => Promise.resolve(request.header(name)),
  find: async (request: Incoming) => Promise.resolve(request.header(name)),
})

function serving(versioning: VersioningScheme, said: object = {}) {
  const urls = {
    here: ['/here/', '/:version/here/'],
    there: '/:version/there/',
    plain: '/plain/',
  } as const
  const api = defineApi({ urls, versioning, ...said, logger: { error: () => {} } })
  const tell = (request: { version: string | null; reverse: unknown }) => {
    const reverse = request.reverse as (name: string) => string
    return { version: request.version, links: linksBy(reverse) }
  }
  return client(
    api.serve(
      (['here', 'there', 'plain'] as const).map((name) => api.endpoint(name).get(tell)),
      { configuration: configurationOf() },
    ),
  )
}
/** Links to all three, as far as they can be built. */
function linksBy(reverse: (name: string) => string): string[] {
  return ['here', 'plain', 'there'].flatMap((name) => {
    try {
      return reverse(name).slice('http://localhost'.length)
    } catch {
      return []
    }
  })
}
const accept = (version: string) => ({
  headers: { accept: `application/json; version=${version}` },
})

describe('the first scheme that finds a version decides', () => {
  const both = firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()])

  test('the first', async () => {
    const { data } = await serving(both).get('/here/?version=v2', accept('v1'))
    expect(data).toMatchObject({ version: 'v1' })
  })
  test('the second, where the first finds none', async () => {
    expect((await serving(both).get('/here/?version=v2')).data).toMatchObject({ version: 'v2' })
  })
  test.each([
    ['its error counts: 406', '/here/?version=v1', accept('v9'), 406],
    ['its error counts: 404', '/here/?version=v9', {}, 404],
    ['none found: the error of the first', '/here/', {}, 406],
  ])('%s', async (_, path, options, status) => {
    const listed = serving(both, { allowedVersions: ['v1'] })
    expect((await listed.get(path, options)).status).toBe(status)
  })
  test('none found: the default of the first', async () => {
    const first = new QueryParameterVersioning({ defaultVersion: 'v5' })
    const schemes = firstOf([first, new AcceptHeaderVersioning({ defaultVersion: 'v6' })])
    expect((await serving(schemes).get('/here/')).data).toMatchObject({ version: 'v5' })
  })
  test('the default of the first does not hide what the second finds', async () => {
    const said = { defaultVersion: 'v1' }
    const { data } = await serving(both, said).get('/here/?version=v2')
    expect(data).toMatchObject({ version: 'v2' })
  })
  test('a variant keeps its own list', async () => {
    const own = firstOf([
      new AcceptHeaderVersioning(),
      new QueryParameterVersioning({ allowedVersions: ['old'] }),
    ])
    const listed = serving(own, { allowedVersions: ['v1'] })
    expect((await listed.get('/here/?version=old')).status).toBe(200)
    expect((await listed.get('/here/', accept('old'))).status).toBe(406)
  })
  test('a scheme without find: what it determines is found', async () => {
    const constant: VersioningScheme = { determineVersion: () => 'v0' }
    expect((await serving(firstOf([constant, both])).get('/here/?version=v2')).data).toMatchObject({
      version: 'v0',
    })
    expect((await serving(firstOf([both, constant])).get('/here/?version=v2')).data).toMatchObject({
      version: 'v2',
    })
    expect((await serving(firstOf([both, constant])).get('/here/')).data).toMatchObject({
      version: 'v0',
    })
  })
  test('schemes may take their time', async () => {
    const slow = serving(firstOf([later('x-a'), later('x-b'), firstOf([later('x-c')])]))
    const versionOf = async (headers: Record<string, string>) =>
      ((await slow.get('/here/', { headers })).data as { version: string }).version
    expect(await versionOf({ 'x-a': '1', 'x-b': '2' })).toBe('1')
    expect(await versionOf({ 'x-b': '2' })).toBe('2')
    expect(await versionOf({ 'x-c': '3' })).toBe('3')
    expect(await versionOf({})).toBeNull()
  })
  test('I11 the answer varies by all that were asked', async () => {
    const one = { renderers: [{ mediaType: 'text/plain', format: 'text', render: () => '' }] }
    const varyOf = async (path: string, schemes: VersioningScheme) =>
      (await serving(schemes, one).get(path)).header('vary')
    expect(await varyOf('/here/?version=v1', both)).toBe('Accept')
    const turned = firstOf([new QueryParameterVersioning(), new AcceptHeaderVersioning()])
    expect(await varyOf('/here/?version=v1', turned)).toBeNull()
    expect(await varyOf('/here/', turned)).toBe('Accept')
  })
})

describe('links go the way of the scheme that decided', () => {
  const both = firstOf([new URLPathVersioning(), new QueryParameterVersioning()])

  test('the path', async () => {
    const { data } = await serving(both).get('/v1/here/')
    expect(data).toEqual({ version: 'v1', links: ['/v1/here/', '/plain/', '/v1/there/'] })
  })
  test('the query, and the path where a route needs the version', async () => {
    const { data } = await serving(both).get('/here/?version=v1')
    const links = ['/here/?version=v1', '/plain/?version=v1', '/v1/there/']
    expect(data).toEqual({ version: 'v1', links })
  })
  test('a header says nothing in a link, but a route may need the version', async () => {
    const headers = firstOf([new AcceptHeaderVersioning(), new URLPathVersioning()])
    const { data } = await serving(headers).get('/here/', accept('v1'))
    expect(data).toEqual({ version: 'v1', links: ['/here/', '/plain/', '/v1/there/'] })
  })
  test('two requests at a time do not disturb each other', async () => {
    const served = serving(firstOf([later('x-a'), both]))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => served.get(n % 2 ? '/v1/here/' : '/here/?version=v2')),
    )
    for (const [n, { data }] of answers.entries()) {
      const links = n % 2 ? ['/v1/here/', '/plain/'] : ['/here/?version=v2', '/plain/?version=v2']
      expect(data).toMatchObject({ links: [...links, n % 2 ? '/v1/there/' : '/v2/there/'] })
    }
  })
  test('no route at all is the error of a plain reverse', async () => {
    const api = defineApi({ urls: { a: '/a/' }, versioning: both, logger: { error: () => {} } })
    const nowhere = api
      .endpoint('a')
      .get((request) => (request.reverse as (name: string) => string)('b'))
    const served = client(api.serve([nowhere], { configuration: configurationOf() }))
    expect((await served.get('/a/?version=v1')).status).toBe(500)
  })
})

describe('a scheme that writes links itself', () => {
  const writing = (header: string, names: readonly string[]): VersioningScheme => ({
    determineVersion: (request: Incoming) => request.header(header),
    find: (request: Incoming) => request.header(header),
    reverse: ({ name }, request) => {
      if (!names.includes(name)) throw new NoReverseMatch(name)
      return `${request.origin}/by/${header}/${name}/`
    },
  })
  const mixed = firstOf([
    writing('x-a', ['here']),
    writing('x-b', ['here', 'plain']),
    later('x-c'),
    new QueryParameterVersioning(),
  ])

  test.each([
    ['the first', { 'x-a': 'v1' }, ['/by/x-a/here/', '/by/x-b/plain/']],
    ['the second', { 'x-b': 'v1' }, ['/by/x-b/here/', '/by/x-b/plain/']],
  ])('decides: %s, and where it has no address the others', async (_, headers, links) => {
    const { data } = await serving(mixed).get('/here/', { headers })
    expect(data).toMatchObject({ version: 'v1', links })
  })

  test('one that writes none leaves them as they are', async () => {
    const { data } = await serving(mixed).get('/here/', { headers: { 'x-c': 'v1' } })
    expect(data).toMatchObject({ version: 'v1', links: ['/here/', '/plain/'] })
  })

  test('it comes after the one that decided, whose links have forms', async () => {
    const { data } = await serving(mixed).get('/here/?version=v1')
    expect(data).toMatchObject({ links: ['/here/?version=v1', '/plain/?version=v1'] })
  })

  test('what goes wrong in it is no missing address', async () => {
    const broken: VersioningScheme = {
      ...writing('x-a', []),
      reverse: () => {
        throw new TypeError('broken')
      },
    }
    const both = firstOf([broken, new QueryParameterVersioning()])
    const { data } = await serving(both).get('/here/?version=v2', { headers: { 'x-a': 'v1' } })
    expect(data).toEqual({ version: 'v1', links: [] })
  })
})

describe('at the start', () => {
  test('no scheme is refused', () => {
    expect(() => firstOf([])).toThrow(ConfigurationError)
  })
  test('what one of them misses is told', () => {
    const api = defineApi({
      urls: { a: '/a/' },
      versioning: firstOf([new QueryParameterVersioning(), new NamespaceVersioning()]),
    })
    expect(() =>
      api.serve([api.endpoint('a').get(() => 1)], { configuration: configurationOf() }),
    ).toThrow(
      /^endpoint a: DEFAULT_VERSIONING_CLASS \(from api\) has FirstOf, which asks NamespaceVersioning, which needs namespaces/,
    )
  })
  test('a path without the parameter is fine beside another scheme, and not alone', () => {
    const serve = (versioning: VersioningScheme) => {
      const api = defineApi({ urls: { a: '/a/' }, versioning, allowedVersions: ['v1'] })
      return api.serve([api.endpoint('a').get(() => 1)], { configuration: configurationOf() })
    }
    expect(() =>
      serve(firstOf([new URLPathVersioning(), new QueryParameterVersioning()])),
    ).not.toThrow()
    expect(() => serve(firstOf([new URLPathVersioning()]))).toThrow(
      'would answer 404 to everything',
    )
  })
  test('its versions are those of all; nobody knows them where one does not', () => {
    const settings = { allowedVersions: ['v1', null], defaultVersion: 'v0' } as never
    const variant = new HostNameVersioning({ allowedVersions: ['v9'], defaultVersion: null })
    expect(firstOf([new AcceptHeaderVersioning(), variant]).versions?.(settings)).toEqual([
      'v1',
      'v0',
      'v9',
    ])
    expect(firstOf([variant, later('x')]).versions?.(settings)).toBeNull()
    expect(new AcceptHeaderVersioning({ allowedVersions: [] }).versions(settings)).toBeNull()
  })
})
