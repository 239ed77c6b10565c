// A shop whose invoices have a customer, lines with parts, and payments: in a database, or in a store of one's own.
import type { Generated, Selectable } from 'kysely'
import { type QuerySource, type RowsByKey } from '../../../src/types.ts'
import { arraySource, field, pick, serializer } from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { dialectOf } from '../../setup/dialects.ts'

interface Tables {
  region: { id: Generated<number>; shop: number; name: string }
  customer: { id: Generated<number>; shop: number; name: string; region: number | null }
  invoice: { id: Generated<number>; shop: number; customer: number; sent: boolean | number }
  line: { id: Generated<number>; shop: number; invoice: number; text: string }
  payment: { id: Generated<number>; shop: number; invoice: number; amount: string | number }
  part: { id: Generated<number>; shop: number; line: number; name: string | null }
}
export type Rows = { readonly [T in keyof Tables]: readonly Selectable<Tables[T]>[] }
export type TableNames = keyof Tables

const KEYS = {
  sqlite: 'integer primary key',
  postgres: 'serial primary key',
  mysql: 'integer primary key auto_increment',
}
const COLUMNS: Readonly<Record<keyof Tables, string>> = {
  region: 'name varchar(20) not null',
  customer: 'name varchar(20) not null, region integer',
  invoice: 'customer integer not null, sent boolean not null',
  line: 'invoice integer not null, text varchar(20) not null',
  payment: 'invoice integer not null, amount decimal(8,2) not null',
  part: 'line integer not null, name varchar(20)',
}
const NAMES = Object.keys(COLUMNS) as (keyof Tables)[]

type Stored<T extends keyof Tables> = RowsByKey<Selectable<Tables[T]>> & {
  readonly key: 'id'
  readonly source: QuerySource<Selectable<Tables[T]>, string>
}
export type Stores = { readonly [T in keyof Tables]: Stored<T> }

/** Stores with the same rows, and the statements, or look-ups, that they were asked for. */
export interface Shop {
  readonly stores: Stores
  keep(rows: Rows): Promise<void>
  asked(): number
}

export async function shopIn(database: SqlDatabase): Promise<Shop> {
  const run = (sql: string) => database.write({ sql, parameters: [] })
  for (const name of NAMES)
    await run(
      `create table ${name} (id ${KEYS[dialectOf(database)]}, shop integer not null, ${COLUMNS[name]})`,
    )
  let asked = 0
  const counted = {
    dialect: database.dialect,
    describe: database.describe?.bind(database),
    transaction: database.transaction.bind(database),
    rows: (...statement: Parameters<SqlDatabase['rows']>) => {
      asked++
      return database.rows(...statement)
    },
  } as unknown as SqlDatabase
  const db = database.kysely<Tables>()
  const stores = Object.fromEntries(
    NAMES.map((table) => [table, sqlTable({ database: counted, db, table, key: 'id' })]),
  ) as unknown as Stores
  return {
    stores,
    asked: () => asked,
    async keep(rows) {
      for (const name of NAMES) {
        await run(`delete from ${name}`)
        const isNumber = dialectOf(database) !== 'postgres'
        const values = rows[name].map((row) =>
          'sent' in row && isNumber ? { ...row, sent: Number(row.sent) } : row,
        )
        for (let at = 0; at < values.length; at += 500)
          await db
            .insertInto(name)
            .values(values.slice(at, at + 500))
            .execute()
      }
      // What is known of tables is asked once.
      for (const store of Object.values(stores))
        await store.manyByKey([1], { column: 'id', limit: 1 })
      asked = 0
    },
  }
}

type AnyRow = Readonly<Record<string, unknown>>

/** With the one method that embedding needs, and `within` for scopes. */
function ownStore(rows: readonly AnyRow[], ask: () => void): object {
  return {
    key: 'id',
    source: arraySource(rows, { key: 'id' }),
    find: async (id: unknown) => rows.find((row) => String(row['id']) === String(id)) ?? null,
    async manyByKey(
      values: readonly unknown[],
      { column, limit }: { column: string; limit: number },
    ) {
      ask()
      const known = new Set(values)
      const groups = Map.groupBy(
        rows.filter((row) => known.has(row[column])),
        (row) => row[column],
      )
      return [...groups.values()].flatMap((each) => each.slice(0, limit))
    },
    within: (values: AnyRow) =>
      ownStore(
        rows.filter((row) =>
          Object.entries(values).every(([column, value]) => [value].flat().includes(row[column])),
        ),
        ask,
      ),
  }
}

export function shopOfOnesOwn(): Shop {
  let asked = 0
  const kept = Object.fromEntries(NAMES.map((name): [string, AnyRow[]] => [name, []]))
  const stores = Object.fromEntries(
    NAMES.map((name) => [name, ownStore(kept[name]!, () => void asked++)]),
  ) as unknown as Stores
  return {
    stores,
    asked: () => asked,
    async keep(rows) {
      for (const name of NAMES) {
        const sorted = rows[name].toSorted((one, other) => one.id - other.id)
        kept[name]!.splice(0, Infinity, ...sorted)
      }
      asked = 0
    },
  }
}

export const LIMIT = 3

/** How they are shown: an invoice with its customer, who has a region, with its payments, and with its lines and their parts. */
export function serializersOf(stores: Stores) {
  const id = field.integer({ readOnly: true })
  const named = { id, name: field.text() }
  const region = serializer(named)
  const customer = serializer({
    ...named,
    region: field.embed(stores.region, region, { nullable: true }),
  })
  const part = serializer({ name: field.text({ nullable: true }) })
  const line = serializer({
    id,
    text: field.text(),
    parts: field.embedMany({ store: stores.part, by: 'line', limit: LIMIT }, part),
  })
  const payment = serializer({ id, amount: field.decimal({ maxDigits: 8, decimalPlaces: 2 }) })
  const invoice = serializer({
    id,
    customerId: field.integer({ source: 'customer' }),
    sent: field.boolean(),
    customer: field.embed(stores.customer, customer, { nullable: true }),
    lines: field.embedMany({ store: stores.line, by: 'invoice', limit: LIMIT }, line),
    payments: field.embedMany(
      { store: stores.payment, by: 'invoice', limit: LIMIT },
      pick(payment, ['id', 'amount']),
    ),
  })
  return { invoice, customer, line, payment, part, region }
}

/** What a list shows, by hand: look-ups in arrays. */
export function byHand({ region, customer, invoice, line, payment, part }: Rows, shop?: number) {
  const seen = <Row extends { readonly id: number; readonly shop: number }>(rows: readonly Row[]) =>
    rows
      .filter((row) => shop === undefined || row.shop === shop)
      .toSorted((one, other) => one.id - other.id)
  const first = <Row>(rows: readonly Row[]) => rows.slice(0, LIMIT)
  return seen(invoice).map(({ id, customer: buyer, sent }) => {
    const found = seen(customer).find((each) => each.id === buyer)
    const place = seen(region).find((each) => each.id === found?.region)
    return {
      id,
      customerId: buyer,
      sent: Boolean(sent),
      customer: found
        ? {
            id: found.id,
            name: found.name,
            region: place ? { id: place.id, name: place.name } : null,
          }
        : null,
      lines: first(seen(line).filter((each) => each.invoice === id)).map((each) => ({
        id: each.id,
        text: each.text,
        parts: first(seen(part).filter((one) => one.line === each.id)).map(({ name }) => ({
          name,
        })),
      })),
      payments: first(seen(payment).filter((each) => each.invoice === id)).map((each) => ({
        id: each.id,
        amount: Number(each.amount).toFixed(2),
      })),
    }
  })
}
