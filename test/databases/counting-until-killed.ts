// A program that asks for many requests at once, and prints how many passed; or goes on until it is killed, and
// prints the number of each that passed when it is acknowledged.
import { openMysql } from '../../src/databases/mysql/open.ts'
import { openPostgres } from '../../src/databases/postgres/open.ts'
import { openSqlite } from '../../src/databases/sqlite/open.ts'
import type { Limit } from '../../src/contract/throttling.ts'
import type { DialectName } from '../setup/databases.ts'

const [dialect = '', address = '', count = '0', given = '[]'] = process.argv.slice(2)
const open = {
  sqlite: () => openSqlite({ path: address }),
  postgres: () => openPostgres({ url: address }),
  mysql: () => openMysql({ url: address }),
}
const database = open[dialect as DialectName]()
const sets = JSON.parse(given) as readonly (readonly Limit[])[]

async function passes(number: number): Promise<boolean> {
  const limits = sets[number % sets.length]!
  const { standings } = await database.counters.hit({ limits, at: null, counting: true })
  return standings.every(({ allowed }) => allowed)
}

/** Connected, and with everything loaded. */
await database.counters.hit({ limits: sets[0]!, at: null, counting: false })
process.stdout.write('ready\n')
await new Promise((resolve) => void process.stdin.once('data', resolve))
process.stdin.destroy()

if (count === 'endless') {
  await Promise.all(
    Array.from({ length: 50 }, async (_, number) => {
      for (;;) if (await passes(number)) process.stdout.write('passed\n')
    }),
  )
}
const outcomes = await Promise.all(Array.from({ length: Number(count) }, (_, i) => passes(i)))
process.stdout.write(`${outcomes.filter(Boolean).length}\n`)
await database.close()
