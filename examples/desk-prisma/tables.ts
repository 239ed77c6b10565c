// The support desk of docs/tutorial over models of Prisma. This file and `organisations.ts` replace those of the tutorial.
import { readFileSync } from 'node:fs'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import { prismaTable } from 'colophon/prisma'
import { defineMigrations, migration, openDatabase, plainSql } from 'colophon/sql'
import { PrismaClient } from './generated/prisma/client.ts'

// The output of `prisma migrate`. `prisma migrate deploy` would work too, beside `colophon migrate`.
const file = 'prisma/migrations/0001_desk/migration.sql'
const written = readFileSync(new URL(file, import.meta.url), 'utf8')
const statements = written.split('\n\n').map((each) => plainSql(each))

/** The database of people and their tokens. */
export const database = openDatabase({
  migrations: defineMigrations([migration('0001_desk', statements)]),
})
const path = process.env['DATABASE_URL']?.replace('sqlite:', '') ?? 'colophon.sqlite'
export const prisma = new PrismaClient({ adapter: new PrismaLibSql({ url: `file:${path}` }) })

export const organisations = prismaTable({ prisma, model: 'organisation', key: 'id' })
export const members = prismaTable({ prisma, model: 'member', key: 'id' })
export const tickets = prismaTable({ prisma, model: 'ticket', key: 'id' })
export const comments = prismaTable({ prisma, model: 'comment', key: 'id' })
export const files = prismaTable({ prisma, model: 'file', key: 'id' })

/** The organisations that a person belongs to. */
export async function organisationsOf(person: number): Promise<number[]> {
  const rows = await prisma.member.findMany({ where: { person } })
  return rows.map((row) => row.organisation)
}
