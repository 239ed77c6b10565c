// Walks that are interrupted while rows of a table come and go, over a network that fails now and then.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, routesOf } from '../../../src/client.ts'
import {
  CursorPagination,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from '../../../src/index.ts'
import { type RunningServer, serve } from '../../../src/node.ts'
import {
  type TablesOf,
  column,
  createTable,
  defineMigrations,
  migration,
  sqlTable,
} from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { chanceFrom, drawnSeed } from './walks.ts'
import { FATES, type Unsteady, unsteady } from './unsteady.ts'

const execute = promisify(execFile)
const migrations = defineMigrations([
  migration('0001_number', [createTable('number', { id: column.integer({ primaryKey: true }) })]),
])
const urls = defineUrls({ rows: '/rows/' })
const folder = mkdtempSync(join(tmpdir(), 'colophon-network-'))
const database = openSqlite({ path: join(folder, 'rows.sqlite'), migrations })
const db = database.kysely<TablesOf<typeof migrations>>()
const app = serviceOf()
const seed = drawnSeed()
const { random } = chanceFrom(seed)
let server: RunningServer
let network: Unsteady

beforeAll(async () => {
  await database.migrate()
  const ids = Array.from({ length: 60 }, (_, i) => ({ id: 1000 * i }))
  await db.insertInto('number').values(ids).execute()
  server = await serve(app, { port: 0 })
  const isFailing = (): boolean => random() < 0.3
  network = await unsteady(Number(new URL(server.url).port), () =>
    isFailing() ? FATES[Math.floor(random() * FATES.length)]! : 'none',
  )
})
afterAll(async () => {
  await network.close()
  await server.close()
  database.close()
  rmSync(folder, { recursive: true })
})

function serviceOf() {
  const { source } = sqlTable({ database, db, table: 'number', key: 'id' })
  const api = defineApi({
    urls,
    permissions: [],
    pagination: new CursorPagination({ pageSize: 7, ordering: 'id' }),
  })
  const number = serializer({ id: field.integer() })
  return api.serve([api.endpoint('rows').get(list({ source, serializer: number }))], {
    configuration: configurationOf({ SECRET_KEY: 'a long random text' }),
  })
}

/** Some rows take and some rows leave a place anywhere, but those that stay. */
async function change(stable: ReadonlySet<number>): Promise<void> {
  const id = Math.floor(random() * 60_000)
  const there = await db.selectFrom('number').select('id').orderBy('id').execute()
  const victim = there[Math.floor(random() * there.length)]!.id
  if (!stable.has(victim) && random() < 0.5)
    await db.deleteFrom('number').where('id', '=', victim).execute()
  else if (there.length < 120)
    await db
      .insertInto('number')
      .values({ id })
      .onConflict((on) => on.doNothing())
      .execute()
}

/** About half of the rows: they are there from beginning to end. */
async function chosen(): Promise<ReadonlySet<number>> {
  const there = await db.selectFrom('number').select('id').orderBy('id').execute()
  return new Set(there.map(({ id }) => id).filter(() => random() < 0.5))
}

/** What a walk took until it was interrupted. */
interface Stretch {
  readonly taken: readonly number[]
  readonly checkpoint: string
  readonly isOver: boolean
}
type WalkOn = (checkpoint: string, most: number) => Promise<Stretch>

/** Walks to the end with interruptions, and gives how many there were. */
async function walkedWhole(walkOn: WalkOn, most: number): Promise<number> {
  const stable = await chosen()
  const seen: number[] = []
  let [checkpoint, interruptions] = ['', 0]
  for (let isOver = false; !isOver; interruptions++) {
    const stretch = await walkOn(checkpoint, 1 + Math.floor(random() * most))
    seen.push(...stretch.taken)
    ;({ checkpoint, isOver } = stretch)
    await change(stable)
  }
  expect(seen).toHaveLength(new Set(seen).size)
  expect(seen.filter((id) => stable.has(id))).toEqual([...stable])
  return interruptions - 1
}

/** A client of its own, as a new process has one; it waits no time. */
async function walkAnew(checkpoint: string, most: number): Promise<Stretch> {
  const client = createClient<typeof app>({
    baseUrl: network.url,
    routes: routesOf(urls),
    version: null,
    retry: { retries: 20 },
    clock: { sleep: () => Promise.resolve() },
  })
  const rows = client.rows('rows', { prefetch: random() < 0.5 })
  const walk = checkpoint === '' ? rows : rows.resume(checkpoint)
  const taken: number[] = []
  for await (const { id } of walk)
    if (taken.push(id) === most) return { taken, checkpoint: walk.checkpoint(), isOver: false }
  return { taken, checkpoint: walk.checkpoint(), isOver: true }
}

test(`300 interruptions lose no row, give none twice, and keep the order (WALK_SEED=${seed})`, async () => {
  let interruptions = 0
  while (interruptions < 300) interruptions += await walkedWhole(walkAnew, 12)
  for (const fate of FATES) expect(network.met[fate]).toBeGreaterThan(10)
})

test('nor do 8 in which another process goes on', async () => {
  const program = resolve('test/addons/client/walker.ts')
  const walkOn: WalkOn = async (checkpoint, most) => {
    const args = [program, network.url, checkpoint, String(most)]
    return JSON.parse((await execute(process.execPath, args)).stdout) as Stretch
  }
  let interruptions = 0
  while (interruptions < 8) interruptions += await walkedWhole(walkOn, 12)
})
