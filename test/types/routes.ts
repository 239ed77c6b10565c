// Names and parameters come from the address table.
import { defineApi, defineUrls, include } from 'colophon'
import type { RouteTable } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { api, type urls } from './fixtures.ts'

type Names = keyof RouteTable<typeof urls>
type EndpointNames = Parameters<typeof api.endpoint>[0]

export function names(): void {
  // @ts-expect-error no address has this name
  api.endpoint('article-lost')
  // @ts-expect-error a namespace is not an address
  api.endpoint('v1')
  // @ts-expect-error only the first namespace may be left out, not two
  api.endpoint('member')
  // every full name is a name
  expectType<Equal<Extract<Names, `v${string}`>, FullNames>>()
  // and nothing else is, to a link
  expectType<Equal<Extract<Names, RelativeNames>, never>>()
  // an endpoint is also named without its first namespace
  expectType<Equal<Exclude<EndpointNames, Names>, RelativeNames>>()
}
type FullNames = 'v1:report' | 'v1:report-list' | 'v2:report' | 'v2:report-list' | DeepName
type DeepName = 'v2:staff:member'
type RelativeNames = 'report' | 'report-list' | 'staff:member'

export function parameters(): void {
  // a path without parameters has none
  api.endpoint('token').get(({ params }) => expectType<Equal<typeof params, {}>>())
  api.endpoint('article-detail').get(({ params }) => {
    // `:id<int>` is a number
    expectType<Equal<typeof params, { readonly id: number }>>()
    // @ts-expect-error there is no other parameter
    const { slug } = params
    // @ts-expect-error a parameter cannot be assigned to
    params.id = 4
    return slug
  })
  api.endpoint('text').get(({ params }) => {
    // a parameter without a converter is a text
    expectType<Equal<typeof params.word, string>>()
    // `<str>` says the same aloud
    expectType<Equal<typeof params.again, string>>()
  })
  api.endpoint('codes').get(({ params }) => {
    // `<uuid>` is a text
    expectType<Equal<typeof params.key, string>>()
    // `<slug>` is a text
    expectType<Equal<typeof params.name, string>>()
    // `<path>` is a text, slashes included
    expectType<Equal<typeof params.rest, string>>()
  })
  api.endpoint('choice').get(({ params }) => {
    // an enumeration is a union
    expectType<Equal<typeof params.language, 'de' | 'en' | 'fr'>>()
  })
}

export function several(): void {
  api.endpoint('person').get(({ params }) => {
    // several paths of one name: the parameters of one of them
    expectType<Equal<typeof params, { readonly id: number } | { readonly name: string }>>()
    // @ts-expect-error nobody knows yet which path it was
    const { id } = params
    // and a look tells
    if ('id' in params) expectType<Equal<typeof params.id, number>>()
    return id
  })
  api.endpoint('home').get(({ params }) => {
    // one of the paths may have no parameter
    expectType<Equal<typeof params, {} | { readonly language: 'de' | 'en' }>>()
  })
}

export function namespaces(): void {
  api.endpoint('v2:staff:member').get(({ params }) => {
    // the parameters of every prefix belong to the address
    expectType<Equal<typeof params, { readonly team: string; readonly id: number }>>()
  })
  api.endpoint('staff:member').get(({ params }) => {
    // the name without its first namespace has the same parameters
    expectType<Equal<typeof params, { readonly team: string; readonly id: number }>>()
  })
  api.endpoint('report').get(({ params }) => {
    // a name of two namespaces may have different parameters in each
    expectType<Equal<typeof params, { readonly key: string } | { readonly id: number }>>()
  })
  const both = defineApi({ urls: { a: '/:id<int>/', v1: include('/v1', { a: '/:key/' }) } })
  both.endpoint('a').get(({ params }) => {
    // a name may stand outside of a namespace and inside
    expectType<Equal<typeof params, { readonly id: number } | { readonly key: string }>>()
  })
  both.endpoint('v1:a').get(({ params }) => {
    // and the full one is exact
    expectType<Equal<typeof params, { readonly key: string }>>()
  })
}

export function tables(fromFile: Readonly<Record<string, `/${string}`>>): void {
  // @ts-expect-error a path begins with a slash
  defineUrls({ hello: 'hello/' })
  // @ts-expect-error so does a prefix
  include('v1', {})
  // @ts-expect-error an address is a text, or several
  defineUrls({ hello: 7 })
  const read = defineApi({ urls: fromFile })
  read.endpoint('any name at all').get(({ params, reverse }) => {
    // names and paths that are only known at run time: any parameter may be there
    expectType<Equal<typeof params, { readonly [x: string]: unknown }>>()
    // and any may be given
    expectType<Equal<ReturnType<typeof reverse<'another'>>, string>>()
    return [reverse('another'), reverse('another', { id: 7 })]
  })
}
