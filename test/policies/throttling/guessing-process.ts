// A program that tries many wrong passwords at once, and prints how many of them were hashed and how many were answered
// as wrong. Another owner logs in meanwhile: it prints how often that was refused.
import { HashQueue } from '../../../src/accounts/passwords/hash-queue.ts'
import type { Requester } from '../../../src/core/ports/credentials.ts'
import { configurationOf, defineApi, obtainToken } from '../../../src/index.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'

const [path = '', name = '', count = '0'] = process.argv.slice(2)
const database = openSqlite({ path })
let hashed = 0
class CountingQueue extends HashQueue {
  override async run<T>(work: () => Promise<T>, requester?: Requester): Promise<T> {
    const done = await super.run(work, requester)
    hashed++
    return done
  }
}
const accounts = defineAccounts({
  database,
  secretKey: 'a secret of these tests',
  passwordCost: { memory: 8, passes: 1, parallelism: 1 },
  hashQueue: new CountingQueue({ running: 3, waiting: 2000 }),
})
const api = defineApi({
  urls: { token: '/token/' },
  counters: database.counters,
  credentialFailures: '10/h',
  // Where the store is too slow, no other one counts.
  onStoreError: 'deny',
  logger: { error: () => undefined },
})
const app = api.serve([api.endpoint('token').post(obtainToken({ accounts }))], {
  configuration: configurationOf(),
})
const { post } = client(app)
const logIn = async (place: string, username: string, password: string): Promise<number> => {
  const environ = { REMOTE_ADDR: place }
  const { status } = await post('/token/', { environ, json: { username, password } })
  // Where the store was too slow, nothing was counted: once more.
  return status === 503 ? logIn(place, username, password) : status
}

process.stdout.write('ready\n')
await new Promise((resolve) => void process.stdin.once('data', resolve))
process.stdin.destroy()

const wrong = Promise.all(
  Array.from({ length: Number(count) }, (_, at) =>
    logIn(`10.${name}.${at >> 8}.${at & 255}`, 'ada', `wrong ${name} ${at}`),
  ),
)
const owner = await Promise.all(
  Array.from({ length: 5 }, () => logIn('192.0.2.1', 'ada', 'analytical engine')),
)
const answers = await wrong
const limited = owner.filter((status) => status === 429).length
const refusals = answers.filter((status) => status === 400).length
process.stdout.write(`${JSON.stringify({ hashed, limited, wrong: refusals })}\n`)
database.close()
