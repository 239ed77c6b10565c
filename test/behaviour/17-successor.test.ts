import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  type App,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  firstOf,
  include,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'
import { client } from '../../src/testing.ts'

const successor = (path: string) => `<http://localhost${path}>; rel="successor-version"`

describe('the successor has an address where the scheme has one for it', () => {
  const inner = { here: '/here/:id<int>/' } as const
  const table = defineUrls({
    v1: include('/v1', { ...inner, old: '/old/', admin: include('/admin', inner) }),
    v2: include('/v2', { ...inner, admin: include('/admin', inner) }),
    shop: include('/shop', { v1: include('/v1', inner), v2: include('/v2', inner) }),
    here: '/here/:id<int>/',
  })
  const names = [
    'v1:here',
    'v1:old',
    'v1:admin:here',
    'v2:here',
    'v2:admin:here',
    'shop:v1:here',
    'shop:v2:here',
    'here',
  ] as const
  const serve = (versioning: VersioningScheme, said: object = {}) => {
    const shop = defineApi({
      urls: table,
      versioning,
      allowedVersions: ['v1', 'v2'],
      versions: { v1: { successor: 'v2' } },
      ...said,
    })
    return shop.serve(
      names.map((name) => shop.endpoint(name).get(({ version }) => version)),
      { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
    )
  }
  const linkOf = async (served: App, path: string, sent: Record<string, string> = {}) =>
    (await client(served).get(path, { headers: sent })).header('link')

  const namespaces = serve(new NamespaceVersioning())
  test.each([
    ['its counterpart', '/v1/here/7/', '/v2/here/7/'],
    ['inside of another namespace', '/v1/admin/here/7/', '/v2/admin/here/7/'],
    ['within the namespace around it', '/shop/v1/here/7/', '/shop/v2/here/7/'],
    ['none, where there is none', '/v1/old/', null],
    ['none, outside', '/here/7/', null],
    ['none for the successor itself', '/v2/here/7/', null],
  ])('namespace: %s', async (_, path, next) => {
    expect(await linkOf(namespaces, path)).toBe(next === null ? null : successor(next))
  })

  const query = serve(new QueryParameterVersioning())
  test('query: the same path with another parameter, and nothing else of the query', async () => {
    const next = successor('/here/7/?version=v2')
    expect(await linkOf(query, '/here/7/?version=v1&page=3')).toBe(next)
    expect(await linkOf(query, '/here/7/?version=v2')).toBeNull()
  })

  test('host: the same path on another host', async () => {
    const hosts = serve(new HostNameVersioning())
    const link = await linkOf(hosts, '/here/7/', { host: 'v1.example.com:81' })
    expect(link).toBe('<http://v2.example.com:81/here/7/>; rel="successor-version"')
    const implied = serve(new HostNameVersioning({ defaultVersion: 'v1' }))
    // Where the host says no version, nobody knows the other host.
    expect(await linkOf(implied, '/here/7/', { host: 'example.com' })).toBeNull()
  })

  test('Accept: both versions have one address', async () => {
    const accept = { accept: 'application/json; version=v1' }
    const served = serve(new AcceptHeaderVersioning(), {
      versions: { v1: { successor: 'v2', deprecatedAt: '2027-01-31' } },
    })
    const answer = await client(served).get('/here/7/', { headers: accept })
    expect(answer.header('deprecation')).toBe('@1801353600')
    expect(answer.header('link')).toBeNull()
  })

  test('firstOf: as the scheme that decided', async () => {
    const both = serve(firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]))
    expect(await linkOf(both, '/here/7/?version=v1')).toBe(successor('/here/7/?version=v2'))
  })

  test('a scheme without a reverse has one address for all', async () => {
    const own = serve({ determineVersion: () => 'v1' })
    expect(await linkOf(own, '/here/7/')).toBeNull()
  })
})
