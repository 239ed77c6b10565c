// Links are checked: the name, and the name and type of every parameter.
import { type ApiRequest, BaseVersioning, URLPathVersioning } from 'colophon'
import type { Facts, RouteTable, VersioningScheme } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { api, type urls, versioned } from './fixtures.ts'

export function plain(): void {
  api.endpoint('token').get(({ reverse }) => {
    const link = reverse('article-detail', { id: 7 })
    // a link is a text
    expectType<Equal<typeof link, string>>()
    // nothing is asked for where the path has no parameter
    reverse('article-list')
    // not even then, but an empty object is nothing
    reverse('article-list', {})
    // @ts-expect-error no address has this name
    reverse('article-lost')
    // @ts-expect-error `id` is a number
    reverse('article-detail', { id: 'three' })
    // @ts-expect-error `id` is missing
    reverse('article-detail')
    // @ts-expect-error `id` is missing here too
    reverse('article-detail', {})
    // @ts-expect-error `id` may not be undefined
    reverse('article-detail', { id: undefined })
    // @ts-expect-error the path has no `page`
    reverse('article-detail', { id: 7, page: 2 })
    // @ts-expect-error the path has no parameter
    reverse('article-list', { id: 7 })
    // @ts-expect-error `language` is one of three
    reverse('choice', { language: 'it' })
    // @ts-expect-error a uuid is a text
    reverse('v1:report', { key: 7 })
  })
}

export function namesAndPaths(): void {
  api.endpoint('token').get(({ reverse }) => [
    // a full name, with the parameters of its prefixes
    reverse('v2:staff:member', { team: 'red', id: 7 }),
    // @ts-expect-error without a scheme that knows it, the namespace is not left out
    reverse('staff:member', { team: 'red', id: 7 }),
    // @ts-expect-error not even where only one namespace has the name
    reverse('report-list'),
    // @ts-expect-error the prefix asks for a team
    reverse('v2:staff:member', { id: 7 }),
    // several paths: the parameters of either
    reverse('person', { id: 7 }),
    // or of the other
    reverse('person', { name: 'ada' }),
    // @ts-expect-error but of one of them
    reverse('person', {}),
    // one path without parameters is enough to leave them out
    reverse('home'),
    // the other takes its own
    reverse('home', { language: 'de' }),
    // @ts-expect-error and nothing else
    reverse('home', { languages: 'de' }),
  ])
}

export function withUrlPathVersioning(): void {
  versioned.endpoint('editions').get(({ reverse, version }) => [
    // the version of the request is filled in
    reverse('editions'),
    reverse('edition', { slug: 'first' }),
    // another version may be named
    reverse('edition', { slug: 'first', version: 'v1' }),
    // or the same one, said aloud
    reverse('edition', { slug: 'first', version }),
    // @ts-expect-error the other parameters are still asked for
    reverse('edition'),
    // @ts-expect-error the version alone is not enough
    reverse('edition', { version: 'v1' }),
    // @ts-expect-error the path has no such version
    reverse('edition', { slug: 'first', version: 'v3' }),
    // @ts-expect-error left out is one thing, undefined another
    reverse('edition', { slug: 'first', version: undefined }),
    // @ts-expect-error only `version` is filled in
    reverse('shelf'),
  ])
}

export function withAnotherParameter(): void {
  const versioning = new URLPathVersioning({ versionParam: 'ver' })
  api.endpoint('shelf', { versioning }).get(({ reverse }) => [
    // the scheme says which parameter it fills in
    reverse('shelf'),
    reverse('shelf', { ver: 'v2' }),
    // @ts-expect-error this one is `version`, not `ver`
    reverse('editions'),
  ])
}

declare class HeaderVersioning extends BaseVersioning {
  override determineVersion(): string | null
}

export function withoutUrlPathVersioning(some: VersioningScheme): void {
  api.endpoint('editions').get(({ reverse }) => [
    reverse('edition', { slug: 'first', version: 'v1' }),
    // @ts-expect-error without a scheme nobody fills in `version`
    reverse('edition', { slug: 'first' }),
  ])
  versioned.endpoint('editions', { versioning: null }).get(({ reverse }) => {
    // @ts-expect-error the scheme is switched off here
    reverse('editions')
  })
  api.endpoint('editions', { versioning: new HeaderVersioning() }).get(({ reverse }) => {
    // @ts-expect-error this scheme keeps the version elsewhere
    reverse('editions')
  })
  api.endpoint('editions', { versioning: some }).get(({ reverse }) => {
    // @ts-expect-error nobody knows what this scheme fills in
    reverse('editions')
  })
}

type Linking = ApiRequest<Facts & { routes: RouteTable<typeof urls> }>
declare function link(request: Linking): string
export function writtenOut(request: Linking): void {
  // a function of one's own may ask for a request that knows the addresses
  api.endpoint('token').get(link)
  // whatever the versioning scheme
  versioned.endpoint('token').get(link)
  // @ts-expect-error there too, parameters are asked for
  request.reverse('article-detail')
  // @ts-expect-error and a version, as nobody knows the scheme
  request.reverse('editions')
}
