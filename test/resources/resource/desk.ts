// A support desk: tickets belong to an organisation, comments to a ticket, and reactions to a comment.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Generated } from 'kysely'
import {
  AcceptHeaderVersioning,
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { type RequestOptions, client } from '../../../src/testing.ts'

export interface Tables {
  organisation: { id: Generated<number>; name: string }
  ticket: { id: Generated<number>; organisation: number; title: string; parent: number | null }
  comment: { id: Generated<number>; ticket: number; text: string }
  reaction: { id: Generated<number>; comment: number; kind: string }
}

const SCHEMA = [
  'create table organisation (id integer primary key, name text not null)',
  `create table ticket (id integer primary key, organisation integer not null references organisation,
    title text not null, parent integer references ticket)`,
  `create table comment (id integer primary key, ticket integer not null references ticket,
    text text not null)`,
  `create table reaction (id integer primary key, comment integer not null references comment,
    kind text not null)`,
]
const ROWS = [
  `insert into organisation values (1, 'Acme'), (2, 'Bolt')`,
  `insert into ticket values (1, 1, 'Cold office', null), (2, 1, 'Lost key', 1),
    (3, 2, 'Broken lamp', null)`,
  `insert into comment values (1, 1, 'Very cold'), (2, 2, 'Still lost'), (3, 3, 'Dark here')`,
  `insert into reaction values (1, 1, 'agree'), (2, 3, 'wave')`,
]

export interface Member {
  readonly organisation: number
}
export const ada: Member = { organisation: 1 }
/** He is a member too, and a stranger to all that is Ada's. */
export const bob: Member = { organisation: 2 }
export const organisationOf = (user: unknown): number => (user as Member).organisation

export const urls = defineUrls({
  ...resourceUrls('ticket', '/tickets/', ':id<int>'),
  'ticket-close': '/tickets/:id<int>/close/',
  ...resourceUrls('comment', '/tickets/:ticket<int>/comments/', ':id<int>'),
  'comment-hide': '/tickets/:ticket<int>/comments/:id<int>/hide/',
  'comment-count': '/tickets/:ticket<int>/comments/count/',
  ...resourceUrls(
    'reaction',
    '/tickets/:ticket<int>/comments/:comment<int>/reactions/',
    ':id<int>',
  ),
})

const id = field.integer({ readOnly: true })

export async function openDesk() {
  const database = openSqlite({
    path: join(mkdtempSync(join(tmpdir(), 'colophon-')), 'desk.sqlite'),
  })
  const run = (sql: string) => database.write({ sql, parameters: [] })
  for (const sql of SCHEMA) await run(sql)
  const db = database.kysely<Tables>()
  const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
  const comments = sqlTable({ database, db, table: 'comment', key: 'id' })
  const reactions = sqlTable({ database, db, table: 'reaction', key: 'id' })
  const tables = { tickets, comments, reactions }
  return {
    ...tables,
    database,
    async reset() {
      for (const table of ['reaction', 'comment', 'ticket', 'organisation'])
        await run(`delete from ${table}`)
      for (const sql of ROWS) await run(sql)
    },
    /** All that is kept. */
    rows: async () =>
      Promise.all(Object.values(tables).map(async ({ source }) => source.slice(0, 1000))),
  }
}
export type Desk = Awaited<ReturnType<typeof openDesk>>

/** What clients may send in full: also the columns that decide whose a row is. */
export function appOf({ tickets, comments, reactions }: Desk) {
  const api = defineApi({
    urls,
    formatSuffixes: true,
    filters: [new SearchFilter(), new FieldFilter(), new OrderingFilter()],
    pagination: new PageNumberPagination({ pageSize: 2 }),
    versioning: new AcceptHeaderVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
  })
  const ours = (request: { user: unknown }) => ({ organisation: organisationOf(request.user) })
  const ticket = serializer({
    id,
    url: field.identity('ticket-detail'),
    title: field.text(),
    organisation: field.integer({ required: false }),
    parent: field.related(
      {
        find: (key, request) => tickets.within(ours(request)).find(key),
      },
      { required: false, nullable: true },
    ),
    old: field.text({ source: 'title', readOnly: true, since: 'v2' }),
  })
  const comment = serializer({
    id,
    url: field.identity('comment-detail'),
    ticket: field.integer({ required: false }),
    text: field.text(),
  })
  const reaction = serializer({
    id,
    url: field.identity('reaction-detail'),
    kind: field.text(),
    comment: field.integer({ required: false }),
  })
  const ticketResource = resource(api, 'ticket', {
    store: tickets,
    scope: ours,
    serializer: ticket,
    searchFields: ['title'],
    filterFields: ['organisation', 'title', 'id'],
    orderingFields: ['title'],
    actions: {
      close: {
        detail: true,
        post: (_request, row) => ({ closed: row.title }),
        // Careless ones: they write whatever was sent.
        put: async ({ body }, { id: own }, store) => {
          const { id: key = own, ...changes } = (await body()) as { id?: number }
          return { done: await store.update(key, changes) }
        },
        patch: async (_request, row, store) => store.insert({ ...row }),
        delete: async ({ query }, _row, store) => ({ done: await store.remove(query.get('key')!) }),
      },
    },
  })
  const commentResource = resource(api, 'comment', {
    store: comments,
    parent: ticketResource,
    by: 'ticket',
    serializer: comment,
    searchFields: ['text'],
    filterFields: ['ticket', 'text'],
    orderingFields: ['text'],
    pagination: new CursorPagination({ ordering: 'id', pageSize: 1 }),
    actions: {
      hide: { detail: true, post: (_request, row, _store, above) => [row.text, above.title] },
      count: {
        detail: false,
        get: async (_request, store) => store.source.count(),
      },
    },
  })
  const reactionResource = resource(api, 'reaction', {
    store: reactions,
    parent: commentResource,
    by: 'comment',
    serializer: reaction,
  })
  return api.serve([...ticketResource, ...commentResource, ...reactionResource], {
    configuration: configurationOf({ SECRET_KEY: 'x'.repeat(50) }),
  })
}

export type Verb = 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete'

export function asking(app: ReturnType<typeof appOf>, user: Member) {
  const ask = client(app)
  return (verb: Verb, path: string, options: RequestOptions = {}) =>
    ask.request(verb.toUpperCase(), path, { as: user, ...options })
}
