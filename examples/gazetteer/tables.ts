import { type TablesOf, column, createTable, defineMigrations, migration } from 'colophon/sql'
import type { Selectable } from 'kysely'

export const migrations = defineMigrations([
  migration('0001_tables', [
    createTable('country', {
      code: column.text({ maxLength: 2, primaryKey: true }),
      name: column.text({ maxLength: 100 }),
    }),
    createTable('city', {
      id: column.integer({ primaryKey: true }),
      name: column.text({ maxLength: 200 }),
      country: column.references('country', { key: 'code', as: column.text({ maxLength: 2 }) }),
      population: column.integer(),
      latitude: column.float(),
      longitude: column.float(),
    }),
  ]),
])

export type Tables = TablesOf<typeof migrations>
export type City = Selectable<Tables['city']>
