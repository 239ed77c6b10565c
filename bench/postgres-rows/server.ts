// The same service twice in one process: rows of PostgreSQL stay texts, or `pg` makes values of them.
import pg from 'pg'
import {
  PageNumberPagination,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  include,
  list,
  retrieve,
  serializer,
} from 'colophon'
import { serve } from 'colophon/node'
import { type PostgresClient, type PostgresPool, openPostgres } from 'colophon/postgres'
import { sqlSource, sqlTable } from 'colophon/sql'
import { tellParent } from '../http/server-process.ts'
import { POOL, type Tables } from './world.ts'

const [url = ''] = process.argv.slice(2)

/** A pool whose connections have only the documented members of `pg`, so that `pg` reads the rows itself. */
function documented(): PostgresPool {
  const pool = new pg.Pool({ connectionString: url, max: POOL, pipeline: true })
  const known = new WeakMap<pg.PoolClient, PostgresClient>()
  return {
    end: async () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
    options: { max: POOL },
    async connect() {
      const one = await pool.connect()
      const client = known.get(one) ?? documentedClient(one)
      known.set(one, client)
      return client
    },
  }
}

function documentedClient(one: pg.PoolClient): PostgresClient {
  return {
    constructor: one.constructor,
    pipeline: true,
    query: (query) => one.query(query) as never,
    release: (unusable) => one.release(unusable),
    on: (event, listener) => one.on(event, listener),
  } as PostgresClient
}

const databases = {
  ours: openPostgres({ url, connections: POOL }),
  pg: openPostgres({ pool: documented() }),
}

const item = serializer({
  id: field.integer(),
  name: field.text(),
  price: field.decimal({ decimalPlaces: 2 }),
  open: field.boolean(),
  note: field.text({ nullable: true }),
  at: field.dateTime(),
})
const table = { hundred: '/hundred/', page: '/page/', one: '/one/:id<int>/' } as const
const api = defineApi({
  urls: defineUrls({
    ours: include('/ours', table),
    pg: include('/pg', table),
  }),
})

/** A list of a hundred rows, counted pages of 25, and single rows. */
function endpointsOf(way: keyof typeof databases) {
  const database = databases[way]
  const db = database.kysely<Tables>()
  const query = db.selectFrom('item').selectAll()
  const hundred = query.where('id', '<=', 100)
  const rows = sqlTable({ database, db, table: 'item', key: 'id' })
  const pagination = new PageNumberPagination({ pageSize: 25 })
  return [
    api
      .endpoint(`${way}:hundred`)
      .get(list({ source: sqlSource({ database, query: hundred, key: 'id' }), serializer: item })),
    api
      .endpoint(`${way}:page`, { pagination })
      .get(list({ source: sqlSource({ database, query, key: 'id' }), serializer: item })),
    api
      .endpoint(`${way}:one`)
      .get(retrieve({ find: ({ params }) => rows.find(params.id), serializer: item })),
  ]
}

const endpoints = [...endpointsOf('ours'), ...endpointsOf('pg')]
const server = await serve(api.serve(endpoints, { configuration: configurationOf() }), { port: 0 })
tellParent(Number(new URL(server.url).port))
