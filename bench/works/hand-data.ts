// Statements of the server by hand, prepared once, with rows as arrays and values as the database writes them.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Pool } from 'pg'
import { PRAGMAS } from '../http/hand.ts'
import type { Order } from './hand-orders.ts'
import { PAGE_SIZE, POOL } from './world.ts'

export type Row = readonly [
  id: number,
  customer: string,
  state: string,
  amount: number | string,
  items: number,
  placed: number | string,
  note: string | null,
]

type Owner = readonly [id: number, username: string, isActive: number | boolean]
type Maybe<T> = T | Promise<T>

/** The beginning of a page. */
export interface Edge {
  readonly placed: number | string
  readonly id: number
  readonly back: boolean
}

export interface Data {
  owner(digest: string): Maybe<Owner | undefined>
  one(id: number, tenant: number): Maybe<Row | undefined>
  /** One row more than a page, in the direction of the edge, with every term in the customer. */
  page(tenant: number, edge: Edge | null, terms: readonly string[]): Maybe<Row[]>
  insert(tenant: number, order: Order): Maybe<Row>
  /** `undefined`: the tenant has no such row. */
  update(id: number, tenant: number, order: Order): Maybe<Row | undefined>
}

export function open(dialect: string, address: string): Data {
  return dialect === 'sqlite' ? sqlite(address) : postgres(address)
}

const COLUMNS = 'id, customer, state, amount, items, placed, note'
const MEMBERS = ['customer', 'state', 'amount', 'items', 'placed', 'note'] as const

/** Statements with `?` for each parameter. */
const texts = {
  owner: `select u.id, u.username, u.is_active
    from hand_token t join colophon_user u on u.id = t.user_id where t.digest = ?`,
  one: `select ${COLUMNS} from purchase where id = ? and tenant = ?`,
  insert: `insert into purchase (tenant, ${MEMBERS.join(', ')}) values (?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
  page(edge: Edge | null, terms: number, like: string): string {
    const [than, order] = edge?.back === true ? ['>', ''] : ['<', ' desc']
    const behind = edge === null ? '' : ` and (placed, id) ${than} (?, ?)`
    const found = ` and customer ${like} ? escape '!'`.repeat(terms)
    return `select ${COLUMNS} from purchase where tenant = ?${behind}${found}
      order by placed${order}, id${order} limit ${PAGE_SIZE + 1}`
  },
  update(members: readonly string[]): string {
    const set = members.map((member) => `${member} = ?`).join(', ')
    return `update purchase set ${set} where id = ? and tenant = ? returning ${COLUMNS}`
  },
}

function pageValues(tenant: number, edge: Edge | null, terms: readonly string[]) {
  const values: (number | string)[] = [tenant]
  if (edge !== null) values.push(edge.placed, edge.id)
  for (const term of terms) values.push(`%${term.replace(/[%_!]/g, '!$&')}%`)
  return values
}

function membersIn(order: Order) {
  return MEMBERS.filter((member) => order[member] !== undefined)
}

function sqlite(path: string): Data {
  const db = new DatabaseSync(path)
  db.exec(PRAGMAS)
  const known = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    let statement = known.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statement.setReturnArrays(true)
      known.set(sql, statement)
    }
    return statement
  }
  const [owner, one, insert] = [texts.owner, texts.one, texts.insert].map(prepare) as [
    StatementSync,
    StatementSync,
    StatementSync,
  ]
  const valueOf = (order: Order, member: (typeof MEMBERS)[number]): SQLInputValue => {
    const value = order[member] ?? null
    if (value instanceof Date) return value.getTime()
    return member === 'amount' ? Number(value) : value
  }
  const rowOf = (found: unknown) => found as Row | undefined
  // Statements run to their end: SQLite makes no checkpoint after a statement that stopped at its first row.
  const written = (statement: StatementSync, values: readonly SQLInputValue[]) =>
    rowOf(statement.all(...values)[0])
  return {
    owner: (digest) => owner.get(digest) as never,
    one: (id, tenant) => rowOf(one.get(id, tenant)),
    page: (tenant, edge, terms) =>
      prepare(texts.page(edge, terms.length, 'like')).all(
        ...pageValues(tenant, edge, terms),
      ) as never,
    insert: (tenant, order) =>
      written(insert, [tenant, ...MEMBERS.map((member) => valueOf(order, member))])!,
    update(id, tenant, order) {
      const members = membersIn(order)
      const values = members.map((member) => valueOf(order, member))
      return written(prepare(texts.update(members)), [...values, id, tenant])
    },
  }
}

function postgres(url: string): Data {
  const pool = new Pool({ connectionString: url, max: POOL, options: '-c timezone=UTC' })
  // Types of booleans and of numbers that JavaScript can hold; all others stay text.
  const numbers = new Set([20, 21, 23])
  const asText = (text: string): unknown => text
  const asBoolean = (text: string): unknown => text === 't'
  const types = {
    getTypeParser: (id: number) => (numbers.has(id) ? Number : id === 16 ? asBoolean : asText),
  }
  // The name of a statement is its text with `?`.
  const known = new Map<string, { readonly name: string; readonly text: string }>()
  const named = (sql: string) => {
    let query = known.get(sql)
    if (query === undefined) {
      let place = 0
      query = { name: `q${known.size}`, text: sql.replaceAll('?', () => `$${++place}`) }
      known.set(sql, query)
    }
    return query
  }
  const ask = async <Found>(sql: string, values: readonly unknown[]): Promise<Found[]> => {
    const query = { ...named(sql), values: values as unknown[], rowMode: 'array' as const, types }
    return (await pool.query<Found[]>(query as never)).rows as unknown as Found[]
  }
  const valueOf = (order: Order, member: (typeof MEMBERS)[number]): unknown => order[member] ?? null
  return {
    owner: async (digest) => (await ask<Owner>(texts.owner, [digest]))[0],
    one: async (id, tenant) => (await ask<Row>(texts.one, [id, tenant]))[0],
    page: (tenant, edge, terms) =>
      ask(texts.page(edge, terms.length, 'ilike'), pageValues(tenant, edge, terms)),
    insert: async (tenant, order) => {
      const values = MEMBERS.map((member) => valueOf(order, member))
      return (await ask<Row>(texts.insert, [tenant, ...values]))[0]!
    },
    async update(id, tenant, order) {
      const members = membersIn(order)
      const values = members.map((member) => valueOf(order, member))
      return (await ask<Row>(texts.update(members), [...values, id, tenant]))[0]
    },
  }
}
