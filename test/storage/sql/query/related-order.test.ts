// Lists are ordered by the one row that each of theirs names, and see of it what the scope lets be seen, on each database.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Condition, SortKey } from '../../../../src/core/ports/list-source.ts'
import {
  ConfigurationError,
  CursorPagination,
  FieldFilter,
  LimitOffsetPagination,
  OrderingFilter,
  SearchFilter,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  resource,
  resourceUrls,
  serializer,
} from '../../../../src/index.ts'
import { openApiDocument } from '../../../../src/openapi.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { sqlTable } from '../../../../src/storage/sql/table/sql-table.ts'
import { client } from '../../../../src/testing.ts'
import { DATABASES, type Dialect, freshDatabase, run } from './query-fixture.ts'

interface Tables {
  doctor: { id: number; clinic: number; name: string | null; room: number; gone: number }
  visit: { id: number; clinic: number; doctor: number | null; name: string }
}
type Doctor = Tables['doctor']
type Visit = Tables['visit']

async function withTables(
  dialect: Dialect,
  doctors: readonly Doctor[] = DOCTORS,
  visits: readonly Visit[] = VISITS,
): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  const binary = dialect === 'mysql' ? 'character set utf8mb4 collate utf8mb4_bin' : ''
  await run(
    database,
    `create table doctor (id integer not null primary key, clinic integer not null, name varchar(40) ${binary}, room integer not null, gone integer not null)`,
    `create table visit (id integer not null primary key, clinic integer not null, doctor integer, name varchar(40) not null)`,
  )
  const db = database.kysely<Tables>()
  if (doctors.length > 0) await db.insertInto('doctor').values(doctors.slice()).execute()
  if (visits.length > 0) await db.insertInto('visit').values(visits.slice()).execute()
  return database
}

const DOCTORS: readonly Doctor[] = [
  { id: 1, clinic: 1, name: 'Lee', room: 7, gone: 0 },
  { id: 2, clinic: 1, name: 'Amar', room: 7, gone: 0 },
  { id: 3, clinic: 2, name: 'Zoe', room: 1, gone: 0 },
  { id: 4, clinic: 1, name: null, room: 2, gone: 1 },
]
const VISITS: readonly Visit[] = [
  { id: 1, clinic: 1, doctor: 1, name: 'Flu' },
  { id: 2, clinic: 1, doctor: 2, name: 'Torn' },
  { id: 3, clinic: 1, doctor: null, name: 'Cold' },
  { id: 4, clinic: 1, doctor: 3, name: 'Cough' },
  { id: 5, clinic: 1, doctor: 4, name: 'Ache' },
  { id: 6, clinic: 2, doctor: 3, name: 'Burn' },
]

/** The doctor of a visit has columns of the same names as the visit. */
function tablesOf(database: SqlDatabase) {
  const db = database.kysely<Tables>()
  const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
  const doctor = { store: doctors, source: 'doctor', columns: ['name', 'room', 'id'] } as const
  const visits = sqlTable({ database, db, table: 'visit', key: 'id', relations: { doctor } })
  return { db, doctors, doctor, visits }
}

const by = (name: string, descending = false, nulls: SortKey['nulls'] = 'first') =>
  ({ field: name, descending, nulls }) as SortKey<never>
const that = (name: string, operator: Condition['operator'], value: unknown) =>
  ({ field: name, operator, value }) as Condition<never>
const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)

describe.each(DATABASES)('%s', (_name, dialect) => {
  test('a walk in any order meets each row once, forwards and backwards, and a page of the list has the same rows', async () => {
    const small = fc.integer({ min: 1, max: 4 })
    const keys = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('doctor.name', 'doctor.room', 'name', 'doctor', 'doctor.id'),
        descending: fc.boolean(),
        nulls: fc.constantFrom('first' as const, 'last' as const),
      }),
      { minLength: 1, maxLength: 3, selector: ({ name }) => name },
    )
    const doctors = fc.uniqueArray(
      fc.record({
        id: small,
        clinic: small,
        name: fc.option(fc.constantFrom('a', 'A', 'b', 'é', '')),
        room: small,
        gone: fc.constantFrom(0, 1),
      }),
      { selector: ({ id }) => id, maxLength: 4 },
    )
    const visits = fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 30 }),
        clinic: small,
        doctor: fc.option(small),
        name: fc.constantFrom('x', 'y'),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
    )
    const database = await withTables(dialect, [], [])
    const tables = tablesOf(database)
    const present = tables.doctors.only((query) => query.where('gone', '=', 0))
    const seen = sqlTable({
      database,
      db: tables.db,
      table: 'visit',
      key: 'id',
      relations: { doctor: { ...tables.doctor, store: present } },
    }).only((query) => query.where('name', '<>', 'z'))
    await fc.assert(
      fc.asyncProperty(
        doctors,
        visits,
        keys,
        small,
        fc.boolean(),
        async (ds, vs, by_, limit, only) => {
          await run(database, 'delete from visit', 'delete from doctor')
          if (ds.length > 0) await tables.db.insertInto('doctor').values(ds).execute()
          await tables.db.insertInto('visit').values(vs).execute()
          const { source } = only ? seen : tables.visits
          const order = by_.map(({ name, descending, nulls }) => by(name, descending, nulls))
          const walked = async (reverse: boolean) => {
            const met: number[] = []
            for (let position = null; ;) {
              const request = { keys: order, position, reverse, limit }
              const stretch: Awaited<ReturnType<typeof source.seek>> = await source.seek(request)
              met.push(...(reverse ? idsOf(stretch.rows).toReversed() : idsOf(stretch.rows)))
              position = (reverse ? stretch.first : stretch.last) as never
              if (!stretch.more) return met
            }
          }
          const forth = await walked(false)
          expect(forth.toSorted((a, b) => a - b)).toEqual(idsOf(vs).toSorted((a, b) => a - b))
          expect((await walked(true)).toReversed()).toEqual(forth)
          const all = source.orderBy(order)
          expect(idsOf(await all.slice(0, 99))).toEqual(forth)
          expect(await all.count()).toBe(vs.length)
          // the first key by hand, where numbers compare as everywhere
          const [{ name, descending, nulls } = { name: '', descending: false, nulls: 'first' }] =
            by_
          if (name !== 'doctor.room') return
          const roomOf = (id: number) => {
            const visit = vs.find((each) => each.id === id)
            const doctor = ds.find(
              (each) => each.id === visit?.doctor && !(only && each.gone === 1),
            )
            const none = nulls === 'first' ? -Infinity : Infinity
            return doctor === undefined ? none : descending ? -doctor.room : doctor.room
          }
          const rooms = forth.map(roomOf)
          expect(rooms).toEqual(rooms.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
        },
      ),
      { numRuns: dialect === 'sqlite' ? 120 : 40 },
    )
  })

  test.each<[string, readonly Condition<never>[], readonly number[]]>([
    ['equal', [that('doctor.name', 'equals', 'Lee')], [1]],
    ['among others', [that('doctor.name', 'in', ['Lee', 'Zoe'])], [1, 4, 6]],
    ['a part of it', [that('doctor.name', 'icontains', 'MA')], [2]],
    ['with a value', [that('doctor.name', 'isNull', false)], [1, 2, 4, 6]],
    ['without one, or without a row', [that('doctor.name', 'isNull', true)], [3, 5]],
    [
      'this or none',
      [that('doctor.name', 'isNull', true), that('doctor.name', 'equals', 'Lee')],
      [1, 3, 5],
    ],
  ])('%s', async (_what, condition, found) => {
    const { visits } = tablesOf(await withTables(dialect))
    const order = [by('doctor.room'), by('id')]
    const rows = await visits.source.where(condition).orderBy(order).slice(0, 9)
    expect(idsOf(rows).toSorted((a, b) => a - b)).toEqual(found)
  })

  test('an address shows only what is in the scope, in filters, searches and orders', async () => {
    const database = await withTables(dialect)
    const { visits, doctors } = tablesOf(database)
    const id = field.integer({ readOnly: true })
    const api = defineApi({
      urls: defineUrls({
        ...resourceUrls('visit', '/visits/', ':id<int>'),
        ...resourceUrls('doctor', '/doctors/', ':id<int>'),
      }),
      filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
      pagination: new CursorPagination({ pageSize: 2, ordering: 'id' }),
    })
    const scope = () => ({ clinic: 1 })
    const serializerOfVisit = serializer({ id, name: field.text() })
    const app = api.serve(
      [
        ...resource(api, 'visit', {
          store: visits,
          serializer: serializerOfVisit,
          scope,
          only: ['list', 'retrieve'],
          searchFields: ['name', 'doctor.name'],
          orderingFields: ['doctor.name', 'doctor.room', 'id'],
          filterFields: ['doctor.name', 'doctor.name__isnull', 'doctor.room__gte'],
        }),
        ...resource(api, 'doctor', {
          store: doctors,
          serializer: serializer({ id, name: field.text({ nullable: true }) }),
          scope,
          only: ['list', 'retrieve'],
        }),
      ],
      { configuration: configurationOf({ SECRET_KEY: 'a secret that is long enough' }) },
    )
    const { get } = client(app)
    const walk = async (query: string) => {
      const met: number[] = []
      for (let next: string | null = `/visits/?${query}`; next !== null;) {
        const answer = await get(next.replace('http://localhost', ''))
        expect(answer.status).toBe(200)
        const page = answer.data as { next: string | null; results: { id: number }[] }
        met.push(...idsOf(page.results))
        next = page.next
      }
      return met
    }
    expect(await walk('doctor.name=Lee')).toEqual([1])
    expect(await walk('doctor.name=Zoe')).toEqual([])
    expect(await walk('search=zoe')).toEqual([])
    expect(await walk('search=amar')).toEqual([2])
    expect(await walk('doctor.room__gte=1')).toEqual([1, 2, 5])
    // whose doctor is another clinic's is as without one
    expect(await walk('doctor.name__isnull=true')).toEqual([3, 4, 5])
    expect(await walk('ordering=doctor.room')).toEqual([3, 4, 5, 1, 2])
    expect(await walk('ordering=-doctor.name')).toEqual([1, 2, 5, 4, 3])
    expect((await get('/visits/4/?doctor.name=Zoe')).status).toBe(404)
    expect((await get('/visits/1/?doctor.name=Lee')).status).toBe(200)
    const document = JSON.stringify(openApiDocument(app))
    for (const name of ['doctor.name', 'doctor.room__gte', '-doctor.name'])
      expect(document).toContain(`"${name}"`)
  })

  test('a list is counted without the rows beside it, and values of a scope are bound', async () => {
    const database = await withTables(dialect)
    const { visits } = tablesOf(database)
    const narrow = visits.source.relating({ clinic: 1 }).orderBy([by('doctor.name')])
    expect(idsOf(await narrow.slice(0, 9)).at(-1)).toBe(1)
    expect(await narrow.count()).toBe(6)
    const none = visits.source.relating({ clinic: [] }).where([that('doctor.id', 'gte', '0')])
    expect(await none.count()).toBe(0)
    const either = visits.source
      .relating({ clinic: [2, null] })
      .where([that('doctor.id', 'gte', '0')])
    expect(idsOf(await either.slice(0, 9)).toSorted((a, b) => a - b)).toEqual([4, 6])
  })
})

describe('what cannot be', () => {
  test('a scope whose column the related rows lack, unless it is said', async () => {
    const database = await withTables('sqlite')
    const { visits, doctor, db } = tablesOf(database)
    const named = visits.source.relating({ organisation: 1 })
    await expect(async () => named.orderBy([by('doctor.name')]).slice(0, 1)).rejects.toThrow(
      /relation "doctor" has no column "organisation".*scope: \{ organisation: '…' \}/,
    )
    const scopes = [
      { scope: { organisation: 'clinic' }, found: 3 },
      { scope: { organisation: null }, found: 5 },
      { scope: null, found: 5 },
    ] as const
    for (const { scope, found } of scopes) {
      const relations = { doctor: { ...doctor, scope } }
      const table = sqlTable({ database, db, table: 'visit', key: 'id', relations })
      const source = table.source.relating({ organisation: 1 })
      const rows = source.where([that('doctor.id', 'gte', '0')])
      expect({ scope, found: await rows.count() }).toEqual({ scope, found })
    }
  })

  test.each([
    [
      'a store that is no table',
      { store: { key: 'id', manyByKey: () => [] }, source: 'doctor' },
      /needs the store that sqlTable/,
    ],
    ['neither "source" nor "by"', { source: undefined }, /lacks "source".*or "by"/],
  ])('%s', async (_what, more, message) => {
    const database = await withTables('sqlite')
    const { doctor, db } = tablesOf(database)
    const relations = { doctor: { ...doctor, ...more } } as never
    const table = sqlTable({ database, db, table: 'visit', key: 'id', relations })
    expect(() => table.source).toThrow(ConfigurationError)
    expect(() => table.source).toThrow(message)
  })

  test('a store that is within values, or of another database', async () => {
    const database = await withTables('sqlite')
    const { doctor, doctors, db } = tablesOf(database)
    const other = tablesOf(await withTables('sqlite')).doctors
    for (const store of [doctors.within({ clinic: 1 }), other]) {
      const relations = { doctor: { ...doctor, store } }
      const table = sqlTable({ database, db, table: 'visit', key: 'id', relations })
      expect(() => table.source).toThrow(/needs a store of the same database, without within/)
    }
  })

  test('an address without a scope, for rows that are shown within one only; and a name that is none', async () => {
    const database = await withTables('sqlite')
    const { visits, doctors, doctor, db } = tablesOf(database)
    const id = field.integer({ readOnly: true })
    const served = (store: typeof visits, more: object) => {
      const api = defineApi({
        urls: defineUrls({
          ...resourceUrls('visit', '/visits/', ':id<int>'),
          ...resourceUrls('doctor', '/doctors/', ':id<int>'),
        }),
        filters: [new OrderingFilter(), new FieldFilter()],
      })
      const shown = serializer({ id })
      const endpoints = [
        ...resource(api, 'visit', {
          store,
          serializer: shown,
          only: ['list', 'retrieve'],
          ...more,
        }),
        ...resource(api, 'doctor', {
          store: doctors,
          serializer: shown,
          scope: () => ({ clinic: 1 }),
          only: ['list', 'retrieve'],
        }),
      ]
      return () => api.serve(endpoints, { configuration: configurationOf() })
    }
    expect(served(visits, {})).not.toThrow()
    for (const names of [{ filterFields: ['doctor.name'] }, { orderingFields: ['doctor.name'] }])
      expect(served(visits, names)).toThrow(
        /endpoint visit-list: "doctor" leads to rows that GET of endpoint doctor-(?:list|detail) shows within a scope/,
      )
    const open = sqlTable({
      database,
      db,
      table: 'visit',
      key: 'id',
      relations: { doctor: { ...doctor, scope: null } },
    })
    expect(served(open as never, { orderingFields: ['doctor.name'] })).not.toThrow()
    expect(served(open as never, { orderingFields: ['doctor.nmae'] })).toThrow(
      /endpoint visit-list: .*"doctor\.nmae".*Do you mean "doctor\.name"/,
    )
  })

  test('an order by many', async () => {
    const database = await withTables('sqlite')
    const { doctors, visits, db } = tablesOf(database)
    const relations = { visits: { store: visits, by: 'doctor', columns: ['name'] } } as const
    const table = sqlTable({ database, db, table: 'doctor', key: 'id', relations })
    expect(() => table.source.orderBy([by('visits.name')])).toThrow(/a row may have many of them/)
    const found = await table.source.where([that('visits.name', 'equals', 'Burn')]).slice(0, 9)
    expect(idsOf(found)).toEqual([3])
    expect(doctors.key).toBe('id')
    const api = defineApi({ urls: { doctors: '/' }, filters: [new OrderingFilter()] })
    const spec = { source: table.source, orderingFields: ['visits.name'] } as const
    const pagination = new LimitOffsetPagination({ defaultLimit: 1 })
    expect(() =>
      api.serve([api.endpoint('doctors').get(list({ ...spec, pagination }))], {
        configuration: configurationOf(),
      }),
    ).toThrow(/endpoint doctors: The list cannot be ordered by "visits\.name"/)
  })
})
