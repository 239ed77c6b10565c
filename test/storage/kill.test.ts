import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { temporaryPath } from '../contract/temporary.ts'

const WRITER = 'test/storage/kill-writer.ts'
const CREATIONS = 1000
const ROUNDS = 4

interface Acknowledged {
  readonly username: string
  readonly key: string
}

test('what was acknowledged is there after kill -9, and the database opens', async () => {
  const path = temporaryPath()
  const setup = openSqlite({ path })
  await setup.migrate()
  setup.close()

  const acknowledged: Acknowledged[] = []
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged.push(...(await writeAndKill(path, String(round), (CREATIONS / ROUNDS) * 0.6)))
    acknowledged.push(...(await writeAll(path, `${round}-again`, (CREATIONS / ROUNDS) * 0.4)))
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(CREATIONS)
  await expectAll(path, acknowledged)
})

/** Kills the writer, without warning, as soon as it has acknowledged `least` tokens. */
async function writeAndKill(path: string, name: string, least: number): Promise<Acknowledged[]> {
  const writer = start(path, name, 1_000_000)
  const lines = linesOf(writer, (count) => {
    if (count >= least) writer.kill('SIGKILL')
  })
  const [, signal] = await once(writer, 'close')
  expect(signal).toBe('SIGKILL')
  return lines()
}

async function writeAll(path: string, name: string, count: number): Promise<Acknowledged[]> {
  const writer = start(path, name, count)
  const lines = linesOf(writer, () => {})
  const [code] = await once(writer, 'close')
  expect(code).toBe(0)
  expect(lines()).toHaveLength(count)
  return lines()
}

function start(path: string, name: string, count: number): ChildProcess {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return spawn(process.execPath, [WRITER, path, name, String(count)], { stdio: [...stdio] })
}

/** Complete lines only: half a line was not acknowledged. */
function linesOf(writer: ChildProcess, heard: (count: number) => void): () => Acknowledged[] {
  let text = ''
  writer.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part
    heard(text.split('\n').length - 1)
  })
  return () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '))
      .map(([username = '', key = '']) => ({ username, key }))
}

async function expectAll(path: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const database = openSqlite({ path })
  const { users, tokens } = createAccounts({ database, secretKey: () => 'a secret for this test' })
  expect(database.read({ sql: 'pragma integrity_check', parameters: [] })).toEqual([
    { integrity_check: 'ok' },
  ])
  for (const { username, key } of acknowledged) {
    expect((await tokens.verify(key))?.user.username).toBe(username)
    expect(await users.byUsername(username)).not.toBeNull()
  }
  database.close()
}
