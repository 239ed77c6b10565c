// Another process that locks an SQLite file keeps writes waiting, and nothing else.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'
import { configurationOf, defineApi, reply } from '../../src/index.ts'
import { type SqliteDatabase, openSqlite } from '../../src/sqlite.ts'
import { client } from '../../src/testing.ts'
import { nextTurn, temporaryPath, writeNow } from '../contract/temporary.ts'
import type { Contention } from '../storage/contending-writer.ts'

interface World {
  readonly database: SqliteDatabase
  /** Another connection to the file, as another process has one. */
  readonly stranger: DatabaseSync
}

function world(busyTimeout?: number): World {
  const path = temporaryPath()
  const database = openSqlite({ path, ...(busyTimeout === undefined ? {} : { busyTimeout }) })
  writeNow(database, 'create table word (id integer primary key, word text)')
  const stranger = new DatabaseSync(path)
  onTestFinished(() => {
    stranger.close()
    database.close()
  })
  return { database, stranger }
}

const insert = (word: string) => ({ sql: 'insert into word (word) values (?)', parameters: [word] })
const select = { sql: 'select word from word order by id', parameters: [] }

function words(database: SqliteDatabase): readonly string[] {
  return database.read<{ word: string }>(select).map(({ word }) => word)
}

describe('while another process writes', () => {
  test('POSTs wait in order, every GET is answered, and then the POSTs are done', async () => {
    const { database, stranger } = world()
    const api = defineApi({ urls: { words: '/words/', health: '/health/' } })
    const resource = api
      .endpoint('words')
      .get(() => words(database))
      .post(async ({ query }) => {
        await database.write(insert(query.get('word') ?? ''))
        return reply(null, { status: 201 })
      })
    const health = api.endpoint('health').get(() => 'fine')
    const http = client(api.serve([resource, health], { configuration: configurationOf() }))

    stranger.exec('begin immediate')
    const statuses: number[] = []
    const posts = ['one', 'two', 'three'].map(async (word) => {
      statuses.push((await http.post(`/words/?word=${word}`)).status)
    })
    for (let turn = 0; turn < 50; turn++) {
      expect((await http.get('/health/')).status).toBe(200)
      expect((await http.get('/words/')).data).toEqual([])
      await nextTurn()
    }
    expect(statuses).toEqual([])
    stranger.exec('commit')
    await Promise.all(posts)
    expect(statuses).toEqual([201, 201, 201])
    expect((await http.get('/words/')).data).toEqual(['one', 'two', 'three'])
  })

  test('what comes behind a write that waits keeps its place, transactions too', async () => {
    const { database, stranger } = world()
    stranger.exec('begin immediate')
    const work = [
      Promise.resolve(database.write(insert('one'))),
      database.transaction(async (transaction) => {
        await transaction.write(insert('two'))
        await nextTurn()
        await transaction.write(insert('three'))
      }),
      Promise.resolve(database.write(insert('four'))),
    ]
    await nextTurn()
    stranger.exec('rollback')
    await Promise.all(work)
    expect(words(database)).toEqual(['one', 'two', 'three', 'four'])
    expect(database.write(insert('five'))).not.toBeInstanceOf(Promise)
  })

  test('without end, all that waited for it are refused after one busyTimeout, not after one each', async () => {
    const busyTimeout = 500
    const { database, stranger } = world(busyTimeout)
    stranger.exec('begin immediate')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const refusals: unknown[] = []
    const writes = [
      database.write(insert('one')),
      database.transaction((transaction) => transaction.write(insert('two'))),
      database.write(insert('three')),
      database.write(insert('four')),
    ]
    for (const write of writes)
      void Promise.resolve(write).catch((refusal: unknown) => refusals.push(refusal))
    await vi.advanceTimersByTimeAsync(busyTimeout - 50)
    expect(refusals).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(refusals).toEqual(Array(4).fill(expect.any(DatabaseUnavailable)))
    vi.useRealTimers()
    stranger.exec('rollback')
    await database.write(insert('five'))
    expect(words(database)).toEqual(['five'])
  })

  test('a write that is refused itself, not locked out, is not tried again', async () => {
    const { database, stranger } = world()
    stranger.exec('begin immediate')
    const refused = database.write({ sql: 'insert into word (id) values (?)', parameters: ['a'] })
    const next = database.write(insert('next'))
    stranger.exec('rollback')
    await expect(refused).rejects.toThrow('datatype mismatch')
    await next
    expect(words(database)).toEqual(['next'])
  })

  test('a database that is closed meanwhile keeps nobody waiting', async () => {
    const { database, stranger } = world()
    stranger.exec('begin immediate')
    const write = database.write(insert('one'))
    database.close()
    await expect(write).rejects.toThrow('has been closed')
  })
})

describe('while another process lets nobody open the file', () => {
  /** A file that somebody has for himself. */
  function lockedFile(): World {
    const path = temporaryPath()
    const stranger = new DatabaseSync(path)
    stranger.exec('create table word (id integer primary key, word text)')
    stranger.exec('begin exclusive')
    const database = openSqlite({ path })
    onTestFinished(() => {
      stranger.close()
      database.close()
    })
    return { database, stranger }
  }

  test('reads are refused, and those of one turn knock once between them', async () => {
    const { database, stranger } = lockedFile()
    const refusals = Array.from({ length: 50 }, () => refusal(() => database.read(select)))
    expect(refusals[0]).toBeInstanceOf(DatabaseUnavailable)
    expect(new Set(refusals).size).toBe(1)
    await nextTurn()
    stranger.exec('commit')
    expect(words(database)).toEqual([])
  })

  test('writes, queries and migrations wait', async () => {
    const { database, stranger } = lockedFile()
    const work = [
      database.kysely<{ word: object }>().selectFrom('word').selectAll().execute(),
      Promise.resolve(database.write(insert('one'))),
      database.migrate(),
    ]
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    stranger.exec('commit')
    await Promise.all(work)
    expect(words(database)).toEqual(['one'])
    expect(await database.pendingMigrations()).toEqual([])
  })

  function refusal(work: () => unknown): unknown {
    try {
      return work()
    } catch (error) {
      return error
    }
  }
})

test('four processes that write without a pause: no write is refused or lost, and each has its share', async () => {
  const { database } = world()
  const writers = await Promise.all(Array.from({ length: 4 }, () => contender(database.path)))
  const contentions = await Promise.all(writers.map(run))
  const counts = contentions.map(({ written }) => written)
  const total = counts.reduce((sum, count) => sum + count)
  expect(contentions.flatMap(({ refused }) => refused)).toEqual([])
  expect(words(database)).toHaveLength(total)
  expect(Math.min(...counts)).toBeGreaterThan(total / 4 / 5)
})

type Writer = ChildProcessByStdio<Writable, Readable, null>

async function contender(path: string): Promise<Writer> {
  const writer = spawn(process.execPath, ['test/storage/contending-writer.ts', path, '2000'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void writer.kill())
  await once(writer.stdout, 'data')
  return writer
}

async function run(writer: Writer): Promise<Contention> {
  writer.stdin.write('go\n')
  return JSON.parse(await text(writer.stdout)) as Contention
}
