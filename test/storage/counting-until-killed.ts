// A program that counts as fast as it can, and prints a line for each request that passed when it is acknowledged,
// until it is killed. It waits until each line is written: a line that waits in its memory would die with it.
import { openMysql } from '../../src/storage/mysql/open.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Hit } from '../../src/types.ts'
import type { Limit } from '../../src/core/ports/policies/throttling.ts'
import type { DialectName } from '../setup/dialects.ts'
import { patiently } from '../setup/patiently.ts'

const [dialect = '', address = '', given = ''] = process.argv.slice(2)
const open = {
  sqlite: () => openSqlite({ path: address }),
  postgres: () => openPostgres({ url: address }),
  mysql: () => openMysql({ url: address }),
}
const { counters } = open[dialect as DialectName]()
const limits = [JSON.parse(given) as Limit]
const one: Hit = { limits, at: null, counting: true }

const printed = async (line: string) =>
  new Promise<void>((done) => {
    process.stdout.write(line, () => done())
  })

await Promise.all(
  Array.from({ length: 50 }, async () => {
    for (;;) {
      const { standings } = await patiently(() => counters.hit(one))
      if (standings[0]!.allowed) await printed('passed\n')
    }
  }),
)
