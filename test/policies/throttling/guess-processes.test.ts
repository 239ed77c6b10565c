// Wrong passwords that come to several processes at once, whose counters are in one database of SQLite.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { configurationOf, defineApi, obtainToken } from '../../../src/index.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'
import { temporaryPath } from '../../contract/temporary.ts'

/** A process that is ready to guess, and begins when it is told to. */
async function started(...args: readonly string[]) {
  const program = ['test/policies/throttling/guessing-process.ts', ...args]
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  const counts = async () => JSON.parse(String((await lines.next()).value)) as Counts
  return { counts, begin: () => void child.stdin.write('begin\n') }
}

interface Counts {
  readonly hashed: number
  readonly limited: number
  readonly wrong: number
}

test('four processes hash ten wrong passwords together, and limit no owner at home', async () => {
  const path = temporaryPath()
  const database = openSqlite({ path })
  onTestFinished(() => database.close())
  await database.migrate()
  const passwordCost = { memory: 8, passes: 1, parallelism: 1 }
  const accounts = defineAccounts({ database, secretKey: 'a secret of these tests', passwordCost })
  await accounts.users.create({ username: 'ada', password: 'analytical engine' })
  const api = defineApi({
    urls: { token: '/token/' },
    counters: database.counters,
    credentialFailures: '10/h',
  })
  const app = api.serve([api.endpoint('token').post(obtainToken({ accounts }))], {
    configuration: configurationOf(),
  })
  const json = { username: 'ada', password: 'analytical engine' }
  const environ = { REMOTE_ADDR: '192.0.2.1' }
  expect((await client(app).post('/token/', { environ, json })).status).toBe(200)

  const names = ['1', '2', '3', '4']
  const processes = await Promise.all(names.map((name) => started(path, name, '100')))
  for (const { begin } of processes) begin()
  const counts = await Promise.all(processes.map((each) => each.counts()))
  const sum = (of: keyof Counts) => counts.reduce((total, each) => total + each[of], 0)
  expect(sum('limited')).toBe(0)
  expect(sum('wrong')).toBe(10)
  // With the five times of the owner in each process.
  expect(sum('hashed')).toBeLessThanOrEqual(10 + 20)
})
