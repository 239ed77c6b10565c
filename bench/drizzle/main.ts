// CPU time of a server for a page of 100 rows: a table of Drizzle, or a model of Prisma, ÷ the same table of `sqlTable`, both
// in one process, in interleaved rounds. `npm run bench -- drizzle [rounds] [drizzle | prisma]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMariadb } from '../../scripts/servers/mariadb.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { compare } from '../http/rounds.ts'
import { startServer } from '../http/server-process.ts'

const rounds = Number(process.argv[2] ?? 15)
const orms = process.argv[3] === undefined ? ['drizzle', 'prisma'] : [process.argv[3]]
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()])
try {
  for (const orm of orms) {
    await measure(orm, 'SQLite', join(folder, `${orm}.sqlite`))
    await measure(orm, 'PostgreSQL', postgres.url)
    // Drizzle's tables are declared for each kind of database, and here for two kinds.
    if (orm === 'prisma') await measure(orm, 'MariaDB', mariadb.url)
  }
} finally {
  await Promise.all([postgres.stop(), mariadb.stop()])
  rmSync(folder, { recursive: true })
}

async function measure(orm: string, database: string, address: string): Promise<void> {
  const server = await startServer(new URL('server.ts', import.meta.url), [address, orm])
  const asking = (path: string) => ({
    server,
    request: () => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n`,
  })
  try {
    for (const work of ['plain', 'all']) {
      const { low, median, high, own, hand } = await compare({
        ours: asking(`/orm/${work}/`),
        theirs: asking(`/own/${work}/`),
        connections: 16,
        requests: 400,
        rounds,
      })
      const [ratio, from, to] = [median, low, high].map((each) => each.toFixed(2))
      const costs = `${own.toFixed(0)} : ${hand.toFixed(0)} µs`
      console.log(`${orm} on ${database}, ${work}: ${costs}, × ${ratio} (${from} to ${to})`)
    }
  } finally {
    server.stop()
  }
}
