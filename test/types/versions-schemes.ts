// Which versions a request may be of, scheme by scheme: also whether it may be of none.
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  byVersion,
  defineApi,
  defineUrls,
  firstOf,
  include,
} from 'colophon'
import type { VersioningScheme } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import type { RequestTo } from './fixtures.ts'

const makeApi = () =>
  defineApi({
    urls: defineUrls({
      home: '/',
      both: '/both/',
      v1: include('/v1', { list: '/list/', old: '/old/', both: '/both/' }),
      v2: include('/v2', { list: '/list/' }),
      library: include('/library', { a2: include('/a2', { book: '/book/' }) }),
    }),
    allowedVersions: ['v1', 'v2'],
  })
declare const api: ReturnType<typeof makeApi>
const withScheme = <V extends VersioningScheme>(versioning: V) => api.group({ versioning })

type VersionTo<E> = RequestTo<E> extends { readonly version: infer V } ? V : never

/** V10: without a default, a list, and a request that names no version. */
export function unversioned(): void {
  const accept = withScheme(new AcceptHeaderVersioning()).endpoint('home')
  // in Accept it is refused
  expectType<Equal<VersionTo<typeof accept>, 'v1' | 'v2'>>()
  const path = withScheme(new URLPathVersioning()).endpoint('home')
  // in the path too
  expectType<Equal<VersionTo<typeof path>, 'v1' | 'v2'>>()
  const query = withScheme(new QueryParameterVersioning()).endpoint('home')
  // and in the query
  expectType<Equal<VersionTo<typeof query>, 'v1' | 'v2'>>()
  const host = withScheme(new HostNameVersioning()).endpoint('home')
  // a host that carries none gives none
  expectType<Equal<VersionTo<typeof host>, 'v1' | 'v2' | null>>()
  const outside = withScheme(new NamespaceVersioning()).endpoint('home')
  // an address outside of all namespaces has none
  expectType<Equal<VersionTo<typeof outside>, null>>()
}

export function withDefault(named: string): void {
  const group = api.group({ defaultVersion: 'v0' })
  const host = group.endpoint('home', { versioning: new HostNameVersioning() })
  // V11: with a default there is always one
  expectType<Equal<VersionTo<typeof host>, 'v0' | 'v1' | 'v2'>>()
  const query = group.endpoint('home', { versioning: new QueryParameterVersioning() })
  expectType<Equal<VersionTo<typeof query>, 'v0' | 'v1' | 'v2'>>()
  const outside = group.endpoint('home', { versioning: new NamespaceVersioning() })
  // outside of all namespaces it is the default
  expectType<Equal<VersionTo<typeof outside>, 'v0'>>()
  const read = api.endpoint('home', { versioning: new URLPathVersioning(), defaultVersion: named })
  // a default that is read when the program runs may be any
  expectType<Equal<VersionTo<typeof read>, string>>()
}

export function lists(named: readonly string[], mixed: readonly (string | null)[]): void {
  const group = withScheme(new QueryParameterVersioning())
  const open = group.endpoint('home', { allowedVersions: null })
  // V3: without a list everything is allowed, also none
  expectType<Equal<VersionTo<typeof open>, string | null>>()
  const empty = group.endpoint('home', { allowedVersions: [] })
  // an empty list is none
  expectType<Equal<VersionTo<typeof empty>, string | null>>()
  const read = group.endpoint('home', { allowedVersions: named })
  // one that may be empty may admit everybody
  expectType<Equal<VersionTo<typeof read>, string | null>>()
  const either = group.endpoint('home', { allowedVersions: mixed })
  expectType<Equal<VersionTo<typeof either>, string | null>>()
  const listed = group.endpoint('home', { allowedVersions: ['v1', null] })
  // V5: `null` may be listed
  expectType<Equal<VersionTo<typeof listed>, 'v1' | null>>()
  // @ts-expect-error a version is a text
  group.endpoint('home', { allowedVersions: [1, 2] })
  // @ts-expect-error so is the default
  group.endpoint('home', { defaultVersion: 1 })
}

export function variants(): void {
  const own = new QueryParameterVersioning({ allowedVersions: ['a', 'b'] })
  const listed = withScheme(own).endpoint('home')
  // V2: a list of the scheme's own counts
  expectType<Equal<VersionTo<typeof listed>, 'a' | 'b'>>()
  const withOwn = withScheme(new HostNameVersioning({ defaultVersion: 'x' })).endpoint('home')
  // so does a default, beside the list of the settings
  expectType<Equal<VersionTo<typeof withOwn>, 'v1' | 'v2' | 'x'>>()
  const both = new AcceptHeaderVersioning({ allowedVersions: ['a', null], defaultVersion: null })
  const unnamed = withScheme(both).endpoint('home', { defaultVersion: 'v9' })
  // and `null` in place of the default of the settings
  expectType<Equal<VersionTo<typeof unnamed>, 'a' | null>>()
  const free = withScheme(new URLPathVersioning({ allowedVersions: null })).endpoint('home')
  // or of the list
  expectType<Equal<VersionTo<typeof free>, string | null>>()
  const renamed = withScheme(new URLPathVersioning({ versionParam: 'ver' })).endpoint('home')
  // what it does not say comes from the settings
  expectType<Equal<VersionTo<typeof renamed>, 'v1' | 'v2'>>()
  // @ts-expect-error a list has texts
  const odd = new AcceptHeaderVersioning({ allowedVersions: [1] })
  return void odd
}

export function namespaces(named: readonly string[]): void {
  const group = withScheme(new NamespaceVersioning())
  const list = group.endpoint('list')
  // an address of two versions is of either
  expectType<Equal<VersionTo<typeof list>, 'v1' | 'v2'>>()
  const old = group.endpoint('old')
  // one that stands in one version is of that one
  expectType<Equal<VersionTo<typeof old>, 'v1'>>()
  const second = group.endpoint('v2:list')
  expectType<Equal<VersionTo<typeof second>, 'v2'>>()
  const both = group.endpoint('both')
  // inside and outside: a version, or none
  expectType<Equal<VersionTo<typeof both>, 'v1' | null>>()
  const book = group.endpoint('library:a2:book')
  // V42: where no namespace is allowed nobody gets in
  expectType<Equal<VersionTo<typeof book>, never>>()
  const nested = group.endpoint('library:a2:book', { allowedVersions: ['a2'] })
  // V40: the first that is allowed
  expectType<Equal<VersionTo<typeof nested>, 'a2'>>()
  const first = group.endpoint('library:a2:book', { allowedVersions: null })
  // V41: without a list the first
  expectType<Equal<VersionTo<typeof first>, 'library'>>()
  const read = group.endpoint('library:a2:book', { allowedVersions: named })
  // of a list that is read when the program runs, any
  expectType<Equal<VersionTo<typeof read>, 'library' | 'a2'>>()
  const byDefault = group.endpoint('library:a2:book', { defaultVersion: 'a2' })
  // V4: the default is allowed without being listed
  expectType<Equal<VersionTo<typeof byDefault>, 'a2'>>()
  // an answer for each version that can be
  list.get(byVersion({ v1: 1, v2: 2 }))
  old.get(byVersion({ v1: 1 }))
  // @ts-expect-error v2 has no answer
  list.get(byVersion({ v1: 1 }))
  // @ts-expect-error what is asked for without a version has none
  both.get(byVersion({ v1: 1 }))
  both.get(byVersion({ v1: 1 }, 0))
}

export function answers(): void {
  const query = withScheme(new QueryParameterVersioning()).endpoint('home')
  // nobody comes without a version, so nothing is said for it
  query.get(byVersion({ v1: 1, v2: 2 }))
  const host = withScheme(new HostNameVersioning()).endpoint('home')
  // @ts-expect-error but here somebody may
  host.get(byVersion({ v1: 1, v2: 2 }))
  host.get(byVersion({ v1: 1, v2: 2 }, 0))
  const some = api.endpoint('home', { versioning: new URLPathVersioning(), allowedVersions: null })
  // @ts-expect-error no list of answers is long enough for any version
  some.get(byVersion({ v1: 1, v2: 2 }))
}

declare class Lenient extends BaseVersioning {
  override determineVersion(request: Incoming): string | null
}
class Strict extends BaseVersioning {
  declare readonly '~refusesUnversioned'?: true

  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-version'), request)
  }
}

export function ownSchemes(): void {
  const lenient = withScheme(new Lenient()).endpoint('home')
  // nobody knows whether a scheme of one's own refuses
  expectType<Equal<VersionTo<typeof lenient>, 'v1' | 'v2' | null>>()
  const strict = withScheme(new Strict()).endpoint('home')
  // one may say so
  expectType<Equal<VersionTo<typeof strict>, 'v1' | 'v2'>>()
}

export function several(): void {
  const accept = new AcceptHeaderVersioning({ allowedVersions: ['a'] })
  const host = new HostNameVersioning()
  const refusing = withScheme(firstOf([accept, host])).endpoint('home')
  // each with its own list; where nobody finds one, the first decides
  expectType<Equal<VersionTo<typeof refusing>, 'a' | 'v1' | 'v2'>>()
  const giving = withScheme(firstOf([host, accept])).endpoint('home')
  // and may give none
  expectType<Equal<VersionTo<typeof giving>, 'a' | 'v1' | 'v2' | null>>()
  const nested = withScheme(firstOf([firstOf([accept]), host])).endpoint('home')
  // several inside of several
  expectType<Equal<VersionTo<typeof nested>, 'a' | 'v1' | 'v2'>>()
}
