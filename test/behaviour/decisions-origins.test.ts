// I21: what pages of other origins are granted.
import { describe, expect, test } from 'vitest'
import {
  AuthenticationFailed,
  IsAuthenticated,
  NotFound,
  ServiceUnavailable,
  configurationOf,
  defineApi,
  defineUrls,
  reply,
} from '../../src/index.ts'
import type { CorsPolicy } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type Answer, type Row, doors, throughDoors, toSent } from './doors.ts'
import { failing, notebook } from './fixtures.ts'

const APP = 'https://app.example.com'
const FOREIGN = 'https://evil.net'

const log = notebook()
const api = defineApi({
  urls: defineUrls({
    open: '/open/',
    private: '/private/',
    named: '/named/',
    throttled: '/throttled/',
    writing: '/writing/',
    page: '/page/',
    fails: '/fails/',
    away: '/away/',
    missing: '/missing/',
    own: '/own/',
    any: '/any/',
    read: '/read/',
    tenant: '/tenants/:tenant/',
    none: '/none/',
  }),
  logger: log,
  cors: { origins: [APP, 'https://*.example.org', 'null'] },
  versionHeader: 'API-Version',
})
const refuses = { allowed: false, wait: 7 } as const
const raise = (error: Error) => () => {
  throw error
}

/** Every tenant has pages of its own. */
const tenants: CorsPolicy = {
  origins(origin, { params: { tenant } }) {
    if (tenant === 'broken') throw new TypeError('No such tenant.')
    if (tenant === 'promising') return Promise.resolve(true) as unknown as boolean
    if (tenant === 'truthy') return 1 as unknown as boolean
    return tenant === 'all' || origin === `https://${String(tenant)}.example`
  },
  credentials: true,
}
const app = api.serve(
  [
    api
      .endpoint('open')
      .get(() => 'open')
      .post(() => reply('made', { status: 201 })),
    api.endpoint('private', { permissions: [new IsAuthenticated()] }).get(() => 'private'),
    api
      .endpoint('named', { authentication: [failing(new AuthenticationFailed(), 'Token')] })
      .get(() => 'named'),
    api.endpoint('throttled', { throttles: [{ admit: () => refuses }] }).get(() => 1),
    api
      .endpoint('writing', {
        cors: {
          origins: [APP],
          credentials: true,
          exposedHeaders: ['X-Total'],
          allowedHeaders: ['X-Tenant'],
          methods: ['GET', 'PUT', 'DELETE'],
          maxAge: 0,
        },
      })
      .get(() => 'here')
      .put(() => 'there')
      .patch(() => 'somewhere'),
    api
      .endpoint('page', {
        metadata: null,
        cors: { origins: [APP], exposedHeaders: [], allowedHeaders: [] },
      })
      .get(() => 'page'),
    api.endpoint('fails').get(raise(new Error('broken'))),
    api.endpoint('away').get(raise(new ServiceUnavailable(5))),
    api.endpoint('missing').get(raise(new NotFound())),
    api.endpoint('own').get(() =>
      reply('own', {
        headers: {
          'access-control-allow-origin': FOREIGN,
          'Access-Control-Allow-Credentials': 'true',
          'Access-Control-Expose-Headers': 'X-Own',
          Vary: 'X-Own',
        },
      }),
    ),
    api.endpoint('any', { cors: { origins: '*' } }).get(() => 'any'),
    api.endpoint('read').get(({ header }) => header('origin')),
    api.endpoint('tenant', { cors: tenants }).get(() => 'tenant'),
    api.endpoint('none', { cors: null }).get(() => 'none'),
  ],
  { configuration: configurationOf() },
)

const from = (origin: string, method?: string) => ({
  headers: {
    origin,
    ...(method === undefined ? {} : { 'access-control-request-method': method }),
  },
})
const EXPOSED =
  'Deprecation, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id, API-Version'
const ALLOWED = 'Accept, Accept-Language, Authorization, Content-Type, X-CSRFToken'

const granted = (origin: string | null) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': null,
  'access-control-expose-headers': origin === null ? null : EXPOSED,
  vary: /\bOrigin\b/,
})
const NOT_GRANTED = {
  'access-control-allow-origin': null,
  'access-control-allow-credentials': null,
  'access-control-allow-methods': null,
  'access-control-allow-headers': null,
  'access-control-expose-headers': null,
  'access-control-max-age': null,
}
const PREFLIGHT = {
  status: 204,
  text: '',
  headers: {
    'access-control-allow-origin': APP,
    'access-control-allow-credentials': null,
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': '600',
    'access-control-expose-headers': null,
    'content-type': null,
    vary: 'Access-Control-Request-Method, Origin',
    'x-request-id': /./,
  },
}
const preflight = (methods: string, origin = APP) => ({
  ...PREFLIGHT,
  headers: {
    ...PREFLIGHT.headers,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods,
  },
})
const refusedPreflight = {
  status: 204,
  text: '',
  headers: { ...NOT_GRANTED, vary: 'Access-Control-Request-Method, Origin' },
}

describe('preflights', () => {
  throughDoors(app, [
    [
      'by the methods of the endpoint',
      'OPTIONS /open/',
      preflight('GET, POST, HEAD, OPTIONS'),
      from(APP, 'POST'),
    ],
    ['before permissions', 'OPTIONS /private/', PREFLIGHT, from(APP, 'GET')],
    ['before authentication', 'OPTIONS /named/', PREFLIGHT, from(APP, 'GET')],
    ['before throttles', 'OPTIONS /throttled/', PREFLIGHT, from(APP, 'GET')],
    ['before anything is negotiated', 'OPTIONS /private/?format=none', PREFLIGHT, from(APP, 'GET')],
    [
      'without metadata',
      'OPTIONS /page/',
      {
        status: 204,
        headers: {
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': null,
        },
      },
      from(APP, 'GET'),
    ],
    ['for a method that there is not', 'OPTIONS /private/', PREFLIGHT, from(APP, 'DELETE')],
    [
      'by hosts below',
      'OPTIONS /private/',
      preflight('GET, HEAD, OPTIONS', 'https://a.b.example.org'),
      from('https://a.b.example.org', 'GET'),
    ],
    [
      'of pages without an origin',
      'OPTIONS /private/',
      preflight('GET, HEAD, OPTIONS', 'null'),
      from('null', 'GET'),
    ],
    [
      'where no address is',
      'OPTIONS /nowhere/',
      preflight('GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'),
      from(APP, 'PUT'),
    ],
    ['of a foreign origin', 'OPTIONS /private/', refusedPreflight, from(FOREIGN, 'GET')],
    [
      'of a foreign origin, where no address is',
      'OPTIONS /nowhere/',
      refusedPreflight,
      from(FOREIGN, 'GET'),
    ],
    [
      'with a policy of its own',
      'OPTIONS /writing/',
      {
        status: 204,
        headers: {
          'access-control-allow-origin': APP,
          'access-control-allow-credentials': 'true',
          'access-control-allow-methods': 'GET, PUT',
          'access-control-allow-headers': 'X-Tenant',
          'access-control-max-age': '0',
        },
      },
      from(APP, 'PUT'),
    ],
    [
      'of every origin',
      'OPTIONS /any/',
      { status: 204, headers: { 'access-control-allow-origin': '*' } },
      from(FOREIGN, 'GET'),
    ],
    [
      'of another host than ours',
      'OPTIONS /open/',
      { status: 400 },
      {
        headers: { ...from(APP, 'GET').headers, host: 'evil.net' },
      },
    ],
    [
      'of a path that cannot be read',
      'OPTIONS /%zz/',
      { status: 400, headers: { 'access-control-allow-origin': APP } },
      from(APP, 'GET'),
    ],
  ] satisfies Row[])
})

describe('OPTIONS that are no preflight', () => {
  const metadata = (origin: string | null, vary: string) => ({
    status: 200,
    text: /"renders"/,
    headers: { ...granted(origin), 'access-control-allow-methods': null, vary },
  })
  const VARY = 'Accept, Access-Control-Request-Method, Origin'
  throughDoors(app, [
    ['without both headers', 'OPTIONS /open/', metadata(null, VARY)],
    ['without a method', 'OPTIONS /open/', metadata(APP, VARY), from(APP)],
    [
      'without an origin',
      'OPTIONS /open/',
      metadata(null, VARY),
      {
        headers: { 'access-control-request-method': 'GET' },
      },
    ],
  ])
  throughDoors(app, [
    ['GET with the header of one', 'GET /open/', { status: 200, text: '"open"' }, from(APP, 'GET')],
  ])
})

describe('every other answer', () => {
  const SAME: Row[] = [
    ['200', 'GET /open/', 200],
    ['201', 'POST /open/', 201],
    ['403', 'GET /private/', 403],
    ['401', 'GET /named/', 401],
    ['404 of an endpoint', 'GET /missing/', 404],
    ['404 without one', 'GET /nowhere/', 404],
    ['405', 'DELETE /open/', 405],
    ['404 of a format', 'GET /open/?format=none', 404],
    ['429', 'GET /throttled/', 429],
    ['500', 'GET /fails/', 500],
    ['503', 'GET /away/', 503],
  ]
  const answersTo = (origin: string | null, headers: object): Row[] =>
    SAME.map(([title, question, status]) => [
      `${title} ${origin === null ? 'without an origin' : `for ${origin}`}`,
      question,
      { status: status as number, headers: { ...headers } },
      origin === null ? {} : from(origin),
    ])
  throughDoors(app, [
    ...answersTo(APP, granted(APP)),
    ...answersTo(FOREIGN, { ...NOT_GRANTED, vary: /\bOrigin\b/ }),
    ...answersTo(null, { ...NOT_GRANTED, vary: /\bOrigin\b/ }),
    [
      '406',
      'GET /open/',
      { status: 406, headers: granted(APP) },
      { headers: { origin: APP, accept: 'image/png' } },
    ],
    [
      'with credentials',
      'GET /writing/',
      {
        status: 200,
        headers: {
          'access-control-allow-origin': APP,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'X-Total',
        },
      },
      from(APP),
    ],
    [
      'nothing more to expose',
      'GET /page/',
      {
        status: 200,
        headers: { 'access-control-allow-origin': APP, 'access-control-expose-headers': null },
      },
      from(APP),
    ],
    [
      'a handler grants nothing, and may expose what it has',
      'GET /own/',
      {
        status: 200,
        headers: {
          'access-control-allow-origin': APP,
          'access-control-allow-credentials': null,
          'access-control-expose-headers': 'X-Own',
          vary: 'Accept, X-Own, Origin',
        },
      },
      from(APP),
    ],
    [
      'a handler that reads the origin',
      'GET /read/',
      { status: 200, text: `"${FOREIGN}"`, headers: { ...NOT_GRANTED, vary: 'Accept, Origin' } },
      from(FOREIGN),
    ],
    [
      'of every origin, whoever asks',
      'GET /any/',
      {
        status: 200,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': EXPOSED,
          vary: 'Accept',
        },
      },
    ],
  ])
})

describe('without a policy nothing changes', () => {
  const headersOf = ({ headers }: Answer) =>
    Object.keys(headers)
      .filter((name) => !/^(?:connection|date|keep-alive)$/.test(name))
      .toSorted()
  const STANDING = [
    'allow',
    'content-length',
    'content-type',
    'cross-origin-resource-policy',
    'vary',
    'x-content-type-options',
    'x-request-id',
  ]

  test.each(doors(app))('$name', async ({ send }) => {
    for (const question of ['GET /none/', 'OPTIONS /none/']) {
      const answer = await send(toSent(question, from(APP, 'GET')))
      expect([answer.status, answer.headers['vary']]).toEqual([200, 'Accept'])
      expect(headersOf(answer)).toEqual(STANDING)
    }
  })
})

describe('a function', () => {
  const asked = (path: string, origin: string) => client(app).get(path, { headers: { origin } })
  const allowed = async (path: string, origin: string) =>
    (await asked(path, origin)).header('access-control-allow-origin')

  test('is asked about an origin and a request', async () => {
    expect(await allowed('/tenants/ada/', 'https://ada.example')).toBe('https://ada.example')
    expect(await allowed('/tenants/ada/', 'https://bob.example')).toBeNull()
    const preflighted = await client(app).options(
      '/tenants/ada/',
      from('https://ada.example', 'GET'),
    )
    expect(preflighted.header('access-control-allow-origin')).toBe('https://ada.example')
    expect(preflighted.header('access-control-allow-credentials')).toBe('true')
  })

  test.each([
    'null',
    '*',
    'https://Ada.example',
    'https://a.example, https://b.example',
    'https://a/',
  ])('is never asked about %s, where credentials are sent', async (origin) => {
    expect(await allowed('/tenants/all/', origin)).toBeNull()
    expect(await allowed('/tenants/all/', FOREIGN)).toBe(FOREIGN)
  })

  test('that fails admits no one, the request goes on, and the log says why', async () => {
    log.records.splice(0)
    const { status, header } = await asked('/tenants/broken/', FOREIGN)
    expect([status, header('access-control-allow-origin')]).toEqual([200, null])
    expect(log.records).toMatchObject([
      {
        event: 'cors.failed',
        endpoint: 'tenant',
        origin: FOREIGN,
        error: expect.stringMatching(/No such tenant/),
      },
    ])
  })

  test.each(['promising', 'truthy'])('that returns something %s admits no one', async (tenant) => {
    expect(await allowed(`/tenants/${tenant}/`, FOREIGN)).toBeNull()
  })
})
