// A program that writes as fast as it can for some time, and prints how that went.
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { openSqlite } from '../../src/databases/sqlite/open.ts'

/** What became of the writes of one process. */
export interface Contention {
  readonly written: number
  readonly refused: readonly string[]
  /** Milliseconds that the event loop stood still, or slept too long: the 99th of a hundred. */
  readonly delay: number
}

const [path = '', milliseconds = '0'] = process.argv.slice(2)
const database = openSqlite({ path })
const insert = { sql: 'insert into word (word) values (?)', parameters: [process.pid] }

process.stdout.write('ready\n')
await once(process.stdin, 'data')
const histogram = monitorEventLoopDelay({ resolution: 1 })
histogram.enable()
const result = await writeUntil(performance.now() + Number(milliseconds))
const contention: Contention = { ...result, delay: histogram.percentile(99) / 1e6 }
process.stdout.write(JSON.stringify(contention))
database.close()
process.stdin.destroy()

async function writeUntil(end: number): Promise<Omit<Contention, 'delay'>> {
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
