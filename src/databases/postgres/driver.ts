import type { WrittenColumn, WrittenKind } from '../../contract/list-source.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { exactTextOf, withExactText } from '../../std/exact-date.ts'
import { oncePer } from '../../std/once.ts'
import { inTime } from '../in-time.ts'
import { wholeNumber } from '../values.ts'
import { type OwnPoolOptions, loaded } from '../pooled/open.ts'
import { IDLE_IN_TRANSACTION, KEEP_ALIVE } from '../pooled/server-pool.ts'
import {
  type DescribedStatements,
  type Line,
  type PostgresField,
  type PostgresQuery,
  type PostgresResult,
  type QueryClass,
  type TextQueryClass,
  leavingTexts,
  readRows,
} from './query.ts'

/** The part of `Pool` of the package `pg` that we use; any compatible pool will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  /** A connection that breaks while it is idle is no reason for a program to end. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** `max`: connections at most. */
  readonly options?: { readonly max?: number | undefined }
}

/** One connection of such a pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(unusable?: boolean): void
  /** Statements travel before those in front of them are answered. */
  readonly pipeline?: boolean
  readonly connection?: Line & { readonly stream: { destroy(): unknown } }
  /** No answer is under way. */
  readonly readyForQuery?: boolean
  /** What makes a value of the text of a type; without it, rows are never texts as written. */
  readonly getTypeParser?: ParserOf
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface Driver {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
  readonly types: { readonly getTypeParser: ParserOf }
}

/** By the number of a type: what makes a value of its text. */
export type ParserOf = (type: number, format?: 'text' | 'binary') => (text: string) => unknown

const MISSING = 'PostgreSQL is reached with the package pg. Run: npm install pg'

export async function createPool(
  options: OwnPoolOptions,
  load: () => Promise<unknown> = () => import('pg'),
): Promise<PostgresPool> {
  const { url, connections, connectTimeout } = options
  const { Pool, types } = await loaded<Driver>(load, MISSING)
  const settings = settingsOf(options)
  return new Pool({
    connectionString: url,
    types: { getTypeParser: inUtc(types.getTypeParser) },
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    // What waits in the pool keeps no program from ending.
    allowExitOnIdle: true,
    // Statements that are asked at the same moment leave together.
    pipeline: true,
    // Sent on the connection, because poolers refuse it as a parameter of the start.
    onConnect: (client: { query(text: string): Promise<unknown> }) =>
      inTime(client.query(settings), connectTimeout, () => new Error('timeout expired')),
  })
}

const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/** What has no zone is in UTC: the driver would take that of the machine, and a day in Tokyo would be the day before. */
function inUtc(parserOf: ParserOf): ParserOf {
  return (type, format) => {
    if (format === 'binary') return parserOf(type, format)
    if (type === TIMESTAMPTZ) return exactly(parserOf(type, format))
    if (type !== DATE && type !== TIMESTAMP) return parserOf(type, format)
    const parse = exactly(parserOf(TIMESTAMPTZ, format))
    const clock = type === DATE ? ' 00:00:00+00' : '+00'
    return (text) => parse(/\d/.test(text) ? text.replace(/(?= BC$|$)/, clock) : text)
  }
}

/** Keeps microseconds beside a `Date`. */
function exactly(parse: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    const value = parse(text)
    const digits = /\.(\d{4,6})/.exec(text)?.[1]
    if (digits === undefined || !(value instanceof Date)) return value
    const utc = value.toISOString()
    return utc.length === 24 ? withExactText(value, `${utc.slice(0, 20)}${digits}Z`) : value
  }
}

function settingsOf({ lockTimeout, statementTimeout }: OwnPoolOptions): string {
  return [
    `set lock_timeout = ${Math.trunc(lockTimeout)}`,
    `set statement_timeout = ${Math.trunc(statementTimeout ?? 0)}`,
    // A client that disappears in the middle of a transaction leaves its locks behind.
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION}`,
  ].join('; ')
}

/** What a statement found, or changed. */
export interface PostgresAnswer {
  readonly result: PostgresResult
  /** Its values are texts, but for NULL, and this is what they mean; `null`: they are what rows have. */
  readonly texts: TextColumns | null
}

/** Columns as a statement found them, with what their texts mean. */
export interface TextColumns {
  readonly columns: readonly string[]
  readonly written: readonly (WrittenColumn | null)[]
}

/** Tables whose columns stay known, and types. */
const KNOWN = 500

/** What the texts of columns mean, by the parsers that the pool has when a type first comes. */
export class TextTypes {
  readonly #layouts = new BoundedMap<string, TextColumns>(KNOWN)
  readonly #types = new BoundedMap<number, { readonly column: WrittenColumn | null }>(KNOWN)
  readonly #classes = oncePer((client: object) => ({ Query: textQueryOf(client) }))
  /** By the connections, whose rows are read here from the first statement on. */
  readonly #described = oncePer((client: PostgresClient): DescribedStatements => {
    const { connection, readyForQuery } = client
    if (connection !== undefined && readyForQuery === true) readRows(connection)
    return new Map()
  })
  /** By the fields, which are the same object for a prepared statement. */
  readonly #known = new WeakMap<readonly PostgresField[], TextColumns>()

  /** Texts where the driver is `pg` in JavaScript; else its values. */
  async ask(client: PostgresClient, query: PostgresQuery): Promise<PostgresAnswer> {
    const { Query } = this.#classes(client.constructor)
    if (Query === null || client.getTypeParser === undefined)
      return { result: await client.query(query), texts: null }
    const result = await answered(client, Query, query, this.#described(client))
    return { result, texts: this.#textsOf(result.fields, client) }
  }

  #textsOf(fields: readonly PostgresField[], client: PostgresClient): TextColumns {
    const known = this.#known.get(fields) ?? this.#columnsOf(fields, client)
    this.#known.set(fields, known)
    return known
  }

  /** The same object for the same columns, so that others can keep by it what they make for them. */
  #columnsOf(fields: readonly PostgresField[], client: PostgresClient): TextColumns {
    let key = ''
    for (const { dataTypeID, name } of fields) key += `${dataTypeID} ${name}\0`
    const known = this.#layouts.get(key)
    if (known !== undefined) return known
    const parserOf: ParserOf = (type, format) => client.getTypeParser!(type, format)
    const layout = {
      columns: fields.map(({ name }) => name),
      written: fields.map(({ dataTypeID }) => this.#columnOf(dataTypeID, parserOf)),
    }
    this.#layouts.set(key, layout)
    return layout
  }

  #columnOf(type: number, parserOf: ParserOf): WrittenColumn | null {
    const known = this.#types.get(type) ?? { column: writtenColumn(type, parserOf) }
    this.#types.set(type, known)
    return known.column
  }
}

function answered(
  client: PostgresClient,
  Query: TextQueryClass,
  query: PostgresQuery,
  described: DescribedStatements,
): Promise<PostgresResult> {
  const { promise, resolve, reject } = Promise.withResolvers<PostgresResult>()
  const asked = new Query(query, described, (error, result) => {
    if (error) return reject(error)
    const { found: rows, columns: fields } = asked
    if (query.name !== undefined) described.set(query.name, fields)
    resolve({ command: result.command, rowCount: result.rowCount, rows, fields })
  })
  // The driver takes queries that are made already, too.
  void client.query(asked as never)
  return promise
}

/** `null`: the class of the client is not that of `pg` in JavaScript. */
function textQueryOf(clientClass: object): TextQueryClass | null {
  const { Query } = clientClass as { readonly Query?: QueryClass }
  const own: unknown = Query?.prototype
  const isKnown =
    own instanceof Object &&
    ['handleDataRow', 'handleRowDescription', 'prepare'].every((name) => name in own)
  return isKnown ? leavingTexts(Query!) : null
}

/** The number of no type: its parser leaves texts alone. */
const UNKNOWN = 0
/** The type of integers with 64 bits, which `pg` hands over as texts. */
export const INT8 = 20
const NUMERIC = 1700

const KINDS: ReadonlyMap<number, WrittenKind> = new Map([
  [16, 'boolean'],
  [INT8, 'integer'],
  [21, 'integer'],
  [23, 'integer'],
  [700, 'float'],
  [701, 'float'],
  [NUMERIC, 'decimal'],
  [DATE, 'date'],
  [TIMESTAMP, 'moment'],
  [TIMESTAMPTZ, 'moment'],
])

/** `null`: rows have the text itself. */
function writtenColumn(type: number, parserOf: ParserOf): WrittenColumn | null {
  const parse = parserOf(type, 'text')
  const kind = KINDS.get(type) ?? 'other'
  if (parse === parserOf(UNKNOWN, 'text')) {
    return type === NUMERIC ? { kind, read: parse } : null
  }
  const read = type === INT8 ? (text: string) => wholeNumber(parse(text)) : parse
  return { kind: isMeant(type, read) ? kind : 'other', read }
}

/** Does the pool make of such texts what they say? It may have a parser of its own. */
function isMeant(type: number, read: (text: string) => unknown): boolean {
  try {
    return SAMPLES.get(type)?.every(([text, value]) => Object.is(plain(read(text)), value)) === true
  } catch {
    return false
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Date) return exactTextOf(value) ?? value.getTime()
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

type Samples = readonly (readonly [text: string, value: unknown])[]

const INTEGERS: Samples = [['-7', -7]]
const FLOATS: Samples = [
  ['-1.5e-05', -1.5e-5],
  ['NaN', Number.NaN],
]
/** In summer, in winter and long ago: a zone that is UTC then is so always. */
const DAYS = ['2024-01-25', '2024-07-25', '1969-01-25', '1940-07-25']
/** A parser that loses microseconds decides on lists, too: they show what a row shows alone. */
const momentsIn = (zone: string): Samples =>
  DAYS.map((day) => [`${day} 16:00:00.123456${zone}`, `${day}T16:00:00.123456Z`])

const SAMPLES: ReadonlyMap<number, Samples> = new Map<number, Samples>([
  [
    16,
    [
      ['t', true],
      ['f', false],
    ],
  ],
  [INT8, [...INTEGERS, ['9007199254740993', 9_007_199_254_740_993n]]],
  [21, INTEGERS],
  [23, INTEGERS],
  [700, FLOATS],
  [701, FLOATS],
  [DATE, DAYS.map((day) => [day, Date.parse(day)])],
  [TIMESTAMP, momentsIn('')],
  [TIMESTAMPTZ, momentsIn('+00')],
])
