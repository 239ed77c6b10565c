// A service whose cursors are bound in all the ways there are, and the question whether one opens somewhere.
import { expect } from 'vitest'
import {
  type ApiRequest,
  type App,
  CursorPagination,
  FieldFilter,
  type Identity,
  OrderingFilter,
  SearchFilter,
  configurationOf,
  defineApi,
  list,
  paginated,
} from '../../src/index.ts'
import type { FilterBackend, QuerySource, SeekRequest, Stretch } from '../../src/types.ts'
import type { Door, Sent } from './doors.ts'

export const SECRET = { SECRET_KEY: 'a secret of these tests' }

/** Endless rows, which any filter leaves; it counts how often it was read. */
export class Endless implements QuerySource<{ readonly id: number }, string> {
  reads = 0
  readonly where = (): this => this
  readonly orderBy = (): this => this
  count = (): number => Infinity
  slice = (): readonly { readonly id: number }[] => []
  seek = ({ limit }: SeekRequest): Stretch<{ readonly id: number }> => {
    this.reads += 1
    const rows = Array.from({ length: limit }, (_, id) => ({ id: id + 10 }))
    return { rows, more: true, first: [10], last: [10 + limit] }
  }
}

/** `X-User: 7` is the user 7. */
export const byHeader = {
  authenticate: (request: { header(name: string): string | null }): Identity | null => {
    const id = request.header('x-user')
    return id === null ? null : { user: { id: Number(id), isAuthenticated: true }, auth: null }
  },
}

type Filter = FilterBackend['filter']

/** Filters as applications write them, each with another way to read the query. */
const CUSTOM: Readonly<Record<string, Filter>> = {
  last: (rows, { query }) => (query.get('shape') === 'round' ? rows : rows.where([])),
  all: (rows, { query }) => (query.getAll('tag').length > 1 ? rows : rows.where([])),
  loop: (rows, { query }) => query.names().reduce((found) => found.where([]), rows),
  each: (rows, { query }) =>
    query.names().reduce((found, name) => (query.get(name) === '' ? found : found.where([])), rows),
  url: (rows, { url }) => (url.searchParams.has('shape') ? rows : rows.where([])),
  copy: (rows, { query }) => (query.with({ a: 1 }).get('shape') === null ? rows : rows.where([])),
  text: (rows, { query }) => (query.toString() === '' ? rows : rows.where([])),
  peek: (rows, { query }) => (query.peek('shape') === null ? rows : rows.where([])),
}

const PLACES = ['cities', 'mine', 'sized', 'source', 'handler', ...Object.keys(CUSTOM)]

/** Every endpoint has the country in its path; `serve` makes the service anew. */
export function serveBindings(): { readonly app: App; readonly source: Endless } {
  const source = new Endless()
  const urls = Object.fromEntries(
    PLACES.map((name) => [name, `/:country/${name}/`] as [string, `/${string}`]),
  )
  const filters = [new FieldFilter(), new SearchFilter(), new OrderingFilter()]
  const options = { pageSize: 2, ordering: 'id' } as const
  const api = defineApi({
    urls,
    formatSuffixes: true,
    authentication: [byHeader],
    pagination: new CursorPagination(options),
  })
  const fields = {
    filterFields: ['name', 'size__gte'],
    searchFields: ['name'],
    orderingFields: ['id', 'size'],
  } as const
  const ofUser = new CursorPagination({ ...options, bindTo: 'user' })
  const sized = new CursorPagination({ ...options, pageSizeQueryParam: 'rows' })
  const month = ({ query }: Pick<ApiRequest, 'query'>): Endless =>
    query.get('month') === null ? source : source
  const whole = list({ source, ...fields })
  return {
    source,
    app: api.serve(
      [
        api.endpoint('cities', { filters }).get(whole),
        api.endpoint('mine', { filters, pagination: ofUser }).get(whole),
        api.endpoint('sized', { filters, pagination: sized }).get(whole),
        api.endpoint('source').get(list({ source: month })),
        api.endpoint('handler').get((request) => paginated(request, month(request))),
        ...Object.entries(CUSTOM).map(([name, filter]) =>
          api.endpoint(name, { filters: [{ filter }] }).get(list({ source })),
        ),
      ],
      { configuration: configurationOf(SECRET) },
    ),
  }
}

export type Headers = NonNullable<Sent['headers']>

/** The cursor of the second page of what is asked for here. */
export async function cursorAt(door: Door, path: string, headers: Headers = {}): Promise<string> {
  const { status, text } = await door.send({ method: 'GET', path, headers })
  expect({ path, status, text }).toMatchObject({ status: 200 })
  const { next } = JSON.parse(text) as { next: string }
  return new URL(next).searchParams.get('cursor')!
}

/** The address with a cursor in it, in front of all else that is asked. */
export function withCursor(path: string, cursor: string): string {
  const [place, query] = path.split('?', 2)
  return `${place}?cursor=${cursor}${query === undefined ? '' : `&${query}`}`
}
