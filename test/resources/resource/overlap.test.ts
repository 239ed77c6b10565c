// A rule over several rows (docs/recipes/several-rows.md): it holds for all who ask at the same moment, on every database.
import type { Generated } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  Conflict,
  ConfigurationError,
  ValidationError,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { type SqlDatabase, sqlTable } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { temporarySqlite } from '../../contract/temporary.ts'
import { SERVERS, emptyDatabase } from '../../setup/databases.ts'
import { dialectOf } from '../../setup/dialects.ts'

interface Tables {
  doctor: { id: Generated<number>; name: string }
  visit: { id: Generated<number>; doctor: number; starts: number; ends: number; room: string }
}

/** Of the long form: `ROUNDS=200 npx vitest run test/resources/resource/overlap.test.ts`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 10)

/** Milliseconds to wait for each other: a machine that does other work answers none of them with 503. */
const PATIENCE = 120_000

const KEYS = {
  sqlite: 'integer primary key',
  postgres: 'serial primary key',
  mysql: 'integer primary key auto_increment',
}

async function openVisits(database: SqlDatabase) {
  const run = async (sql: string) => database.write({ sql, parameters: [] })
  const key = KEYS[dialectOf(database)]
  await run(`create table doctor (id ${key}, name varchar(20) not null)`)
  await run(`create table visit (id ${key}, doctor integer not null, starts integer not null, ends integer not null,
    room varchar(20) not null, foreign key (doctor) references doctor (id))`)
  for (const name of ['Lee', 'Roy']) await run(`insert into doctor (name) values ('${name}')`)
  const typed = database.kysely<Tables>()
  const doctors = sqlTable({ database, db: typed, table: 'doctor', key: 'id' })
  const visits = sqlTable({ database, db: typed, table: 'visit', key: 'id' })
  const told: string[] = []
  const api = defineApi({ urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')) })
  const visit = serializer({
    id: field.integer({ readOnly: true }),
    doctor: field.related(doctors),
    starts: field.integer(),
    ends: field.integer(),
    room: field.text({ default: 'A' }),
  })
  const endpoints = resource(api, 'visit', {
    store: visits,
    serializer: visit,
    async validateInTransaction({ next, row, request, store, transaction }) {
      const { doctor } = next ?? row
      const locked = await transaction.lock(doctors, doctor)
      if (next === null) {
        if ((await store.source.count()) === 1) throw new Conflict('The last visit stays.')
        return
      }
      const { starts, ends } = next
      const others = store.only((query) =>
        query
          .where('doctor', '=', doctor)
          .where('starts', '<', ends)
          .where('ends', '>', starts)
          .where('id', '!=', row?.id ?? 0),
      )
      if ((await others.source.slice(0, 1)).length > 0)
        throw new ValidationError({ starts: [`Dr. ${locked?.name} has another visit then.`] })
      transaction.afterCommit(request, () => told.push(`${row === null ? 'new' : row.id}`))
    },
    async performUpdate(row, input, _request, store, _parent, transaction) {
      const { room } = input
      const db = transaction!.kysely<Tables>()
      // The room is written beside the store, in the same transaction.
      await db
        .updateTable('doctor')
        .set({ name: `in ${room ?? row.room}` })
        .where('id', '=', row.doctor)
        .execute()
      return store.update(row.id, input, row)
    },
  })
  const app = api.serve(endpoints, { configuration: configurationOf() })
  return { app, ask: client(app), doctors, visits, told }
}

const at = (starts: number, ends: number, doctor = 1) => ({ json: { doctor, starts, ends } })
const counted = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  )
const TAKEN = { starts: ['Dr. Lee has another visit then.'] }

describe.each(['sqlite', ...SERVERS] as const)('visits without overlap on %s', (name) => {
  const open = async () =>
    openVisits(
      name === 'sqlite'
        ? temporarySqlite({ queueTimeout: PATIENCE })
        : await emptyDatabase(name, {
            connectTimeout: PATIENCE,
            lockTimeout: PATIENCE,
            statementTimeout: PATIENCE,
          }),
    )

  test(`of 50 requests at once, one is kept (${ROUNDS} rounds)`, async () => {
    const { ask, visits, app, told } = await open()
    const rounds: object[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const begins = round * 100
      // Each overlaps all others.
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          ask.post('/visits/', at(begins + index, begins + 60)),
        ),
      )
      const kept = await visits
        .only((query) => query.where('starts', '>=', begins).where('ends', '<=', begins + 60))
        .source.count()
      const refused = answers.filter(({ status }) => status === 400)
      expect(refused.map(({ data }) => data)).toEqual(refused.map(() => TAKEN))
      rounds.push({ kept, ...counted(answers.map(({ status }) => status)) })
    }
    expect(rounds).toEqual(Array.from({ length: ROUNDS }, () => ({ kept: 1, 201: 1, 400: 49 })))
    await app.close()
    expect(told).toHaveLength(ROUNDS)
  })

  test('of those that are moved to one time at once, one is', async () => {
    const { ask, visits } = await open()
    for (let index = 1; index <= 12; index++)
      await visits.insert({ doctor: 1, starts: index * 10, ends: index * 10 + 5, room: 'A' })
    const moved = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        ask.patch(`/visits/${index + 1}/`, { json: { starts: 500, ends: 510 } }),
      ),
    )
    expect(counted(moved.map(({ status }) => status))).toEqual({ 200: 1, 400: 11 })
    expect(await visits.only((query) => query.where('starts', '=', 500)).source.count()).toBe(1)
  })

  test('what is not sent is as the row is; what is refused is not written beside the store', async () => {
    const { ask, doctors } = await open()
    await ask.post('/visits/', at(10, 20))
    await ask.post('/visits/', at(20, 30))
    const { status, data } = await ask.patch('/visits/2/', { json: { starts: 15 } })
    expect([status, data]).toEqual([400, TAKEN])
    expect(await doctors.find(1)).toMatchObject({ name: 'Lee' })
    expect((await ask.patch('/visits/2/', { json: { ends: 40 } })).status).toBe(200)
    expect(await doctors.find(1)).toMatchObject({ name: 'in A' })
    expect((await ask.put('/visits/2/', at(15, 30, 2))).status).toBe(200)
  })

  test('the last one cannot be deleted, however many try', async () => {
    const { ask, visits } = await open()
    for (let index = 0; index < 8; index++)
      await ask.post('/visits/', at(index * 10, index * 10 + 5))
    const gone = await Promise.all(
      Array.from({ length: 8 }, (_, index) => ask.delete(`/visits/${index + 1}/`)),
    )
    expect(counted(gone.map(({ status }) => status))).toEqual({ 204: 7, 409: 1 })
    expect(await visits.source.count()).toBe(1)
  })
})

test('a store without transactions is refused when the service starts', () => {
  const database = temporarySqlite()
  const db = database.kysely<Tables>()
  const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
  const { key, source, find, insert, update, remove } = doctors
  const api = defineApi({ urls: defineUrls(resourceUrls('doctor', '/doctors/', ':id<int>')) })
  const declare = () =>
    resource(api, 'doctor', {
      store: { key, source, find, insert, update, remove },
      serializer: serializer({ name: field.text() }),
      validateInTransaction() {},
    })
  expect(declare).toThrow(ConfigurationError)
  expect(declare).toThrow('The resource doctor: validateInTransaction needs a store')
})
