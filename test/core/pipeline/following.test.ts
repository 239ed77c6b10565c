// A request may be followed: its steps, its statements, its answer.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  type AskedStatement,
  type Follower,
  type Observer,
  NotFound,
  type SentAnswer,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { client } from '../../../src/testing.ts'
import { databaseOfThings } from '../../contract/temporary.ts'

const database = await databaseOfThings()

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

function appWith(observe: Observer | null) {
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

  test('hears the end of an answer that is refused because too many wait for their readers', async () => {
    const ids: [begun: string, ended?: string, status?: number][] = []
    const observe = Object.assign(() => void heard.push('seen'), {
      follow({ id }: { readonly id: string }) {
        const own: (typeof ids)[number] = [id]
        ids.push(own)
        return {
          ended: (answer: SentAnswer) => void own.push(answer.id, answer.status),
        }
      },
    })
    const api = defineApi({ urls: defineUrls({ large: '/large/' }), observe })
    const app = api.serve([api.endpoint('large').get(() => 'x'.repeat(12_000_000))], {
      configuration: configurationOf(),
    })
    await using server = await serve(app, { port: 0, maxBufferedBytes: 1_000_000 })
    const { port } = new URL(server.url)
    const deaf = connect(Number(port), '127.0.0.1').pause()
    deaf.write('GET /large/ HTTP/1.1\r\nHost: localhost\r\n\r\n')
    let refused = new Response()
    await expect
      .poll(async () => {
        refused = await fetch(`${server.url}/large/`)
        await refused.arrayBuffer()
        return refused.status
      })
      .toBe(503)
    deaf.destroy()
    await expect.poll(() => ids.every(([begun, ended]) => begun === ended)).toBe(true)
    expect(ids.at(-1)).toEqual([refused.headers.get('x-request-id'), expect.any(String), 503])
    expect(heard).toEqual([])
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

describe('channels of node:diagnostics_channel', () => {
  const names = ['start', 'error', 'end'] as const

  test('hear of requests without an observer', async () => {
    const told: unknown[] = []
    const hear = (message: unknown, name: string | symbol) => {
      const { request, answer, error } = message as Partial<PublishedRequest>
      const about = [request?.endpointName, answer?.status, error instanceof Error]
      told.push([String(name).replace('colophon:request:', ''), ...about])
      if (answer) expect(answer.duration).toBeGreaterThan(0)
    }
    for (const name of names) subscribe(`colophon:request:${name}`, hear)
    try {
      const app = client(appWith(null))
      await app.get('/things/')
      await app.get('/fails/')
      await app.get('/nowhere/')
    } finally {
      for (const name of names) unsubscribe(`colophon:request:${name}`, hear)
    }
    expect(told).toEqual([
      ['start', 'things', undefined, false],
      ['end', 'things', 200, false],
      ['start', 'fails', undefined, false],
      ['error', 'fails', 503, true],
      ['end', 'fails', 503, false],
      ['start', 'no endpoint', undefined, false],
      ['end', 'no endpoint', 404, false],
    ])
    await client(appWith(null)).get('/things/')
    expect(told).toHaveLength(7)
  })

  test('and an observer hear both', async () => {
    const hear = () => void heard.push('published')
    subscribe('colophon:request:end', hear)
    try {
      await ask.get('/gone/')
    } finally {
      unsubscribe('colophon:request:end', hear)
    }
    expect(heard.slice(-2)).toEqual(['published', 'ended 404'])
  })
})

interface PublishedRequest {
  readonly request: ApiRequest | null
  readonly answer: SentAnswer
  readonly error: unknown
}
