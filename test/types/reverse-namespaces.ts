// Short names of links: only where a namespace is the version, and only those that are there in every version.
import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BaseVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  defineApi,
  defineUrls,
  firstOf,
  include,
} from 'colophon'
import type { Facts, RouteTable, VersioningScheme } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'

const makeUrls = () =>
  defineUrls({
    contact: '/contact/',
    same: '/same/',
    v1: include('/v1', {
      list: '/things/',
      detail: '/things/:id<int>/',
      old: '/old/',
      moved: '/moved/:id<int>/',
      narrow: '/narrow/:kind<a|b>/',
      two: ['/two/', '/two/:page<int>/'],
      same: '/same/:id<int>/',
      staff: include('/staff/:team<slug>', { member: '/:id<int>/' }),
    }),
    v2: include('/v2', {
      list: '/things/',
      detail: '/things/:id<int>/',
      moved: '/moved/:id<uuid>/',
      narrow: '/narrow/:kind/',
      two: ['/both/:page<int>/', '/both/:page<int>/:size<int>/'],
      fresh: '/fresh/',
      staff: include('/staff/:team<slug>', { member: '/:id<int>/', boss: '/boss/' }),
    }),
    library: include('/library', {
      'opening-hours': '/hours/',
      a1: include('/a1', { 'book-list': '/books/', shelf: '/shelf/' }),
      a2: include('/a2', { 'book-list': '/books/', rare: include('/rare', { room: '/room/' }) }),
    }),
  })
declare const urls: ReturnType<typeof makeUrls>
const makeApi = () =>
  defineApi({ urls, versioning: new NamespaceVersioning(), allowedVersions: ['v1', 'v2'] })
declare const api: ReturnType<typeof makeApi>
const makeLibrary = () => api.group({ allowedVersions: ['a1', 'a2'] })
declare const library: ReturnType<typeof makeLibrary>

export function inEveryVersion(): void {
  api.endpoint('list').get(({ reverse }) => [
    // a name that both versions have
    reverse('list'),
    // with its parameters
    reverse('detail', { id: 7 }),
    // @ts-expect-error `id` is a number in both
    reverse('detail', { id: 'seven' }),
    // @ts-expect-error and asked for in both
    reverse('detail'),
    // a nested one of both
    reverse('staff:member', { team: 'red', id: 7 }),
    // a full name leads to another version
    reverse('v2:fresh'),
    // what stands outside of all versions
    reverse('contact'),
    // @ts-expect-error v2 has no such name
    reverse('old'),
    // @ts-expect-error v1 has no such name
    reverse('fresh'),
    // @ts-expect-error v1 has no boss
    reverse('staff:boss', { team: 'red' }),
    // @ts-expect-error `member` stands in `staff`
    reverse('member', { team: 'red', id: 7 }),
    // @ts-expect-error v2 does not have it, so its full name does not exist
    reverse('v2:old'),
    // @ts-expect-error there is no third version
    reverse('v3:list'),
    // @ts-expect-error a namespace is no address
    reverse('v1'),
    // @ts-expect-error a namespace in the version is none either
    reverse('staff', { team: 'red' }),
    // @ts-expect-error nor does a colon at its end make one
    reverse('v1:'),
  ])
}

export function ofOneVersion(): void {
  api.endpoint('v1:list').get(({ reverse }) => [
    // an address of v1 is never of another version
    reverse('old'),
    // @ts-expect-error so names of v2 are no short names here
    reverse('fresh'),
    // their full names are
    reverse('v2:fresh'),
  ])
  api.endpoint('old').get(({ reverse }) => [
    // an endpoint that stands in one version only is of that version
    reverse('old'),
    // @ts-expect-error and of no other
    reverse('fresh'),
  ])
  api.endpoint('contact').get(({ reverse }) => [
    // @ts-expect-error outside of the versions there is none to fill in
    reverse('list'),
    reverse('v1:list'),
  ])
  api.endpoint('contact', { defaultVersion: 'v2' }).get(({ reverse }) => [
    // U10: but the default, where there is one
    reverse('fresh'),
    // @ts-expect-error which is v2
    reverse('old'),
  ])
  api.endpoint('same').get(({ reverse }) => [
    reverse('contact'),
    // @ts-expect-error served inside of a version and outside: there, no version has the name
    reverse('list'),
  ])
}

export function parametersByVersion(): void {
  api.endpoint('list').get(({ reverse }) => [
    // @ts-expect-error v1 asks for a number, v2 for a uuid: nothing fits in both
    reverse('moved', { id: 7 }),
    // @ts-expect-error nor does a text
    reverse('moved', { id: '0f8fad5b-d9cb-469f-a165-70867728950e' }),
    // the full name has the parameters of its version
    reverse('v1:moved', { id: 7 }),
    // what one version restricts holds for both
    reverse('narrow', { kind: 'a' }),
    // @ts-expect-error `c` fits v2 alone
    reverse('narrow', { kind: 'c' }),
    reverse('v2:narrow', { kind: 'c' }),
    // of several paths, that which each version has
    reverse('two', { page: 2 }),
    // @ts-expect-error v2 has none without a page
    reverse('two'),
    // @ts-expect-error v1 has none with a size
    reverse('two', { page: 2, size: 9 }),
  ])
  api.endpoint('v1:list').get(({ reverse }) => [
    // in one version its own parameters do
    reverse('moved', { id: 7 }),
    reverse('two'),
    // a name inside and outside has the parameters of both
    reverse('same'),
    reverse('same', { id: 7 }),
    // @ts-expect-error and no others
    reverse('same', { id: 'x' }),
  ])
}

export function nested(): void {
  library.endpoint('library:a2:book-list').get(({ reverse }) => [
    // V41, U10: the version may stand deeper; names are looked for where the request is
    reverse('book-list'),
    // and further in
    reverse('rare:room'),
    // @ts-expect-error a1 has the shelf
    reverse('shelf'),
    // @ts-expect-error the scheme leaves out no namespace before the version
    reverse('a2:book-list'),
    // @ts-expect-error nor does it look beside the version
    reverse('opening-hours'),
    // the full name is one
    reverse('library:a2:book-list'),
    reverse('library:a1:shelf'),
  ])
  library.endpoint('library:a2:rare:room').get(({ reverse }) => [
    // from further in, names of the version around it
    reverse('book-list'),
    // and of the namespace that the request is in
    reverse('room'),
  ])
  api.endpoint('v1:staff:member').get(({ reverse }) => [
    // in v1, whose namespace `staff` the request is in
    reverse('list'),
    reverse('member', { team: 'red', id: 7 }),
    reverse('staff:member', { team: 'red', id: 7 }),
  ])
}

export function otherLists(named: readonly string[], version: string): void {
  api.endpoint('list', { allowedVersions: null }).get(({ reverse }) => [
    // V41: without a list the first namespace is the version
    reverse('detail', { id: 7 }),
    // @ts-expect-error in both again
    reverse('fresh'),
  ])
  api.endpoint('list', { allowedVersions: named }).get(({ reverse }) => [
    // a list that is read when the program runs changes nothing: the address has one namespace
    reverse('detail', { id: 7 }),
  ])
  library.endpoint('library:a2:book-list', { allowedVersions: named }).get(({ reverse }) => [
    // @ts-expect-error where it has two, either may be the version
    reverse('opening-hours'),
    // of both there is this
    reverse('rare:room'),
  ])
  api.endpoint('list', { allowedVersions: ['v2'] }).get(({ reverse }) => [
    // fewer versions allow more names
    reverse('fresh'),
  ])
  api.endpoint('contact', { defaultVersion: version }).get(({ reverse }) => [
    // @ts-expect-error of a default that is read when the program runs, nobody knows what it has
    reverse('list'),
    reverse('v1:list'),
  ])
  const v2 = new NamespaceVersioning({ allowedVersions: ['v2'] })
  // a list of the scheme's own counts
  api.endpoint('list', { versioning: v2 }).get(({ reverse }) => reverse('fresh'))
}

class Renamed extends NamespaceVersioning {
  override readonly invalidVersionMessage = 'No such edition.'
}
declare class Custom extends BaseVersioning {
  override determineVersion(): string | null
}

const withScheme = <V extends VersioningScheme>(versioning: V) => api.group({ versioning })

export function otherSchemes(some: VersioningScheme): void {
  const renamed = withScheme(new Renamed()).endpoint('list')
  // a variant looks for names as well
  renamed.get(({ reverse }) => reverse('detail', { id: 7 }))
  const byQuery = withScheme(new QueryParameterVersioning()).endpoint('list')
  // @ts-expect-error a version in the query fills in no namespace
  byQuery.get(({ reverse }) => reverse('list'))
  const byPath = withScheme(new URLPathVersioning()).endpoint('list')
  // @ts-expect-error nor does one in the path
  byPath.get(({ reverse }) => reverse('list'))
  const byHeader = withScheme(new AcceptHeaderVersioning()).endpoint('list')
  // @ts-expect-error nor one in a header
  byHeader.get(({ reverse }) => reverse('list'))
  const custom = withScheme(new Custom()).endpoint('list')
  // @ts-expect-error nor a scheme of one's own
  custom.get(({ reverse }) => reverse('list'))
  const unknown = withScheme(some).endpoint('list')
  // @ts-expect-error nobody knows what this one does
  unknown.get(({ reverse }) => reverse('list'))
  const off = api.endpoint('list', { versioning: null })
  // @ts-expect-error nothing is filled in where the scheme is switched off
  off.get(({ reverse }) => reverse('list'))
  const both = withScheme(firstOf([new NamespaceVersioning(), new QueryParameterVersioning()]))
  // @ts-expect-error which of the two builds the link depends on the request
  both.endpoint('list').get(({ reverse }) => reverse('list'))
}

export function endpoints(): void {
  // a name of several namespaces is one endpoint, as ever
  api.endpoint('list')
  // @ts-expect-error only the first namespace may be left out
  api.endpoint('book-list')
  // so this is the name of two
  api.endpoint('a2:book-list')
  type Names = keyof RouteTable<typeof urls>
  // a table for functions of one's own has full names
  expectType<Equal<Extract<Names, 'list' | 'detail' | 'staff:member'>, never>>()
  expectType<Equal<Extract<Names, `${string}:list`>, 'v1:list' | 'v2:list'>>()
}

type Linking = ApiRequest<Facts & { routes: RouteTable<typeof urls> }>
declare function link(request: Linking): string
export function writtenOut(request: Linking): void {
  // a function of one's own takes requests of every version
  api.endpoint('list').get(link)
  request.reverse('v1:list')
  // @ts-expect-error and knows none of them
  request.reverse('list')
}
