// A rule over several rows (docs/recipes/several-rows.md) holds on every database: `update(key, {})` locks a row.
import { expect, test } from 'vitest'
import { sqlTable } from '../../../../src/sql.ts'
import { nextTurn, temporarySqlite } from '../../../contract/temporary.ts'
import { SERVERS, emptyDatabase } from '../../../setup/databases.ts'

interface Tables {
  doctor: { id: number; name: string }
  visit: { id: number; doctor: number; hour: number }
}

test.each(['sqlite', ...SERVERS] as const)('a row is locked without a change: %s', async (name) => {
  const database = name === 'sqlite' ? temporarySqlite() : await emptyDatabase(name)
  const run = async (sql: string) => database.write({ sql, parameters: [] })
  await run('create table doctor (id integer primary key, name varchar(9) not null)')
  await run(
    'create table visit (id integer primary key, doctor integer not null, hour integer not null)',
  )
  await run(`insert into doctor values (1, 'Lee')`)
  const db = database.kysely<Tables>()
  const doctors = sqlTable({ database, db, table: 'doctor', key: 'id' })
  const visits = sqlTable({ database, db, table: 'visit', key: 'id' })
  const book = (id: number) =>
    database.transaction(async (transaction) => {
      expect(await doctors.in(transaction).update(1, {})).toEqual({ id: 1, name: 'Lee' })
      const within = visits.in(transaction)
      const others = within.only((query) => query.where('doctor', '=', 1).where('hour', '=', 9))
      const isFree = (await others.source.slice(0, 1)).length === 0
      // Time for the others to look, too.
      for (let turn = 0; turn < 5; turn++) await nextTurn()
      if (isFree) await within.insert({ id, doctor: 1, hour: 9 })
      return isFree
    })
  const booked = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(book))
  expect(booked.filter(Boolean)).toHaveLength(1)
  expect(await visits.source.count()).toBe(1)
})
