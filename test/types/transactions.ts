// A transaction knows tables and rows: what it locks, asks and is told after its commit.
import type { Generated, Kysely } from 'kysely'
import { defineApi, defineUrls, field, resource, resourceUrls, serializer } from 'colophon'
import { type SqlTransaction, openDatabase, sqlTable } from 'colophon/sql'
import { type Equal, expectType } from './expect.ts'

interface Tables {
  doctor: { id: Generated<number>; name: string }
  visit: { id: Generated<number>; doctor: number; day: string; note: string | null }
}
const database = openDatabase()
const db = database.kysely<Tables>()
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const visit = serializer({ doctor: field.related(doctors), day: field.text() })
const api = defineApi({ urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')) })

export const work = (): Promise<number> =>
  database.transaction(async ({ lock, kysely, ...transaction }) => {
    const doctor = await lock(doctors, 1)
    expectType<Equal<typeof doctor, { id: number; name: string } | null>>()
    const queries = kysely<Tables>()
    expectType<Equal<typeof queries, Kysely<Tables>>>()
    // @ts-expect-error there is no such column
    void queries.selectFrom('visit').select('hour')
    // @ts-expect-error no row has such a key
    void lock(doctors, true)
    // @ts-expect-error rows of queries cannot be locked by a key
    void lock(queries, 1)
    // @ts-expect-error it is told which request has to be answered before
    void database.transaction(({ afterCommit }) => afterCommit(() => 1))
    // @ts-expect-error a transaction has no end of its own
    void transaction.commit()
    return doctor?.id ?? 0
  })

// @ts-expect-error there is no such isolation
void database.transaction(() => 1, { isolation: 'snapshot' })

export const endpoints = resource(api, 'visit', {
  store: visits,
  serializer: visit,
  validateInTransaction({ next, row, store, transaction, request, parent }) {
    expectType<Equal<typeof transaction, SqlTransaction>>()
    expectType<Equal<typeof store, typeof visits>>()
    expectType<Equal<typeof parent, undefined>>()
    transaction.afterCommit(request, () => 1)
    // @ts-expect-error a deleted row has no next one
    void next.doctor
    if (next === null) return row.note
    expectType<Equal<typeof next.doctor, number>>()
    expectType<Equal<typeof next.day, string>>()
    // @ts-expect-error a new one has no row
    void row.id
    // @ts-expect-error clients do not write it
    void next.note
    return row?.id
  },
  performCreate: (input, _request, store, _parent, transaction) => {
    expectType<Equal<typeof transaction, SqlTransaction | undefined>>()
    return store.insert(input)
  },
})
