// A request may be followed: its steps, its statements, its answer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type AskedStatement,
  type Follower,
  type Observer,
  NotFound,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../src/index.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'following-'))
const database = openSqlite({ path: join(folder, 'data.sqlite') })
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})
await database.write({ sql: 'create table thing (id integer primary key)', parameters: [] })
await database.write({ sql: 'insert into thing values (1), (2)', parameters: [] })

const heard: string[] = []
const statements: AskedStatement[] = []
const records: Readonly<Record<string, unknown>>[] = []
beforeEach(() => {
  heard.length = statements.length = records.length = 0
})

const observer: Observer = Object.assign(
  ({ status }: { readonly status: number }) => void heard.push(`seen ${status}`),
  {
    follow: ({ endpointName }: { readonly endpointName: string }): Follower => ({
      step: (step) => void heard.push(step),
      statement: (statement) => {
        heard.push(`${endpointName}: ${statement.sql}`)
        statements.push(statement)
      },
      ended: ({ status }) => void heard.push(`ended ${status}`),
    }),
  },
)

function appWith(observe: Observer) {
  const urls = defineUrls({
    things: '/things/',
    slow: '/slow/',
    shared: '/shared/:name/',
    gone: '/gone/',
    fails: '/fails/',
  })
  const api = defineApi({
    urls,
    observe,
    authentication: [],
    logger: { error: (record) => void records.push(record) },
  })
  const things = () => database.read({ sql: 'select id from thing', parameters: [] })
  return api.serve(
    [
      api
        .endpoint('things')
        .get(things)
        .post(() => database.write({ sql: 'delete from thing where id > ?', parameters: [4711] })),
      api.endpoint('slow').get(async () => {
        await wait(1)
        return things()
      }),
      api.endpoint('shared').get(({ params: { name }, header }) => {
        header('traceparent')
        const sql = `delete from thing where '${name}' = ''`
        return database.together!((executor) => executor.write({ sql, parameters: [] }))
      }),
      api.endpoint('gone').get(() => {
        throw new NotFound()
      }),
      api.endpoint('fails').get(() => database.read({ sql: 'select none', parameters: [] })),
    ],
    { configuration: configurationOf() },
  )
}

const ask = client(appWith(observer))
const BEFORE = ['negotiation', 'version', 'sunset', 'authentication', 'permissions', 'throttles']

describe('a follower', () => {
  test('hears steps, statements and the answer, in their order', async () => {
    await ask.get('/things/')
    expect(heard).toEqual([
      ...BEFORE,
      'handler',
      'things: select id from thing',
      'answer',
      'ended 200',
    ])
    expect(statements).toMatchObject([{ system: 'sqlite', rows: 2, error: undefined }])
    expect(statements[0]!.duration).toBeGreaterThan(0)
  })

  test('hears what is written, and no values', async () => {
    await ask.post('/things/', {})
    expect(statements).toMatchObject([{ sql: 'delete from thing where id > ?', rows: 0 }])
    expect(JSON.stringify(statements)).not.toContain('4711')
  })

  test('hears its own statements alone, whatever else is answered meanwhile', async () => {
    await Promise.all([ask.get('/slow/'), ask.get('/things/'), ask.get('/slow/')])
    expect(heard.filter((each) => each.includes('select')).toSorted()).toEqual([
      'slow: select id from thing',
      'slow: select id from thing',
      'things: select id from thing',
    ])
  })

  test('hears what it wrote in a transaction that requests share', async () => {
    const seen: string[] = []
    const app = client(
      appWith(
        Object.assign(() => undefined, {
          follow: ({ params }: { readonly params: Readonly<Record<string, unknown>> }) => ({
            statement: ({ sql }: AskedStatement) =>
              void seen.push(`${String(params['name'])}: ${sql}`),
            ended: () => undefined,
          }),
        }),
      ),
    )
    const [{ header }] = await Promise.all([app.get('/shared/one/'), app.get('/shared/two/')])
    expect(seen).toEqual([
      "one: delete from thing where 'one' = ''",
      "two: delete from thing where 'two' = ''",
    ])
    expect(header('vary')).not.toMatch(/traceparent/i)
  })

  test('hears of failures', async () => {
    await ask.get('/gone/')
    expect(heard.slice(-3)).toEqual(['handler', 'answer', 'ended 404'])
    await ask.get('/fails/')
    expect(statements.at(-1)).toMatchObject({ rows: 0, error: expect.any(Error) })
    expect(heard.at(-1)).toBe('ended 503')
  })

  test('is not there where no address is: the observer is asked', async () => {
    await ask.get('/nowhere/')
    expect(heard).toEqual(['seen 404'])
  })

  test.each(['follow', 'step', 'statement', 'ended'] as const)(
    'that fails in %s harms no answer',
    async (where) => {
      const fail = (): never => {
        throw new Error(`failed in ${where}`)
      }
      const follower = { ended: () => undefined, [where]: fail }
      const follow = where === 'follow' ? fail : () => follower
      const app = appWith(Object.assign(() => undefined, { follow }))
      expect((await client(app).get('/things/')).status).toBe(200)
      expect(records).toMatchObject([{ event: 'observe.failed' }])
      expect(records[0]!['error']).toContain(`failed in ${where}`)
    },
  )
})
