import { describe, expect, test } from 'vitest'
import {
  ApiError,
  AuthenticationFailed,
  Gone,
  type Incoming,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  ParseError,
  PayloadTooLarge,
  PermissionDenied,
  Throttled,
  UnsupportedMediaType,
  ValidationError,
  defineApi,
  german,
  handleException,
  reply,
} from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook, quiet, says } from './fixtures.ts'

class Sold extends ApiError {
  static override readonly status = 410
  static override readonly code = 'gone'
}
class Moved extends ApiError {
  static override readonly code = 'moved'
}

test.each([
  ['its code', new Sold(), new Gone()],
  ['the class above', new Moved(), new ApiError()],
])('an error class says the sentence of %s', (_, error, { message }) => {
  expect(error.message).toBe(message)
})

const ERRORS: readonly [rule: string, error: ApiError, status: number, code: string][] = [
  ['E1.1 a generic error', new ApiError(), 500, 'error'],
  ['E1.3 a malformed body', new ParseError(), 400, 'parse_error'],
  [
    'E1.4 bad credentials, nobody challenges',
    new AuthenticationFailed(),
    403,
    'authentication_failed',
  ],
  ['E1.5 no credentials, nobody challenges', new NotAuthenticated(), 403, 'not_authenticated'],
  ['E1.6 permission denied', new PermissionDenied(), 403, 'permission_denied'],
  ['E1.7 not found', new NotFound(), 404, 'not_found'],
  ['E1.8 method not allowed', new MethodNotAllowed('BREW'), 405, 'method_not_allowed'],
  ['E1.9 not acceptable', new NotAcceptable(), 406, 'not_acceptable'],
  ['E1.10 unsupported media type', new UnsupportedMediaType('a/b'), 415, 'unsupported_media_type'],
  ['E1.11 throttled', new Throttled(), 429, 'throttled'],
  ['410', new Gone(), 410, 'gone'],
  ['I12 413', new PayloadTooLarge(10), 413, 'payload_too_large'],
]

const VALIDATION: readonly [title: string, error: ApiError, body: unknown][] = [
  ['E20 one text is a list of one', new ValidationError('bad'), ['bad']],
  ['E20 a list is that list', new ValidationError(['a', 'b']), ['a', 'b']],
  [
    'E20 an object is that object, plain texts in it stay',
    new ValidationError({ a: 'x' }),
    { a: 'x' },
  ],
  [
    'E21 several fields together',
    new ValidationError({ a: ['x'], b: ['y', 'z'] }),
    { a: ['x'], b: ['y', 'z'] },
  ],
  ['E24 nested objects', new ValidationError({ a: { name: ['x'] } }), { a: { name: ['x'] } }],
  [
    'E25 failing elements by their index',
    new ValidationError({ '0': { n: ['x'] }, '2': { n: ['y'] } }),
    { '0': { n: ['x'] }, '2': { n: ['y'] } },
  ],
  ['E2 a list is the body of any class', new PermissionDenied(['no', 'never']), ['no', 'never']],
  [
    'E2 an object likewise',
    new NotFound({ reason: 'moved', to: ['here'] }),
    { reason: 'moved', to: ['here'] },
  ],
]

const THROTTLED: readonly [title: string, error: Throttled, header: string | null, text: RegExp][] =
  [
    ['E5 unknown: no header', new Throttled(null), null, /^[^0-9]*$/],
    ['E5 rounded up', new Throttled(1.2), '2', /\b2 seconds/],
    ['E6 one second in the singular', new Throttled(0.3), '1', /\b1 second\b(?!s)/],
    ['E5 exactly 0: no header, although the text says 0', new Throttled(0), null, /\b0 seconds/],
  ]

const thrown = [
  ...ERRORS.map(([, error]) => error),
  ...VALIDATION.map(([, error]) => error),
  ...THROTTLED.map(([, error]) => error),
]
const log = notebook()
const api = defineApi({
  urls: { thrown: '/thrown/:index<int>/', bug: '/bug/', text: '/text/', message: '/message/' },
  logger: log,
})
const app = api.serve(
  [
    api.endpoint('thrown').get(({ params }) => {
      throw thrown[params.index]!
    }),
    api.endpoint('bug').get(() => {
      throw new TypeError('secret inner workings')
    }),
    api.endpoint('text').get(() => {
      throw 'a text'
    }),
    api
      .endpoint('message', {
        permissions: [says(false, { message: { why: ['closed'] }, code: 'closed' })],
      })
      .get(() => 'ok'),
  ],
  quiet,
)
const pathOf = (error: ApiError): string => `/thrown/${thrown.indexOf(error)}/`

describe('E1 classes of errors', () => {
  throughDoors(
    app,
    ERRORS.map(([rule, error, status]): Row => [
      rule,
      `GET ${pathOf(error)}`,
      {
        status,
        data: DETAIL,
        headers: { 'content-type': 'application/json', 'www-authenticate': null },
      },
    ]),
  )

  test.each(ERRORS)('%s has its code, which the body does not tell', (_, error, _status, code) => {
    expect([error.code, error.codes]).toEqual([code, code])
    expect(JSON.stringify(handleException(error, {} as Incoming)!.data)).not.toContain(code)
  })
})

describe('E2, E20–E25 bodies', () => {
  throughDoors(
    app,
    VALIDATION.map(([rule, error, data]): Row => [
      rule,
      `GET ${pathOf(error)}`,
      { status: error.status, data },
    ]),
  )
  throughDoors(app, [
    [
      'E2 so the message of a permission may be an object',
      'GET /message/',
      { status: 403, data: { why: ['closed'] } },
    ],
  ])
})

describe('E5, E6 429 and the wait', () => {
  throughDoors(
    app,
    THROTTLED.map(([rule, error, wait, text]): Row => [
      rule,
      `GET ${pathOf(error)}`,
      { status: 429, text, headers: { 'retry-after': wait } },
    ]),
  )
})

describe('E3 the two views of a detail', () => {
  const error = new ValidationError({ a: ['x'], b: { c: ['y'] } }, 'odd')

  test('codes alone, in the same shape', () => {
    expect(error.codes).toEqual({ a: ['odd'], b: { c: ['odd'] } })
  })

  test('every text with its code', () => {
    expect(error.fullDetails).toEqual({
      a: [{ message: 'x', code: 'odd' }],
      b: { c: [{ message: 'y', code: 'odd' }] },
    })
  })
})

test('E2 an error that was frozen for many requests is answered like any other', async () => {
  const failed = Object.freeze(new AuthenticationFailed())
  const gone = Object.freeze(new NotFound())
  const frozen = defineApi({
    urls: { failed: '/failed/', gone: '/gone/' },
    messages: { de: german },
  })
  const refusing = (error: ApiError) => () => {
    throw error
  }
  const served = frozen.serve(
    [frozen.endpoint('failed').get(refusing(failed)), frozen.endpoint('gone').get(refusing(gone))],
    quiet,
  )
  const headers = { 'accept-language': 'de' }
  const statusOf = async (path: string): Promise<number> =>
    (await served.fetch(new Request(`http://localhost${path}`, { headers }))).status
  expect(await statusOf('/failed/')).toBe(403)
  expect(await statusOf('/gone/')).toBe(404)
})

describe('E9 (I12) and E10 what nobody foresaw', () => {
  const opaque = {
    status: 500,
    data: DETAIL,
    text: /^(?!.*(secret|stack|\.ts)).*$/s,
    headers: { 'content-type': 'application/json', 'x-request-id': /./ },
  }
  throughDoors(app, [
    ['I12 a bug is 500 as JSON and tells nothing', 'GET /bug/', opaque],
    ['I12 whatever was thrown', 'GET /text/', opaque],
    [
      'I12 people get a page, which tells nothing either',
      'GET /bug/',
      {
        status: 500,
        text: /^(?!.*secret inner).*HTTP 500/s,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      },
      { headers: { accept: 'text/html' } },
    ],
  ])

  test('the log has the stack', async () => {
    await app.fetch(new Request('http://localhost/bug/'))
    expect(log.records.at(-1)!['error']).toContain('TypeError: secret inner workings\n')
  })
})

describe('E13 the mapping can be replaced', () => {
  const records = notebook()
  const custom = defineApi({
    urls: {
      own: '/own/',
      none: '/none/',
      silent: '/silent/',
      bare: '/bare/',
      fails: '/fails/',
      odd: '/odd/',
      query: '/query/',
    },
    logger: records,
  })
  const lost = (): never => {
    throw new NotFound('gone fishing')
  }
  const mapped = custom.serve(
    [
      custom
        .endpoint('own', {
          exceptionHandler: (error, request) =>
            reply(
              { error: (error as Error).message, at: request.path },
              { status: 418, headers: { 'x-own': '1' } },
            ),
        })
        .get(lost),
      custom.endpoint('none', { exceptionHandler: () => null }).get(lost),
      custom
        .endpoint('query', {
          // oxlint-disable-next-line unicorn/no-thenable -- as query builders have it
          exceptionHandler: () => Object.assign(reply(1), { then() {} }),
        })
        .get(lost),
      custom
        .endpoint('odd', {
          exceptionHandler: () => ({
            status: 418,
            headers: { 'x-own': undefined as never },
            data: 1,
          }),
        })
        .get(lost),
      custom
        .endpoint('silent', { exceptionHandler: (() => undefined) as unknown as () => null })
        .get(lost),
      custom
        .endpoint('bare', { exceptionHandler: (() => ({ error: 'x' })) as unknown as () => null })
        .get(lost),
      custom
        .endpoint('fails', {
          exceptionHandler: () => {
            throw new Error('the handler itself')
          },
        })
        .get(lost),
    ],
    quiet,
  )
  throughDoors(mapped, [
    [
      'by a function of error and request',
      'GET /own/',
      { status: 418, data: { error: 'gone fishing', at: '/own/' }, headers: { 'x-own': '1' } },
    ],
    ['null: unforeseen, so 500', 'GET /none/', { status: 500, data: DETAIL }],
    ['nothing at all: likewise', 'GET /silent/', { status: 500, data: DETAIL }],
    ['a mapping that fails: likewise', 'GET /fails/', { status: 500, data: DETAIL }],
    ['data in place of an answer: likewise', 'GET /bare/', { status: 500, data: DETAIL }],
    ['a query, which is a promise too: likewise', 'GET /query/', { status: 500, data: DETAIL }],
    ['a header without a value: likewise', 'GET /odd/', { status: 500, data: DETAIL }],
  ])
})
