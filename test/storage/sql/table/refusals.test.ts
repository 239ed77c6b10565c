// What databases refuse, as clients and operators read it: alike on all of them.
import { describe, expect, test } from 'vitest'
import {
  type SqlDatabase,
  column,
  createTable,
  defineMigrations,
  migration,
  plainSql,
  sqlTable,
} from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import {
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import type { AnyField } from 'colophon/types'
import { client } from 'colophon/testing'
import { temporaryPath } from '../../../contract/temporary.ts'
import { NAMES, emptyPlace } from '../migrations/place.ts'

const migrations = defineMigrations([
  migration('0001_clinic', [
    createTable(
      'patient',
      { id: column.id(), clinic: column.integer(), insurance: column.text({ maxLength: 20 }) },
      { unique: [['clinic', 'insurance']] },
    ),
    createTable('visit', {
      id: column.id(),
      patient: column.references('patient'),
      note: column.text({ nullable: true }),
      count: column.integer({ nullable: true }),
      price: column.decimal({ maxDigits: 15, decimalPlaces: 2, nullable: true }),
      at: column.dateTime({ nullable: true }),
    }),
  ]),
])

type Line = Readonly<Record<string, unknown>>

async function migrated(name: (typeof NAMES)[number]): Promise<SqlDatabase> {
  const database = (await emptyPlace(name)).open(migrations)
  await database.migrate()
  return database
}

function serving(database: SqlDatabase, table: string, fields: Record<string, AnyField>) {
  const lines: Line[] = []
  const db = database.kysely<Record<string, Record<string, unknown>>>()
  const store = sqlTable({ database, db, table, key: 'id' }) as never
  const api = defineApi({
    urls: defineUrls(resourceUrls('it', '/it/', ':id<int>')),
    logger: { error: (line: Line) => lines.push(line) },
  })
  const one = serializer({ id: field.integer({ readOnly: true }), ...fields })
  const own = { store, serializer: one } as never
  const app = api.serve([...resource(api, 'it', own)], {
    configuration: configurationOf(),
  })
  return { ...client(app), lines }
}

const patient = { clinic: field.integer(), number: field.text({ source: 'insurance' }) }

describe.each(NAMES)('on %s', (name) => {
  test('a taken combination is named as uniqueTogether names it', async () => {
    const { post } = serving(await migrated(name), 'patient', patient)
    expect((await post('/it/', { json: { clinic: 1, number: 'a' } })).status).toBe(201)
    expect(await post('/it/', { json: { clinic: 1, number: 'a' } })).toMatchObject({
      status: 400,
      data: {
        non_field_errors: ['Another entry already has this combination of clinic, number.'],
      },
    })
  })

  test('at the only field of it that clients write', async () => {
    const { post } = serving(await migrated(name), 'patient', {
      ...patient,
      clinic: field.hidden(() => 7),
    })
    expect((await post('/it/', { json: { number: 'a' } })).status).toBe(201)
    expect((await post('/it/', { json: { number: 'a' } })).data).toEqual({
      number: ['This value is already in use.'],
    })
  })

  test('who refers to a row is said, and nothing of the rows', async () => {
    const database = await migrated(name)
    const { post, delete: remove } = serving(database, 'patient', patient)
    const { data } = await post('/it/', { json: { clinic: 1, number: 'a' } })
    const { id } = data as { id: number }
    const visits = serving(database, 'visit', { patient: field.integer() })
    await visits.post('/it/', { json: { patient: id } })
    expect(await remove(`/it/${id}/`)).toMatchObject({
      status: 409,
      data: { detail: 'Other objects still refer to this one (visit).' },
    })
  })

  test('what a column cannot hold is 400 at its field, and the log names the column', async () => {
    const database = await migrated(name)
    const people = serving(database, 'patient', patient)
    const { data } = await people.post('/it/', { json: { clinic: 1, number: 'a' } })
    const { id } = data as { id: number }
    const cases: readonly [column: string, kind: AnyField, sent: unknown, logged?: 'logged'][] = [
      ['note', field.json(), { a: 1 }, 'logged'],
      ['note', field.list(field.integer()), [1, 2], 'logged'],
      ['count', field.list(field.integer()), [1], 'logged'],
      ['price', field.json(), { a: 1 }, 'logged'],
      ['at', field.dictionary(field.text()), { a: 'b' }, 'logged'],
      ['count', field.bigInteger(), '99999999999999999999'],
      ['price', field.decimal(), '123456789012345678.12'],
    ]
    for (const [source, kind, sent, logged] of cases) {
      const given = { ...kind, options: { ...kind.options, source } }
      const { post, lines } = serving(database, 'visit', { patient: field.integer(), given })
      const answer = await post('/it/', { json: { patient: id, given: sent } })
      expect([answer.status, answer.data]).toEqual([
        400,
        { given: ['This value cannot be stored.'] },
      ])
      expect(lines).toMatchObject(
        logged === undefined
          ? []
          : [
              {
                event: 'value.unstorable',
                table: 'visit',
                columns: [source],
                error: expect.stringContaining(`The column visit.${source} cannot store`),
              },
            ],
      )
    }
  })

  test('a value that no database takes names the column in its error', async () => {
    const database = await migrated(name)
    const db = database.kysely<{ patient: { id?: number; clinic: unknown; insurance: unknown } }>()
    const patients = sqlTable({ database, db, table: 'patient', key: 'id' })
    const broken = { clinic: 1, insurance: new Date(Number.NaN) } as never
    await expect(patients.insert(broken)).rejects.toThrow('patient (insurance)')
    const raw = db.insertInto('patient').values({ clinic: 1, insurance: Symbol('a') })
    await expect(raw.execute()).rejects.toThrow('insert into')
  })
})

test('SQLite names no table where rows of another may hold the row back that goes with it', async () => {
  const own = defineMigrations([
    migration('0001', [
      createTable('patient', { id: column.id() }),
      createTable('visit', {
        id: column.id(),
        patient: column.references('patient', { onDelete: 'cascade' }),
      }),
      createTable('bill', { id: column.id(), visit: column.references('visit') }),
      createTable('letter', { id: column.id(), patient: column.references('patient') }),
    ]),
  ])
  const database = openSqlite({ path: temporaryPath(), migrations: own })
  await database.migrate()
  const db = database.kysely<Record<string, Record<string, unknown>>>()
  await db.insertInto('patient').values({ id: 1 }).execute()
  await db.insertInto('visit').values({ id: 1, patient: 1 }).execute()
  await db.insertInto('bill').values({ id: 1, visit: 1 }).execute()
  const patients = serving(database, 'patient', {})
  const visits = serving(database, 'visit', {})
  expect((await patients.delete('/it/1/')).data).toEqual({
    detail: 'Other objects still refer to this one.',
  })
  expect((await visits.delete('/it/1/')).data).toEqual({
    detail: 'Other objects still refer to this one (bill).',
  })
  database.close()
})

describe('decimal numbers of SQLite', () => {
  async function prices(declared: string) {
    const database = openSqlite({
      path: temporaryPath(),
      migrations: defineMigrations([
        migration('0001', [
          plainSql(`create table price (id integer primary key, it ${declared})`),
        ]),
      ]),
    })
    await database.migrate()
    const db = database.kysely<{ price: { id?: number; it: string | number } }>()
    return { database, store: sqlTable({ database, db, table: 'price', key: 'id' }) }
  }

  test('of 15 digits come back, are ordered and added up exactly', async () => {
    const { database, store } = await prices('decimal(15, 2)')
    const texts = ['9999999999999.99', '-0.01', '1234567890123.45', '0.10', '9999999999999.98']
    for (const it of texts) await store.insert({ it })
    const rows = await store.source
      .orderBy([{ field: 'it', descending: false, nulls: 'last' }])
      .slice(0, 9)
    const price = field.decimal({ maxDigits: 15, decimalPlaces: 2 })
    expect(rows.map(({ it }) => price.show!(it, null as never))).toEqual([
      '-0.01',
      '0.10',
      '1234567890123.45',
      '9999999999999.98',
      '9999999999999.99',
    ])
    const sum = {
      sql: 'select round(sum(it), 2), group_concat(distinct typeof(it)) from price where it < 2e12',
      parameters: [],
    }
    expect(database.rows(sum).values[0]).toEqual([1234567890123.54, 'real'])
    database.close()
  })

  test.each(['decimal(20, 2)', 'numeric', 'DECIMAL'])(
    'of more are refused by %s, not rounded',
    async (declared) => {
      const { database, store } = await prices(declared)
      for (const it of ['12345678901234.567', '-1234567890.1234567', '0.1234567890123456'])
        await expect(store.insert({ it })).rejects.toMatchObject({
          kind: 'invalid',
          columns: ['it'],
        })
      for (const it of [
        '1234567890123456.00',
        '9007199254740993',
        '0.000000000000000000123',
        '1.50000000000000000000',
      ])
        expect(Number((await store.insert({ it })).it)).toBe(Number(it))
      expect(String((await store.insert({ it: '9007199254740993.00' })).it)).toBe(
        '9007199254740993',
      )
      database.close()
    },
  )

  test('a column of more digits is refused before it is made', async () => {
    const wide = column.decimal({ maxDigits: 20, decimalPlaces: 2 })
    const database = openSqlite({
      path: temporaryPath(),
      migrations: defineMigrations([
        migration('0001', [createTable('price', { id: column.id(), it: wide })]),
      ]),
    })
    await expect(database.migrate()).rejects.toThrow('at most 15 digits')
    database.close()
  })
})
