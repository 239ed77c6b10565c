// The service under attack: an ordinary application with the documented settings for production.
import {
  CursorPagination,
  FieldFilter,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  LimitOffsetPagination,
  OrderingFilter,
  SessionAuthentication,
  StaticHTMLRenderer,
  TokenAuthentication,
  action,
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
import { adminEndpoints, adminUrls } from 'colophon/admin'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase, sqlTable } from 'colophon/sql'
import { brokenStream } from './broken-stream.ts'
import { BytesRenderer, madeAnew } from './export.ts'
import type { Tables } from './tables.ts'

const database = openDatabase()
const accounts = defineAccounts({ database })
const db = database.kysely<Tables>()
const cities = sqlTable({ database, db, table: 'city', key: 'id' })
const memos = sqlTable({ database, db, table: 'memo', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'slug' })

const city = serializer({
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 200 }),
  population: field.integer(),
})
// Clients choose the key of a note, which becomes a part of its address.
const note = serializer({
  url: field.identity({ route: 'note-detail', param: 'slug' }),
  slug: field.text({ maxLength: 100 }),
  text: field.text({ maxLength: 1000 }),
})
// A title has no maximum length, and clients may order by it.
const memo = serializer({ id: field.integer({ readOnly: true }), title: field.text() })
const tagged = serializer({ tags: field.list(field.text({ allowBlank: true })) })
const LOST: Readonly<Record<string, () => unknown>> = {
  bytes: () => new TextEncoder().encode('secret'),
  promise: () => reply(Promise.resolve('secret')),
  stream: () => reply(brokenStream('cancel')),
}

const patients = sqlTable({ database, db, table: 'patient', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const visit = serializer({
  id: field.integer({ readOnly: true }),
  clinic: field.integer({ required: false }),
  patient: field.related({ find: (key) => patients.find(key) }),
  companion: field.related(patients, { nullable: true, required: false }),
})

const api = defineApi({
  urls: defineUrls({
    hello: '/hello/',
    token: '/token/',
    session: '/session/',
    'city-list': '/cities/',
    'city-detail': '/cities/:id<int>/',
    export: '/export/',
    ...resourceUrls('visit', '/visits/', ':id<int>'),
    ...resourceUrls('note', '/notes/', ':slug'),
    ...resourceUrls('memo', '/memos/', ':id<int>'),
    echo: '/echo/',
    tags: '/tags/',
    lost: '/lost/:what<bytes|promise|stream>/',
    stream: '/stream/:how<error|cancel>/',
    floating: '/floating/',
    ...adminUrls,
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
  // This endpoint needs no database: only the process itself can delay it.
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
  api.endpoint('export', { renderers: [new BytesRenderer()] }).get(madeAnew),
  ...resource(api, 'note', { store: notes, serializer: note }),
  // Each clinic keeps to its own patients, but staff may write for any clinic.
  ...resource(api.group({ permissions: [new IsAuthenticated()] }), 'visit', {
    store: visits,
    tenant: 'clinic',
    scope: ({ user }): { clinic?: number } => (user.isStaff ? {} : { clinic: user.id }),
    serializer: visit,
    performCreate: (input, _request, store) => store.insert(input as typeof input & { clinic: 0 }),
  }),
  ...resource(api, 'memo', {
    store: memos,
    serializer: memo,
    filters: [new OrderingFilter()],
    orderingFields: ['title'],
    pagination: new CursorPagination({ pageSize: 1, ordering: 'id' }),
  }),
  api.endpoint('lost').get(({ params }) => LOST[params.what]!()),
  api
    .endpoint('echo', { permissions: [] })
    .post(async (request) => ({ type: typeof (await request.body()) })),
  api
    .endpoint('tags', { permissions: [] })
    .post(action({ input: tagged, status: 204, perform: () => undefined })),
  ...adminEndpoints(api, { accounts }),
  // Two usual mistakes of applications: a stream that breaks, and a promise that is not awaited.
  api
    .endpoint('stream', { renderers: [new StaticHTMLRenderer()] })
    .get(({ params }) => reply(brokenStream(params.how))),
  api.endpoint('floating').get(() => {
    void Promise.reject(new Error('A promise that nobody awaits was rejected.'))
    return { started: true }
  }),
])
