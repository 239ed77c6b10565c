// Reads one list of ten million rows near its start and far from it, by cursors and by offsets.
import { CursorPagination, configurationOf, defineApi, list } from 'colophon'
import type { Position, SeekableSource } from 'colophon/types'
import { type SqlDatabase, type Statement, sqlSource } from 'colophon/sql'
import { client } from 'colophon/testing'
import type { Tables } from './world.ts'

export const PAGE_SIZE = 100

/** The result of a reading. */
export interface Seen {
  readonly rows: number
  readonly first: number | undefined
}

export type Read = () => Promise<Seen>

/** Pages of the application by their cursors, the same from the source alone, and the deep page by its offset. */
export interface Readings {
  readonly start: Read
  /** The first page with a cursor and two neighbours. */
  readonly second: Read
  readonly deep: Read
  readonly seekStart: Read
  readonly seekDeep: Read
  readonly offset: Read
  /** The statements that the source has sent so far. */
  readonly heard: readonly Statement[]
}

type Entry = Tables['entry']
type Field = keyof Entry
type Source = SeekableSource<Entry, Field>

/** The subject of a reading: an order by a column, and the deep page behind the row `anchor`. */
export interface Depth {
  readonly column: 'created' | 'shelf'
  readonly descending: boolean
  readonly page: number
  readonly anchor: number
}

export async function readings(database: SqlDatabase, depth: Depth): Promise<Readings> {
  const heard: Statement[] = []
  const source = entries(listening(database, heard))
  const keys = keysOf(depth)
  const anchor = entries(database, depth.anchor)
  const get = application(source, depth)
  const [second, address] = [await nextOf(get), await addressBehind(anchor, depth)]
  const { last } = await anchor.seek({ keys, position: null, reverse: false, limit: 1 })
  const seek = async (position: Position | null) =>
    seen((await source.seek({ keys, position, reverse: false, limit: PAGE_SIZE })).rows)
  const ordered = source.orderBy(keys)
  const offset = (depth.page - 1) * PAGE_SIZE
  return {
    heard,
    start: async () => seen((await get('/entries/')).results),
    second: async () => seen((await get(second)).results),
    deep: async () => seen((await get(address)).results),
    seekStart: () => seek(null),
    seekDeep: () => seek(last),
    offset: async () => seen(await ordered.slice(offset, PAGE_SIZE)),
  }
}

/** The address of the page behind a row, in the form of a link from a page that ends there. */
async function addressBehind(anchor: Source, depth: Depth): Promise<string> {
  const source: Source = {
    count: () => anchor.count(),
    slice: (offset, limit) => anchor.slice(offset, limit),
    seek: async (request) => ({ ...(await anchor.seek(request)), more: true }),
  }
  return nextOf(application(source, depth))
}

async function nextOf(get: (path: string) => Promise<Answer>): Promise<string> {
  const { next } = await get('/entries/')
  return next!.replace('http://localhost', '')
}

interface Answer {
  readonly next: string | null
  readonly results: readonly Entry[]
}

/** The ordering in the form of an endpoint: `-created`. */
export function orderingOf({ column, descending }: Pick<Depth, 'column' | 'descending'>) {
  return `${descending ? '-' : ''}${column}` as const
}

function application(source: Source, depth: Depth): (path: string) => Promise<Answer> {
  const ordering = orderingOf(depth)
  const api = defineApi({ urls: { entries: '/entries/' } })
  const endpoint = api
    .endpoint('entries', { pagination: new CursorPagination({ ordering, pageSize: PAGE_SIZE }) })
    .get(list({ source }))
  const configuration = configurationOf({ SECRET_KEY: 'a secret for benchmarks only' })
  const { get } = client(api.serve([endpoint], { configuration }))
  return async (path) => {
    const { status, data, text } = await get(path)
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
    return data as Answer
  }
}

/** All entries, or one of them. */
function entries(database: SqlDatabase, id: number | null = null) {
  const all = database.kysely<Tables>().selectFrom('entry').selectAll()
  const query = id === null ? all : all.where('id', '=', id)
  return sqlSource({ database, query, key: 'id' })
}

function keysOf({ column, descending }: Depth) {
  return [{ field: column, descending, nulls: descending ? 'last' : 'first' } as const]
}

/** The same database, with a list of its statements. */
function listening(database: SqlDatabase, heard: Statement[]): SqlDatabase {
  const rows: SqlDatabase['rows'] = (statement) => {
    heard.push(statement)
    return database.rows(statement)
  }
  return new Proxy(database, {
    get(target, name) {
      if (name === 'rows') return rows
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

function seen(rows: readonly Entry[]): Seen {
  return { rows: rows.length, first: rows[0]?.id }
}
