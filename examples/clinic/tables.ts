import { defineAccounts } from 'colophon/accounts'
import { addColumn, column, createTable, defineMigrations, migration } from 'colophon/sql'
import { type TablesOf, openDatabase, sqlTable } from 'colophon/sql'

const name = () => column.text({ maxLength: 100 })
const clinic = () => column.references('clinic')
const ofUsers = column.references('clinic', { nullable: true })

const migrations = defineMigrations([
  migration('0001_clinic', [
    createTable('clinic', { id: column.id(), name: name() }),
    addColumn('colophon_user', 'clinic', ofUsers),
    createTable('doctor', { id: column.id(), clinic: clinic(), name: name() }),
    createTable('patient', { id: column.id(), clinic: clinic(), first: name(), last: name() }),
    createTable('visit', {
      id: column.id(),
      clinic: clinic(),
      doctor: column.references('doctor'),
      patient: column.references('patient'),
      starts: column.dateTime(),
      ends: column.dateTime(),
      state: column.choice(['planned', 'cancelled'], { default: 'planned' }),
      reason: column.text({ maxLength: 200, nullable: true }),
    }),
    createTable('report', {
      id: column.id(),
      visit: column.references('visit', { onDelete: 'cascade' }),
      key: column.text({ maxLength: 300 }),
    }),
  ]),
])

export const database = openDatabase({ migrations })
export const accounts = defineAccounts({
  database,
  roles: ['receptionist', 'doctor'],
  columns: { clinic: ofUsers },
})
const db = database.kysely<TablesOf<typeof migrations>>()

export const clinics = sqlTable({ database, db, table: 'clinic', key: 'id' })
export const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
export const patients = sqlTable({ database, db, table: 'patient', key: 'id' })
const doctor = { store: doctors, source: 'doctor', columns: ['name'] } as const
export const visits = sqlTable({ database, db, table: 'visit', key: 'id', relations: { doctor } })
export const reports = sqlTable({ database, db, table: 'report', key: 'id' })
