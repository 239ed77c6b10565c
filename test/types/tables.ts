// The types of tables follow from the migrations that make them.
import type { Insertable, Selectable } from 'kysely'
import {
  type TablesOf,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropTable,
  migration,
  openDatabase,
  plainSql,
  renameColumn,
  renameTable,
  sqlTable,
} from 'colophon/sql'
import type { JSONValue } from 'colophon'
import { type Equal, expectType } from './expect.ts'

const migrations = defineMigrations([
  migration('0001_tables', [
    createTable('organisation', { id: column.id(), name: column.text({ maxLength: 100 }) }),
    createTable(
      'ticket',
      {
        id: column.id(),
        organisation: column.references('organisation', { onDelete: 'cascade' }),
        title: column.text({ maxLength: 200 }),
        status: column.choice(['open', 'closed'], { default: 'open' }),
        created: column.dateTime({ default: 'now' }),
        closed: column.dateTime({ nullable: true }),
        price: column.decimal({ maxDigits: 10, decimalPlaces: 2 }),
        votes: column.integer(),
        secret: column.text(),
      },
      { unique: [['organisation', 'title']] },
    ),
    createTable('gone', { id: column.id() }),
    createTable('json', {
      id: column.id(),
      any: column.json(),
      none: column.json({ nullable: true }),
      tags: column.json<readonly string[]>({ default: [] }),
      own: column.of<unknown>(
        { sqlite: 'text', postgres: 'xml', mysql: 'text' },
        { nullable: true },
      ),
      address: column.of<string>({ sqlite: 'text', postgres: 'inet', mysql: 'inet6' }),
    }),
  ]),
  migration('0002_more', [
    addColumn('ticket', 'priority', column.choice(['low', 'high'], { default: 'low' })),
    dropColumn('ticket', 'secret'),
    renameColumn('ticket', 'votes', 'score'),
    dropTable('gone'),
    renameTable('organisation', 'team'),
    createIndex('ticket', ['score']),
    plainSql('select 1'),
  ]),
])
type Tables = TablesOf<typeof migrations>

export function tables(): void {
  expectType<Equal<keyof Tables, 'ticket' | 'team' | 'json'>>()
  expectType<Equal<Selectable<Tables['team']>, { id: number; name: string }>>()
  type Ticket = Selectable<Tables['ticket']>
  expectType<
    Equal<
      keyof Ticket,
      | 'id'
      | 'organisation'
      | 'title'
      | 'status'
      | 'created'
      | 'closed'
      | 'price'
      | 'score'
      | 'priority'
    >
  >()
  expectType<Equal<Ticket['status'], 'open' | 'closed'>>()
  expectType<Equal<Ticket['organisation'], number>>()
  // No text: SQLite keeps milliseconds, and each of them is less than any text.
  expectType<Equal<Ticket['closed'], Date | number | null>>()
  expectType<Equal<Ticket['priority'], 'low' | 'high'>>()
  type Row = Selectable<Tables['json']>
  expectType<Equal<Row['any'], JSONValue>>()
  expectType<Equal<Row['tags'], readonly string[]>>()
  expectType<Equal<Row['own'], unknown>>()
  expectType<Equal<Row['address'], string>>()
  type Fresh = Insertable<Tables['json']>
  const fresh: Fresh = { any: { a: [1, null] }, address: '::1' }
  expectType<Equal<keyof typeof fresh, 'id' | 'any' | 'none' | 'tags' | 'own' | 'address'>>()
  // @ts-expect-error JSON has no such value
  void ({ any: () => 1, address: '' } satisfies Fresh)
}

export async function rows(): Promise<void> {
  const database = openDatabase({ migrations })
  const db = database.kysely<Tables>()
  const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
  await tickets.insert({ organisation: 1, title: 'x', price: '1.00', score: 1n })
  const least: Insertable<Tables['ticket']> = { organisation: 1, title: 'x', price: 1, score: 1 }
  await tickets.update(1, { ...least, closed: new Date(), status: 'closed' })
  // @ts-expect-error a choice has no such value
  await tickets.update(1, { status: 'lost' })
  // @ts-expect-error a title is required
  await tickets.insert({ organisation: 1, price: '1.00', score: 1 })
  // @ts-expect-error it may not be NULL
  await tickets.update(1, { title: null })
  // @ts-expect-error there is no such column
  await db.selectFrom('ticket').select('votes').execute()
}

export function mistakes(): void {
  // @ts-expect-error no such option
  column.text({ maxlength: 20 })
  // @ts-expect-error the default is none of the values
  column.choice(['a', 'b'], { default: 'c' })
  // @ts-expect-error the default is none of the type
  column.json<readonly string[]>({ default: 'a' })
  // @ts-expect-error there is no such column
  createTable('t', { id: column.id() }, { unique: [['name']] })
}
