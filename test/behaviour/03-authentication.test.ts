import { describe, expect, test } from 'vitest'
import {
  AuthenticationFailed,
  IsAuthenticated,
  NotAuthenticated,
  NotFound,
  ParseError,
  PermissionDenied,
  Throttled,
  TokenAuthentication,
  ValidationError,
  defineApi,
  handleException,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, addresses, ada, byHeader, failing, quiet, scheme, tokens } from './fixtures.ts'

const basicLike = byHeader('Basic realm="api"')
const token = new TokenAuthentication({ tokens })
const silent = byHeader()
const nobody = byHeader(null)
const blank = byHeader('')
const pair = (user: unknown, auth: unknown = null) => scheme(() => ({ user, auth }), 'Fake')
const members = { permissions: [new IsAuthenticated()] }
const codes: (string | undefined)[] = []

const SCHEMES = {
  none: [],
  challenge: [basicLike],
  token: [token],
  silent: [silent],
  null: [nobody],
  blank: [blank],
  'challenge-token': [basicLike, token],
  'silent-challenge': [silent, basicLike],
  'null-challenge': [nobody, basicLike],
  'token-silent': [token, silent],
  'token-after-failure': [failing(new AuthenticationFailed(), 'First'), token],
  'failure-after-token': [token, failing(new AuthenticationFailed(), 'Second')],
  'null-user': [pair(null), failing(new AuthenticationFailed())],
  later: [scheme(async () => null, 'Later'), scheme(async () => ({ user: ada, auth: 'late' }))],
  'late-failure': [scheme(async () => Promise.reject(new AuthenticationFailed()), 'Later')],
  malformed: [failing(new ParseError())],
  throttled: [failing(new Throttled(7), 'Fake')],
  invalid: [failing(new ValidationError({ key: ['odd'] }))],
  denied: [failing(new PermissionDenied('not this way'), 'Fake')],
  missing: [failing(new NotFound())],
  bug: [failing(new TypeError('x'), 'Fake')],
  'late-bug': [scheme(async () => Promise.reject(new TypeError('x')))],
  rich: [pair(ada, { scopes: ['read'], by: 7 })],
  falsy: [pair(ada, 0)],
} as const
type Name = keyof typeof SCHEMES

/** Three endpoints for each list of schemes: the path names the list. */
const own = defineApi({
  urls: addresses(
    Object.keys(SCHEMES).flatMap((name) => [`open/${name}`, `members/${name}`, `raised/${name}`]),
  ),
  logger: { error: () => undefined },
  exceptionHandler: (error, request) => {
    codes.push((error as { code?: string }).code)
    return handleException(error, request)
  },
})
const whoami = (request: { user: unknown; auth: unknown }) => ({
  user: (request.user as { username?: string } | null)?.username ?? null,
  auth: (request.auth as { key?: string } | null)?.key ?? request.auth,
})
const app = own.serve(
  (Object.keys(SCHEMES) as Name[]).flatMap((name) => {
    const authentication = SCHEMES[name]
    return [
      own.endpoint(`open/${name}`, { authentication }).get(whoami).post(whoami),
      own.endpoint(`members/${name}`, { authentication, ...members }).get(whoami),
      own.endpoint(`raised/${name}`, { authentication }).get(({ query }) => {
        throw query.get('as') === 'failed' ? new AuthenticationFailed() : new NotAuthenticated()
      }),
    ]
  }),
  quiet,
)

const asUser = (username: string) => ({ headers: { 'x-user': username } })
const withToken = (value: string) => ({ headers: { authorization: value } })
const no = (challenge: string | null) => ({
  status: challenge === null ? 403 : 401,
  data: DETAIL,
  headers: { 'www-authenticate': challenge },
})

describe('A1–A5 the schemes in their order', () => {
  const rows: Row[] = [
    [
      'A2 the first identity wins',
      'GET /open/challenge-token/',
      { status: 200, data: { user: 'eve', auth: null } },
      { headers: { 'x-user': 'eve', authorization: 'Token k-ada' } },
    ],
    [
      'A2 a scheme that was not attempted leaves it to the next',
      'GET /open/challenge-token/',
      { status: 200, data: { user: 'ada', auth: 'k-ada' } },
      withToken('Token k-ada'),
    ],
    [
      'A2 a promise counts like a value',
      'GET /open/later/',
      { status: 200, data: { user: 'ada', auth: 'late' } },
    ],
    [
      'A3 an identity without a user ends the search',
      'GET /open/null-user/',
      { status: 200, data: { user: null, auth: null } },
    ],
    ['A3 and counts as named: a denial is 403', 'GET /members/null-user/', no(null)],
    [
      'A4 a failure hides the schemes behind it',
      'GET /open/token-after-failure/',
      no('First'),
      withToken('Token k-ada'),
    ],
    [
      'A4 a success makes the schemes behind it irrelevant',
      'GET /open/failure-after-token/',
      200,
      withToken('Token k-ada'),
    ],
    [
      'A5 a keyword that nobody knows is nobody',
      'GET /open/challenge-token/',
      { status: 200, data: { user: '', auth: null } },
      withToken('Digest x'),
    ],
    [
      'A5 which a protected endpoint refuses',
      'GET /members/challenge-token/',
      no('Basic realm="api"'),
      withToken('Bearer x'),
    ],
    [
      'A8 a header that a proxy took away was not sent',
      'GET /open/token/',
      { status: 200, data: { user: '', auth: null } },
    ],
  ]
  throughDoors(app, rows)
})

describe('A30–A33 errors inside a scheme', () => {
  const rows: Row[] = [
    ['A30 bad credentials, later', 'GET /open/late-failure/', no('Later')],
    ['A31 malformed keeps 400', 'GET /open/malformed/', { status: 400, data: DETAIL }],
    [
      'A31 throttled keeps 429 and its wait',
      'GET /open/throttled/',
      { status: 429, headers: { 'retry-after': '7', 'www-authenticate': null } },
    ],
    [
      'A31 validation keeps its body',
      'GET /open/invalid/',
      { status: 400, data: { key: ['odd'] } },
    ],
    [
      'A31 permission denied is 403 although the scheme challenges',
      'GET /open/denied/',
      { status: 403, data: { detail: 'not this way' }, headers: { 'www-authenticate': null } },
    ],
    ['A32 not found is 404', 'GET /open/missing/', 404],
    [
      'A33 anything else is 500',
      'GET /open/bug/',
      { status: 500, data: DETAIL, headers: { 'www-authenticate': null } },
    ],
    ['A33 also later', 'GET /open/late-bug/', { status: 500, data: DETAIL }],
  ]
  throughDoors(app, rows)
})

describe('A40–A48 401 or 403: the first scheme decides', () => {
  const rows: Row[] = [
    ['A41 a challenge', 'GET /members/challenge/', no('Basic realm="api"')],
    ['A41 Token', 'GET /members/token/', no('Token')],
    ['A41, A47 no operation for a challenge', 'GET /members/silent/', no(null)],
    ['A41 a challenge of null', 'GET /members/null/', no(null)],
    ['A40 an empty challenge', 'GET /members/blank/', no(null)],
    [
      'A41 two challenges: only the first',
      'GET /members/challenge-token/',
      no('Basic realm="api"'),
    ],
    ['A41 a silent scheme first', 'GET /members/silent-challenge/', no(null)],
    ['A41 a null scheme first', 'GET /members/null-challenge/', no(null)],
    ['A41 no schemes', 'GET /members/none/', no(null)],
    [
      'A40 whichever scheme failed',
      'GET /open/token-silent/',
      no('Token'),
      withToken('Token nope'),
    ],
    [
      "A40 a failure of the second under the first one's challenge",
      'GET /open/challenge-token/',
      no('Basic realm="api"'),
      withToken('Token nope'),
    ],
    ['A45 raised by a handler: no credentials', 'GET /raised/token/', no('Token')],
    ['A45 raised by a handler: bad credentials', 'GET /raised/token/?as=failed', no('Token')],
    [
      'A45 raised by a handler although the user is known',
      'GET /raised/token/',
      no('Token'),
      withToken('Token k-ada'),
    ],
    ['A45 raised by a handler where nobody challenges', 'GET /raised/silent/?as=failed', no(null)],
    ['A45 raised by a handler without schemes', 'GET /raised/none/', no(null)],
    [
      'A42 once named, a denial is not about credentials',
      'GET /members/challenge/',
      200,
      asUser('ada'),
    ],
  ]
  throughDoors(app, rows)

  test.each([
    ['A46 a failure', '/open/token-silent/', withToken('Token nope'), 'authentication_failed'],
    ['A46 also as 403', '/raised/silent/?as=failed', {}, 'authentication_failed'],
    ['A46 no credentials', '/members/token/', {}, 'not_authenticated'],
    ['A46 also as 403', '/members/silent/', {}, 'not_authenticated'],
    ['A43 no schemes: the permission itself', '/members/none/', {}, 'permission_denied'],
  ])('%s keeps its code', async (_, path, options, code) => {
    codes.length = 0
    await client(app).get(path, options)
    expect(codes).toEqual([code])
  })
})

describe("A60, A61 schemes of one's own", () => {
  throughDoors(app, [
    [
      'A61 auth may be anything',
      'GET /open/rich/',
      { status: 200, data: { user: 'ada', auth: { scopes: ['read'], by: 7 } } },
    ],
    ['A61 also nothing much', 'GET /open/falsy/', { status: 200, data: { user: 'ada', auth: 0 } }],
  ])

  test('A60 a scheme without authenticate is refused at start', () => {
    const wrong = defineApi({ urls: { a: '/a/' }, authentication: [{} as never] })
    expect(() => wrong.serve([wrong.endpoint('a').get(() => 'ok')], quiet)).toThrow(
      /DEFAULT_AUTHENTICATION_CLASSES.*api.*authenticate\(\)/,
    )
  })
})
