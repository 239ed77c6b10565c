import { expect } from 'vitest'
import {
  type App,
  CursorPagination,
  type Ordering,
  OrderingFilter,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { type Events, byId, onEvents } from './cursor-sources.ts'
import { type Door, doorsOn } from './doors.ts'
import { DETAIL, addresses } from './fixtures.ts'

const MIXED: Ordering = [
  { field: 'place', nulls: 'last' },
  '-value',
  { field: 'title', descending: true },
]
export const STYLES = {
  feed: new CursorPagination({ pageSize: 3 }),
  twin: new CursorPagination({ pageSize: 3 }),
  ties: new CursorPagination({ pageSize: 5, ordering: 'value' }),
  mixed: new CursorPagination({ pageSize: 4, ordering: MIXED }),
  nulls: new CursorPagination({ pageSize: 4, ordering: '-place' }),
  'nulls-up': new CursorPagination({ pageSize: 4, ordering: ['place'] }),
  'nulls-first': new CursorPagination({
    pageSize: 4,
    ordering: { field: 'place', descending: true, nulls: 'first' },
  }),
  whole: new CursorPagination({ pageSize: 5 }),
  renamed: new CursorPagination({ pageSize: 3, cursorQueryParam: 'at' }),
  sized: new CursorPagination({ pageSize: 3, pageSizeQueryParam: 'size', maxPageSize: 4 }),
  off: new CursorPagination({ pageSize: null, pageSizeQueryParam: 'size' }),
  zero: new CursorPagination({ pageSize: 0 }),
  inherited: new CursorPagination(),
  message: new CursorPagination({ pageSize: 3, invalidCursorMessage: 'Turn back.' }),
  bare: new CursorPagination({ pageSize: 3, template: null }),
}
const LENGTHS: Readonly<Record<string, number>> = { ties: Infinity, mixed: Infinity, empty: 0 }
const NAMES = [...Object.keys(STYLES), 'empty', 'filtered', 'declared']
const api = defineApi({ urls: addresses(NAMES), pageSize: 4 })

export const serveOn = (events: Events, keys: Readonly<Record<string, unknown>> = SECRET): App => {
  const plain = Object.entries({ ...STYLES, empty: STYLES.feed }).map(([name, pagination]) =>
    api.endpoint(name, { pagination }).get(
      list({
        // Changes show, whether the array is another or not.
        source: () => events.upTo(LENGTHS[name] ?? 10),
        serializer: byId,
      }),
    ),
  )
  const filters = [new OrderingFilter()]
  const filtered = (name: string, ordering: '-id' | null) =>
    api.endpoint(name, { pagination: STYLES.feed, filters }).get(
      list({
        source: () => events.upTo(10),
        serializer: byId,
        orderingFields: ['id', 'value', 'place'],
        ordering,
      }),
    )
  const endpoints = [...plain, filtered('filtered', null), filtered('declared', '-id')]
  return api.serve(endpoints, { configuration: configurationOf(keys) })
}
export const SECRET = { SECRET_KEY: 'a secret of these tests' }

export interface Answered {
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly number[]
}

export const LOCAL = 'http://localhost'

export async function ask(door: Door, path: string): Promise<Answered> {
  const { status, text } = await door.send({ method: 'GET', path: path.replace(LOCAL, '') })
  expect({ status, text }).toEqual({ status: 200, text })
  return JSON.parse(text) as Answered
}

export async function walk(
  door: Door,
  path: string,
  way: 'next' | 'previous',
): Promise<Answered[]> {
  const pages: Answered[] = []
  for (let at: string | null = path; at !== null; at = pages.at(-1)![way]) {
    pages.push(await ask(door, at))
    expect(pages.length).toBeLessThan(40)
  }
  return pages
}

export const idsOf = (pages: readonly Answered[]): unknown => pages.map(({ results }) => results)
export const cursorOf = (link: string | null, parameter = 'cursor'): string =>
  new URL(link!).searchParams.get(parameter)!

/** What stands behind the version of the form. */
export function bytesOf(cursor: string): Buffer {
  expect(cursor).toMatch(/^v1\.[\w-]+$/)
  return Buffer.from(cursor.slice(3), 'base64url')
}

/** The service on every database and in memory, through the doors that are tried there. */
export async function everywhere(): Promise<readonly Service[]> {
  return (await onEvents()).flatMap((events) =>
    doorsOn(events.on, serveOn(events)).map((door) => ({
      on: events.on,
      door,
      through: door.name,
      events,
    })),
  )
}

export interface Service {
  readonly on: string
  readonly through: string
  readonly door: Door
  readonly events: Events
}

/** C13, I2: the documented answer, and nobody was asked for rows. */
export async function refused({ door, events }: Service, path: string): Promise<void> {
  events.asked()
  const { status, text } = await door.send({ method: 'GET', path: path.replace(LOCAL, '') })
  expect({ status, data: JSON.parse(text) as unknown }).toEqual({ status: 404, data: DETAIL })
  expect(events.asked()).toBe(0)
}
