import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  QueryParameterVersioning,
  configurationOf,
  defineApi,
  include,
} from '../../../src/index.ts'
import type { Resolution } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { CHARACTER } from '../../setup/characters.ts'

const urls = {
  ask: '/ask/',
  thing: '/things/:id<int>/',
  named: '/named/:name/',
  v1: include('/v1', { inner: include('/in', { deep: '/deep/:key/' }) }),
} as const

/** What an address is, to a request that came to `host`. */
async function resolve(
  address: string,
  { host = 'localhost', publicUrl = null as string | null } = {},
): Promise<Resolution> {
  const api = defineApi({ urls, formatSuffixes: ['json'] })
  let found: Resolution = null
  const ask = api.endpoint('ask').get(({ resolve: find }) => {
    found = find(address)
    return null
  })
  const others = (['thing', 'named', 'v1:inner:deep'] as const).map((name) =>
    api.endpoint(name).get(() => null),
  )
  const app = api.serve([ask, ...others], {
    configuration: configurationOf({
      ALLOWED_HOSTS: ['*'],
      ...(publicUrl === null ? {} : { PUBLIC_URL: publicUrl }),
    }),
  })
  const { status } = await client(app).get('/ask/', { headers: { host } })
  expect(status).toBe(200)
  return found
}

const thing = { name: 'thing', namespace: [], params: { id: 7 } }
const deep = { name: 'v1:inner:deep', namespace: ['v1', 'inner'], params: { key: 'a/ü' } }

describe('U22, U23 an address is read back', () => {
  test.each<[title: string, address: string, found: Resolution]>([
    ['an absolute address of this service', 'http://localhost/things/7/', thing],
    ['its default port said aloud', 'http://localhost:80/things/7/', thing],
    ['scheme and host in upper case', 'HTTP://LOCALHOST/things/7/', thing],
    ['a path', '/things/7/', thing],
    ['query and fragment say nothing', '/things/7/?version=v2&x=%zz#part', thing],
    ['nor in an absolute one', 'http://localhost/things/7/?version=v2', thing],
    ['a nested namespace, percent-decoded', '/v1/in/deep/a%2F%C3%BC/', deep],
    [
      'text that nobody encoded',
      '/named/größe/',
      { ...thing, name: 'named', params: { name: 'größe' } },
    ],
    ['a suffix', '/things/7.json', { ...thing, params: { id: 7, format: 'json' } }],
    ['dots are taken out, as clients do', '/named/../things/7/', thing],
    ['another host', 'http://example.com/things/7/', 'foreign'],
    ['another port', 'http://localhost:81/things/7/', 'foreign'],
    ['another scheme', 'https://localhost/things/7/', 'foreign'],
    ['a host without a scheme', '//example.com/things/7/', 'foreign'],
    ['a host behind a backslash', '/\\example.com/things/7/', 'foreign'],
    ['this host as the name of a user', 'http://localhost@example.com/things/7/', 'foreign'],
    ['this host as a beginning', 'http://localhost.example.com/things/7/', 'foreign'],
    ['an unknown path', '/nothing/', null],
    ['a path that is not exact', '/things/7', null],
    ['a number that is none', '/things/seven/', null],
    ['no slash in front: nobody knows where it begins', 'things/7/', null],
    ['no text', '', null],
    ['a backslash, which no address has', 'http://localhost/things/7\\', null],
    ['broken percent-encoding', '/named/%zz/', null],
    ['percent-encoded bytes that are no text', '/named/%ff/', null],
    ['a host that is none', 'http://[/things/7/', null],
    ['another protocol', 'javascript:alert(1)', null],
    ['a file', 'file:///things/7/', null],
  ])('%s', async (_title, address, found) => {
    expect(await resolve(address)).toEqual(found)
  })

  test.each<[title: string, address: string, request: object, found: Resolution]>([
    ['a host sent in upper case', 'http://example.com/things/7/', { host: 'EXAMPLE.com' }, thing],
    ['a port', 'http://example.com:8080/things/7/', { host: 'example.com:8080' }, thing],
    ['IPv6', 'http://[::1]:8080/things/7/', { host: '[::1]:8080' }, thing],
    [
      'PUBLIC_URL',
      'https://api.example.com/things/7/',
      { publicUrl: 'https://api.example.com' },
      thing,
    ],
    [
      'beside PUBLIC_URL',
      'http://localhost/things/7/',
      { publicUrl: 'https://api.example.com' },
      'foreign',
    ],
  ])('%s', async (_title, address, request, found) => {
    expect(await resolve(address, request)).toEqual(found)
  })

  test('whatever the text is, nothing is thrown', async () => {
    const text = fc.oneof(
      fc.string({ unit: CHARACTER }),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc
        .array(
          fc.constantFrom(
            '/',
            '\\',
            'http://',
            'localhost',
            '%',
            '%2',
            '@',
            ':',
            '..',
            '?',
            '#',
            '\0',
            '\ud800',
          ),
        )
        .map((parts) => parts.join('')),
    )
    const api = defineApi({ urls: { ask: '/ask/' } })
    const ask = api.endpoint('ask').get(({ resolve: find }) => {
      fc.assert(fc.property(text, (it) => [null, 'foreign'].includes(find(it) as null)))
      return 'all well'
    })
    const app = api.serve([ask], { configuration: configurationOf() })
    expect((await client(app).get('/ask/')).data).toBe('all well')
  })

  test('what reverse built comes back, with its name and its parameters', async () => {
    const text = fc
      .string({ unit: CHARACTER, minLength: 1 })
      .filter((it) => it.isWellFormed() && !/^\.\.?$/.test(it))
    const versioning = new QueryParameterVersioning()
    const api = defineApi({ urls, versioning, formatSuffixes: ['json'] })
    const ask = api.endpoint('ask').get(({ resolve: find, reverse }) => {
      fc.assert(
        fc.property(
          fc.maxSafeNat(),
          text,
          fc.constantFrom({}, { format: 'json' }),
          (id, key, more) => {
            const back = { ...thing, params: { id, ...more } }
            expect(find(reverse('thing', { id }, more))).toEqual(back)
            const inner = { ...deep, params: { key, ...more } }
            expect(find(reverse('v1:inner:deep', { key }, more))).toEqual(inner)
          },
        ),
      )
      return 'all well'
    })
    const others = (['thing', 'named', 'v1:inner:deep'] as const).map((name) =>
      api.endpoint(name).get(() => null),
    )
    const app = api.serve([ask, ...others], { configuration: configurationOf() })
    for (const path of ['/ask/', '/ask/?version=a%20b%26&format=json'])
      expect((await client(app).get(path)).data).toBe('all well')
  })
})
