// Parameters of links and of requests have the types that their converters give.
import { defineApi, defineUrls } from 'colophon'
import { type Equal, expectType } from './expect.ts'

const makeApi = () =>
  defineApi({
    urls: defineUrls({
      plain: '/plain/',
      int: '/int/:id<int>/',
      str: '/str/:name<str>/',
      bare: '/bare/:name/',
      slug: '/slug/:name<slug>/',
      uuid: '/uuid/:key<uuid>/',
      path: '/path/:rest<path>',
      choice: '/choice/:unit<km|mile>/',
      one: '/one/:v<v1>/',
      dated: '/dated/:v<2026-11>/',
      unknown: '/unknown/:id<integer>/',
      pair: '/pair/:from<int>/:to<int>/',
      optional: ['/optional/', '/optional/:page<int>/'],
      either: ['/either/:id<int>/', '/either/:name<slug>/'],
      longer: ['/longer/:a<int>/', '/longer/:a<int>/:b<a|b>/'],
      typed: ['/typed/:key<int>/', '/typed/:key<uuid>/'],
    }),
  })
declare const api: ReturnType<typeof makeApi>

export function converters(text: string): void {
  api.endpoint('plain').get(({ reverse }) => {
    reverse('int', { id: 7 })
    // @ts-expect-error int: no text
    reverse('int', { id: '7' })
    // @ts-expect-error int: no bigint, no address holds one
    reverse('int', { id: 7n })
    // @ts-expect-error int: not null
    reverse('int', { id: null })
    reverse('str', { name: 'ada' })
    // @ts-expect-error str: no number
    reverse('str', { name: 7 })
    reverse('bare', { name: 'ada' })
    // @ts-expect-error without a converter: no number
    reverse('bare', { name: 7 })
    reverse('slug', { name: 'a-b' })
    // @ts-expect-error slug: no number
    reverse('slug', { name: 7 })
    reverse('uuid', { key: '0f8fad5b-d9cb-469f-a165-70867728950e' })
    // @ts-expect-error uuid: no number
    reverse('uuid', { key: 7 })
    reverse('path', { rest: 'a/b' })
    // @ts-expect-error path: no list of segments
    reverse('path', { rest: ['a', 'b'] })
    reverse('choice', { unit: 'km' })
    // @ts-expect-error a choice: none other
    reverse('choice', { unit: 'yard' })
    // @ts-expect-error a choice: not any text
    reverse('choice', { unit: text })
    reverse('one', { v: 'v1' })
    // @ts-expect-error one choice: none other
    reverse('one', { v: 'v2' })
    // @ts-expect-error which is asked for all the same
    reverse('one')
    reverse('dated', { v: '2026-11' })
    // @ts-expect-error what is no converter takes no value: the service refuses to start
    reverse('unknown', { id: 7 })
    // @ts-expect-error nor its own name
    reverse('unknown', { id: 'integer' })
    reverse('pair', { from: 1, to: 2 })
    // @ts-expect-error the second is asked for
    reverse('pair', { from: 1 })
    // @ts-expect-error each has its type
    reverse('pair', { from: 1, to: '2' })
    // @ts-expect-error a misspelt one is none
    reverse('pair', { from: 1, too: 2 })
  })
}

export function alternatives(page: number, some: { id: number } | { name: string }): void {
  api.endpoint('plain').get(({ reverse }) => {
    // a part that may be left out
    reverse('optional')
    reverse('optional', { page })
    // @ts-expect-error where it is there, it has its type
    reverse('optional', { page: 'two' })
    // @ts-expect-error and its name
    reverse('optional', { pages: 2 })
    // @ts-expect-error left out is one thing, undefined another
    reverse('optional', { page: undefined })
    // either of two paths
    reverse('either', { id: 7 })
    reverse('either', { name: 'ada' })
    // also where only the program knows which
    reverse('either', some)
    // @ts-expect-error one of them
    reverse('either')
    // @ts-expect-error each with its own type
    reverse('either', { id: 'ada' })
    reverse('longer', { a: 1 })
    reverse('longer', { a: 1, b: 'b' })
    // @ts-expect-error the longer path has two choices
    reverse('longer', { a: 1, b: 'c' })
    // @ts-expect-error no path has the second alone
    reverse('longer', { b: 'a' })
    // a parameter of two converters takes what either takes
    reverse('typed', { key: 7 })
    reverse('typed', { key: '0f8fad5b-d9cb-469f-a165-70867728950e' })
    // @ts-expect-error and nothing else
    reverse('typed', { key: true })
  })
}

export function options(): void {
  api.endpoint('plain').get(({ reverse }) => {
    // U4: a format suffix
    reverse('plain', {}, { format: 'json' })
    reverse('int', { id: 7 }, { format: 'json' })
    // @ts-expect-error is said beside the parameters, not among them
    reverse('int', { id: 7, format: 'json' })
    // @ts-expect-error is a text
    reverse('plain', {}, { format: 1 })
    // @ts-expect-error there is no such option
    reverse('plain', {}, { suffix: 'json' })
    // @ts-expect-error within a request the scheme says which version
    reverse('plain', {}, { version: 'v1' })
  })
}

export function requests(): void {
  api.endpoint('one').get(({ params }) => {
    // one choice is that text
    expectType<Equal<typeof params.v, 'v1'>>()
  })
  api.endpoint('unknown').get(({ params }) => {
    // what is no converter gives nothing
    expectType<Equal<typeof params.id, never>>()
  })
  api.endpoint('optional').get(({ params }) => {
    // what may be left out is asked for first
    expectType<Equal<typeof params, {} | { readonly page: number }>>()
    // @ts-expect-error nobody knows yet whether it is there
    return params.page
  })
  api.endpoint('typed').get(({ params }) => {
    // a parameter of two converters
    expectType<Equal<typeof params.key, number | string>>()
  })
  api.endpoint('longer').get(({ params }) => {
    // what every path has needs no question
    expectType<Equal<typeof params.a, number>>()
    // what only the longer one has does
    if ('b' in params) expectType<Equal<typeof params.b, 'a' | 'b'>>()
  })
}
