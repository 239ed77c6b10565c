import { beforeEach, describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  NotFound,
  PermissionDenied,
  type Wrapper,
  configurationOf,
  defineApi,
  reply,
  withHeaders,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { throughDoors } from '../../behaviour/doors.ts'

const told: string[] = []
const records: unknown[] = []
const telling =
  (name: string): Wrapper =>
  async (_request, next) => {
    told.push(`${name} before`)
    try {
      return await next()
    } finally {
      told.push(`${name} after`)
    }
  }

const urls = {
  both: '/both/',
  alone: '/alone/',
  fails: '/fails/',
  denied: '/denied/',
  header: '/header/',
  instead: '/instead/',
  stream: '/stream/',
  again: '/again/',
  forgot: '/forgot/',
  within: '/within/',
} as const
const api = defineApi({
  urls,
  authentication: [],
  logger: { error: (record) => void records.push(record) },
  around: telling('api'),
})
const group = api.group({ around: telling('group') })
let isCancelled = false
let asked = 0
const app = api.serve(
  [
    group.endpoint('both', { around: telling('endpoint') }).get(() => {
      told.push('handler')
      return 'both'
    }),
    api.endpoint('alone', { around: null }).get(() => 'alone'),
    api
      .endpoint('fails', {
        async around(_request, next) {
          try {
            return await next()
          } catch (error) {
            if (error instanceof NotFound) throw new PermissionDenied()
            throw error
          }
        },
      })
      .get(() => {
        throw new NotFound()
      }),
    api
      .endpoint('denied', { permissions: [{ hasPermission: () => false }] })
      .get(() => told.push('handler')),
    api
      .endpoint('header', {
        around: async (_request, next) => withHeaders(await next(), { ETag: '"1"' }),
      })
      .get(() => reply({ a: 1 }, { headers: { 'X-Own': 'yes', ETag: '"0"' } })),
    api
      .endpoint('instead', {
        around: (request) => reply({ method: request.method }, { status: 202 }),
      })
      .get(() => told.push('handler')),
    api
      .endpoint('stream', {
        async around(_request, next) {
          await next()
          return reply('other')
        },
      })
      .get(() => {
        const stream = new ReadableStream({ cancel: () => void (isCancelled = true) })
        return reply(stream, { contentType: 'text/plain' })
      }),
    api
      .endpoint('again', {
        async around(_request, next) {
          await next()
          return next()
        },
      })
      .get(() => ++asked),
    // A slip that plain JavaScript lets through.
    api
      .endpoint('forgot', {
        around: (async (_: unknown, next: () => unknown) => void (await next())) as never,
      })
      .get(() => 1),
    group.endpoint('within', { around: (async () => undefined) as never }).get(() => 1),
  ],
  { configuration: configurationOf() },
)
const { get, request } = client(app)

beforeEach(() => {
  told.length = 0
  records.length = 0
})

throughDoors(app, [
  ['the answer of the handler goes out', 'GET /both/', { status: 200, text: '"both"' }],
  ['an error of the handler is seen, and may become another', 'GET /fails/', 403],
  [
    'headers are added, or take the place of others',
    'GET /header/',
    { status: 200, data: { a: 1 }, headers: { etag: '"1"', 'x-own': 'yes' } },
  ],
  ['the handler need not be asked', 'GET /instead/', { status: 202, data: { method: 'GET' } }],
  ['HEAD is as GET', 'HEAD /header/', { status: 200, headers: { etag: '"1"' } }],
])

test('outer layers act around inner ones, and the handler is innermost', async () => {
  await get('/both/')
  expect(told).toEqual([
    'api before',
    'group before',
    'endpoint before',
    'handler',
    'endpoint after',
    'group after',
    'api after',
  ])
})

test.each([
  ['null leaves out what outer layers say', 'GET', '/alone/', 200],
  ['a refused request has no handler', 'GET', '/denied/', 403],
  ['nor has a method that is not there', 'POST', '/both/', 405],
  ['nor has OPTIONS', 'OPTIONS', '/both/', 200],
  ['nor has an unknown address', 'GET', '/nowhere/', 404],
])('%s', async (_title, method, path, status) => {
  expect((await request(method, path)).status).toBe(status)
  expect(told).toEqual([])
})

test('the handler may be asked again', async () => {
  asked = 0
  expect((await get('/again/')).data).toBe(2)
})

test('a stream that is not sent is ended', async () => {
  expect((await get('/stream/')).data).toBe('other')
  expect(isCancelled).toBe(true)
})

test.each(['/forgot/', '/within/'])(
  '%s: no answer at all is a mistake, not an empty answer',
  async (path) => {
    expect((await get(path)).status).toBe(500)
    expect(records).toMatchObject([
      {
        event: 'request.failed',
        error: expect.stringContaining('The setting "around" gave no answer'),
      },
    ])
  },
)

describe('refuses to start', () => {
  test.each([
    ['around', {}],
    ['around', [telling('one')]],
    ['observe', 'log'],
    ['observe', 1],
  ])('with %s that is no function: %j', (name, value) => {
    const wrong = defineApi({ urls: { a: '/a/' } })
    const endpoint = wrong.endpoint('a', { [name]: value }).get(() => 1)
    const start = () => wrong.serve([endpoint], { configuration: configurationOf() })
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow(`endpoint a: "${name}" must be a function`)
  })

  test('with a key that names no registered function', () => {
    const wrong = defineApi({ urls: { a: '/a/' }, classes: { log: () => undefined } })
    const start = (OBSERVE: string) =>
      wrong.serve([wrong.endpoint('a').get(() => 1)], {
        configuration: configurationOf({ OBSERVE }),
      })
    expect(() => start('lag')).toThrow(ConfigurationError)
    expect(start('log').describe()[0]!.settings.observe).toBeTypeOf('function')
  })
})
