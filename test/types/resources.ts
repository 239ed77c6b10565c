// Resources: names come from the addresses, inputs from the serializer, rows from the store, and all must fit.
import {
  type ApiRequest,
  type Behaviour,
  CursorPagination,
  IsAuthenticated,
  TokenAuthentication,
  URLPathVersioning,
  type User,
  apiRoot,
  arraySource,
  byVersion,
  create,
  defineApi,
  defineUrls,
  destroy,
  field,
  partialUpdate,
  resource,
  resourceUrls,
  serializer,
  unique,
  update,
} from 'colophon'
import type { RowStore, Serializer, TokenVerifier } from 'colophon/types'
import { type Database, type SqlDatabase, sqlTable } from 'colophon/sql'
import type { Generated } from 'kysely'
import { type Equal, expectType } from './expect.ts'

interface Tables {
  article: { id: Generated<number>; title: string; words: number | null; owner: string }
  team: { code: string; name: string }
}
declare const database: SqlDatabase
declare const plain: Database
declare const verifier: TokenVerifier
const db = database.kysely<Tables>()
const articles = sqlTable({ database, db, table: 'article', key: 'id' })
const teams = sqlTable({ database, db, table: 'team', key: 'code' })

const urls = defineUrls({
  root: '/',
  ...resourceUrls('article', '/articles/', ':id<int>'),
  'article-publish': '/articles/:id<int>/publish/',
  'article-recent': '/articles/recent/',
  ...resourceUrls('team', '/teams', ':code'),
  'token-list': '/tokens/',
  one: '/one/:id<int>/',
})
const api = defineApi({ urls })
const members = defineApi({
  urls,
  authentication: [new TokenAuthentication({ tokens: verifier })],
  permissions: [new IsAuthenticated()],
})
const editions = defineApi({
  urls: defineUrls({ ...resourceUrls('article', '/:version<v1|v2>/articles/', ':id<int>') }),
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
})

const article = serializer({
  id: field.integer({ readOnly: true }),
  title: field.text(),
  length: field.integer({ source: 'words', nullable: true, required: false }),
  owner: field.text(),
})
const withoutOwner = serializer({ id: field.integer({ readOnly: true }), title: field.text() })
const tagged = serializer({
  title: field.text(),
  owner: field.text(),
  tags: field.list(field.text()),
})
const team = serializer({ code: field.text(), name: field.text() })
const brief: Serializer<{ id: number; title: string }, object> = {
  represent: ({ id, title }) => ({ id, title }),
}

export function addresses(): void {
  // the two addresses of a resource are known by name, path and parameter
  expectType<Equal<(typeof urls)['article-list'], '/articles/'>>()
  expectType<Equal<(typeof urls)['article-detail'], '/articles/:id<int>/'>>()
  // without a slash at the end where the prefix has none
  expectType<Equal<(typeof urls)['team-detail'], '/teams/:code'>>()
  api.endpoint('article-detail').get(({ params }) => {
    expectType<Equal<typeof params, { readonly id: number }>>()
  })
  // @ts-expect-error a look-up is a parameter
  resourceUrls('article', '/articles/', 'id')
  // @ts-expect-error a path begins with a slash
  resourceUrls('article', 'articles/', ':id')
}

export function tables(): void {
  // keys are what the column holds, or a text that writes it out
  void articles.find(7)
  void articles.find('7')
  // @ts-expect-error this column has no truth in it
  void articles.find(true)
  // @ts-expect-error a text is no number
  void teams.find(7)
  // what counts up by itself need not be said
  void articles.insert({ title: 'x', words: null, owner: 'ada' })
  // @ts-expect-error an article has an owner
  void articles.insert({ title: 'x', words: null })
  // @ts-expect-error a title is a text
  void articles.update(7, { title: 7 })
  // @ts-expect-error there is no such column
  void articles.update(7, { heading: 'x' })
  void (async () => {
    const row = await articles.find(7)
    expectType<
      Equal<typeof row, { id: number; title: string; words: number | null; owner: string } | null>
    >()
  })
  // @ts-expect-error there is no such table
  sqlTable({ database, db, table: 'book', key: 'id' })
  // @ts-expect-error nor such a column
  sqlTable({ database, db, table: 'article', key: 'isbn' })
  articles.only((query) => query.where('owner', '=', 'ada').orderBy('title'))
  // @ts-expect-error what is narrowed gives whole rows
  articles.only((query) => query.clearSelect().select('title'))
  // a transaction takes what a database gives
  void plain.transaction((transaction) => articles.in(transaction).remove(7))
}

export function behaviours(): void {
  const list = members.endpoint('article-list')
  const detail = members.endpoint('article-detail')
  list.post(
    create({
      serializer: article,
      save: (input, { user }) => {
        // what the serializer reads, and who the permissions let in
        expectType<Equal<typeof input, { title: string; owner: string; words?: number | null }>>()
        expectType<Equal<typeof user, User>>()
        return articles.insert(input)
      },
    }),
  )
  list.post(
    // @ts-expect-error the serializer cannot show what is saved
    create({ serializer: article, save: (input) => ({ id: 7, title: input.title }) }),
  )
  // another one may
  list.post(
    create({
      serializer: article,
      save: (input) => ({ id: 7, title: input.title }),
      output: brief,
    }),
  )
  // @ts-expect-error it shows and cannot read
  list.post(create({ serializer: brief, save: () => ({ id: 7, title: 'x' }) }))
  detail.put(
    update({
      find: ({ params }) => articles.find(params.id),
      serializer: article,
      save: (input, _request, row) => {
        expectType<Equal<typeof input.title, string>>()
        expectType<Equal<typeof row.id, number>>()
        return articles.update(row.id, input, row)
      },
    }),
  )
  detail.patch(
    partialUpdate({
      find: ({ params }) => articles.find(params.id),
      serializer: article,
      save: (input, _request, row) => {
        // whatever was sent
        expectType<Equal<typeof input.title, string | undefined>>()
        return articles.update(row.id, input, row)
      },
    }),
  )
  detail.delete(
    destroy({
      find: ({ params }) => articles.find(params.id),
      remove: (row) => articles.remove(row.id, row),
    }),
  )
  list.put(
    update({
      // @ts-expect-error this address says no number
      find: ({ params }) => articles.find(params.id),
      serializer: article,
      save: () => null,
    }),
  )
  const read: Behaviour<ApiRequest> = create({ serializer: article, save: articles.insert })
  void read
}

export function byVersions(): void {
  const list = editions.endpoint('article-list')
  const both = byVersion({ v1: article, v2: tagged })
  list.post(
    create({
      serializer: both,
      save: (input) => {
        expectType<Equal<typeof input.title, string>>()
        // only some versions have it
        if ('tags' in input) expectType<Equal<typeof input.tags, string[]>>()
        return { id: 7, words: 1, title: input.title, owner: input.owner, tags: [''] }
      },
    }),
  )
  list.post(
    create({
      serializer: ({ version }) => {
        expectType<Equal<typeof version, 'v1' | 'v2'>>()
        return version === 'v1' ? article : article
      },
      save: (input) => articles.insert(input),
    }),
  )
  const some = byVersion({ v1: article })
  // @ts-expect-error every version needs an answer
  list.post(create({ serializer: some, save: articles.insert }))
  const same = byVersion({ v1: article, v2: article })
  resource(editions, 'article', { store: articles, serializer: same })
  // @ts-expect-error here too
  resource(editions, 'article', { store: articles, serializer: some })
  const shorter = byVersion({ v1: withoutOwner, v2: article })
  resource(editions, 'article', {
    store: articles,
    serializer: shorter,
    performCreate: (input, request, store) => {
      expectType<Equal<typeof request.version, 'v1' | 'v2'>>()
      return store.insert({ owner: 'ada', ...input })
    },
  })
}

export function resources(): void {
  resource(api, 'article', { store: articles, serializer: article })
  // @ts-expect-error there are no such addresses
  resource(api, 'book', { store: articles, serializer: article })
  // @ts-expect-error rows of teams are no articles
  resource(api, 'team', { store: teams, serializer: article })
  resource(api, 'team', { store: teams, serializer: team })
  // @ts-expect-error nobody says the owner
  resource(api, 'article', { store: articles, serializer: withoutOwner })
  resource(members, 'article', {
    store: articles,
    serializer: withoutOwner,
    performCreate: (input, { user }, store) =>
      store.insert({ ...input, words: null, owner: user.username }),
  })
  // a resource that nobody adds to needs nobody to say it
  resource(api, 'article', {
    store: articles,
    serializer: withoutOwner,
    only: ['list', 'retrieve', 'partialUpdate'],
  })
  // what is only shown needs no reader
  resource(api, 'article', {
    store: articles,
    serializer: brief,
    only: ['list', 'retrieve', 'destroy'],
  })
  // @ts-expect-error what is written does
  resource(api, 'article', { store: articles, serializer: brief, only: ['list', 'create'] })
  // @ts-expect-error there is no such action
  resource(api, 'article', { store: articles, serializer: article, only: ['read'] })
  // the store may depend on who asks
  resource(members, 'article', {
    store: ({ user }) => articles.only((query) => query.where('owner', '=', user.username)),
    serializer: article,
  })
  resource(api, 'article', {
    // @ts-expect-error nobody is known to be asking here
    store: ({ user }) => articles.only((query) => query.where('owner', '=', user.email)),
    serializer: article,
  })
  // what clients search by is what they are shown
  resource(api, 'article', { store: articles, serializer: article, searchFields: ['title'] })
  resource(api, 'article', { store: articles, serializer: article, orderingFields: ['length'] })
  // @ts-expect-error not what the store calls it
  resource(api, 'article', { store: articles, serializer: article, orderingFields: ['words'] })
  // a column has the name that one gives it
  resource(api, 'article', {
    store: articles,
    serializer: article,
    orderingFields: [{ name: 'words', column: 'words' }],
    filterFields: [{ name: 'longer', column: 'words', lookup: 'gt' }],
    searchFields: [{ column: 'owner', lookup: 'istartswith' }],
    ordering: { column: 'words', nulls: 'last' },
    pagination: new CursorPagination({ ordering: ['-length', 'id'] }),
  })
  // @ts-expect-error if the store has it
  resource(api, 'article', { store: articles, serializer: article, ordering: { column: 'length' } })
  resource(api, 'article', {
    store: articles,
    serializer: article,
    // @ts-expect-error and compares as lookups do
    filterFields: [{ name: 'longer', column: 'words', lookup: 'over' }],
  })
  resource(api, 'article', { store: articles, serializer: article, lookup: 'id' })
  // @ts-expect-error the address has no such parameter
  resource(api, 'article', { store: articles, serializer: article, lookup: 'key' })
  // a style that seeks fits a table
  resource(api, 'article', {
    store: articles,
    serializer: article,
    pagination: new CursorPagination({ ordering: '-id' }),
  })
  // any object with the same methods is a store
  resource(api, 'team', { store: memory, serializer: team })
  // @ts-expect-error one that cannot delete is none
  resource(api, 'team', { store: { key: 'code', source: memory.source }, serializer: team })
}

export function relations(): void {
  const staff = { table: 'team', on: ['code', 'owner'], columns: ['name'] } as const
  const withTeams = sqlTable({
    database,
    db,
    table: 'article',
    key: 'id',
    relations: { teams: staff },
  })
  // what belongs to a row is searched by its own name
  resource(api, 'article', {
    store: withTeams,
    serializer: article,
    searchFields: ['title', 'teams.name', '^teams.name'],
    filterFields: ['teams.name__icontains', { name: 'team', column: 'teams.name' }],
  })
  const spec = { store: withTeams, serializer: article } as const
  // @ts-expect-error of its columns that were declared
  resource(api, 'article', { ...spec, searchFields: ['teams.code'] })
  // @ts-expect-error nor are lists ordered by another
  resource(api, 'article', { ...spec, orderingFields: ['teams.code'] })
  // also where it is narrowed
  resource(members, 'article', {
    ...spec,
    store: ({ user }) => withTeams.only((query) => query.where('owner', '=', user.username)),
    searchFields: ['teams.name'],
  })
  const made = { database, db, table: 'article', key: 'id' } as const
  // @ts-expect-error there is no such table
  sqlTable({ ...made, relations: { teams: { ...staff, table: 'club' } } })
  // @ts-expect-error nor such a column
  sqlTable({ ...made, relations: { teams: { ...staff, columns: ['title'] } } })
  // @ts-expect-error nor one of this table
  sqlTable({ ...made, relations: { teams: { ...staff, on: ['code', 'code'] } } })

  // the one row that a column names, in a store
  const owning = { store: teams, source: 'owner', columns: ['name'] } as const
  const ofTeam = sqlTable({ ...made, relations: { team: owning } })
  resource(api, 'article', {
    store: ofTeam,
    serializer: article,
    searchFields: ['^team.name'],
    filterFields: ['team.name__in'],
    orderingFields: ['title', 'team.name'],
    ordering: ['-team.name', { field: 'team.name', nulls: 'last' }],
    pagination: new CursorPagination({ ordering: 'team.name' }),
  })
  const other = { store: ofTeam, serializer: article } as const
  // @ts-expect-error a slip of the pen
  resource(api, 'article', { ...other, orderingFields: ['team.nmae'] })
  // @ts-expect-error another
  resource(api, 'article', { ...other, filterFields: ['taem.name'] })
  // @ts-expect-error and in a default order
  resource(api, 'article', { ...other, ordering: '-team.code' })
  // @ts-expect-error the store has no such column
  sqlTable({ ...made, relations: { team: { ...owning, columns: ['title'] } } })
  // @ts-expect-error nor has this table
  sqlTable({ ...made, relations: { team: { ...owning, source: 'team' } } })
  // @ts-expect-error theirs is none
  sqlTable({ ...made, relations: { team: { ...owning, by: 'title' } } })
  // @ts-expect-error which row it is must be said
  sqlTable({ ...made, relations: { team: { store: teams, columns: ['name'] } } })
}

export function narrowedStores(): void {
  // newcomer 1: a store that depends on who asks, with all that its list may have, and nothing annotated
  resource(members, 'article', {
    store: ({ user }) => articles.only((query) => query.where('owner', '=', user.username)),
    serializer: article,
    ordering: ['-title', { field: 'length', nulls: 'last' }, { column: 'words' }],
    searchFields: ['^title', { column: 'owner' }],
    filterFields: ['owner', 'length__gte', { name: 'longer', column: 'words', lookup: 'gt' }],
    orderingFields: ['title', { name: 'words', column: 'words' }],
    pagination: new CursorPagination({ ordering: '-id' }),
    performCreate: (input, { user }, store) => {
      expectType<Equal<typeof input.title, string>>()
      return store.insert({ ...input, owner: user.username, words: 1 })
    },
    actions: {
      publish: {
        detail: true,
        post: ({ user }, row) => {
          expectType<Equal<typeof row.words, number | null>>()
          return [user.username, row.title]
        },
      },
    },
  })
  resource(members, 'article', {
    store: ({ user }) => articles.only((query) => query.where('owner', '=', user.username)),
    serializer: article,
    // @ts-expect-error names are checked here, too
    searchFields: ['titel'],
  })
  resource(members, 'article', {
    store: () => unsorted,
    serializer: article,
    // @ts-expect-error a list that cannot seek has no cursors
    pagination: new CursorPagination({ ordering: '-id' }),
  })
}
declare const unsorted: RowStore<
  { readonly id: number; readonly title: string; readonly words: number; readonly owner: string },
  number,
  unknown,
  unknown
>

interface Desk {
  organisation: { id: Generated<number>; name: string }
  ticket: { id: Generated<number>; organisation: number; title: string; closed: boolean | null }
  comment: { id: Generated<number>; ticket: number; text: string }
}
const desk = database.kysely<Desk>()
const tickets = sqlTable({ database, db: desk, table: 'ticket', key: 'id' })
const comments = sqlTable({ database, db: desk, table: 'comment', key: 'id' })
const deskApi = defineApi({
  urls: defineUrls({
    ...resourceUrls('ticket', '/tickets/', ':id<int>'),
    'ticket-close': '/tickets/:id<int>/close/',
    ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
    'comment-hide': '/tickets/:ticket<int>/comments/:id<int>/hide/',
    'comment-count': '/tickets/:ticket<int>/comments/count/',
    'comment-import': '/tickets/:ticket<int>/comments/import/',
    ...resourceUrls('team', '/teams', ':code'),
  }),
  authentication: [new TokenAuthentication({ tokens: verifier })],
  permissions: [new IsAuthenticated()],
})
declare function organisationOf(user: User): number
const id = field.integer({ readOnly: true })
const ticket = serializer({ id, title: field.text() })
const comment = serializer({ id, text: field.text() })

export function scopes(): void {
  const given = { store: tickets, serializer: ticket } as const
  // @ts-expect-error nobody says the organisation
  resource(deskApi, 'ticket', { ...given })
  // what a scope fills in need not be said
  resource(deskApi, 'ticket', {
    store: tickets,
    serializer: ticket,
    scope: ({ user }) => ({ organisation: organisationOf(user) }),
    ordering: '-id',
  })
  resource(deskApi, 'ticket', { ...given, scope: async () => ({ organisation: 7 }) })
  resource(deskApi, 'ticket', {
    store: async ({ user }) => tickets.only((query) => query.where('title', '!=', user.username)),
    serializer: ticket,
    scope: ({ user }) => ({ organisation: organisationOf(user) }),
    searchFields: ['title'],
  })
  // one of several is not filled in
  // @ts-expect-error so somebody must say it
  resource(deskApi, 'ticket', { ...given, scope: () => ({ organisation: [7, 8] }) })
  const unset = undefined as number | undefined
  const reads = { ...given, only: ['list' as const] }
  resource(deskApi, 'ticket', { ...reads, scope: () => ({ organisation: [7, 8] }) })
  // @ts-expect-error a scope that gives no value is no scope
  resource(deskApi, 'ticket', { ...reads, scope: () => ({ organisation: unset }) })
  // @ts-expect-error neither later
  resource(deskApi, 'ticket', { ...reads, scope: async () => ({ organisation: unset }) })
  resource(deskApi, 'ticket', {
    ...reads,
    scope: async () => (unset === undefined ? {} : { organisation: unset }),
  })
  resource(deskApi, 'ticket', {
    ...given,
    only: ['list', 'retrieve'],
    scope: ({ user }) => (user.isStaff ? {} : { organisation: [7, 8] }),
  })
  // nor one that only some requests have
  // @ts-expect-error so somebody must say it
  resource(deskApi, 'ticket', {
    ...given,
    scope: ({ user }) => (user.isStaff ? {} : { organisation: 7 }),
  })
  resource(deskApi, 'ticket', {
    ...given,
    scope: ({ user }) => (user.isStaff ? {} : { organisation: 7 }),
    performCreate: (input, _request, store) => store.insert({ ...input, organisation: 7 }),
  })
  // nor in a row of one's own making
  resource(deskApi, 'ticket', {
    ...given,
    scope: ({ user }) => ({ organisation: organisationOf(user) }),
    performCreate: (input, _request, store) => store.insert(input),
  })
  resource(deskApi, 'ticket', {
    store: tickets,
    serializer: ticket,
    performCreate: (input, _request, store) => store.insert({ ...input, organisation: 7 }),
    // @ts-expect-error the store of performCreate depends on it: WriteScopeBeforePerformCreate
    scope: ({ user }) => ({ organisation: organisationOf(user) }),
  })
  // @ts-expect-error there is no such column
  resource(deskApi, 'ticket', { ...given, scope: () => ({ organisation: 7, owner: 7 }) })
  // @ts-expect-error its values are numbers
  resource(deskApi, 'ticket', { ...given, scope: () => ({ organisation: 'seven' }) })
  // @ts-expect-error a store without within() cannot be narrowed
  resource(deskApi, 'team', { store: memory, serializer: team, scope: () => ({ code: 'a' }) })
  tickets.within({ organisation: [7, 8], closed: null })
  // @ts-expect-error there is no such column
  tickets.within({ owner: 7 })
}

export function nestedInStoresOfRequests(): void {
  // newcomer 4: what is known before the compiler looks into the store is judged afterwards
  const parent = resource(deskApi, 'ticket', {
    store: tickets,
    serializer: ticket,
    scope: () => ({ organisation: 7 }),
  })
  const given = { serializer: comment, parent, by: 'ticket' } as const
  resource(deskApi, 'comment', {
    ...given,
    store: ({ user }) => comments.only((query) => query.where('text', '!=', user.username)),
    ordering: '-id',
    performCreate: (input, { user }, store, row) =>
      store.insert({ text: `${input.text} ${user.username} ${row.title}` }),
    actions: { hide: { detail: true, post: (_request, row, _store, above) => [row.text, above] } },
  })
  resource(deskApi, 'ticket', {
    store: async ({ user }) => tickets.only((query) => query.where('title', '!=', user.username)),
    serializer: ticket,
    scope: () => ({ organisation: 7 }),
  })
  const hidden = {
    store: ({ method }: ApiRequest) => comments.only((query) => query.where('text', '!=', method)),
  }
  // @ts-expect-error no text names a ticket
  resource(deskApi, 'comment', { ...given, ...hidden, by: 'text' })
  resource(deskApi, 'comment', {
    ...given,
    // @ts-expect-error there is no such column
    by: 'issue',
    store: ({ user }) => comments.only((query) => query.where('text', '!=', user.username)),
  })
  resource(deskApi, 'ticket', {
    store: ({ user }) => tickets.only((query) => query.where('title', '!=', user.username)),
    serializer: ticket,
    // @ts-expect-error nor this one
    scope: () => ({ organisation: 7, owner: 7 }),
  })
  // @ts-expect-error its values are numbers
  resource(deskApi, 'ticket', {
    store: ({ user }) => tickets.only((query) => query.where('title', '!=', user.username)),
    serializer: ticket,
    scope: () => ({ organisation: 'seven' }),
  })
  // @ts-expect-error nobody says the organisation
  resource(deskApi, 'ticket', {
    store: ({ user }) => tickets.only((query) => query.where('title', '!=', user.username)),
    serializer: ticket,
  })
}

export function scopedActions(): void {
  // they may stand before the scope
  resource(deskApi, 'comment', {
    store: comments,
    serializer: comment,
    actions: { hide: { detail: true, post: async (_request, row, store) => store.remove(row.id) } },
    scope: ({ params }) => ({ ticket: params.ticket }),
  })
}

export function nested(): void {
  const parent = resource(deskApi, 'ticket', {
    store: tickets,
    serializer: ticket,
    scope: () => ({ organisation: 7 }),
  })
  const teamsOfAll = resource(deskApi, 'team', { store: teams, serializer: team })
  const given = { store: comments, serializer: comment } as const
  deskApi.serve([...parent, ...resource(deskApi, 'comment', { ...given, parent, by: 'ticket' })])
  resource(deskApi, 'comment', {
    ...given,
    parent,
    by: 'ticket',
    scope: (_request, row) => {
      expectType<Equal<typeof row.title, string>>()
      return {}
    },
    performCreate: (input, { params }, store, row) => {
      expectType<Equal<typeof params, { readonly ticket: number }>>()
      return store.insert({ ...input, ticket: row.id })
    },
    performDestroy: (row, _request, store, { organisation }) =>
      organisation === 7 && store.remove(row.id, row),
    actions: {
      hide: { detail: true, post: (_request, row, _store, above) => [row.text, above.title] },
      count: { detail: false, get: ({ params }, _store, above) => [params.ticket, above.title] },
      // what the parent fills in need not be said
      import: { detail: false, post: async (_request, store) => store.insert({ text: 'Warm' }) },
    },
  })
  resource(deskApi, 'comment', {
    ...given,
    parent,
    by: 'ticket',
    performCreate: (input, _request, store) => store.insert({ text: input.text.trim() }),
  })
  resource(deskApi, 'comment', {
    ...given,
    parent,
    by: 'ticket',
    // @ts-expect-error what is not filled in is still needed
    performCreate: (_input, _request, store) => store.insert({}),
  })
  // @ts-expect-error nobody says which column names the ticket
  resource(deskApi, 'comment', { ...given, parent })
  // @ts-expect-error no text names a ticket
  resource(deskApi, 'comment', { ...given, parent, by: 'text' })
  // @ts-expect-error there is no such column
  resource(deskApi, 'comment', { ...given, parent, by: 'issue' })
  // @ts-expect-error the code of a team is no number
  resource(deskApi, 'comment', { ...given, parent: teamsOfAll, by: 'ticket' })
}

interface Team {
  readonly code: string
  readonly name: string
}
declare const memory: RowStore<Team, string, Team, Partial<Team>>

export function actions(): void {
  resource(members, 'article', {
    store: articles,
    serializer: article,
    actions: {
      recent: { detail: false, get: ({ user }) => user.username },
      publish: {
        detail: true,
        post: async ({ params }, row, store) => {
          expectType<Equal<typeof params, { readonly id: number }>>()
          expectType<Equal<typeof row.title, string>>()
          // @ts-expect-error there is no such column
          await store.update(row.id, { name: 'On lakes' }, row)
          return store.update(row.id, { title: 'On lakes' }, row)
        },
      },
    },
  })
  resource(api, 'article', {
    store: articles,
    serializer: article,
    // @ts-expect-error there is no address article-archive
    actions: { archive: { detail: false, get: () => 1 } },
  })
  resource(api, 'article', {
    store: articles,
    serializer: article,
    // @ts-expect-error that is the resource's own
    actions: { detail: { detail: false, get: () => 1 } },
  })
}

export function roots(): void {
  api.endpoint('root').get(apiRoot({ articles: 'article-list', teams: 'team-list' }))
  // @ts-expect-error there is no such name
  api.endpoint('root').get(apiRoot({ books: 'book-list' }))
}

export function uniques(): void {
  field.text({ validators: [unique(articles, 'title')] })
  field.text({ validators: [unique({ key: 'code', source: arraySource<Team>([]) }, 'name')] })
  // @ts-expect-error articles have no such column
  field.text({ validators: [unique(articles, 'isbn')] })
}
