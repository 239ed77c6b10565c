import { type DialectName, dialectOf } from '../setup/dialects.ts'
import { arraySource } from '../../src/index.ts'
import type { QuerySource, SeekableSource, Serializer } from '../../src/types.ts'
import { sqlSource } from '../../src/sql.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { DATABASES } from './databases.ts'

/** A row with all that cursors stumble over: times a microsecond apart, ties, and no value at all. */
export interface Event {
  readonly id: number
  readonly created: string
  /** The values of C51. */
  readonly value: number
  readonly place: number | null
  readonly title: string
}
export type Field = keyof Event
export const byId: Serializer<Event, number> = { represent: ({ id }) => id }

const VALUES = [...'111111234444567777777778999999'].map(Number)
export const EVENTS: readonly Event[] = VALUES.map((value, index) => eventOf(index + 1, value))

/** Event 1 is the oldest; each is a microsecond younger than the one before. */
export function eventOf(id: number, value = 1): Event {
  const created = `2024-01-01 08:00:00.${String(500 + id).padStart(6, '0')}`
  const place = id % 3 === 0 ? null : id % 2
  return { id, created, value, place, title: `Event ${id % 4}` }
}

/** The same list in memory or in a table, which somebody else changes. */
export interface Events {
  /** Those with an id of at most `last`. */
  upTo(last: number): QuerySource<Event, Field> & SeekableSource<Event, Field>
  insert(...events: readonly Event[]): Promise<void>
  remove(...ids: readonly number[]): Promise<void>
  /** All as they were in the beginning. */
  restore(): Promise<void>
  /** How often it was asked for rows since it was told last. */
  asked(): number
}

/** The list in memory and on every database, for `describe.each` with `$on` in its title. */
export async function onEvents(): Promise<readonly (Events & { readonly on: string })[]> {
  const tables = DATABASES.map(async ([on, open]) => ({
    on,
    ...(await inTable(await open())),
  }))
  return [{ on: 'an array', ...inMemory() }, ...(await Promise.all(tables))]
}

function inMemory(): Events {
  const rows = [...EVENTS]
  const counter = counting()
  const keep = (kept: readonly Event[]): void => void rows.splice(0, rows.length, ...kept)
  return {
    upTo: (last) => {
      const shown = last === Infinity ? rows : rows.filter(({ id }) => id <= last)
      return counter.watch(arraySource(shown, { key: 'id' }), ['where', 'orderBy'])
    },
    insert: async (...events) => keep([...rows, ...events]),
    remove: async (...ids) => keep(rows.filter(({ id }) => !ids.includes(id))),
    restore: async () => keep(EVENTS),
    asked: counter.asked,
  }
}

async function inTable(database: SqlDatabase): Promise<Events> {
  const run = async (sql: string): Promise<void> => {
    await database.write({ sql, parameters: [] })
  }
  const insert = (...events: readonly Event[]): Promise<void> => run(insertion(events))
  const times = TIME[dialectOf(database)]
  await run(
    `create table event (id integer primary key, created ${times} not null, value integer not null, place integer, title varchar(40) not null)`,
  )
  await insert(...EVENTS)
  const counter = counting()
  const watched = counter.watch(database)
  const query = database.kysely<{ event: Event }>().selectFrom('event').selectAll()
  return {
    upTo: (last) => {
      const shown = last === Infinity ? query : query.where('id', '<=', last)
      return sqlSource({ database: watched, query: shown, key: 'id' })
    },
    insert,
    remove: (...ids) => run(`delete from event where id in (${ids.join()})`),
    restore: async () => {
      await run('delete from event')
      await insert(...EVENTS)
    },
    asked: counter.asked,
  }
}

const TIME: Readonly<Record<DialectName, string>> = {
  sqlite: 'text',
  postgres: 'timestamp(6)',
  mysql: 'datetime(6)',
}

function insertion(events: readonly Event[]): string {
  const rows = events.map(
    ({ id, created, value, place, title }) =>
      `(${id}, '${created}', ${value}, ${place}, '${title}')`,
  )
  return `insert into event values ${rows.join()}`
}

/** Counts calls, but for those that only give another of the same kind. */
function counting(): { watch<T extends object>(target: T, free?: string[]): T; asked(): number } {
  let asked = 0
  const watch = <T extends object>(target: T, free: string[] = []): T =>
    new Proxy(target, {
      get(from, name) {
        const member: unknown = Reflect.get(from, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const answer: unknown = Reflect.apply(member, from, given)
          if (free.includes(String(name))) return watch(answer as object, free)
          asked += 1
          return answer
        }
      },
    })
  return { watch, asked: () => [asked, (asked = 0)][0]! }
}
