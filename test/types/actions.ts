// Actions: what is read, shown and given is known of the resource and of the serializers.
import {
  IsAuthenticated,
  TokenAuthentication,
  action,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import { createClient } from 'colophon/client'
import type { TokenVerifier } from 'colophon/types'
import { type SqlDatabase, sqlTable } from 'colophon/sql'
import type { Generated } from 'kysely'
import { type Equal, expectType } from './expect.ts'

interface Tables {
  doctor: { id: Generated<number>; clinic: number }
  visit: { id: Generated<number>; doctor: number; reason: string | null; cancelled: boolean }
}
declare const database: SqlDatabase
declare const tokens: TokenVerifier
const db = database.kysely<Tables>()
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const api = defineApi({
  urls: defineUrls({
    ...resourceUrls('doctor', '/doctors/', ':id<int>'),
    ...resourceUrls('visit', '/doctors/:doctor<int>/visits/', ':id<int>'),
    'visit-cancel': '/doctors/:doctor<int>/visits/:id<int>/cancel/',
    'visit-import': '/doctors/:doctor<int>/visits/import/',
    mail: '/mail/',
  }),
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
})
const id = field.integer({ readOnly: true })
const doctor = serializer({ id, clinic: field.integer() })
const visit = serializer({ id, reason: field.text({ nullable: true }) })
const cancellation = serializer({ reason: field.text(), notify: field.boolean({ default: true }) })
const given = {
  store: visits,
  serializer: visit,
  only: ['list'],
} as const
const parent = resource(api, 'doctor', { store: doctors, serializer: doctor })

export function ofRows(): void {
  resource(api, 'visit', {
    ...given,
    parent,
    by: 'doctor',
    actions: {
      cancel: {
        detail: true,
        post: {
          input: cancellation,
          output: visit,
          permissions: [new IsAuthenticated()],
          perform: ({ request, input, row, store, parent: above }) => {
            expectType<
              Equal<typeof request.params, { readonly doctor: number; readonly id: number }>
            >()
            expectType<Equal<typeof request.user.username, string>>()
            expectType<Equal<typeof input.notify, boolean>>()
            expectType<Equal<typeof row.reason, string | null>>()
            expectType<Equal<typeof above.clinic, number>>()
            return store.update(row.id, { reason: input.reason, cancelled: true }, row)
          },
        },
        put: (_request, row) => row.id,
        delete: {
          perform: ({ input, row, store }) => {
            expectType<Equal<typeof input, undefined>>()
            return store.remove(row.id, row)
          },
        },
      },
      import: {
        detail: false,
        post: {
          input: cancellation,
          output: visit,
          status: 201,
          perform: async ({ input, store, parent: above }) => {
            expectType<Equal<typeof above.clinic, number>>()
            return store.insert({ reason: input.reason, cancelled: false })
          },
        },
        put: {
          // @ts-expect-error an action of no row is given none
          perform: ({ row }) => row,
        },
      },
    },
  })
}

export function wrong(): void {
  const own = { store: visits, serializer: visit, only: ['list'], parent, by: 'doctor' } as const
  resource(api, 'visit', {
    ...own,
    actions: {
      cancel: {
        detail: true,
        // @ts-expect-error what cannot be shown is no answer
        post: { output: visit, perform: ({ row }) => ({ id: row.id }) },
        // @ts-expect-error the row is shown, which the promise does not hold
        put: { output: visit, perform: async ({ row }) => row.id },
        patch: {
          input: cancellation,
          // @ts-expect-error no such member is read
          perform: ({ input }) => input.day,
        },
        // @ts-expect-error there is a body, or none
        delete: { output: visit, status: 204, perform: ({ row }) => row },
        // @ts-expect-error requests with GET have no body
        get: { input: cancellation, perform: () => null },
      },
      import: {
        detail: false,
        // @ts-expect-error it does nothing
        post: { input: cancellation },
        // @ts-expect-error this reads no bodies
        put: { input: { represent: () => 7 }, perform: () => null },
        // @ts-expect-error an action is known by these members
        patch: { input: cancellation, ouput: visit, perform: () => null },
      },
    },
  })
  resource(api, 'visit', {
    ...own,
    // @ts-expect-error there is no address visit-close
    actions: { close: { detail: true, post: { output: visit, perform: ({ row }) => row } } },
  })
}

export function ofEndpoints(): void {
  const mail = api.endpoint('mail')
  mail.post(
    action({
      input: cancellation,
      output: doctor,
      perform: ({ request, input }) => {
        expectType<Equal<typeof request.user.username, string>>()
        expectType<Equal<typeof input.reason, string>>()
        return { id: 1, clinic: 7 }
      },
    }),
  )
  mail.post(action({ status: 202, perform: () => undefined }))
  // @ts-expect-error it is given no row
  mail.post(action({ perform: ({ row }) => row }))
  // @ts-expect-error a doctor has a clinic
  mail.post(action({ output: doctor, perform: () => ({ id: 1 }) }))
}

const makeApp = () =>
  api.serve([
    api
      .endpoint('mail')
      .post(action({ input: cancellation, output: doctor, perform: () => ({ id: 1, clinic: 7 }) }))
      .put(action({ input: cancellation, perform: () => undefined }))
      .patch(() => 7),
    ...resource(api, 'visit', {
      ...given,
      parent,
      by: 'doctor',
      actions: {
        cancel: {
          detail: true,
          post: { input: cancellation, output: visit, perform: ({ row }) => row },
          put: (_request, row) => row.id,
          delete: { output: visit, perform: ({ row }) => row },
        },
      },
    }),
  ])

export async function clients(): Promise<void> {
  const client = createClient<ReturnType<typeof makeApp>>({
    baseUrl: '',
    routes: {},
    version: null,
  })
  const params = { doctor: 1, id: 7 }
  const shown = await client.post('visit-cancel', { params, body: { reason: 'Ill' } })
  expectType<Equal<typeof shown.reason, string | null>>()
  // @ts-expect-error a reason is needed
  void client.post('visit-cancel', { params, body: {} })
  // @ts-expect-error so is a body
  void client.post('visit-cancel', { params })
  // @ts-expect-error no such member is shown
  void shown.cancelled
  // what a function answers only the program knows
  const other = await client.put('visit-cancel', { params, body: 7 })
  expectType<Equal<typeof other, unknown>>()
  const last = await client.delete('visit-cancel', { params })
  expectType<Equal<typeof last.reason, string | null>>()
  // of an endpoint, too
  const mailed = await client.post('mail', { body: { reason: 'Ill' } })
  expectType<Equal<typeof mailed.clinic, number>>()
  // @ts-expect-error a reason is needed
  void client.post('mail', { body: {} })
  const none = await client.put('mail', { body: { reason: 'Ill', notify: false } })
  expectType<Equal<typeof none, null>>()
  const free = await client.patch('mail', { body: 7 })
  expectType<Equal<typeof free, unknown>>()
}
