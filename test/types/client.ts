// Clients: what can be asked of an application in one version, and what it answers.
import {
  AcceptHeaderVersioning,
  NamespaceVersioning,
  URLPathVersioning,
  arraySource,
  byVersion,
  defineApi,
  defineUrls,
  extend,
  field,
  include,
  list,
  resource,
  resourceUrls,
  retrieve,
  serializer,
} from 'colophon'
import type { ListSource } from 'colophon/types'
import { type Contract, type Rows, createClient, routesOf } from 'colophon/client'
import { type SqlDatabase, sqlTable } from 'colophon/sql'
import type { Generated } from 'kysely'
import { type Equal, expectType } from './expect.ts'

interface City {
  readonly id: number
  readonly name: string
  readonly people: number
  readonly founded: string | null
}
declare const cities: ListSource<City>
declare const database: SqlDatabase
interface Tables {
  city: { id: Generated<number>; name: string; people: number; founded: string | null }
  town: { id: Generated<number>; name: string; people: Generated<number> }
}
const db = database.kysely<Tables>()
const table = sqlTable({ database, db, table: 'city', key: 'id' })
const towns = sqlTable({ database, db, table: 'town', key: 'id' })

const city = serializer({
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 100 }),
  population: field.integer({ source: 'people', until: 'v2', default: 0 }),
  people: field.integer({ since: 'v2', default: 0 }),
  founded: field.dateTime({ nullable: true, required: false }),
  secret: field.text({ source: 'name', writeOnly: true, required: false }),
})

const makePaths = () =>
  defineUrls({
    ...resourceUrls('city', '/:version<v1|v2|v3>/cities/', ':id<int>'),
    'city-close': '/:version<v1|v2|v3>/cities/:id<int>/close/',
    'all-cities': '/:version<v1|v2|v3>/all/',
    'one-city': '/:version<v1|v2|v3>/all/:id<int>/',
    people: ['/people/:id<int>/', '/people/:name/'],
    about: '/about/',
    state: '/states/:kind<open|closed>/',
  })
const paths = makePaths()
const makeApp = () => {
  const api = defineApi({
    urls: paths,
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2', 'v3'],
    defaultVersion: 'v1',
  })
  return api.serve([
    ...resource(api, 'city', {
      store: table,
      performCreate: ({ name }, _request, store) =>
        store.insert({ name, people: 0, founded: null }),
      performUpdate: (row) => row,
      serializer: city,
      only: ['list', 'create', 'retrieve', 'partialUpdate'],
    }),
    api.endpoint('all-cities').get(list({ source: cities, serializer: city })),
    api.endpoint('one-city').get(retrieve({ find: () => null as City | null, serializer: city })),
    api.endpoint('people').get(({ params }) => params),
    api
      .endpoint('about')
      .get(() => 'about')
      .post(() => 'posted'),
    api.endpoint('state').get(() => 'open'),
  ])
}
type App = ReturnType<typeof makeApp>

const options = { baseUrl: 'https://api.example', routes: routesOf(paths) }
const first = createClient<App, 'v1'>({ ...options, version: 'v1' })
const second = createClient<App, 'v2'>({ ...options, version: 'v2' })

export function versions(): void {
  // @ts-expect-error the version that is sent is the one that is pinned
  createClient<App, 'v1'>({ ...options, version: 'v2' })
  // @ts-expect-error there is no such version
  createClient<App, 'v4'>({ ...options, version: 'v4' })
  // @ts-expect-error of several versions one must be pinned
  createClient<App>({ ...options, version: 'v1' })
  // @ts-expect-error it is said in the options too
  createClient<App, 'v1'>(options)
  // @ts-expect-error a version travels in one of these places
  createClient<App, 'v1'>({ ...options, version: 'v1', versionIn: 'cookie' })
  // @ts-expect-error what is no application has no client
  createClient<string>({ ...options, version: 'v1' })
}

export async function fields(): Promise<void> {
  const old = await first.get('city-detail', { params: { id: 7 } })
  const young = await second.get('city-detail', { params: { id: 7 } })
  expectType<Equal<typeof old.name, string>>()
  expectType<Equal<typeof old.population, number>>()
  expectType<Equal<typeof young.people, number>>()
  // what may be null is said to be
  expectType<Equal<typeof young.founded, string | null>>()
  // @ts-expect-error the field begins with v2
  void old.people
  // @ts-expect-error the field has ended with v2
  void young.population
  // @ts-expect-error what is only written is not shown
  void young.secret
  // @ts-expect-error the field is called otherwise
  void old.nmae
}

export async function rows(): Promise<void> {
  for await (const { name, people } of second.rows('city-list')) {
    expectType<Equal<[typeof name, typeof people], [string, number]>>()
  }
  // @ts-expect-error rows are of the version too
  for await (const { people } of first.rows('city-list')) void people
  // a list that is no resource knows its rows too
  for await (const { people } of second.rows('all-cities'))
    expectType<Equal<typeof people, number>>()
  const page = await second.page('city-list', { next: null })
  expectType<Equal<typeof page.next, string | null>>()
  expectType<Equal<(typeof page.rows)[number]['name'], string>>()
  // what is resumed is what it was
  const walk = second.rows('city-list')
  expectType<Equal<ReturnType<typeof walk.resume>, typeof walk>>()
  expectType<Equal<ReturnType<typeof walk.checkpoint>, string>>()
  second.rows('city-list', { prefetch: true, key: ({ id }) => id })
  // @ts-expect-error a key is a text or a number
  second.rows('city-list', { key: ({ founded }) => founded })
  // @ts-expect-error one city is no list
  second.rows('city-detail', { params: { id: 7 } })
  // @ts-expect-error nor is it of pages
  void second.page('city-detail', { params: { id: 7 } })
  // a reader of one's own says what rows are
  const read = second.rows('about', { page: () => ({ rows: [7], next: null }) })
  expectType<Equal<typeof read, Rows<number>>>()
  // @ts-expect-error a page has rows
  second.rows('about', { page: () => ({ next: null }) })
  // @ts-expect-error a checkpoint is a text
  second.rows('city-list').resume(7)
}

export async function names(): Promise<void> {
  // @ts-expect-error there is no such name
  void second.get('cities')
  // @ts-expect-error this resource is not replaced
  void second.put('city-detail', { params: { id: 7 }, body: {} })
  // @ts-expect-error nor deleted
  void second.delete('city-detail', { params: { id: 7 } })
  // @ts-expect-error a list is no place for PATCH
  void second.patch('city-list', { body: {} })
  // @ts-expect-error a client has the verbs of the service
  void second.connect('about')
  // what functions answer only the program knows
  const about = await second.get('about')
  expectType<Equal<typeof about, unknown>>()
  void second.post('about', { body: { anything: true } })
  const shown = await second.get('one-city', { params: { id: 7 } })
  expectType<Equal<typeof shown.people, number>>()
}

export function parameters(): void {
  // @ts-expect-error the path has a parameter
  void second.get('city-detail')
  // @ts-expect-error which is a number
  void second.get('city-detail', { params: { id: '7' } })
  // @ts-expect-error and called otherwise
  void second.get('city-detail', { params: { pk: 7 } })
  // @ts-expect-error the version is that of the client
  void second.get('city-detail', { params: { id: 7, version: 'v1' } })
  void second.get('state', { params: { kind: 'open' } })
  // @ts-expect-error there are two kinds
  void second.get('state', { params: { kind: 'ajar' } })
  // of two paths, either
  void second.get('people', { params: { id: 7 } })
  void second.get('people', { params: { name: 'ada' } })
  // @ts-expect-error but one of them
  void second.get('people', { params: {} })
  void second.get('city-list', { query: { country: ['NO', 'SE'], page: 2, at: new Date() } })
  // @ts-expect-error an object is no value of a query
  void second.get('city-list', { query: { country: { in: 'NO' } } })
  // @ts-expect-error a signal is one that aborts
  void second.get('city-list', { signal: 'now' })
  // @ts-expect-error there is no such option
  void second.get('city-list', { retries: 7 })
}

export async function bodies(): Promise<void> {
  const made = await second.post('city-list', { body: { name: 'Oslo' } })
  expectType<Equal<typeof made.id, number>>()
  void second.post('city-list', { body: { name: 'Oslo', people: 7, founded: null, secret: 'x' } })
  void second.post('city-list', { body: new FormData() })
  // @ts-expect-error a city has a name
  void second.post('city-list', { body: { people: 7 } })
  // @ts-expect-error which is a text
  void second.post('city-list', { body: { name: 7 } })
  // @ts-expect-error what is only read is not sent
  void second.post('city-list', { body: { name: 'Oslo', id: 7 } })
  // @ts-expect-error the field has ended
  void second.post('city-list', { body: { name: 'Oslo', population: 7 } })
  void first.post('city-list', { body: { name: 'Oslo', population: 7 } })
  // @ts-expect-error the field has not begun
  void first.post('city-list', { body: { name: 'Oslo', people: 7 } })
  // @ts-expect-error POST has a body
  void second.post('city-list')
  // a part is enough for PATCH
  void second.patch('city-detail', { params: { id: 7 }, body: { people: 7 } })
  void second.patch('city-detail', { params: { id: 7 }, body: {} })
  // @ts-expect-error of the fields that there are
  void second.patch('city-detail', { params: { id: 7 }, body: { peple: 7 } })
  // @ts-expect-error GET has none
  void second.get('city-list', { body: {} })
  const { status, headers, data } = await second.ask('post', 'city-list', { body: { name: 'a' } })
  expectType<Equal<[typeof status, typeof headers, typeof data.id], [number, Headers, number]>>()
}

const makeEditions = () => {
  const brief = serializer({ name: field.text() })
  const full = extend(brief, { people: field.integer() })
  const both = defineUrls({
    shelf: '/shelf/:id<int>/',
    city: '/cities/',
    'town-list': '/towns/',
    'town-detail': '/towns/:id<int>/',
  })
  const api = defineApi({
    urls: defineUrls({
      v1: include('/v1', both),
      v2: include('/v2', {
        city: '/cities/',
        'town-list': '/towns/',
        'town-detail': '/towns/:id<int>/',
      }),
      home: '/',
    }),
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const source = arraySource<City>([])
  const edition = byVersion({ v1: brief, v2: full })
  return api.serve([
    api.endpoint('city').get(list({ source, serializer: edition })),
    ...resource(api, 'town', { store: towns, serializer: edition }),
    api.endpoint('shelf').get(() => 1),
    api.endpoint('home', { versioning: null }).get(() => 1),
  ])
}
type Editions = ReturnType<typeof makeEditions>

export async function namespaces(): Promise<void> {
  const routes = { 'v1:city': '/v1/cities/' }
  const older = createClient<Editions, 'v1'>({ baseUrl: '', routes, version: 'v1' })
  const newer = createClient<Editions, 'v2'>({ baseUrl: '', routes, version: 'v2' })
  void older.get('shelf', { params: { id: 7 } })
  // @ts-expect-error v2 has no shelves
  void newer.get('shelf', { params: { id: 7 } })
  // @ts-expect-error names are those of the version
  void older.get('v1:city')
  // outside of versions
  void newer.get('home')
  for await (const each of newer.rows('city')) expectType<Equal<typeof each.people, number>>()
  // @ts-expect-error v1 shows less
  for await (const { people } of older.rows('city')) void people
  const { people } = await newer.get('town-detail', { params: { id: 7 } })
  expectType<Equal<typeof people, number>>()
  const known = await older.get('town-detail', { params: { id: 7 } })
  expectType<Equal<typeof known, { name: string }>>()
  void older.post('town-list', { body: { name: 'Lund' } })
  // @ts-expect-error v2 reads more
  void newer.post('town-list', { body: { name: 'Lund' } })
}

export function one(): void {
  const makeOne = () => {
    const api = defineApi({
      urls: { home: '/' },
      versioning: new AcceptHeaderVersioning(),
      allowedVersions: ['v1'],
    })
    return api.serve([api.endpoint('home').get(() => 1)])
  }
  const makeNone = () => {
    const api = defineApi({ urls: { home: '/' } })
    return api.serve([api.endpoint('home').get(() => 1)])
  }
  const routes = { home: '/' }
  // a version that is alone need not be pinned
  createClient<ReturnType<typeof makeOne>>({
    baseUrl: '',
    routes,
    version: 'v1',
    versionIn: 'accept',
  })
  createClient<ReturnType<typeof makeNone>>({ baseUrl: '', routes, version: null })
  // @ts-expect-error there are no versions
  createClient<ReturnType<typeof makeNone>>({ baseUrl: '', routes, version: 'v1' })
}

interface Written extends Contract {
  readonly version: 'v1'
  readonly operations: {
    readonly 'note-list': {
      readonly get: {
        readonly query: { readonly page?: number }
        readonly data: { readonly next: string | null; readonly results: readonly { id: number }[] }
      }
    }
  }
}

export async function written(): Promise<void> {
  const client = createClient<Written>({ ...options, version: 'v1' })
  for await (const { id } of client.rows('note-list', { query: { page: 2 } }))
    expectType<Equal<typeof id, number>>()
  // @ts-expect-error a document says what a query is
  client.rows('note-list', { query: { pge: 2 } })
  // @ts-expect-error and which verbs there are
  void client.post('note-list')
}
