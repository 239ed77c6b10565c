// The support desk of docs/tutorial over models of Prisma. This file and `organisations.ts` replace those of the tutorial.
import { PrismaLibSql } from '@prisma/adapter-libsql'
import { prismaTable } from 'colophon/prisma'
import { openDatabase } from 'colophon/sql'
import { PrismaClient } from './generated/prisma/client.ts'

/** The database of people and their tokens. */
export const database = openDatabase()
const path = process.env['DATABASE_URL']?.replace('sqlite:', '') ?? 'colophon.sqlite'
/** A file of its own, which `prisma migrate deploy` makes: two libraries of SQLite in one process do not see the locks of each other. */
const url = `file:${path}.desk`
const adapter = new PrismaLibSql({ url, timeout: 5000, intMode: 'bigint' })
export const prisma = new PrismaClient({ adapter })

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
