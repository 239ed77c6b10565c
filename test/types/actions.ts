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
