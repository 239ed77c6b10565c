// The service under attack: an ordinary application, with the settings that the documents recommend for production.
import {
  FieldFilter,
  IsAuthenticatedOrReadOnly,
  LimitOffsetPagination,
  SessionAuthentication,
  StaticHTMLRenderer,
  TokenAuthentication,
  defineApi,
  defineUrls,
  field,
  list,
  loginSession,
  obtainToken,
  reply,
  resource,
  resourceUrls,
  retrieve,
  serializer,
  showSession,
} from 'colophon'
import { defineAccounts, openDatabase, sqlTable } from 'colophon/sqlite'
import { brokenStream } from './broken-stream.ts'
import { BytesRenderer, EXPORT } from './export.ts'
import type { Tables } from './tables.ts'

const database = openDatabase()
const accounts = defineAccounts({ database })
const db = database.kysely<Tables>()
const cities = sqlTable({ database, db, table: 'city', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'slug' })

const city = serializer({
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 200 }),
  population: field.integer(),
})
// Clients choose the key of a note, and it becomes part of the note's address.
const note = serializer({
  url: field.identity({ route: 'note-detail', param: 'slug' }),
  slug: field.text({ maxLength: 100 }),
  text: field.text({ maxLength: 1000 }),
})

const api = defineApi({
  urls: defineUrls({
    hello: '/hello/',
    token: '/token/',
    session: '/session/',
    'city-list': '/cities/',
    'city-detail': '/cities/:id<int>/',
    export: '/export/',
    ...resourceUrls('note', '/notes/', ':slug'),
    echo: '/echo/',
    stream: '/stream/:how<error|cancel>/',
    floating: '/floating/',
  }),
  accounts,
  authentication: [
    new TokenAuthentication({ tokens: accounts.tokens }),
    new SessionAuthentication(accounts),
  ],
  permissions: [new IsAuthenticatedOrReadOnly()],
  filters: [new FieldFilter()],
  pagination: new LimitOffsetPagination({ defaultLimit: 50 }),
})

export default api.serve([
  // It needs no database: what it waits for is the process itself.
  api.endpoint('hello', { authentication: [] }).get(() => ({ hello: 'world' })),
  api.endpoint('token').post(obtainToken({ accounts })),
  api.endpoint('session').get(showSession({ accounts })).post(loginSession({ accounts })),
  api.endpoint('city-list').get(
    list({
      source: cities.source,
      serializer: city,
      filterFields: ['id__in', 'population__gte'],
    }),
  ),
  api
    .endpoint('city-detail')
    .get(retrieve({ find: ({ params }) => cities.find(params.id), serializer: city })),
  // A download of 25 MB, made anew for each client.
  api
    .endpoint('export', { renderers: [new BytesRenderer()] })
    .get(() => new Uint8Array(EXPORT).fill(0x78)),
  ...resource(api, 'note', { store: notes, serializer: note }),
  api
    .endpoint('echo', { permissions: [] })
    .post(async (request) => ({ type: typeof (await request.body()) })),
  // Two mistakes that applications make: a stream that breaks, and a promise that nobody awaits.
  api
    .endpoint('stream', { renderers: [new StaticHTMLRenderer()] })
    .get(({ params }) => reply(brokenStream(params.how))),
  api.endpoint('floating').get(() => {
    void Promise.reject(new Error('A promise that nobody awaits was rejected.'))
    return { started: true }
  }),
])
