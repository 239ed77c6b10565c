// The support desk of docs/tutorial over a schema of Drizzle. This file replaces its `tables.ts`; the others stay the same.
import { readFileSync } from 'node:fs'
import { drizzleTable } from 'colophon/drizzle'
import { defineMigrations, migration, openDatabase, plainSql } from 'colophon/sql'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import * as schema from './schema.ts'

// The output of `drizzle-kit generate`. `drizzle-kit migrate` would work too, beside `colophon migrate`.
const written = readFileSync(new URL('drizzle/0000_desk.sql', import.meta.url), 'utf8')
const statements = written.split('--> statement-breakpoint').map((each) => plainSql(each))

export const database = openDatabase({
  migrations: defineMigrations([migration('0001_desk', statements)]),
})
/** Runs queries of Drizzle on the connection of Colophon. */
export const db = drizzle(async (sql, parameters) => {
  const { values } = await database.rows({ sql, parameters })
  return { rows: [...values] }
})

export const organisations = drizzleTable({ database, db, table: schema.organisations, key: 'id' })
export const members = drizzleTable({ database, db, table: schema.members, key: 'id' })
export const tickets = drizzleTable({ database, db, table: schema.tickets, key: 'id' })
export const comments = drizzleTable({ database, db, table: schema.comments, key: 'id' })
export const files = drizzleTable({ database, db, table: schema.files, key: 'id' })

/** The organisations that a person belongs to. */
export async function organisationsOf(person: number): Promise<number[]> {
  const { organisation } = schema.members
  const rows = await db
    .select({ organisation })
    .from(schema.members)
    .where(eq(schema.members.person, person))
  return rows.map((row) => row.organisation)
}
