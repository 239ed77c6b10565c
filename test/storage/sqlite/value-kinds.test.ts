// Points in time of tables that another program made: mostly texts, which SQLite compares by their letters.
import type { Generated } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/storage/sql/table/sql-table.ts'
import { client } from '../../../src/tools/testing/client.ts'
import { temporarySqlite } from '../../contract/temporary.ts'

type Moment = string | number

async function served(rows: readonly Moment[], type: string) {
  const database = temporarySqlite()
  const run = (sql: string, ...parameters: unknown[]) => database.write({ sql, parameters })
  await run(
    `create table note (id integer primary key, at ${type} not null default current_timestamp)`,
  )
  for (const at of rows) await run('insert into note (at) values (?)', at)
  const db = database.kysely<{ note: { id: Generated<number>; at: Generated<string> } }>()
  const api = defineApi({
    urls: defineUrls(resourceUrls('note', '/notes/', ':id<int>')),
    filters: [new FieldFilter(), new OrderingFilter()],
    pagination: new CursorPagination({ pageSize: 2, ordering: ['at'] }),
  })
  const notes = resource(api, 'note', {
    store: sqlTable({ database, db, table: 'note', key: 'id' }),
    serializer: serializer({
      id: field.integer({ readOnly: true }),
      at: field.dateTime({ required: false }),
    }),
    filterFields: ['at', 'at__gte', 'at__gt', 'at__lt', 'at__in'],
    orderingFields: ['at'],
  })
  const tester = client(api.serve(notes, { configuration: configurationOf() }))
  const listed = async (address: string) => {
    const { data } = await tester.get(address)
    return data as { readonly results: { readonly id: number }[]; readonly next: string | null }
  }
  return {
    tester,
    ids: async (query: string) => (await listed(`/notes/?${query}`)).results.map(({ id }) => id),
    async pages() {
      const all: number[] = []
      let address: string | null = '/notes/'
      while (address !== null) {
        const { results, next } = await listed(address)
        all.push(...results.map(({ id }) => id))
        address = next === null ? null : next.replace('http://localhost', '')
      }
      return all
    },
    stored: () => database.rows({ sql: 'select at from note', parameters: [] }).values.flat(),
  }
}

describe('the rows of a day, as another program wrote them', () => {
  test.each<[string, rows: Moment[], written: Moment[], type?: string]>([
    [
      'Django, and current_timestamp',
      ['2026-11-30 09:00:00', '2026-11-30 12:00:00.123456', '2026-11-30 23:00:00'],
      ['2026-11-30 01:00:00', '2026-11-30 12:00:01.500000'],
    ],
    [
      'SQLAlchemy',
      ['2026-11-30 09:00:00.000000', '2026-11-30 12:00:00.123456', '2026-11-30 23:00:00.000000'],
      ['2026-11-30 01:00:00.000000', '2026-11-30 12:00:01.500000'],
      'DATETIME',
    ],
    [
      'Sequelize',
      ['09:00:00.000', '12:00:00.123', '23:00:00.000'].map((at) => `2026-11-30 ${at} +00:00`),
      ['2026-11-30 01:00:00.000 +00:00', '2026-11-30 12:00:01.500 +00:00'],
      'timestamp',
    ],
    [
      'toISOString()',
      ['09:00:00.000', '12:00:00.123', '23:00:00.000'].map((at) => `2026-11-30T${at}Z`),
      ['2026-11-30T01:00:00.000Z', '2026-11-30T12:00:01.500Z'],
    ],
    [
      'Colophon, in the form of its fields',
      ['2026-11-30T09:00:00Z', '2026-11-30T12:00:00Z', '2026-11-30T23:00:00Z'],
      ['2026-11-30T01:00:00Z', '2026-11-30T12:00:01.500000Z'],
      'timestamp with time zone',
    ],
    [
      'Prisma and Knex, in milliseconds',
      ['09:00:00.000', '12:00:00.123', '23:00:00.000'].map((at) => Date.parse(`2026-11-30T${at}Z`)),
      [Date.parse('2026-11-30T01:00:00Z'), Date.parse('2026-11-30T12:00:01.500Z')],
    ],
  ])('%s: are found, ordered and written', async (_, rows, written, type = 'datetime') => {
    const { tester, ids, pages, stored } = await served(rows, type)
    expect(await ids('at__gte=2026-11-30T12:00:00Z')).toEqual([2, 3])
    expect(await ids('at__lt=2026-11-30T12:00:00Z')).toEqual([1])
    expect(await ids('at=2026-11-30T23:00:00Z')).toEqual([3])
    expect(await ids('at__gt=2026-12-01T00:00:00%2B01:00')).toEqual([])
    expect(await ids('at__in=2026-11-30T10:00:00%2B01:00,2026-11-30 23:00')).toEqual([1, 3])
    for (const at of ['2026-11-30T02:00:00+01:00', '2026-11-30T12:00:01.5Z'])
      expect((await tester.post('/notes/', { json: { at } })).status).toBe(201)
    expect(stored()).toEqual([...rows, ...written])
    expect(await ids('at=2026-11-30T01:00:00Z')).toEqual([4])
    expect(await pages()).toEqual([4, 1, 2, 5, 3])
  })

  test('six digits of the first row are no zeros of others, as in tables of Django', async () => {
    const { ids, pages } = await served(
      ['2026-11-30 08:00:00.123456', '2026-11-30 12:00:00'],
      'datetime',
    )
    expect(await ids('at=2026-11-30T12:00:00Z')).toEqual([2])
    expect(await ids('at__gte=2026-11-30T12:00:00Z')).toEqual([2])
    expect(await pages()).toEqual([1, 2])
  })

  test('in a table without rows they get the form of current_timestamp', async () => {
    const { tester, stored } = await served([], 'datetime')
    await tester.post('/notes/', { json: { at: '2026-11-30T12:00:00Z' } })
    expect(stored()).toEqual(['2026-11-30 12:00:00'])
  })

  test('texts in another form are compared as they are', async () => {
    const { ids } = await served(['2026-11-30 09:00', '2026-11-30 12:00'], 'datetime')
    expect(await ids('at=2026-11-30 09:00')).toEqual([1])
    expect(await ids('at__gt=2026-11-30 11:59')).toEqual([2])
  })
})
