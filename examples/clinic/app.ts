// Clinics that share one service: each sees its own patients and visits, no doctor has two visits at once, and a second
// version of the API has split the names of patients.
import { mkdirSync } from 'node:fs'
import { Conflict, CursorPagination, FieldFilter, HasRole, NamespaceVersioning } from 'colophon'
import { OrderingFilter, type RequestWith, SearchFilter, TokenAuthentication } from 'colophon'
import {
  ValidationError,
  converted,
  defineApi,
  defineUrls,
  include,
  obtainToken,
  pick,
} from 'colophon'
import { directoryStore, download, field, pathUnder } from 'colophon'
import { resource, resourceUrls, serializer } from 'colophon'
import { accounts, doctors, patients, reports, visits } from './tables.ts'

const uploads = process.env['UPLOADS'] ?? 'uploads'
mkdirSync(uploads, { recursive: true })

const paths = defineUrls({
  ...resourceUrls('doctor', '/doctors/', ':id<int>'),
  ...resourceUrls('patient', '/patients/', ':id<int>'),
  ...resourceUrls('visit', '/visits/', ':id<int>'),
  'visit-cancel': '/visits/:id<int>/cancel/',
  ...resourceUrls('report', '/visits/:visit<int>/reports/', ':id<int>'),
  'report-content': '/visits/:visit<int>/reports/:id<int>/content/',
})

const api = defineApi({
  urls: defineUrls({ token: '/token/', v1: include('/v1', paths), v2: include('/v2', paths) }),
  accounts,
  authentication: [new TokenAuthentication(accounts)],
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
  pagination: new CursorPagination({ ordering: '-id', pageSize: 20 }),
  filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  strictQuery: true,
})
const staff = api.group({ permissions: [new HasRole('receptionist', 'doctor')] })
type Employed = RequestWith<{ user: { readonly clinic: number | null } }>
/** No clinic has the number 0. */
const ofClinic = ({ user }: Employed) => ({ clinic: user.clinic ?? 0 })
const id = field.integer({ readOnly: true })
const name = () => field.text({ maxLength: 100, since: 'v2' })

const doctorFields = serializer({ id, name: field.text({ maxLength: 100 }) })
const doctor = resource(staff, 'doctor', {
  store: doctors,
  scope: ofClinic,
  only: ['list', 'retrieve'],
  serializer: doctorFields,
})

const patientFields = serializer({
  id,
  ...converted(
    { name: field.text({ maxLength: 200 }) },
    {
      until: 'v2',
      show: (row: { readonly first: string; readonly last: string }) => ({
        name: `${row.first} ${row.last}`,
      }),
      read: (sent) => {
        const [first = '', ...others] = sent.name.split(' ')
        if (others.length === 0) throw new ValidationError({ name: ['Write both names.'] })
        return { first, last: others.join(' ') }
      },
    },
  ),
  first: name(),
  last: name(),
})
const patient = resource(staff, 'patient', {
  store: patients,
  scope: ofClinic,
  serializer: patientFields,
  searchFields: ['first', 'last'],
  permissions: { destroy: [new HasRole('receptionist')] },
})

const visitFields = serializer({
  id,
  doctorId: field.related(doctors, { source: 'doctor' }),
  doctor: field.embed(doctors, pick(doctorFields, ['name'])),
  patientId: field.related(patients, { source: 'patient' }),
  starts: field.dateTime(),
  ends: field.dateTime(),
  state: field.choice(['planned', 'cancelled'], { readOnly: true }),
  reason: field.text({ readOnly: true, nullable: true, since: 'v2' }),
})
const cancellation = serializer(
  { reason: field.text({ maxLength: 200 }) },
  { name: 'Cancellation' },
)
const visit = resource(staff, 'visit', {
  store: visits,
  scope: ofClinic,
  serializer: visitFields,
  filterFields: ['state', 'doctorId', 'starts__gte', 'starts__lt'],
  searchFields: ['doctor.name'],
  orderingFields: ['starts', 'doctor.name'],
  permissions: { create: [new HasRole('receptionist')] },
  async validateInTransaction({ next, row, store, transaction }) {
    if (next === null) return
    // A body gives them as texts, but a row as dates.
    const [starts, ends] = [new Date(next.starts), new Date(next.ends)]
    if (starts >= ends) throw new ValidationError({ ends: ['A visit ends after it starts.'] })
    // Another visit of the same doctor waits here until this one is stored.
    await transaction.lock(doctors, next.doctor)
    const others = store.only((query) =>
      query
        .where('doctor', '=', next.doctor)
        .where('state', '=', 'planned')
        .where('starts', '<', ends)
        .where('ends', '>', starts)
        .where('id', '!=', row?.id ?? 0),
    )
    if ((await others.source.count()) > 0)
      throw new ValidationError({ starts: ['The doctor has another visit then.'] })
  },
  actions: {
    cancel: {
      detail: true,
      post: {
        input: cancellation,
        output: visitFields,
        perform({ input: { reason }, row, store }) {
          if (row.state === 'cancelled') throw new Conflict('This visit is cancelled already.')
          return store.update(row.id, { state: 'cancelled', reason }, row)
        },
      },
    },
  },
})

const report = resource(staff, 'report', {
  parent: visit,
  by: 'visit',
  store: reports,
  only: ['list', 'create', 'retrieve'],
  serializer: serializer({
    id,
    file: field.file({ source: 'key', store: directoryStore(uploads), types: ['application/pdf'] }),
  }),
  permissions: { create: [new HasRole('doctor')] },
  actions: {
    content: {
      detail: true,
      get: async (request, row) =>
        download(request, await pathUnder(uploads, row.key), { name: row.key.slice(23) }),
    },
  },
})

const token = api.endpoint('token', { versioning: null }).post(obtainToken({ accounts }))

export default api.serve([token, ...doctor, ...patient, ...visit, ...report])
