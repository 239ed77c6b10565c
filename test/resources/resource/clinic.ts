// Clinics with patients and doctors, and visits that refer to both: foreign keys must not leave their tenant.
import type { Generated, Selectable } from 'kysely'
import {
  IsAuthenticated,
  type RequestWith,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  many,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { client } from '../../../src/testing.ts'
import { dialectOf } from '../../setup/dialects.ts'

interface Tables {
  patient: { id: Generated<number>; clinic: number; name: string }
  /** Their column of the tenant has another name. */
  doctor: { id: Generated<number>; clinic_id: number; name: string }
  country: { id: Generated<number>; name: string }
  visit: {
    id: Generated<number>
    clinic: number
    patient: number
    doctor: number | null
    country: number | null
    title: string
  }
  note: {
    id: Generated<number>
    visit: number
    patient: number | null
    doctor: number | null
    text: string
  }
}

export interface Asking {
  readonly id: number
  readonly isAuthenticated: true
  /** Those that the user works in; `null`: an administrator of all. */
  readonly clinics: number | readonly number[] | null
}

const COLUMNS: Readonly<Record<keyof Tables, string>> = {
  patient: 'clinic integer not null, name varchar(20) not null',
  doctor: 'clinic_id integer not null, name varchar(20) not null',
  country: 'name varchar(20) not null',
  visit:
    'clinic integer not null, patient integer not null, doctor integer, country integer, title varchar(20) not null',
  note: 'visit integer not null, patient integer, doctor integer, text varchar(20) not null',
}
const NAMES = Object.keys(COLUMNS) as (keyof Tables)[]
const KEYS = {
  sqlite: 'integer primary key',
  postgres: 'serial primary key',
  mysql: 'integer primary key auto_increment',
}

/** Patients and doctors 1 and 2 are of clinic 1, those with 3 and 4 of clinic 2, and 5 and 6 of clinic 3. */
export async function openClinics(database: SqlDatabase) {
  const run = (sql: string) => database.write({ sql, parameters: [] })
  for (const name of NAMES)
    await run(`create table ${name} (id ${KEYS[dialectOf(database)]}, ${COLUMNS[name]})`)
  const db = database.kysely<Tables>()
  const stores = {
    patients: sqlTable({ database, db, table: 'patient', key: 'id' }),
    doctors: sqlTable({ database, db, table: 'doctor', key: 'id' }),
    countries: sqlTable({ database, db, table: 'country', key: 'id' }),
    visits: sqlTable({ database, db, table: 'visit', key: 'id' }),
    notes: sqlTable({ database, db, table: 'note', key: 'id' }),
  }
  return {
    ...stores,
    database,
    async reset() {
      for (const name of NAMES) await run(`delete from ${name}`)
      for (const id of [1, 2, 3, 4, 5, 6]) {
        const clinic = Math.ceil(id / 2)
        await run(`insert into patient (id, clinic, name) values (${id}, ${clinic}, 'P${id}')`)
        await run(`insert into doctor (id, clinic_id, name) values (${id}, ${clinic}, 'D${id}')`)
      }
      await run(`insert into country (id, name) values (1, 'Norway')`)
    },
    /** Visits and notes that refer to a row of another clinic. */
    async torn() {
      const all = async <Row>(store: { source: { slice(a: number, b: number): unknown } }) =>
        (await store.source.slice(0, 100_000)) as readonly Row[]
      const patients = await all<{ id: number; clinic: number }>(stores.patients)
      const doctors = await all<{ id: number; clinic_id: number }>(stores.doctors)
      const visits = await all<Selectable<Tables['visit']>>(stores.visits)
      const notes = await all<Selectable<Tables['note']>>(stores.notes)
      const ofPatient = new Map(patients.map(({ id, clinic }) => [id, clinic]))
      const ofDoctor = new Map(doctors.map(({ id, clinic_id: clinic }) => [id, clinic]))
      const ofVisit = new Map(visits.map(({ id, clinic }) => [id, clinic]))
      return [
        ...visits.filter(
          ({ clinic, patient, doctor }) =>
            ofPatient.get(patient) !== clinic ||
            (doctor !== null && ofDoctor.get(doctor) !== clinic),
        ),
        ...notes.filter(
          ({ visit, patient }) => patient !== null && ofPatient.get(patient) !== ofVisit.get(visit),
        ),
      ]
    },
  }
}
export type Clinics = Awaited<ReturnType<typeof openClinics>>

export function appOf(clinics: Clinics, { tenant = true }: { readonly tenant?: boolean } = {}) {
  const { patients, doctors, countries, visits, notes } = clinics
  const api = defineApi({
    urls: defineUrls({
      ...resourceUrls('visit', '/visits/', ':id<int>'),
      'visit-again': '/visits/:id<int>/again/',
      'visit-import': '/visits/import/',
      ...resourceUrls('note', '/visits/:visit<int>/notes/', ':id<int>'),
    }),
    authentication: [{ authenticate: () => null as { user: Asking; auth: null } | null }],
    permissions: [new IsAuthenticated()],
  })
  const nullable = { nullable: true, required: false } as const
  const refers = {
    patient: field.related(patients),
    doctor: field.related({ store: doctors, scope: { clinic: 'clinic_id' } }, nullable),
    country: field.related({ store: countries, scope: null }, nullable),
  }
  const visit = serializer({
    id: field.integer({ readOnly: true }),
    ...refers,
    clinic: field.integer({ required: false }),
    title: field.text(),
  })
  const scope = ({ user }: RequestWith<{ user: Asking }>) =>
    user.clinics === null ? {} : { clinic: user.clinics as number }
  const of = resource(api, 'visit', {
    store: visits,
    tenant: tenant ? 'clinic' : [],
    scope,
    serializer: visit,
    performCreate: (input, _request, store) => store.insert(input as never),
    actions: {
      again: {
        detail: true,
        post: async (request, row, store) => {
          const parts = serializer({ patient: refers.patient, doctor: refers.doctor })
          const input = await parts.parse(await request.body(), request)
          return store.insert({ ...row, ...input, id: undefined })
        },
      },
      import: {
        detail: false,
        post: async (request, store) => {
          const inputs = await many(visit).parse(await request.body(), request)
          for (const each of inputs) await store.insert(each as never)
          return inputs.length
        },
      },
    },
  })
  const note = serializer({
    id: field.integer({ readOnly: true }),
    patient: field.related({ find: (key) => patients.find(key) }, nullable),
    // Nothing says which column of doctors is that of the tenant.
    doctor: field.related(doctors, nullable),
    text: field.text(),
  })
  const nested = resource(api, 'note', { store: notes, parent: of, by: 'visit', serializer: note })
  return api.serve([...of, ...nested], { configuration: configurationOf() })
}

export const asking = (clinics: Asking['clinics']): Asking => ({
  id: 1,
  isAuthenticated: true,
  clinics,
})
export const clientOf = (clinics: Clinics) => client(appOf(clinics))
