import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  firstOf,
  include,
} from '../../../src/index.ts'
import type { Lookup, PlainReverse, VersioningScheme } from '../../../src/types.ts'
import { requestsTo } from '../../resources/serializers/requests.ts'

const addresses = { here: '/here/', thing: '/things/:id<int>/', two: '/two/:a/:id<int>/' } as const
const inNamespace = { v1: include('/v1', addresses) }
const inPath = {
  here: '/:version/here/',
  thing: '/:version/things/:id<int>/',
  two: '/:version/two/:a/:id<int>/',
} as const

/** Odd things live elsewhere: what holds for one link does not hold for another. */
class Odd extends QueryParameterVersioning {
  override reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    const url = super.reverse(lookup, request, next)
    return Number(lookup.params['id']) % 2 === 1 ? url.replace('localhost', 'odd.localhost') : url
  }
}
/** It asks for two paths. */
class Twice extends QueryParameterVersioning {
  override reverse(lookup: Lookup, _request: ApiRequest, next: PlainReverse): string {
    return `${next(lookup)}?like=${next(lookup)}`
  }
}
/** It looks for something else, in vain. */
class Curious extends Twice {
  override reverse(lookup: Lookup, _request: ApiRequest, next: PlainReverse): string {
    const url = next(lookup)
    next.find({ name: 'two', params: { ...lookup.params, a: 'a' } })
    return url
  }
}

type Case = readonly [
  title: string,
  versioning: VersioningScheme | null,
  target: string,
  start: string,
  end: string,
]

const at = async (versioning: VersioningScheme | null, target: string): Promise<ApiRequest> => {
  const urls = target.startsWith('/v1')
    ? versioning instanceof URLPathVersioning
      ? inPath
      : inNamespace
    : addresses
  return (await requestsTo({ urls, versioning, formatSuffixes: ['json'] }, [target]))[0]!
}

describe('many links to one route', () => {
  test.each<Case>([
    ['without a scheme', null, '/here/', '/things/', '/'],
    ['with a format in the query', null, '/here/?format=json', '/things/', '/?format=json'],
    ['with a suffix', null, '/here.json', '/things/', '.json'],
    ['Accept', new AcceptHeaderVersioning(), '/here/', '/things/', '/'],
    ['path', new URLPathVersioning(), '/v1/here/', '/v1/things/', '/'],
    ['namespace', new NamespaceVersioning(), '/v1/here/', '/v1/things/', '/'],
    ['host', new HostNameVersioning(), '/here/', '/things/', '/'],
    ['query', new QueryParameterVersioning(), '/here/?version=v1', '/things/', '/?version=v1'],
    [
      'several schemes',
      firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]),
      '/here/?version=v1',
      '/things/',
      '/?version=v1',
    ],
  ])(
    '%s: they have their beginning and their end in common',
    async (_, versioning, target, start, end) => {
      const linker = (await at(versioning, target)).linker('thing')
      const link = linker.to('id')!
      expect(link(8)).toBe(`http://localhost${start}8${end}`)
      expect(link(7)).toBe(linker.url({ id: 7 }))
      expect(link(-7)).toBe(null)
      expect(linker.find({ id: 7 })).toBe(linker.url({ id: 7 }))
      expect(linker.find({ id: -7 })).toBe(null)
      expect(linker.to('id')).toBe(link)
    },
  )

  test.each<[title: string, versioning: VersioningScheme | null]>([
    ['a scheme that looks at the values', new Odd()],
    ['one among several', firstOf([new AcceptHeaderVersioning(), new Odd()])],
    ['a scheme that asks for two paths', new Twice()],
    ['a scheme that asks for another path', new Curious()],
  ])('%s: nobody knows what they have in common', async (_, versioning) => {
    const linker = (await at(versioning, '/here/?version=v1')).linker('thing')
    expect(linker.to('id')).toBe(null)
    expect(linker.find({ id: 7 })).toBe(linker.url({ id: 7 }))
  })

  test('the value chooses among several paths: each is asked for', async () => {
    const urls = { here: '/here/', it: ['/texts/:id<slug>/', '/numbers/:id<int>/'] } as const
    const [request] = await requestsTo({ urls, versioning: null }, ['/here/'])
    const linker = request!.linker('it')
    expect(linker.to('id')).toBe(null)
    expect(linker.find({ id: 7 })).toBe('http://localhost/numbers/7/')
    expect(linker.find({ id: 'a' })).toBe('http://localhost/texts/a/')
  })

  test.each<[title: string, name: string, param: string]>([
    ['a name that nobody has', 'nothing', 'id'],
    ['another parameter', 'thing', 'pk'],
    ['one parameter too few', 'two', 'id'],
  ])('%s: there are no links', async (_, name, param) => {
    const linker = (await at(null, '/here/')).linker(name)
    expect(linker.to(param)).toBe(null)
    expect(linker.find({ [param]: 7 })).toBe(null)
    expect(() => linker.url({ [param]: 7 })).toThrow(name)
  })

  test('a scheme that throws something else is not silenced', async () => {
    class Broken extends QueryParameterVersioning {
      override reverse(): string {
        throw new TypeError('broken')
      }
    }
    const linker = (await at(new Broken(), '/here/?version=v1')).linker('thing')
    expect(() => linker.find({ id: 7 })).toThrow(TypeError)
  })
})
