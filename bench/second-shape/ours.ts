// The service with Colophon, as an application would write it.
import {
  CursorPagination,
  PageNumberPagination,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from 'colophon'
import { serve } from 'colophon/node'
import { openPostgres } from 'colophon/postgres'
import { sqlSource } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'
import { PAGE_SIZE, POOL } from './world.ts'

const [dialect = '', address = ''] = process.argv.slice(2)
const database =
  dialect === 'sqlite'
    ? openSqlite({ path: address })
    : openPostgres({ url: address, connections: POOL })

interface Columns {
  id: number
  title: string
  note: string | null
  status: 'open' | 'waiting' | 'closed'
  is_public: boolean
  is_pinned: boolean
  serial: bigint
  score: number | null
  price: string
  due: string | null
  created: string
  updated: string
  author_id: number
  project_id: number
}
interface Tables {
  ticket: Columns
  entry: Columns
  person: { id: number; name: string }
}

const db = database.kysely<Tables>()
const columns = [
  'title',
  'note',
  'status',
  'is_public',
  'is_pinned',
  'serial',
  'score',
  'price',
  'due',
  'created',
  'updated',
  'author_id',
  'project_id',
  'person.name as author_name',
] as const
// Every row has its author. Databases can leave a left join out of a count, but not an inner one.
const tickets = sqlSource({
  database,
  query: db
    .selectFrom('ticket')
    .leftJoin('person', 'person.id', 'author_id')
    .select(['ticket.id', ...columns]),
  key: 'ticket.id',
})
const entries = sqlSource({
  database,
  query: db
    .selectFrom('entry')
    .leftJoin('person', 'person.id', 'author_id')
    .select(['entry.id', ...columns]),
  key: 'entry.id',
})

const author = serializer({
  id: field.integer({ source: 'author_id' }),
  name: field.text({ source: 'author_name', nullable: true }),
})
const ticket = serializer({
  id: field.integer(),
  title: field.text(),
  note: field.text({ nullable: true }),
  status: field.choice(['open', 'waiting', 'closed']),
  is_public: field.boolean(),
  is_pinned: field.boolean(),
  serial: field.bigInteger({ coerceToString: true }),
  score: field.integer({ nullable: true }),
  price: field.decimal({ maxDigits: 10, decimalPlaces: 2 }),
  due: field.date({ nullable: true }),
  created: field.dateTime(),
  updated: field.dateTime(),
  author: field.nested(author, { source: '*', readOnly: true }),
  project: field.hyperlink('project-detail', { source: 'project_id' }),
})

const api = defineApi({
  urls: defineUrls({
    tickets: '/tickets/',
    entries: '/entries/',
    'project-detail': '/projects/:id<int>/',
  }),
})
const app = api.serve(
  [
    api
      .endpoint('tickets', { pagination: new PageNumberPagination({ pageSize: PAGE_SIZE }) })
      .get(list({ source: tickets, serializer: ticket })),
    api
      .endpoint('entries', {
        pagination: new CursorPagination({ ordering: '-created', pageSize: PAGE_SIZE }),
      })
      .get(list({ source: entries, serializer: ticket })),
    api.endpoint('project-detail').get(() => null),
  ],
  {
    configuration: configurationOf({
      SECRET_KEY: 'a secret for benchmarks only, of this bench',
      ALLOWED_HOSTS: ['bench.test'],
    }),
  },
)
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
