// A program that writes as fast as it can for some time, and prints how that went.
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { openSqlite } from '../../src/storage/sqlite/open.ts'

/** What became of the writes of one process. */
export interface Contention {
  readonly written: number
  readonly refused: readonly string[]
}

const [path = '', milliseconds = '0'] = process.argv.slice(2)
const database = openSqlite({ path })
const insert = { sql: 'insert into word (word) values (?)', parameters: [process.pid] }

process.stdout.write('ready\n')
await once(process.stdin, 'data')
process.stdout.write(JSON.stringify(await writeUntil(performance.now() + Number(milliseconds))))
database.close()
process.stdin.destroy()

async function writeUntil(end: number): Promise<Contention> {
  const refused: string[] = []
  let written = 0
  while (performance.now() < end) {
    try {
      await write(written)
      written++
    } catch (error) {
      refused.push(String(error))
    }
    await setImmediate()
  }
  return { written, refused }
}

/** Every tenth one in a transaction. */
async function write(number: number): Promise<void> {
  if (number % 10 > 0) await database.write(insert)
  else await database.transaction((transaction) => transaction.write(insert))
}
