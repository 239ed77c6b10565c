import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  field,
  include,
  list,
  serializer,
} from '../../../src/index.ts'
import { requestWith } from './reading.ts'

describe('what is wrong is told when the service starts', () => {
  const table = {
    'user-detail': '/users/:id<int>/',
    'user-list': '/users/',
    two: '/two/:a/:id/',
  } as const
  const inVersions = { v1: include('/v1', table), v2: include('/v2', table) }
  const start = (it: object, more: object = {}, addresses: object = table): (() => unknown) => {
    const api = defineApi({ urls: addresses as typeof table, ...more })
    const shows = serializer({ it } as never)
    const names = Object.keys(table) as (keyof typeof table)[]
    const source = { slice: () => [], count: () => 0 }
    const endpoints = names.map((one) => api.endpoint(one).get(list({ source, serializer: shows })))
    return () => api.serve(endpoints, { configuration: configurationOf() })
  }
  const versions = ['v1', 'v2'] as const

  test.each<[title: string, start: () => unknown, message: RegExp]>([
    [
      'a name that nobody has',
      start(field.hyperlink('user-detial')),
      /^GET of endpoint user-detail: The field "it" links to "user-detial"\. No address is named "user-detial"\. Did you mean "user-detail"\?$/,
    ],
    ['of a link to the row', start(field.identity('user-detial')), /Did you mean "user-detail"/],
    ['in a list', start(field.list(field.hyperlink('user-detial'))), /The field "it" links/],
    [
      'in another serializer',
      start(field.nested(serializer({ who: field.identity('user-detial') }), { readOnly: true })),
      /The field "who" links/,
    ],
    [
      'made of the row',
      start(field.identity({ route: 'tow', params: () => ({}) })),
      /Did you mean "two"/,
    ],
    [
      'a parameter that it does not take',
      start(field.hyperlink({ route: 'user-detail', param: 'pk' })),
      /with the parameter "pk", and that address takes "id"\.$/,
    ],
    ['no parameter', start(field.hyperlink('user-list')), /that address takes none\.$/],
    [
      'more parameters',
      start(field.hyperlink('two')),
      /that address takes "a" and "id"\. The others/,
    ],
    [
      'a name in namespaces, and no scheme that looks there',
      start(field.hyperlink('user-detail'), {}, inVersions),
      /Did you mean "v1:user-detail" or "v2:user-detail"/,
    ],
  ])('%s', (_, serve, message) => {
    expect(serve).toThrow(ConfigurationError)
    expect(serve).toThrow(message)
  })

  test.each<[title: string, start: () => unknown]>([
    ['an address', start(field.hyperlink('user-detail'))],
    ['a full name', start(field.hyperlink('v1:user-detail'), {}, inVersions)],
    [
      'a short name under namespaces',
      start(
        field.hyperlink('user-detail'),
        { versioning: new NamespaceVersioning(), allowedVersions: versions },
        inVersions,
      ),
    ],
    [
      'a version in the path',
      start(field.hyperlink({ route: 'two', param: 'id' }), {
        versioning: new URLPathVersioning({ versionParam: 'a' }),
        defaultVersion: 'v1',
      }),
    ],
    [
      'another scheme',
      start(field.hyperlink('user-detail'), { versioning: new QueryParameterVersioning() }),
    ],
  ])('nothing is wrong with %s', (_, serve) => {
    expect(serve).not.toThrow()
  })

  test('outside of a service nobody knows addresses', () => {
    expect(serializer({ it: field.hyperlink('x') }).check(requestWith().settings)).toBe(null)
  })
})
