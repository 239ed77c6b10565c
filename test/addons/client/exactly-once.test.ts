// A row that is in a list all the time comes once, however often the walk is left and resumed.
import { expect, test } from 'vitest'
import { type Contract, createClient, routesOf } from '../../../src/client.ts'
import { Walk, type WalkSource } from '../../../src/addons/client/rows.ts'
import {
  CursorPagination,
  configurationOf,
  defineApi,
  defineUrls,
  list,
} from '../../../src/index.ts'
import { sqlSource } from '../../../src/storage/sql/query/sql-source.ts'
import {
  DATABASES,
  type Dialect,
  freshDatabase,
  run,
} from '../../storage/sql/query/query-fixture.ts'
import { Rank, type Row, type Way, chanceFrom, drawnSeed, nothing, walkOnce } from './walks.ts'

const WALKS = 20_000
/** On each database; `WALKS=10000` takes minutes. */
const WALKS_OF_DATABASES = Number(process.env['WALKS'] ?? 100)
const seed = drawnSeed()
const chance = chanceFrom(seed)
const FAULTLESS = { repeated: 0, missing: 0, outOfOrder: 0 }

/** Pages that begin behind the place that their address names, as those of cursors do. */
class Pages implements WalkSource<Row> {
  readonly list = 'rows'
  readonly #rank: Rank

  constructor(rank: Rank) {
    this.#rank = rank
  }

  async first() {
    return '/rows/'
  }

  async load(at: string) {
    const [, rank, id] = /after=(.*)_(.*)/.exec(at) ?? []
    const place = { rank: Number(rank), id: Number(id) }
    const behind = this.#rank.rows.filter(
      (row) => id === undefined || this.#rank.compare(row, place) > 0,
    )
    const rows = behind.slice(0, this.#rank.pageSize)
    const last = rows.at(-1)
    const next = behind.length > rows.length ? `/rows/?after=${last!.rank}_${last!.id}` : null
    return { rows, next }
  }
}

test(`in ${WALKS} walks (WALK_SEED=${seed})`, async () => {
  const sum = nothing()
  for (let i = 0; i < WALKS; i++) {
    const rank = new Rank(chance)
    const prefetch = chance.random() < 0.3
    const begin = () => new Walk(new Pages(rank), { prefetch })
    await walkOnce(rank, chance, { begin }, sum)
  }
  expect(sum).toMatchObject(FAULTLESS)
  expect(sum.interruptions).toBeGreaterThan(2 * WALKS)
  expect(sum.given).toBeGreaterThan(10 * WALKS)
})

const urls = defineUrls({ up: '/up/', down: '/down/' })
interface Line {
  readonly id: number
  readonly place: number
}
interface Lines extends Contract {
  readonly version: null
  readonly operations: Readonly<
    Record<'up' | 'down', { readonly get: { readonly data: { readonly results: Line[] } } }>
  >
}

/** A service of a table, in both orders, and its client. */
async function tableOn(dialect: Dialect) {
  const database = await freshDatabase(dialect)
  await run(database, 'create table line (id bigint not null primary key, place integer not null)')
  const db = database.kysely<{ line: Line }>()
  const query = db.selectFrom('line').select(['id', 'place'])
  const source = sqlSource({ database, query, key: 'id' })
  const sizes = { pageSizeQueryParam: 'size', maxPageSize: 10 }
  const up = new CursorPagination({ ordering: ['place', 'id'], ...sizes })
  const down = new CursorPagination({ ordering: ['-place', '-id'], ...sizes })
  const api = defineApi({ urls, permissions: [] })
  const app = api.serve(
    [
      api.endpoint('up').get(list({ source, pagination: up })),
      api.endpoint('down').get(list({ source, pagination: down })),
    ],
    { configuration: configurationOf({ SECRET_KEY: 'a long random text' }) },
  )
  const client = createClient<Lines>({
    baseUrl: 'http://localhost',
    routes: routesOf(urls),
    version: null,
    fetch: (url, init) => app.fetch(new Request(url, init)),
  })
  return { db, client }
}
type Table = Awaited<ReturnType<typeof tableOn>>

/** Rows are put into the table and taken out of it as they come and go in the list. */
function wayOver({ db, client }: Table, { direction, pageSize }: Rank): Way {
  let known: readonly Row[] = []
  const without = (some: readonly Row[], others: readonly Row[]) => {
    const ids = new Set(others.map(({ id }) => id))
    return some.filter(({ id }) => !ids.has(id))
  }
  return {
    begin: () => client.rows(direction === 1 ? 'up' : 'down', { query: { size: pageSize } }),
    async store(rows) {
      const [gone, added] = [without(known, rows), without(rows, known)]
      const ids = gone.map(({ id }) => id)
      if (ids.length > 0) await db.deleteFrom('line').where('id', 'in', ids).execute()
      const values = added.map(({ id, rank }) => ({ id, place: rank }))
      if (values.length > 0) await db.insertInto('line').values(values).execute()
      known = rows
    },
  }
}

test.each(DATABASES)(
  `in ${WALKS_OF_DATABASES} walks of a table on %s (WALK_SEED=${seed})`,
  async (_, dialect) => {
    const table = await tableOn(dialect)
    const sum = nothing()
    for (let i = 0; i < WALKS_OF_DATABASES; i++) {
      const rank = new Rank(chance)
      const way = wayOver(table, rank)
      await walkOnce(rank, chance, way, sum)
      await way.store!([])
    }
    expect(sum).toMatchObject(FAULTLESS)
    expect(sum.interruptions).toBeGreaterThan(2 * WALKS_OF_DATABASES)
  },
)
