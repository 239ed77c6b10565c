// `node scripts/conformance.ts postgres|mysql`: runs the conformance cases on a database server of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startMariadb } from './servers/mariadb.ts'
import { startPostgres } from './servers/postgres.ts'

const starts = { postgres: startPostgres, mysql: startMariadb } as const

const [dialect = ''] = process.argv.slice(2)
if (!(dialect === 'postgres' || dialect === 'mysql')) {
  throw new Error(`There is no "${dialect}" here. Say postgres or mysql.`)
}
const server = await starts[dialect]()
try {
  const env = { ...process.env, DATABASE_URL: server.url }
  const run = spawn(process.execPath, ['conformance/run.ts'], { env, stdio: 'inherit' })
  const [status] = (await once(run, 'close')) as [number | null]
  process.exitCode = status ?? 1
} finally {
  await server.stop()
}
