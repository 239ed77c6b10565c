import { afterAll } from 'vitest'
import { prismaTable } from '../../../src/prisma.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { type OpenOrm, type Orm, makeOrmTables, testOrmStore } from '../../contract/orm-store.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'
import type { DialectName } from '../../setup/dialects.ts'
import { type AnyClient, openPrisma } from './clients.ts'

const open: OpenOrm = async (dialect) => {
  const url =
    dialect === 'sqlite' ? temporaryPath(afterAll) : await emptyDatabaseUrl(dialect, afterAll)
  const database =
    dialect === 'sqlite' ? openSqlite({ path: url }) : opened(dialect, url, {}, afterAll)
  if (dialect === 'sqlite') afterAll(() => database.close())
  await makeOrmTables(database, dialect, 'utf8mb4_general_ci')
  const prisma = await openPrisma(dialect, url)
  return { database, orm: ormOf(prisma) }
}

function ormOf(prisma: AnyClient): Orm {
  const relations = { team: { columns: ['name'] } }
  const table = (model: string, given = {}) =>
    prismaTable({ prisma, model, key: 'id', ...given } as never) as never
  return {
    items: table('item'),
    teams: table('team'),
    tickets: table('ticket', { relations }),
    selectTickets: () => prisma.ticket.findMany({ orderBy: { id: 'asc' } }),
    renameTeam: (transaction: AnyClient, id, name) =>
      transaction.team.update({ where: { id }, data: { name } }),
    transact: (work) => prisma.$transaction(work),
    close: () => prisma.$disconnect(),
  }
}

/** What Prisma cannot say, by the database. */
const lacks = (
  asked: { readonly field: string; readonly operator?: string; readonly value?: unknown },
  dialect: DialectName,
): boolean => {
  const { field, operator, value } = asked
  if (operator === undefined) return field.includes('.')
  if (operator.startsWith('i') && field === 'kind') return operator === 'icontains'
  if (dialect !== 'sqlite' || field !== 'name') return false
  return operator === 'iequals' || (operator === 'icontains' && /[%_]/.test(String(value)))
}

// `WALKS=1000 npx vitest run …` takes some minutes.
testOrmStore('Prisma', open, {
  walks: Number(process.env['WALKS'] ?? 20),
  statements: 'theirs',
  lacks,
})
