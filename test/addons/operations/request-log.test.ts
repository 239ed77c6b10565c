import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ApiRequest,
  type AskedStatement,
  type Observer,
  QueryParameterVersioning,
  type SentAnswer,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../../src/index.ts'
import {
  type RequestLogOptions,
  requestLog,
  serverTiming,
  together,
} from '../../../src/operations.ts'

import { client } from '../../../src/testing.ts'
import { databaseOfThings } from '../../contract/temporary.ts'
import { CHARACTER } from '../../setup/characters.ts'

const database = await databaseOfThings()

const run = promisify(execFile)

type Line = Readonly<Record<string, unknown>>
const lines: { readonly level: string; readonly line: Line }[] = []
const logger = {
  info: (line: Line) => void lines.push({ level: 'info', line }),
  error: (line: Line) => void lines.push({ level: 'error', line }),
}
beforeEach(() => void (lines.length = 0))

class KeyAuthentication {
  authenticate(request: { header(name: string): string | null }) {
    const user = { id: 7, username: 'alice', isStaff: request.header('x-staff') !== null }
    return request.header('x-key') === null ? null : { user, auth: null }
  }
}

const urls = defineUrls({ things: '/things/', thing: '/things/:id/', crash: '/crash/' })

function ask(observe: Observer) {
  const api = defineApi({
    urls,
    observe,
    authentication: [new KeyAuthentication()],
    versioning: new QueryParameterVersioning(),
    logger: { error: () => undefined },
    around: serverTiming(),
  })
  const read = () => database.read({ sql: 'select id from thing', parameters: [] })
  return client(
    api.serve(
      [
        api.endpoint('things').get(read).post(read),
        api.endpoint('thing').get(({ params }) => params.id),
        api.endpoint('crash').get(() => {
          throw new Error('crashed')
        }),
      ],
      { configuration: configurationOf() },
    ),
  )
}

const logged = (options: RequestLogOptions = {}) => ask(requestLog({ logger, ...options }))

describe('a line', () => {
  test('says who asked for what, and what it took', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const headers = { 'x-key': '1', traceparent }
    const { header } = await logged().get('/things/?version=v1', { headers })
    expect(header('vary')).not.toMatch(/traceparent/i)
    expect(lines).toEqual([
      {
        level: 'info',
        line: {
          event: 'request',
          id: header('x-request-id'),
          trace: '4bf92f3577b34da6a3ce929d0e0e4736',
          method: 'GET',
          route: 'things',
          version: 'v1',
          scheme: 'KeyAuthentication',
          user: 7,
          status: 200,
          bytes: expect.any(Number),
          duration: expect.any(Number),
          rows: 2,
          statements: 1,
          database: expect.any(Number),
        },
      },
    ])
  })

  test.each([
    ['/things/', 'info', 'things', 200],
    ['/crash/', 'error', 'crash', 500],
    ['/nowhere/', 'info', null, 404],
  ])('%s', async (path, level, route, status) => {
    await logged().get(path)
    expect(lines).toMatchObject([{ level, line: { route, status } }])
  })

  test('has no secret, no query, no path and no body', async () => {
    const secrets = {
      headers: { 'x-key': 'SECRET', authorization: 'Bearer SECRET', cookie: 'a=SECRET' },
    }
    const app = logged()
    await app.get('/things/?token=SECRET', secrets)
    await app.get('/things/SECRET/', secrets)
    await app.get('/SECRET/?SECRET=SECRET', secrets)
    await app.post('/things/', { ...secrets, json: { password: 'SECRET' } })
    await app.get('/things/', { headers: { traceparent: 'SECRET' } })
    expect(lines).toHaveLength(5)
    expect(JSON.stringify(lines)).not.toContain('SECRET')
  })

  test('has members of the application', async () => {
    await logged({
      members: ({ status }, request) => ({
        ok: status < 400,
        agent: request!.header('user-agent'),
      }),
      traceId: () => 'mine',
    }).get('/things/', { headers: { 'user-agent': 'curl\n\u009b31m\u202e' } })
    expect(lines[0]!.line).toMatchObject({
      ok: true,
      agent: String.raw`curl\u000a\u009b31m\u202e`,
      trace: 'mine',
    })
  })

  test('is short and harmless whatever a client sends', () => {
    const version = `v\u0000\u001b[2J\u2028${'x'.repeat(5000)}`
    requestLog({ logger })({ ...SENT, version }, null)
    const { version: shown } = lines[0]!.line
    expect(shown).toMatch(/^v\\u0000\\u001b\[2J\\u2028x+…$/)
    expect(String(shown).length).toBeLessThan(250)
  })

  test('is there for what never became a request', () => {
    const app = requestLog({ logger })
    app({ ...SENT, method: null, endpoint: null, status: 431, aborted: true }, null)
    expect(lines[0]!.line).toMatchObject({ method: null, route: null, status: 431, aborted: true })
  })
})

const SENT: SentAnswer = {
  id: 'a-1',
  method: 'GET',
  endpoint: 'things',
  version: null,
  user: null,
  scheme: null,
  status: 200,
  duration: 1,
  bytes: 10,
  aborted: false,
  error: undefined,
}

describe('a sample', () => {
  const some = requestLog({ logger, sample: 0.25, slow: 100, random: () => 0.25 })

  test.each([
    ['one that chance does not take', {}, false],
    ['a slow one', { duration: 100 }, true],
    ['one with 5xx', { status: 503 }, true],
    ['one with 4xx', { status: 404 }, false],
  ])('%s', (_title, change, isThere) => {
    some({ ...SENT, ...change }, null)
    expect(lines.length === 1).toBe(isThere)
    if (isThere) expect(lines[0]!.line).not.toHaveProperty('sample')
  })

  test('says its share, so that sums can be made of it', () => {
    requestLog({ logger, sample: 0.25, random: () => 0.2 })(SENT, null)
    expect(lines[0]!.line).toMatchObject({ sample: 0.25 })
  })

  test.each([-1, 2, Number.NaN])('of %s is refused', (sample) => {
    expect(() => requestLog({ sample })).toThrow(`"sample" must be from 0 to 1, but is ${sample}.`)
  })
})

describe('standard output', () => {
  const written: string[] = []
  beforeEach(() => {
    written.length = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written.push(String(text))
      return true
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test('has lines of JSON, several with one write', () => {
    const listeners = process.listenerCount('exit')
    const log = requestLog({ format: 'json' })
    for (let i = 0; i < 3; i++) log(SENT, null)
    expect(written).toEqual([])
    vi.advanceTimersByTime(100)
    expect(written).toHaveLength(1)
    const [line] = written[0]!.trimEnd().split('\n')
    expect(written[0]!.trimEnd().split('\n')).toHaveLength(3)
    expect(JSON.parse(line!)).toMatchObject({ level: 'info', event: 'request', route: 'things' })
    expect(process.listenerCount('exit')).toBe(listeners)
  })

  test('has the same line with and without members of the application', () => {
    const text = fc.option(fc.oneof(fc.string({ unit: CHARACTER }), fc.constant('v1')))
    const user = fc.option(
      fc.record({ id: fc.oneof(fc.integer(), fc.bigInt(), fc.string(), fc.constant(NaN)) }),
    )
    const sent = fc.record({
      id: fc.string(),
      method: text,
      endpoint: text,
      version: text,
      scheme: text,
      user,
      status: fc.integer({ min: 100, max: 599 }),
      duration: fc.double({ min: 0, max: 1e6, noNaN: true }),
      bytes: fc.nat(),
      aborted: fc.boolean(),
    })
    const logs = [{}, { members: () => ({}) }].map((options) =>
      requestLog({ format: 'json', sample: 0.5, random: () => 0, ...options }),
    )
    fc.assert(
      fc.property(sent, fc.double({ min: 0, max: 9, noNaN: true }), (answer, took) => {
        written.length = 0
        for (const log of logs) {
          const follower = log.follow!({} as ApiRequest)!
          follower.statement!({ rows: 3, duration: took } as AskedStatement)
          const request = { header: () => null } as unknown as ApiRequest
          follower.ended({ ...answer, error: undefined }, request)
          vi.advanceTimersByTime(100)
        }
        const [short, long] = written.map((line) => line.replace(/^[^,]*/, ''))
        expect(short).toBe(long)
      }),
    )
  })

  test('has what is no plain text as JSON has it', () => {
    const odd = { 'a "b"': 'ü"\\', n: Number.NaN, yes: true, none: null }
    requestLog({ format: 'json', members: () => odd })(SENT, null)
    vi.advanceTimersByTime(100)
    const line = JSON.parse(written[0]!) as object
    expect(line).toMatchObject({ ...odd, n: null, status: 200 })
    expect(Object.keys(line).slice(0, 3)).toEqual(['time', 'level', 'event'])
  })

  test('has the time at which each answer went out, also where the clock is set back', () => {
    const log = requestLog({ format: 'json' })
    const of = (second: string): string => `2026-11-30T08:00:${second}Z`
    const times = ['00.000', '00.007', '00.007', '59.999', '00.050', '01.100'].map(of)
    const clock = vi.spyOn(Date, 'now')
    for (const time of times) {
      clock.mockReturnValueOnce(Date.parse(time))
      log(SENT, null)
    }
    vi.advanceTimersByTime(100)
    const texts = written.join('').trimEnd().split('\n')
    expect(texts.map((line) => (JSON.parse(line) as Line)['time'])).toEqual(times)
  })

  test('asks for the date once for the lines of requests that wait together, each with its own moment', () => {
    const log = requestLog({ format: 'json' })
    vi.spyOn(performance, 'now').mockReturnValue(1000)
    vi.spyOn(Date, 'now').mockReturnValueOnce(Date.parse('2026-11-30T08:00:01Z'))
    for (const began of [10, 500.2])
      log(SENT, { began, header: () => null } as unknown as ApiRequest)
    vi.advanceTimersByTime(100)
    const times = written.join('').match(/\d\d\.\d{3}Z/g)
    expect(times).toEqual(['00.011Z', '00.501Z'])
  })

  test('is written to at once where much waits', () => {
    const log = requestLog({ format: 'json' })
    for (let i = 0; i < 100; i++) log(SENT, null)
    expect(written).toHaveLength(1)
  })

  test('loses lines where no one reads, and says how many', () => {
    const log = requestLog({ format: 'json' })
    const length = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(5_000_000)
    log(SENT, null)
    vi.advanceTimersByTime(100)
    expect(written).toEqual([])
    length.mockReturnValue(0)
    log(SENT, null)
    vi.advanceTimersByTime(100)
    expect(written[0]).toContain('{"level":"error","event":"request.lines_lost","count":1}\n')
  })

  test('is readable for people', () => {
    const log = requestLog({ format: 'text', members: () => ({ agent: 'a "b"' }) })
    log({ ...SENT, user: { id: 7 }, scheme: 'TokenAuthentication', version: 'v1' }, null)
    vi.advanceTimersByTime(100)
    expect(written[0]).toMatch(
      /^\S+Z GET things v1 → 200 in 1 ms, 10 bytes, user 7 by TokenAuthentication \[a-1\] agent="a \\"b\\""\n$/,
    )
  })
})

test('lines that wait are written when a process crashes', async () => {
  const module = new URL('../../../src/operations.ts', import.meta.url).href
  const program = `
    import { requestLog } from '${module}'
    requestLog({ format: 'json' })(${JSON.stringify(SENT)}, null)
    throw new Error('crashed')
  `
  const node = run(process.execPath, ['--input-type=module', '--eval', program])
  const { stdout, stderr } = await node.catch((error: { stdout: string; stderr: string }) => error)
  expect(stderr).toContain('crashed')
  expect(JSON.parse(stdout)).toMatchObject({ event: 'request', id: 'a-1', status: 200 })
})

describe('together', () => {
  test('all observers hear of an answer, whichever of them fails', async () => {
    const heard: string[] = []
    const follow = (request: ApiRequest) => ({
      step: (step: string) => void heard.push(step),
      ended: ({ status }: SentAnswer) => void heard.push(`${request.endpointName} ${status}`),
    })
    const app = ask(
      together(
        () => {
          throw new Error('observer')
        },
        () => Promise.reject(new Error('later')),
        Object.assign(() => undefined, { follow }),
        requestLog({ logger }),
      ),
    )
    await app.get('/things/')
    await app.get('/nowhere/')
    expect(heard.slice(-3)).toEqual(['handler', 'answer', 'things 200'])
    expect(lines.map(({ line }) => [line['status'], line['statements']])).toEqual([
      [200, 1],
      [404, 0],
    ])
  })

  test('follows no request where none of them does', () => {
    expect(together(() => 1).follow).toBeUndefined()
  })
})

describe('Server-Timing', () => {
  test('is for staff', async () => {
    const app = logged()
    const { header } = await app.get('/things/', { headers: { 'x-key': '1', 'x-staff': '1' } })
    expect(header('server-timing')).toMatch(
      /^handler;dur=\d+\.\d, db;dur=\d+\.\d;desc="statements: 1"$/,
    )
    const other = await app.get('/things/', { headers: { 'x-key': '1' } })
    expect(other.header('server-timing')).toBeNull()
    // Those who follow the request count its statements as well.
    expect(lines[0]!.line).toMatchObject({ statements: 1 })
  })
})
