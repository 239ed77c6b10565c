// The service with Colophon, as an application would write it.
import {
  PageNumberPagination,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from 'colophon'
import { serve } from 'colophon/node'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { tellParent } from '../http/server-process.ts'
import { type Tables, PAGE_SIZE } from './world.ts'

const [path = ''] = process.argv.slice(2)
const database = openSqlite({ path })
const db = database.kysely<Tables>()
const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
const notes = sqlTable({ database, db, table: 'note', key: 'id' })
const bills = sqlTable({ database, db, table: 'bill', key: 'id' })

const id = field.integer({ readOnly: true })
const doctor = serializer({ id, name: field.text(), phone: field.text() })
const note = serializer({ id, text: field.text() })
const bill = serializer({ id, amount: field.integer(), paid: field.boolean() })
const visit = serializer({
  id,
  reason: field.text(),
  starts: field.text(),
  doctor: field.embed(doctors, doctor),
  notes: field.embedMany({ store: notes, by: 'visit' }, note),
  bills: field.embedMany({ store: bills, by: 'visit' }, bill),
})

const api = defineApi({
  urls: defineUrls(resourceUrls('visit', '/visits/', ':id<int>')),
  pagination: new PageNumberPagination({ pageSize: PAGE_SIZE }),
})
const endpoints = resource(api, 'visit', {
  store: visits,
  serializer: visit,
  only: ['list', 'retrieve'],
})
const app = api.serve(endpoints, { configuration: configurationOf() })
const server = await serve(app, { port: 0 })
tellParent(Number(new URL(server.url).port))
