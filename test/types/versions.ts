// The versions that a request may be of.
import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  byVersion,
  firstOf,
  list,
} from 'colophon'
import type { Lookup, VersioningScheme } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, api, articles, brief, full, person, versioned } from './fixtures.ts'

type VersionTo<E> = RequestTo<E> extends { readonly version: infer V } ? V : never
const scheme = () => new URLPathVersioning()

export function versions(maybe: VersioningScheme | null, named: readonly string[]): void {
  const none = api.endpoint('token')
  // without a scheme there is no version
  expectType<Equal<VersionTo<typeof none>, null>>()
  const free = api.endpoint('token', { versioning: scheme() })
  // with nothing but a scheme, any version or none
  expectType<Equal<VersionTo<typeof free>, string | null>>()
  const always = api.endpoint('token', { versioning: scheme(), defaultVersion: 'v1' })
  // with a default, any version
  expectType<Equal<VersionTo<typeof always>, string>>()
  const two = versioned.endpoint('token')
  // with a list, one of the list
  expectType<Equal<VersionTo<typeof two>, 'v1' | 'v2'>>()
  const three = versioned.endpoint('token', { defaultVersion: 'v3' })
  // the default is allowed without being listed
  expectType<Equal<VersionTo<typeof three>, 'v1' | 'v2' | 'v3'>>()
  const open = versioned.endpoint('token', { defaultVersion: null })
  // V10: without a default, whoever names none in a path is refused
  expectType<Equal<VersionTo<typeof open>, 'v1' | 'v2'>>()
  const withNull = versioned.endpoint('token', { allowedVersions: ['v2', null] })
  // `null` in the list admits unversioned requests
  expectType<Equal<VersionTo<typeof withNull>, 'v2' | null>>()
  const any = versioned.endpoint('token', { allowedVersions: null })
  // `null` in place of the list admits every version
  expectType<Equal<VersionTo<typeof any>, string>>()
  const empty = versioned.endpoint('token', { allowedVersions: [] })
  // so does an empty list
  expectType<Equal<VersionTo<typeof empty>, string>>()
  const read = versioned.endpoint('token', { allowedVersions: named })
  // a list that is only known at run time may hold any
  expectType<Equal<VersionTo<typeof read>, string>>()
  const off = versioned.endpoint('token', { versioning: null })
  // a scheme that is switched off gives no version, whatever is allowed
  expectType<Equal<VersionTo<typeof off>, null>>()
  const perhaps = versioned.endpoint('token', { versioning: maybe })
  // a scheme that may be there gives one or none
  expectType<Equal<VersionTo<typeof perhaps>, 'v1' | 'v2' | null>>()
  // @ts-expect-error there is no third version to compare with
  versioned.endpoint('token').get(({ version }) => version === 'v3')
}

export function choices(): void {
  const articleList = versioned.endpoint('article-list')
  // every version has its serializer
  articleList.get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }) }))
  // @ts-expect-error version v2 is allowed and has none
  articleList.get(list({ source: articles, serializer: byVersion({ v1: brief }) }))
  // @ts-expect-error a person's serializer does not understand articles, in any version
  articleList.get(list({ source: articles, serializer: byVersion({ v1: brief, v2: person }) }))
  // a version more does no harm
  articleList.get(
    list({ source: articles, serializer: byVersion({ v1: brief, v2: full, v3: full }) }),
  )

  const open = versioned.endpoint('article-list', {
    versioning: new HostNameVersioning(),
    defaultVersion: null,
  })
  // @ts-expect-error a request may carry no version: say what it gets
  open.get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }) }))
  // as second argument
  open.get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }, full) }))

  const unversioned = api.endpoint('article-list')
  // @ts-expect-error where there are no versions, there is nothing to choose by
  unversioned.get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }) }))

  versioned.endpoint('token').get((request) => {
    const answer = byVersion({ v1: 1, v2: 'two' })(request)
    // any values can be chosen from
    expectType<Equal<typeof answer, string | number>>()
  })
  // what it is called with decides, not where
  versioned.endpoint('token').get(byVersion({ v1: 'one', v2: 'two' }))
}

// ── of one's own ─────────────────────────────────────────────────────────────

const header = () =>
  ({ determineVersion: (request) => request.header('x-version') }) satisfies VersioningScheme

class QueryVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.query.get('version'), request)
  }

  reverse(lookup: Lookup, request: ApiRequest, next: (lookup: Lookup) => string): string {
    return `${next(lookup)}?version=${request.version}`
  }
}
declare const nosy: { determineVersion(request: ApiRequest): string | null }
declare const numbered: { determineVersion(request: Incoming): number }

export function schemesOfOnesOwn(): void {
  const byHeader = api.endpoint('token', { versioning: header(), allowedVersions: ['v1'] })
  // an object is a scheme
  expectType<Equal<VersionTo<typeof byHeader>, 'v1' | null>>()
  const byQuery = versioned.endpoint('token', { versioning: new QueryVersioning() })
  // so is a class that lets the base decide what is allowed
  expectType<Equal<VersionTo<typeof byQuery>, 'v1' | 'v2'>>()
  // @ts-expect-error the version is known before the user is
  api.endpoint('token', { versioning: nosy })
  // @ts-expect-error a version is a text
  api.endpoint('token', { versioning: numbered })
  // @ts-expect-error a scheme has to say where the version is
  const nowhere = new (class extends BaseVersioning {})()
  // @ts-expect-error a scheme has no such option
  const odd = new URLPathVersioning({ versionParams: 'ver' })
  return void [nowhere, odd]
}

// ── the other schemes ────────────────────────────────────────────────────────

export function schemes(): void {
  const said = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' } as const
  const byAccept = api.endpoint('token', { ...said, versioning: new AcceptHeaderVersioning() })
  // the version is one of the list, wherever it travels
  expectType<Equal<VersionTo<typeof byAccept>, 'v1' | 'v2'>>()
  const bySpace = api.endpoint('token', { ...said, versioning: new NamespaceVersioning() })
  // V43: an address outside of all namespaces has the default
  expectType<Equal<VersionTo<typeof bySpace>, 'v1'>>()
  const byHost = api.endpoint('token', {
    allowedVersions: ['v1'],
    versioning: new HostNameVersioning({ hostnameRegex: /^(v1)/ }),
  })
  // a host may carry none
  expectType<Equal<VersionTo<typeof byHost>, 'v1' | null>>()
  const byBoth = api.endpoint('token', {
    ...said,
    versioning: firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]),
  })
  // several schemes have one list
  expectType<Equal<VersionTo<typeof byBoth>, 'v1' | 'v2'>>()
  // @ts-expect-error a pattern is an expression or a text
  const digits = new HostNameVersioning({ hostnameRegex: 7 })
  // @ts-expect-error other schemes look at no host
  const odd = new QueryParameterVersioning({ hostnameRegex: /v/ })
  // @ts-expect-error schemes are asked in an order
  const unordered = firstOf({ a: new AcceptHeaderVersioning() })
  // @ts-expect-error a permission is no scheme
  const foreign = firstOf([{ hasPermission: () => true }])
  return void [digits, odd, unordered, foreign]
}

export function implied(): void {
  const path = firstOf([new AcceptHeaderVersioning(), new URLPathVersioning()])
  // what any of the schemes fills in need not be given
  api.endpoint('token', { versioning: path }).get(({ reverse }) => reverse('editions'))
  const none = firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()])
  // @ts-expect-error none of these fills in a parameter of the path
  api.endpoint('token', { versioning: none }).get(({ reverse }) => reverse('editions'))
  const space = api.endpoint('token', { versioning: new NamespaceVersioning() })
  // @ts-expect-error nor does a namespace
  space.get(({ reverse }) => reverse('editions'))
}

export function lives(): void {
  api.endpoint('token', {
    versions: {
      v1: { deprecatedAt: new Date(), sunsetAt: '2027-01-31', successor: 'v2', gone: true },
    },
    versionHeader: 'API-Version',
  })
  // off, whatever outer layers say
  api.endpoint('token', { versions: null, versionHeader: null })
  // @ts-expect-error a moment is a date or a text
  api.endpoint('token', { versions: { v1: { deprecatedAt: 1801353600 } } })
  // @ts-expect-error there is no such fact
  api.endpoint('token', { versions: { v1: { deprecated: true } } })
  // @ts-expect-error a header has a name
  api.endpoint('token', { versionHeader: true })
}
