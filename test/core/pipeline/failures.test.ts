// What goes wrong beside a request, and what applications hand in that is no answer.
import { describe, expect, test, vi } from 'vitest'
import { standardErrorLogger } from '../../../src/core/app/logger.ts'
import { configurationOf, defineApi, handleException } from '../../../src/index.ts'
import type { PlainRequest } from '../../../src/core/ports/http-adapter.ts'
import type { Incoming } from '../../../src/core/ports/request.ts'
import type { Settings } from '../../../src/core/ports/settings/settings.ts'
import { Form } from '../../../src/core/std/http/form.ts'
import { client } from '../../../src/testing.ts'
import { notebook } from '../../behaviour/fixtures.ts'
import { freePort } from '../../../scripts/servers/run-server.ts'

type Handler = Settings['exceptionHandler']

const serving = (handler: () => unknown, exceptionHandler: unknown = handleException) => {
  const logger = notebook()
  const api = defineApi({ urls: { a: '/a/' }, logger })
  const policy = { exceptionHandler: exceptionHandler as Handler }
  const a = api.endpoint('a', policy).get(handler)
  return { app: api.serve([a], { configuration: configurationOf() }), logger }
}

const doorRequest = (target: string): PlainRequest => ({
  method: 'GET',
  target,
  scheme: 'http',
  environ: {},
  body: null,
  header: () => null,
})

test('what fails behind an answer is logged under the id of the answer, and without one under an id of its own', () => {
  const { app, logger } = serving(() => null)
  const request = doorRequest('/a/?x=1')
  const error = new Error('cut short')
  const headers = ['Vary', 'Accept', 'X-Request-Id', 'of-the-answer']
  app.report!({ event: 'stream.failed', error, request, headers })
  app.report!({ event: 'stream.failed', error, request })
  app.report!({ event: 'socket.failed', error, request: null })
  const shown = { event: 'stream.failed', method: 'GET', path: '/a/', endpoint: 'a', err: error }
  expect(logger.records).toEqual([
    { ...shown, id: 'of-the-answer', error: expect.stringContaining('cut short') as string },
    {
      ...shown,
      id: expect.stringMatching(/^[\w-]{8,}$/) as string,
      error: expect.anything() as string,
    },
    { event: 'socket.failed', error: expect.stringContaining('cut short') as string, err: error },
  ])
})

test('what a handler could not reach is in the log, as text, as an error, and in the lines of standard error', async () => {
  const port = await freePort()
  const { app, logger } = serving(() => fetch(`http://127.0.0.1:${port}/`))
  expect((await client(app).get('/a/')).status).toBe(500)
  const [record] = logger.records
  const reason = `connect ECONNREFUSED 127.0.0.1:${port}`
  expect(record!['error']).toContain(`\ncause: Error: ${reason}\n    at `)
  expect(record!['err']).toMatchObject({ message: 'fetch failed', cause: { message: reason } })
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  standardErrorLogger().error({ ...record, err: Object.assign(new Error('a'), { sql: 'secret' }) })
  const line = String(write.mock.lastCall![0])
  write.mockRestore()
  expect(JSON.parse(line)).toMatchObject({
    error: record!['error'],
    err: { type: 'Error', message: 'a' },
  })
  expect(line).not.toContain('secret')
})

describe('an exception handler of the application', () => {
  const failing = (): never => {
    throw new Error('inner workings')
  }

  test('gets null from ours for what is unforeseen', async () => {
    const given: unknown[] = []
    const { app } = serving(failing, (error: unknown, request: Incoming) => {
      given.push(handleException(error, request))
      return null
    })
    expect((await client(app).get('/a/')).status).toBe(500)
    expect(given).toEqual([null])
  })
  test('that returns a promise is told so, and the failure of the promise ends no process', async () => {
    const { app, logger } = serving(failing, () => Promise.reject(new Error('later')))
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      expect((await client(app).get('/a/')).status).toBe(500)
      await new Promise((resolve) => void setTimeout(resolve, 5))
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).toEqual([])
    expect(logger.records[0]!['error']).toMatch(/exceptionHandler returned a promise/)
  })
})

test.each([
  ['application/x-www-form-urlencoded', true],
  ['multipart/form-data; boundary=a', true],
  ['application/json', false],
  ['image/png', false],
  ['no media type', false],
])('R34 no body is a form of nothing where a form was announced: %s', async (type, isForm) => {
  const bodies: unknown[] = []
  const api = defineApi({ urls: { a: '/a/' } })
  const a = api.endpoint('a').post(async (request) => void bodies.push(await request.body()))
  const app = api.serve([a], { configuration: configurationOf() })
  expect((await client(app).post('/a/', { headers: { 'content-type': type } })).status).toBe(200)
  expect(bodies[0] instanceof Form).toBe(isForm)
})

test('headers of a scheme that fail are in the log, and take nothing from the answer', async () => {
  const logger = notebook()
  const scheme = {
    authenticate: () => ({ user: { id: 1, username: 'ada' }, auth: null }),
    answerHeaders() {
      throw new Error('no nonce')
    },
  }
  const api = defineApi({ urls: { a: '/a/' }, authentication: [scheme], logger })
  const a = api.endpoint('a').get(() => 'done')
  const app = api.serve([a], { configuration: configurationOf() })
  const answer = await client(app).get('/a/')
  expect([answer.status, answer.data]).toEqual([200, 'done'])
  const failed = { event: 'answer_headers.failed', endpoint: 'a', error: 'Error: no nonce' }
  expect(logger.records).toMatchObject([failed])
})

describe('what a renderer may not give is a 500 that the log explains', () => {
  const taken = new Blob(['taken']).stream()
  taken.getReader()
  test.each<[string, () => unknown, string]>([
    ['a promise', () => Promise.reject(new Error('later')), 'returned a promise'],
    ['a number', () => 7, 'returned a value of type number'],
    ['nothing', () => null, 'returned null'],
    ['a stream that is read', () => taken, 'returned a stream that is being read already'],
  ])('%s', async (_title, render, said) => {
    const logger = notebook()
    const renderer = { mediaType: 'text/csv', format: 'csv', render: () => render() as string }
    const api = defineApi({ urls: { a: '/a/' }, renderers: [renderer], logger })
    const a = api.endpoint('a').get(() => [1])
    const answer = await client(api.serve([a], { configuration: configurationOf() })).get('/a/')
    expect([answer.status, answer.header('content-type')]).toEqual([500, 'application/json'])
    expect(logger.records[0]!['error']).toContain(`The renderer "csv" ${said}.`)
  })
})

test.each([
  ['throws', () => void JSON.parse('broken')],
  ['rejects', async () => void JSON.parse('broken')],
])(
  'a logger that %s fails no request, and standard error has the record',
  async (_title, error) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const api = defineApi({
      urls: { a: '/a/' },
      logger: { error: () => error() as undefined },
    })
    const a = api.endpoint('a').get(() => Promise.reject(new Error('inner workings')))
    const answer = await client(api.serve([a], { configuration: configurationOf() })).get('/a/')
    const lines = write.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string })
    write.mockRestore()
    expect(answer.status).toBe(500)
    expect(lines.map(({ event }) => event)).toEqual(['logger.failed', 'request.failed'])
  },
)
