import { EventEmitter } from 'node:events'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgres } from '../../../src/databases/postgres/open.ts'
import { type Line, readRows } from '../../../src/databases/postgres/query.ts'
import { emptyDatabaseUrl } from '../../setup/databases.ts'

const DATA_ROW = 0x44

function message(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(kind)
  head.writeUInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

function row(...values: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeUInt16BE(values.length)
  const parts = values.map((value) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value))
    return Buffer.concat([length, Buffer.from(value ?? '')])
  })
  return message(DATA_ROW, Buffer.concat([count, ...parts]))
}

const complete = message(0x43, Buffer.from('SELECT 2\0'))
const ready = message(0x5a, Buffer.from('I'))
const ANSWERS = Buffer.concat([
  message(0x32, Buffer.alloc(0)),
  row('1', 'one', null),
  row(null, 'é', ''),
  complete,
  ready,
  row(),
  row('x'.repeat(300), 'DDDDD', 'long'),
  row('after'),
  // A text with a D in it, as rows begin with one.
  message(0x4e, Buffer.from('MDDDDDDD\0\0')),
  row('last', '\u0080', '😀'),
  complete,
  ready,
])

/** What `pg` tells of the chunks. */
function told(chunks: readonly Buffer[], before: (line: Line) => void): unknown[] {
  const stream = new EventEmitter()
  const connection = new pg.Connection({ stream: stream as never }) as pg.Connection & {
    attachListeners(from: EventEmitter): void
  }
  connection.attachListeners(stream)
  const events: unknown[] = []
  connection.on('dataRow', ({ fields }: { readonly fields: unknown }) => events.push(fields))
  for (const name of ['bindComplete', 'commandComplete', 'readyForQuery', 'notice'])
    connection.on(name, () => events.push(name))
  before(connection)
  // The driver writes into what it got.
  for (const chunk of chunks) stream.emit('data', Buffer.from(chunk))
  return events
}

describe('rows that are read here', () => {
  const expected = told([ANSWERS], () => undefined)

  test('are those that the driver reads, however the bytes are cut', () => {
    expect(expected).toHaveLength(12)
    expect(told([ANSWERS], readRows)).toEqual(expected)
    for (let cut = 0; cut <= ANSWERS.length; cut++)
      expect(told([ANSWERS.subarray(0, cut), ANSWERS.subarray(cut)], readRows)).toEqual(expected)
    for (const size of [1, 2, 3, 5, 7, 64]) {
      const chunks: Buffer[] = []
      for (let at = 0; at < ANSWERS.length; at += size) chunks.push(ANSWERS.subarray(at, at + size))
      expect(told(chunks, readRows)).toEqual(expected)
    }
  })

  test('are read one after the other, also where nobody looks at one', () => {
    const seen: unknown[] = []
    const look = (line: Line): void => {
      readRows(line)
      let number = 0
      const every = line as never as EventEmitter
      every.removeAllListeners('dataRow')
      every.on('dataRow', (rows: { readonly fields: unknown }) => {
        if (number++ % 2 === 1) seen.push(rows.fields)
      })
    }
    told([ANSWERS], look)
    const rows = expected.filter((one) => Array.isArray(one))
    expect(seen).toEqual(rows.filter((_, index) => index % 2 === 1))
  })

  test('are left to the driver where somebody else reads along', () => {
    const listen = (line: Line): void => {
      line.stream.on('data', () => undefined)
      const before = line.stream.listeners('data')
      readRows(line)
      expect(line.stream.listeners('data')).toEqual(before)
    }
    expect(told([ANSWERS], listen)).toEqual(expected)
  })

  test('are those of every query on the connection, over many chunks', async () => {
    const pool = new pg.Pool({ connectionString: await emptyDatabaseUrl('postgres'), max: 1 })
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
