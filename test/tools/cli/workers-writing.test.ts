// Four workers that write at the same time: every row that was acknowledged is there, once, and a rate holds for all of them.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { load } from '../../../scripts/faults/load.ts'
import { Service, migrate } from '../../../scripts/faults/service.ts'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { emptyDatabaseUrl } from '../../setup/databases.ts'
import { MAIN as main, beside } from './colophon.ts'

const DATABASES = {
  SQLite: async () => {
    const path = temporaryPath()
    return { url: `sqlite:${path}`, open: () => openSqlite(path) }
  },
  PostgreSQL: async () => {
    const url = await emptyDatabaseUrl('postgres')
    return { url, open: () => openPostgres({ url, connections: 1 }) }
  },
} as const

test.each(['SQLite', 'PostgreSQL'] as const)('%s under four workers', async (name) => {
  const { url, open } = await DATABASES[name]()
  const env = { DATABASE_URL: url, COLOPHON_THROTTLE_STORE: 'database', LIMIT: '100' }
  const app = join(beside('scripts/faults'), 'app.ts')
  await migrate(env, app, main)
  const service = await Service.start({ env, app, main })
  onTestFinished(() => service.stop())
  const written = await load(service.url, { most: 800, pause: 0, clients: 32 }).done
  expect(written).toMatchObject({ unavailable: 0, unanswered: 0, refused: 0 })
  expect(written.acknowledged.length).toBeGreaterThanOrEqual(800)
  const database = open()
  onTestFinished(() => database.close())
  const rows = await database.read<{ n: number }>({ sql: 'select n from note', parameters: [] })
  const ascending = (one: number, other: number): number => one - other
  const kept = rows.map(({ n }) => n).toSorted(ascending)
  expect(kept).toEqual(written.acknowledged.toSorted(ascending))
  const asked = await load(service.url, { most: 300, pause: 0, clients: 32, path: '/limited/' })
    .done
  expect(asked).toMatchObject({ allowed: 100, unavailable: 0, unanswered: 0 })
})
