// Statements of the servers by hand, prepared once, with rows as arrays and values as the database writes them.
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { PRAGMAS } from '../http/hand.ts'
import { PAGE_SIZE, POOL } from './world.ts'

/** The members of an item; at 10, the time of its creation in the form of the database. */
export type Values = readonly (string | number | boolean | null)[]

/** The beginning of a page of entries. */
export interface Edge {
  readonly created: string
  readonly id: number
  readonly back: boolean
}

export interface Data {
  count(): number | Promise<number>
  page(offset: number): Values[] | Promise<Values[]>
  /** Count and page, in one round trip if the database has trips. */
  both(offset: number): Both | Promise<Both>
  /** One row more than a page, in the direction of the edge. */
  entries(edge: Edge | null): Values[] | Promise<Values[]>
}

export interface Both {
  readonly total: number
  readonly rows: Values[]
}

/** 64-bit numbers as text: a number of JavaScript would lose digits. */
const columns = (serial: string): string =>
  `t.id, t.title, t.note, t.status, t.is_public, t.is_pinned, ${serial}, t.score, t.price, t.due, t.created, t.updated,
    t.author_id, p.name, t.project_id`
const FROM = 'join person p on p.id = t.author_id'
const LIMIT = PAGE_SIZE + 1

function statements(serial: string, parameters: readonly [string, string]) {
  const [one, other] = parameters
  const list = columns(serial)
  const entries = (where: string, order: string): string =>
    `select ${list} from entry t ${FROM} ${where} order by ${order} limit ${LIMIT}`
  return {
    count: 'select count(*) from ticket',
    // Skipped rows need no author.
    page: `select ${list} from (select * from ticket order by id limit ${PAGE_SIZE} offset ${one}) t ${FROM} order by t.id`,
    fromEnd: `select ${list} from (select * from ticket order by id desc limit ${PAGE_SIZE} offset ${one}) t ${FROM} order by t.id desc`,
    first: entries('', 't.created desc, t.id desc'),
    forward: entries(`where (t.created, t.id) < (${one}, ${other})`, 't.created desc, t.id desc'),
    back: entries(`where (t.created, t.id) > (${one}, ${other})`, 't.created, t.id'),
  }
}

export function open(dialect: string, address: string): Data {
  return dialect === 'sqlite' ? sqlite(address) : postgres(address)
}

function sqlite(path: string): Data {
  const db = new DatabaseSync(path)
  db.exec(PRAGMAS)
  const prepare = (sql: string) => {
    const statement = db.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  const texts = statements('cast(t.serial as text)', ['?', '?'])
  const count = prepare(texts.count)
  const page = prepare(texts.page)
  const [first, forward, back] = [texts.first, texts.forward, texts.back].map(prepare)
  const values = (rows: unknown): Values[] => rows as Values[]
  const total = (): number => (count.get() as unknown as [number])[0]
  const fromEnd = prepare(texts.fromEnd)
  const nearest = (all: number, offset: number): Both => {
    const behind = all - offset - PAGE_SIZE
    const rows =
      behind < 0 || behind >= offset
        ? values(page.all(offset))
        : values(fromEnd.all(behind)).toReversed()
    return { total: all, rows }
  }
  return {
    count: total,
    page: (offset) => values(page.all(offset)),
    both: (offset) => nearest(total(), offset),
    entries: (edge) =>
      edge === null
        ? values(first!.all())
        : values((edge.back ? back! : forward!).all(edge.created, edge.id)),
  }
}

function postgres(url: string): Data {
  const pool = new Pool({ connectionString: url, max: POOL, options: '-c timezone=UTC' })
  // Types of booleans and of numbers that JavaScript can hold; all others stay text.
  const numbers = new Set([21, 23])
  const parse = (id: number) => (text: string) =>
    numbers.has(id) ? Number(text) : id === 16 ? text === 't' : text
  const parsers = new Map<number, (text: string) => unknown>()
  const types = {
    getTypeParser(id: number) {
      if (!parsers.has(id)) parsers.set(id, parse(id))
      return parsers.get(id)!
    },
  }
  const texts = statements('t.serial', ['$1', '$2'])
  const ask = async (name: string, text: string, values: unknown[]): Promise<Values[]> =>
    (await pool.query({ name, text, values, rowMode: 'array', types })).rows
  const both = texts.page.replace('select', 'select (select count(*) from ticket),')
  return {
    count: async () => Number((await ask('count', texts.count, []))[0]![0]),
    page: (offset) => ask('page', texts.page, [offset]),
    async both(offset) {
      const rows = await ask('both', both, [offset])
      return { total: Number(rows[0]?.[0] ?? 0), rows: rows.map((row) => row.slice(1)) }
    },
    entries: (edge) =>
      edge === null
        ? ask('first', texts.first, [])
        : ask(edge.back ? 'back' : 'forward', edge.back ? texts.back : texts.forward, [
            edge.created,
            edge.id,
          ]),
  }
}

export function writeEdge({ created, id, back }: Edge): string {
  return Buffer.from(`${back ? 1 : 0}|${id}|${created}`).toString('base64url')
}

/** `null`: the cursor is invalid. */
export function readEdge(cursor: string): Edge | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, back, id = '', created = ''] = /^([01])\|(\d+)\|(.+)$/.exec(text) ?? []
  return back === undefined ? null : { back: back === '1', id: Number(id), created }
}

/** `2020-09-13 12:26:40.00098+00`, or without an offset, in ISO 8601 with all six digits. */
export function instant(text: string): string {
  const plain = text.endsWith('+00') ? text.slice(0, -3) : text
  const digits = plain.length > 19 ? plain.slice(10).padEnd(16, '0').slice(1) : plain.slice(11)
  return `${plain.slice(0, 10)}T${digits}Z`
}

/** A decimal is a number on SQLite and a text on PostgreSQL. */
export function price(value: string | number): string {
  return typeof value === 'number' ? value.toFixed(2) : value
}

/** A page of entries in the order of clients, and the beginnings of its neighbours. */
export function cutEntries(rows: Values[], edge: Edge | null) {
  const more = rows.length === LIMIT
  if (more) rows.pop()
  const back = edge?.back === true
  if (back) rows.reverse()
  const [hasNext, hasPrevious] = back ? [true, more] : [more, edge !== null]
  const to = (row: Values | undefined, there: boolean): string | null =>
    row === undefined
      ? null
      : writeEdge({ created: String(row[10]), id: Number(row[0]), back: there })
  return {
    rows,
    next: hasNext ? to(rows.at(-1), false) : null,
    previous: hasPrevious ? to(rows[0], true) : null,
  }
}
