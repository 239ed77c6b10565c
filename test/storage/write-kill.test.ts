import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { temporaryPath } from '../contract/temporary.ts'

const WRITERS = 64
/** Deaths of the server; `node scripts/prove-durability.ts` asks for more. */
const KILLS = Number(process.env['KILLS'] ?? 4)
/** Those of one test, on one file. */
const ROUNDS = Math.min(KILLS, 10)

/** What a server has acknowledged before it died. */
interface Told {
  readonly created: Map<string, number>
  /** By row: the last value that was acknowledged, and the last that was sent. */
  readonly values: Map<number, { told: number; sent: number }>
  readonly pairs: string[]
  refused: number
}

test.each(Array.from({ length: Math.ceil(KILLS / ROUNDS) }, (_, index) => index + 1))(
  'what was acknowledged outlives kill -9 under 64 writers, and nothing is half done: part %i',
  async () => {
    const path = temporaryPath()
    const told: Told = { created: new Map(), values: new Map(), pairs: [], refused: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      await writeUntilKilled(path, `r${round}`, told)
      expectAll(path, told)
    }
    expect(told.created.size).toBeGreaterThan(ROUNDS)
    expect(told.refused).toBeGreaterThan(0)
    if (process.env['KILLS'] !== undefined)
      console.log(
        `${ROUNDS} kills: ${told.created.size} rows, ${told.values.size} changed, ${told.pairs.length} pairs acknowledged; none lost, none half done; ${told.refused} refused`,
      )
  },
)

async function writeUntilKilled(path: string, round: string, told: Told): Promise<void> {
  const program = ['test/storage/writing-until-killed.ts', path]
  const server = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string]
  const agent = new Agent({ keepAlive: true })
  let left = randomInt(1, 600)
  const acknowledged = (): void => {
    // Others are under way at this moment, in whatever state they are.
    if (--left === 0) server.kill('SIGKILL')
  }
  const ask = async (method: string, where: string, body: unknown = {}) => {
    const answer = await send(agent, method, new URL(where, url), body)
    if (answer !== null) acknowledged()
    return answer
  }
  const writers = Array.from({ length: WRITERS }, (_, number) =>
    write(ask, `${round}-${number}`, told),
  )
  const [[, signal]] = await Promise.all([once(server, 'close'), ...writers])
  expect(signal).toBe('SIGKILL')
  agent.destroy()
}

type Ask = (method: string, where: string, body?: unknown) => Promise<Answer | null>

/** Until the server is gone. */
async function write(ask: Ask, writer: string, told: Told): Promise<void> {
  for (let number = 0; ; number++) {
    const name = `${writer}-${number}`
    const made = await ask('POST', '/entries/', { name, value: 0 })
    if (made === null) return
    expect(made.status).toBe(201)
    const { id } = made.data as { id: number }
    told.created.set(name, id)
    // A name that is taken already: it fails among those that do not.
    const again = await ask('POST', '/entries/', { name, value: -1 })
    if (again === null) return
    expect(again.status).toBe(400)
    told.refused++
    const value = { told: 0, sent: 1 }
    told.values.set(id, value)
    const changed = await ask('PATCH', `/entries/${id}/`, { value: 1 })
    if (changed === null) return
    expect(changed.status).toBe(200)
    value.told = 1
    const paired = await ask('POST', `/pairs/${name}/`)
    if (paired === null) return
    expect(paired.status).toBe(200)
    told.pairs.push(name)
  }
}

interface Answer {
  readonly status: number
  readonly data: unknown
}

/** `null`: the server died before all of its answer had come. */
async function send(agent: Agent, method: string, url: URL, body: unknown): Promise<Answer | null> {
  try {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method, agent, headers }).end(JSON.stringify(body))
    const [response] = await once(sent, 'response')
    const data: unknown = JSON.parse(await text(response))
    return { status: response.statusCode, data }
  } catch (error) {
    // A wrong answer is no lost connection.
    if (error instanceof SyntaxError) throw error
    return null
  }
}

function expectAll(path: string, told: Told): void {
  const database = openSqlite({ path })
  const rows = (sql: string) => database.rows({ sql, parameters: [] }).values
  expect(rows('pragma integrity_check')).toEqual([['ok']])
  const entries = new Map(
    (rows('select id, name, value from entry') as [number, string, number][]).map(
      ([id, name, value]) => [id, { name, value }],
    ),
  )
  const lost = [...told.created].filter(([name, id]) => entries.get(id)?.name !== name)
  expect(lost).toEqual([])
  const changed = [...told.values].filter(([id, { told: least, sent }]) => {
    const value = entries.get(id)?.value ?? -1
    return value < least || value > sent
  })
  expect(changed).toEqual([])
  // A refused write has left nothing.
  expect(rows('select count(*) from entry where value < 0')).toEqual([[0]])
  const halves = rows('select pair, count(*) from half group by pair') as [string, number][]
  expect(halves.filter(([, count]) => count !== 2)).toEqual([])
  const pairs = new Set(halves.map(([pair]) => pair))
  expect(told.pairs.filter((pair) => !pairs.has(pair))).toEqual([])
  database.close()
}
