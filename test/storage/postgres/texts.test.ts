import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import fc from 'fast-check'
import pg, { type PoolConfig } from 'pg'
import { describe, expect, test } from 'vitest'
import type { WrittenKind } from '../../../src/core/ports/list-source.ts'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import { type PostgresPool, createPool } from '../../../src/storage/postgres/pool.ts'
import { readingRows } from '../../../src/storage/postgres/query.ts'
import { exactTextOf } from '../../../src/core/std/exact-date.ts'
import { SentRows, toRowObjects } from '../../../src/core/std/row-objects.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'

const { Pool, types } = pg

const SQL = `select 7::int2 as small, -7::int4 as integer, 7::int8 as big, 9007199254740993 as huge, 1.50::numeric as price,
  1.5::float8 as float, true as truth, '2024-02-29'::date as day, '2024-02-29 12:00:00.123456'::timestamp as at,
  '2024-02-29 12:00:00.5+00'::timestamptz as moment, 'é'::text as text, 'a'::char(3) as padded,
  '00000000-0000-0000-0000-000000000001'::uuid as uuid, '{"a":1}'::jsonb as json, array[1, 2] as list,
  '192.168.1.1/24'::inet as address, null::int4 as nothing, '12:00'::time as clock`

async function answers(pool: PostgresPool) {
  const database = openPostgres({ pool })
  const written = await database.rows({ sql: SQL, parameters: [], asWritten: true })
  const plain = await database.rows({ sql: SQL, parameters: [] })
  const again = await database.rows({ sql: SQL, parameters: [], asWritten: true })
  await database.close()
  const kinds = Object.fromEntries(
    written.columns.map((name, place): [string, WrittenKind | null | undefined] => {
      return [name, written.written?.[place] === null ? null : written.written?.[place]?.kind]
    }),
  )
  return { written, plain, again, kinds }
}

const poolOf = async (options: PoolConfig = {}) =>
  new Pool({ connectionString: await emptyDatabaseUrl('postgres'), ...options })

/** The parsers of the driver, but for one type. */
const parsing = (type: number, parse: (text: string) => unknown): PoolConfig => ({
  types: {
    getTypeParser: ((id: number, format: 'text') =>
      id === type ? parse : types.getTypeParser(id, format)) as typeof types.getTypeParser,
  },
})

const USUAL = {
  small: 'integer',
  integer: 'integer',
  big: 'integer',
  huge: 'integer',
  price: 'decimal',
  float: 'float',
  truth: 'boolean',
  // The parser of the driver loses microseconds.
  moment: 'other',
  text: null,
  padded: null,
  uuid: null,
  json: 'other',
  list: 'other',
  address: null,
  clock: null,
} as const

/** A database with one connection, and how many pieces it has sent so far. */
async function watched() {
  const pool = await createPool({
    url: await emptyDatabaseUrl('postgres'),
    connections: 1,
    connectTimeout: 5000,
    lockTimeout: 3000,
    statementTimeout: 10_000,
  })
  let sent = 0
  const watching: PostgresPool = {
    end: async () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
    async connect() {
      const client = await pool.connect()
      const { stream } = (client as never as { connection: { stream: Socket } }).connection
      stream.cork = () => {
        if (stream.writableCorked === 0) sent++
        Socket.prototype.cork.call(stream)
      }
      return client
    },
  }
  return { database: openPostgres({ pool: watching }), pieces: () => sent }
}

/** A message of the server. */
function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(kind), length, body])
}

function dataRow(values: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeUInt16BE(values.length)
  const fields = values.map((value) => {
    const bytes = Buffer.from(value ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(value === null ? -1 : bytes.length)
    return Buffer.concat([length, bytes])
  })
  return message('D', Buffer.concat([count, ...fields]))
}

interface Arrived {
  readonly name: string
  readonly fields?: unknown[]
}

/** What a connection of the driver makes of the pieces that arrive. */
function arrivedBy(
  wrap: (Client: typeof pg.Client) => typeof pg.Client,
  pieces: readonly Buffer[],
): Arrived[] {
  const stream = new EventEmitter()
  const Client = wrap(pg.Client)
  const { connection } = new Client() as never as {
    connection: EventEmitter & { attachListeners(of: object): void }
  }
  const arrived: Arrived[] = []
  for (const name of ['dataRow', 'commandComplete', 'readyForQuery', 'parameterStatus'])
    connection.on(name, (each: Arrived) =>
      arrived.push({ name, ...(name === 'dataRow' && { fields: each.fields! }) }),
    )
  connection.attachListeners(stream)
  for (const piece of pieces) stream.emit('data', piece)
  return arrived
}

describe('values as PostgreSQL writes them', () => {
  test('arrive in any pieces as they do with the driver alone', () => {
    const value = fc.option(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 200, maxLength: 3000 })),
    )
    const one = fc.oneof(
      { weight: 4, arbitrary: fc.array(value, { maxLength: 5 }).map(dataRow) },
      fc.constantFrom(
        message('C', Buffer.from('SELECT 1\0')),
        message('Z', Buffer.from('I')),
        message('S', Buffer.from('a\0b\0')),
      ),
    )
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 12 }),
        fc.array(fc.nat(4000), { maxLength: 20 }),
        (messages, cuts) => {
          const all = Buffer.concat(messages)
          const places = [
            0,
            ...cuts.filter((at) => at < all.length).toSorted((a, b) => a - b),
            all.length,
          ]
          const pieces = places
            .slice(1)
            .map((end, at) => all.subarray(places[at], end))
            .filter(({ length }) => length > 0)
          const alone = arrivedBy((Client) => Client, [all])
          expect(alone.length).toBe(messages.length)
          expect(arrivedBy(readingRows as never, pieces)).toEqual(alone)
        },
      ),
    )
  })

  test('stay bytes in a pool of our own, until they are looked at', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'))
    const [sent, plain] = await Promise.all([
      database.rows({ sql: SQL, parameters: [], asWritten: true }),
      database.rows({ sql: SQL, parameters: [] }),
    ])
    expect(sent).toBeInstanceOf(SentRows)
    expect(toRowObjects(sent)).toEqual(toRowObjects(plain))
    expect(sent.values).toEqual(sent.values)
  })

  test('are texts, and read what other statements have', async () => {
    const { written, plain, again, kinds } = await answers(await poolOf())
    expect(toRowObjects(written)).toEqual(toRowObjects(plain))
    expect(kinds).toMatchObject(USUAL)
    expect(written.values[0]!.every((value) => value === null || typeof value === 'string')).toBe(
      true,
    )
    expect(again.columns).toBe(written.columns)
    expect(again.written).toBe(written.written)
  })

  test('every point in time is the one that was written, with its microseconds', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'))
    const start = Date.UTC(1, 0, 1)
    const year = fc.oneof(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 95, max: 105 }))
    const moment = fc.record({
      at: fc.tuple(year, fc.integer({ min: 0, max: 365 * 86_400 - 1 })),
      micros: fc.oneof(
        fc.integer({ min: 0, max: 999_999 }),
        fc.constantFrom(0, 500_000, 120_000, 1),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 200, maxLength: 400 }), async (moments) => {
        const texts = moments.map(({ at: [inYear, second], micros }) => {
          const date = new Date(start)
          date.setUTCFullYear(inYear)
          const seconds = new Date(date.getTime() + second * 1000).toISOString().slice(0, 19)
          return `${seconds}.${String(micros).padStart(6, '0')}Z`
        })
        const asked = { sql: 'select unnest($1::timestamptz[])', parameters: [texts] }
        const found = (await database.rows(asked)).values.map(([value]) => value as Date)
        const written = found.map((date) => exactTextOf(date) ?? date.toISOString())
        const full = written.map((text) =>
          text.replace(/\.(\d+)Z$/, (_, digits: string) => `.${digits.padEnd(6, '0')}Z`),
        )
        expect(full).toEqual(texts)
        expect(found.map(Number)).toEqual(texts.map((text) => Date.parse(text)))
      }),
      { numRuns: 10 },
    )
  })

  test('in a pool of our own days and points in time are those of UTC', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'))
    const { columns, written } = await database.rows({ sql: SQL, parameters: [], asWritten: true })
    const kindOf = (name: string) => written?.[columns.indexOf(name)]?.kind
    expect(['day', 'at', 'moment'].map(kindOf)).toEqual(['date', 'moment', 'moment'])
  })

  test.each<[what: string, type: number, parse: (text: string) => unknown, column: string]>([
    ['decimals become numbers', types.builtins.NUMERIC, Number, 'price'],
    ['large integers lose digits', types.builtins.INT8, Number, 'big'],
    ['truth becomes a word', types.builtins.BOOL, (text) => (text === 't' ? 'yes' : 'no'), 'truth'],
    ['points in time stay texts', types.builtins.TIMESTAMPTZ, (text) => text, 'moment'],
    ['texts are changed', types.builtins.TEXT, (text) => text.toUpperCase(), 'text'],
    ['integers are refused', types.builtins.INT4, (text) => ({ text }), 'integer'],
    ['days begin elsewhere', types.builtins.DATE, (text) => new Date(`${text}T12:00:00Z`), 'day'],
  ])('a pool in which %s has its way', async (_what, type, parse, column) => {
    const { written, plain, kinds } = await answers(await poolOf(parsing(type, parse)))
    expect(toRowObjects(written)).toEqual(toRowObjects(plain))
    expect(kinds[column]).toBe('other')
  })

  test('integers may be bigints', async () => {
    const pool = await poolOf(parsing(types.builtins.INT8, BigInt))
    const { written, plain, kinds } = await answers(pool)
    expect(toRowObjects(written)).toEqual(toRowObjects(plain))
    expect(toRowObjects(written)[0]).toMatchObject({ big: 7n })
    expect(kinds['big']).toBe('integer')
  })

  test('a driver with queries of its own gives its values', async () => {
    const pool = await poolOf()
    const wrapped: PostgresPool = {
      end: async () => pool.end(),
      on: (event, listener) => pool.on(event, listener),
      async connect() {
        const client = await pool.connect()
        return {
          query: async (query) => client.query(query) as never,
          release: (unusable) => client.release(unusable),
          on: (event, listener) => client.on(event, listener),
          getTypeParser: types.getTypeParser,
        }
      },
    }
    const { written, plain } = await answers(wrapped)
    expect(written.written).toBeUndefined()
    expect(written).toEqual(plain)
  })

  test('a statement that fails says why, and the connection goes on', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'))
    for (let i = 0; i < 3; i++) {
      const failing = database.rows({ sql: 'select 1 / $1', parameters: [0], asWritten: true })
      await expect(failing).rejects.toThrow('division by zero')
    }
    const one = await database.rows({ sql: 'select 1 as one', parameters: [], asWritten: true })
    expect(one.values).toEqual([['1']])
  })

  test('columns that changed are seen', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'), { connections: 1 })
    const select = { sql: 'select * from thing where $1 = 1', parameters: [1], asWritten: true }
    await database.write({ sql: 'create table thing (id int)', parameters: [] })
    await database.write({ sql: 'insert into thing values (1)', parameters: [] })
    for (let i = 0; i < 3; i++)
      expect(toRowObjects(await database.rows(select))).toEqual([{ id: 1 }])
    await database.write({ sql: 'alter table thing alter id type text', parameters: [] })
    expect(toRowObjects(await database.rows(select))).toEqual([{ id: '1' }])
    await database.write({ sql: 'alter table thing rename id to name', parameters: [] })
    expect(toRowObjects(await database.rows(select))).toEqual([{ name: '1' }])
  })

  test('values of all kinds arrive as they are, however often a statement comes', async () => {
    const database = opened('postgres', await emptyDatabaseUrl('postgres'), { connections: 1 })
    const sql = `select $1::text as a, $2::int8 as b, $3::bool as c, $4::text[] as d, $5::float8 as e,
      $6::int8 as f, $7::text as g, $8::timestamptz as h, $9::int[] as i`
    const texts = ['', 'NULL', ' a,b ', '{}', String.raw`"\"`, 'é😀', 'null']
    const rows: readonly (readonly unknown[])[] = [
      ['é😀\n"', 7, true, texts, -1.5e-7, 2n ** 62n, null, new Date(5), [1, 2]],
      ['', -1, false, [], Infinity, 0n, 'g', new Date(0), []],
    ]
    for (const parameters of [...rows, ...rows, ...rows]) {
      const { values } = await database.rows({ sql, parameters })
      const exact = parameters.map((value) => (value === 0n ? 0 : value))
      expect(values).toEqual([exact])
    }
    // Without a value that the driver has to write, too.
    const short = { sql: 'select $1::text as a, $2::text[] as d, $3::text as n' }
    for (let i = 0; i < 4; i++) {
      const { values } = await database.rows({ ...short, parameters: [`${i}é`, texts, null] })
      expect(values).toEqual([[`${i}é`, texts, null]])
    }
  })

  test('a prepared statement travels in one piece, and with those asked at the same moment', async () => {
    const { database, pieces } = await watched()
    // Slow, so that there is time for all pages.
    const one = { sql: 'select $1::int as one from pg_sleep(0.3)', parameters: [1] }
    const page = { sql: 'select $1::text as page' }
    const read = (number: number) =>
      database.sharedSnapshot(one, async (_, reader) => {
        return reader.rows({ ...page, parameters: [`${number}`] })
      })
    for (let i = 0; i < 2; i++) await read(i)
    const before = pieces()
    const found = await Promise.all(Array.from({ length: 7 }, (_, number) => read(number)))
    expect(found.map(({ values }) => values[0]![0])).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    // The beginning, the count, four pages, three, and the end.
    expect(pieces() - before).toBe(5)
    await database.close()
  })

  test('a transaction begins in one piece with its first statement', async () => {
    const { database, pieces } = await watched()
    const ask = { sql: 'select 1 as one', parameters: [] }
    for (let i = 0; i < 3; i++) await database.rows(ask)
    const before = pieces()
    await database.transaction(async (transaction) => {
      await transaction.rows(ask)
      await transaction.rows(ask)
    })
    // The beginning with a statement, the other statement, and the end.
    expect(pieces() - before).toBe(3)
    await database.close()
  })

  test('are whole over many chunks, beside other queries on the connection', async () => {
    const pool = new Pool({ connectionString: await emptyDatabaseUrl('postgres'), max: 1 })
    const database = openPostgres({ pool })
    const sql = `select i::text, repeat('a', i % 2000) as long, repeat('é😀', i % 9) as wide,
      case when i % 3 = 0 then i::text end as sometimes from generate_series(1, 5000) as i`
    const found = await database.rows({ sql, parameters: [], asWritten: true })
    // By the driver's own class, on the same connection.
    const { rows } = await pool.query<unknown[]>({ text: sql, rowMode: 'array' })
    expect(rows).toHaveLength(5000)
    expect(rows[1998]).toEqual(['1999', 'a'.repeat(1999), 'é😀', null])
    expect(found.values).toEqual(rows)
    await database.close()
  })
})
