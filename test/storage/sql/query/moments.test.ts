import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { field, serializer } from '../../../../src/index.ts'
import { sqlTable } from '../../../../src/storage/sql/table/sql-table.ts'
import { toRowObjects } from '../../../../src/core/std/row-objects.ts'
import { request } from '../../../resources/serializers/reading.ts'
import { NAMES, SERVERS, type ServerDialect } from '../../../setup/dialects.ts'
import { sourceOf, withValues } from './query-fixture.ts'

const TYPES: Readonly<Record<ServerDialect, readonly string[]>> = {
  postgres: ['timestamptz', 'timestamp'],
  mysql: ['datetime(6)', 'timestamp(6) null', 'datetime(4)'],
}

const moment = serializer({ value: field.dateTime() })

/** As a database writes it, the time of the `Date`, and how it is shown. */
type Moment = readonly [written: string, time: string, shown: string]

const MOMENTS: readonly Moment[] = [
  ['2026-03-01 12:00:00.123456', '2026-03-01T12:00:00.123Z', '2026-03-01T12:00:00.123456Z'],
  ['2026-03-01 12:00:00.0001', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000100Z'],
  ['2026-03-01 12:00:00.12', '2026-03-01T12:00:00.120Z', '2026-03-01T12:00:00.120000Z'],
  ['2026-03-01 12:00:00', '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00Z'],
  ['1971-12-31 23:59:59.999999', '1971-12-31T23:59:59.999Z', '1971-12-31T23:59:59.999999Z'],
]

interface Tables {
  item: { id: number; value: Date }
}

describe.each(SERVERS)('points in time on %s', (dialect) => {
  test.each(TYPES[dialect])(
    `are the same in a list and alone on ${NAMES[dialect]}: %s`,
    async (type) => {
      const places = type.endsWith('(4)') ? 4 : 6
      const moments = MOMENTS.filter(([written]) => written.length <= 20 + places)
      const database = await withValues(
        dialect,
        type,
        moments.map(([written]) => `'${written}'`),
      )
      const source = sourceOf(database)
      const db = database.kysely<Tables>()
      const items = sqlTable({ database, db, table: 'item', key: 'id' })
      // The table is gone once its rows were made.
      const { table, rows } = await source.cut(0, 10)
      const keys = [{ field: 'value', descending: false, nulls: 'last' }] as const
      const stretch = await source.seek({ keys, position: null, reverse: false, limit: 10 })
      const found = [
        rows,
        toRowObjects(table!),
        await source.slice(0, 10),
        await database.read({ sql: 'select id, value from item order by id', parameters: [] }),
        await db.selectFrom('item').selectAll().orderBy('id').execute(),
        await Promise.all(moments.map((_moment, index) => items.find(index + 1))),
        stretch.rows.toSorted((left, right) => left.id - right.id),
      ] as readonly (readonly { readonly value: Date }[])[]
      for (const each of found) {
        expect(each.map(({ value }) => value)).toEqual(moments.map(([, time]) => new Date(time)))
        const shown = each.map((row) => moment.represent(row, request))
        expect(shown).toEqual(moments.map(([, , value]) => ({ value })))
      }
    },
  )

  test('a day is one of UTC', async () => {
    const database = await withValues(dialect, 'date', [`'2024-02-29'`, 'null'])
    const values = [{ value: new Date('2024-02-29') }, { value: null }]
    expect(await sourceOf(database).slice(0, 5)).toMatchObject(values)
    const day = sql`select value from item order by id`
    expect((await day.execute(database.kysely())).rows).toEqual(values)
  })
})
