// Rows that are embedded in rows: what they are typed as, and what does not compile.
import type { InputOf, OutputOf, PatchOf, RowOf } from 'colophon'
import { defineApi, defineUrls, extend } from 'colophon'
import { createClient, routesOf } from 'colophon/client'
import { field, pick, resource, resourceUrls, serializer } from 'colophon'
import { type SqlDatabase, sqlTable } from 'colophon/sql'
import type { RowsByKey } from 'colophon/types'
import type { Generated, Kysely } from 'kysely'
import { type Equal, expectType } from './expect.ts'

interface Tables {
  doctor: { id: Generated<number>; name: string }
  visit: { id: Generated<number>; doctor: number; substitute: number | null }
  note: { id: Generated<number>; visit: number; text: string }
}
declare const database: SqlDatabase
declare const db: Kysely<Tables>
declare const countries: RowsByKey<{ readonly code: string; readonly name: string }> & {
  readonly key: 'code'
}
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'id' })

const id = field.integer({ readOnly: true })
const doctor = serializer({ id, name: field.text(), boss: field.hidden(() => 1) })
const note = serializer({ id, text: field.text() })
const visit = serializer({
  id,
  doctorId: field.related(doctors, { source: 'doctor' }),
  doctor: field.embed(doctors, pick(doctor, ['id', 'name'])),
  substitute: field.embed(doctors, doctor, { nullable: true, since: 'v2' }),
  notes: field.embedMany({ store: notes, by: 'visit', limit: 10 }, note),
})

export function whatIsShown(): void {
  interface Doctor {
    id: number
    name: string
  }
  type Shown = OutputOf<typeof visit>
  expectType<Equal<Shown['doctor'], { id: number; name: string }>>()
  expectType<Equal<Shown['notes'], { id: number; text: string }[]>>()
  expectType<Shown['substitute'] extends Doctor | null | undefined ? true : false>()
  expectType<Equal<RowOf<typeof visit>['substitute'], number | null>>()
  expectType<Equal<RowOf<typeof visit>['id'], number>>()
  expectType<Equal<keyof PatchOf<typeof visit>, 'doctor'>>()
  const code = serializer({
    country: field.embed({ store: countries, scope: null }, serializer({ name: field.text() })),
  })
  expectType<Equal<RowOf<typeof code>, { readonly country: string }>>()
  expectType<Equal<OutputOf<typeof code>, { country: { name: string } }>>()
}

export function whatIsWritten(): void {
  const many = { store: notes, by: 'visit', writable: true } as const
  const written = serializer({
    id,
    doctor: field.related(doctors),
    notes: field.embedMany(many, note),
    more: field.embedMany(many, note, { required: false }),
  })
  expectType<Equal<InputOf<typeof written>, { doctor: number }>>()
  expectType<Equal<keyof PatchOf<typeof written>, 'doctor'>>()
  expectType<Equal<OutputOf<typeof written>['notes'], { id: number; text: string }[]>>()
  // what a store is given has no member for them
  const urls = defineUrls(resourceUrls('visit', '/visits/', ':id<int>'))
  const api = defineApi({ urls })
  const spec = { store: visits.only((query) => query), serializer: written } as const
  const performCreate = (input: { doctor: number }, _: unknown, store: typeof visits) =>
    store.insert({ ...input, substitute: null })
  const app = api.serve(resource(api, 'visit', { ...spec, performCreate }))
  const http = createClient<typeof app>({ baseUrl: '', routes: routesOf(urls), version: null })
  const params = { id: 1 }
  void http.post('visit-list', {
    body: { doctor: 1, notes: [{ text: 'a' }, { id: 1, text: 'b' }] },
  })
  void http.patch('visit-detail', { params, body: { notes: [] } })
  // @ts-expect-error -- what is required has to be there
  void http.post('visit-list', { body: { doctor: 1 } })
  // @ts-expect-error -- each of them is complete
  void http.post('visit-list', { body: { doctor: 1, notes: [{ id: 1 }] } })
  // @ts-expect-error -- no list goes by them
  resource(api, 'visit', { store: visits, serializer: written, orderingFields: ['notes'] })
  // @ts-expect-error -- a serializer that only shows reads nothing
  field.embedMany(many, { represent: ({ text }: { text: string }) => text })
  // @ts-expect-error -- the column has other values
  field.embedMany(many, serializer({ id, text: field.text({ nullable: true }) }))
  // @ts-expect-error -- nor does it write anything
  field.embedMany({ ...many, store: { key: 'id', manyByKey: notes.manyByKey } }, note)
  // @ts-expect-error -- what is not written is never required
  field.embedMany({ store: notes, by: 'visit' }, note, { required: true })
}

export function whatDoesNotCompile(): void {
  const api = defineApi({ urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')) })
  resource(api, 'visit', { store: visits, serializer: visit, orderingFields: ['doctorId'] })
  // @ts-expect-error -- no list goes by rows of another store
  resource(api, 'visit', { store: visits, serializer: visit, orderingFields: ['doctor'] })

  const strict = serializer({ id, substitute: field.embed(doctors, doctor) })
  // @ts-expect-error -- the column may be null, and the field is not nullable
  resource(api, 'visit', { store: visits, serializer: strict, only: ['list'] })

  // @ts-expect-error -- doctors have no text
  field.embed(doctors, note)
  // @ts-expect-error -- notes have no such column
  field.embedMany({ store: notes, by: 'doctor' }, note)
  // @ts-expect-error -- it does not say which rows belong to one
  field.embedMany({ store: notes }, note)
  // @ts-expect-error -- it is only shown
  field.embed(doctors, doctor, { writeOnly: true })
  // @ts-expect-error -- this store finds rows one by one
  field.embed({ key: 'id', find: (key: number) => ({ id: key, name: '' }) }, doctor)

  const named = serializer({
    id,
    country: field.embed(countries, serializer({ name: field.text() })),
  })
  const table = extend(named, {
    country: field.embed(countries, serializer({ code: field.text() }), { source: 'doctor' }),
  })
  // @ts-expect-error -- the key of a country is a text, and the column holds a number
  resource(api, 'visit', { store: visits, serializer: table, only: ['list'] })
}
