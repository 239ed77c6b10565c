import { describe, expect, test } from 'vitest'
import type { ServerDatabase } from '../../src/storage/sql/sql-database.ts'
import { type ServerDialect, SERVERS, emptyDatabase, placeholder } from '../setup/databases.ts'

const MOST = 300

/** A statement of its own for each number, with as many characters as that. */
function numbered(dialect: ServerDialect, number: number, characters = 0) {
  const sql = `select ${placeholder(dialect, 1)} as a /* ${number} ${'x'.repeat(characters)} */`
  return { sql, parameters: [String(number)] }
}

/** Statements that the server keeps for the connection, with their characters where it tells. */
async function kept(
  dialect: ServerDialect,
  database: ServerDatabase,
): Promise<{ readonly number: number; readonly characters: number }> {
  if (dialect === 'postgres') {
    const sql = `select count(*) as number, coalesce(sum(length(statement)), 0) as characters
      from pg_prepared_statements`
    const [row] = await database.read<{ number: number; characters: number }>({
      sql,
      parameters: [],
    })
    return row!
  }
  const sql = `show session status where variable_name in ('Com_stmt_prepare', 'Com_stmt_close')`
  const { values } = await database.rows({ sql, parameters: [] })
  const { Com_stmt_prepare: made, Com_stmt_close: closed } = Object.fromEntries(values)
  return { number: Number(made) - Number(closed), characters: 0 }
}

describe.each(SERVERS)('prepared statements of %s', (dialect) => {
  test('are bounded in number, whatever texts there are', async () => {
    const database = await emptyDatabase(dialect, { connections: 1 })
    for (let number = 0; number < 500; number++) {
      for (let times = 0; times < 3; times++) await database.rows(numbered(dialect, number))
      if (number % 100 === 0)
        expect((await kept(dialect, database)).number).toBeLessThanOrEqual(MOST)
    }
    expect((await kept(dialect, database)).number).toBeLessThanOrEqual(MOST)
  })

  test('those in use are prepared, however many one-off texts there were before', async () => {
    const database = await emptyDatabase(dialect, { connections: 1 })
    for (let number = 0; number < 400; number++)
      for (let times = 0; times < 2; times++) await database.rows(numbered(dialect, number))
    const before = (await kept(dialect, database)).number
    for (let number = 1000; number < 1005; number++)
      for (let times = 0; times < 4; times++) await database.rows(numbered(dialect, number))
    const { number } = await kept(dialect, database)
    expect(number).toBeGreaterThan(0)
    if (dialect === 'postgres') {
      const names = `select count(*) as n from pg_prepared_statements where statement like '%/* 100_ %'`
      const [row] = await database.read<{ n: number }>({ sql: names, parameters: [] })
      expect(row!.n).toBe(5)
    } else expect(before).toBe(MOST)
  })

  test('are bounded in memory: long texts are not kept, and neither is a lot of middling ones', async () => {
    const database = await emptyDatabase(dialect, { connections: 1 })
    const before = (await kept(dialect, database)).number
    for (let number = 0; number < 20; number++)
      for (let times = 0; times < 3; times++) await database.rows(numbered(dialect, number, 5000))
    // One more is the question itself.
    expect((await kept(dialect, database)).number).toBeLessThanOrEqual(before + 1)
    for (let number = 0; number < 200; number++)
      for (let times = 0; times < 3; times++) await database.rows(numbered(dialect, number, 4000))
    expect((await kept(dialect, database)).characters).toBeLessThanOrEqual(256_000)
  })

  test('of the same text by turns of many connections answer right', async () => {
    const database = await emptyDatabase(dialect, { connections: 4, connectTimeout: 300_000 })
    for (let round = 0; round < 3; round++) {
      const asked = Array.from({ length: 700 }, (_, number) => number)
      const found = await Promise.all(
        asked.map((number) => database.rows(numbered(dialect, number))),
      )
      expect(found.map(({ values }) => values[0]![0])).toEqual(asked.map(String))
    }
  })
})
