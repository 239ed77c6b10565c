// Tables as their migrations make them: what is read from a column, and what is written to it.
import { type TablesOf, column, createTable, defineMigrations, migration } from 'colophon/sql'
import type { Insertable, Selectable } from 'kysely'
import { type Equal, expectType } from './expect.ts'

const migrations = defineMigrations([
  migration('0001_tables', [
    createTable('note', {
      id: column.id(),
      author: column.references('author'),
      reader: column.references('author', { nullable: true, onDelete: 'set null' }),
      country: column.references('country', { key: 'code', as: column.text({ maxLength: 2 }) }),
    }),
  ]),
])
type Note = TablesOf<typeof migrations>['note']

export function references(): void {
  expectType<
    Equal<Selectable<Note>, { id: number; author: number; reader: number | null; country: string }>
  >()
  expectType<Equal<Insertable<Note>['author'], number | bigint>>()
  expectType<Equal<Insertable<Note>['reader'], number | bigint | null | undefined>>()
}
