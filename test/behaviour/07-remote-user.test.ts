import { describe, expect, test } from 'vitest'
import {
  type App,
  AuthenticationFailed,
  ConfigurationError,
  IsAdminUser,
  IsAuthenticated,
  RemoteUserAuthentication,
  TokenAuthentication,
  type User,
  configurationOf,
  defineApi,
  defineUrls,
} from '../../src/index.ts'
import type { Authenticator, RemoteUserBackend, TokenVerifier } from '../../src/types.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { type On, type OpenDatabase, onDatabases } from './databases.ts'
import { type More, type Row, throughDoors } from './doors.ts'
import {
  DETAIL,
  ada,
  bob,
  eve,
  notebook,
  quiet,
  scheme,
  tokens as ownTokens,
  user,
} from './fixtures.ts'
import { BELIEVING, FRONT, behindAFront } from './front.ts'

const believing = { configuration: configurationOf(BELIEVING) }

/** Knows ada, bob and eve (who is switched off), and makes an account of any other possible name. */
interface People {
  readonly users: RemoteUserBackend
  readonly tokens: TokenVerifier
  /** The names of those who got an account. */
  readonly made: string[]
}

function people(): People {
  const known = new Map<string, User>([ada, bob, eve].map((each) => [each.username, each]))
  const made: string[] = []
  const users: RemoteUserBackend = {
    remoteUser(username) {
      if (username.length > 150) return null
      const found = known.get(username) ?? user(username, { id: known.size + 1 })
      if (!known.has(username)) made.push(username)
      known.set(username, found)
      return found
    },
  }
  return { users, tokens: ownTokens, made }
}

/** The same people with accounts. */
async function accountsIn(open: OpenDatabase): Promise<People> {
  const options = { secretKey: 'a secret', logger: notebook() }
  const { users, tokens, events } = defineAccounts({ database: await open(), ...options })
  await users.create({ username: 'ada', isStaff: true })
  await tokens.create(await users.create({ username: 'bob' }), 'k-bob')
  await users.create({ username: 'eve', isActive: false })
  const made: string[] = []
  events.on('user.created', ({ user: { username } }) => void made.push(username))
  return { users, tokens, made }
}
const services: readonly On<People>[] = [
  { on: 'people of one’s own', ...people() },
  ...(await onDatabases(accountsIn)).map((each) => ({ ...each, on: `accounts in ${each.on}` })),
]

const as = (username: string, more: More['headers'] = {}): More => ({
  headers: { [FRONT]: Buffer.from(username).toString('latin1'), ...more },
})
const forbidden = { status: 403, data: DETAIL, headers: { 'www-authenticate': null } }
const challenged = { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } }
const named = (username: string | null, by: string | null = 'RemoteUserAuthentication') => ({
  status: 200,
  data: { user: username, auth: null, by },
})
const nobody = named(null, null)

const urls = defineUrls({
  any: '/any/',
  member: '/member/',
  admin: '/admin/',
  denied: '/denied/',
  after: '/after/',
  before: '/before/',
  rejecting: '/rejecting/',
  variant: '/variant/',
})

describe.each(services)('remote user of $on', ({ users, tokens, made, on }) => {
  const remote = new RemoteUserAuthentication({ users })
  const rejecting: Authenticator<never, never> = {
    authenticate() {
      throw new AuthenticationFailed()
    },
  }
  const token = new TokenAuthentication({ tokens })
  const api = defineApi({ urls, authentication: [remote] })
  const tell = (request: {
    user: { username: string; isAuthenticated: boolean }
    auth: unknown
    authenticator: Authenticator | null
  }) => ({
    user: request.user.isAuthenticated ? request.user.username : null,
    auth: request.auth === null ? null : 'a token',
    by: request.authenticator?.constructor.name ?? null,
  })
  const reads = { permissions: [new IsAuthenticated()] }
  const app = api.serve(
    [
      api.endpoint('any').get(tell).post(tell).put(tell).patch(tell).delete(tell),
      api.endpoint('member', reads).get(tell).post(tell),
      api.endpoint('admin', { permissions: [new IsAdminUser()] }).get(tell),
      api.endpoint('denied', { permissions: [{ hasPermission: () => false }] }).get(tell),
      api.endpoint('after', { authentication: [remote, token], ...reads }).get(tell),
      api.endpoint('before', { authentication: [token, remote], ...reads }).get(tell),
      api.endpoint('rejecting', { authentication: [rejecting, remote] }).get(tell),
      api
        .endpoint('variant', {
          authentication: [new RemoteUserAuthentication({ users, variable: 'X_NAME' })],
        })
        .get(tell),
    ],
    believing,
  )
  const key = { authorization: 'Token k-bob' }
  const byToken = { status: 200, data: { user: 'bob', auth: 'a token', by: 'TokenAuthentication' } }

  const rows: readonly Row[] = [
    ['RU3 no name: nobody', 'GET /any/', nobody],
    ['RU3 an empty one', 'GET /any/', nobody, as('')],
    ['RU4 a known user', 'GET /any/', named('ada'), as('ada')],
    ['RU4 staff', 'GET /admin/', named('ada'), as('ada')],
    ['RU4 an unknown user', 'GET /member/', named('joe'), as('joe')],
    ['RU4 a name that is not ASCII', 'GET /member/', named('zoë 山田'), as('zoë 山田')],
    ['RU4 names with spaces and commas', 'GET /member/', named('a, b c'), as('a, b c')],
    ['RU5 a user who is switched off: nobody', 'GET /any/', nobody, as('eve')],
    ['RU5 and asked to say who it is', 'GET /member/', forbidden, as('eve')],
    ['RU5 the next scheme is tried', 'GET /after/', byToken, as('eve', key)],
    ['a name that the backend refuses: nobody', 'GET /any/', nobody, as('x'.repeat(151))],
    ['RU6 no name where one is needed: 403, no challenge', 'GET /member/', forbidden],
    ['RU6 the same for writing', 'POST /member/', forbidden],
    ['RU6 first of two: no challenge', 'GET /after/', forbidden],
    ['RU6 second of two: the challenge of the first', 'GET /before/', challenged],
    [
      'A5 first of two: the other is tried without a name',
      'GET /after/',
      byToken,
      { headers: key },
    ],
    ['A2 the first that names somebody wins', 'GET /after/', named('ada'), as('ada', key)],
    ['A2 and here it is the token', 'GET /before/', byToken, as('ada', key)],
    ['A4 second of two: a failure before it is final', 'GET /rejecting/', forbidden, as('ada')],
    [
      'A4 a wrong token too',
      'GET /before/',
      challenged,
      as('ada', { authorization: 'Token wrong' }),
    ],
    ['A42 named and not allowed: 403', 'GET /admin/', forbidden, as('bob')],
    ['A42 whoever it is', 'GET /denied/', forbidden, as('ada')],
    ['an Authorization header says nothing', 'GET /any/', nobody, { headers: key }],
    ['RU1 a variant reads its own variable', 'GET /variant/', nobody, as('ada')],
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method): Row => [
      `RU7 ${method} needs no CSRF token`,
      `${method} /any/`,
      named('ada'),
      as('ada'),
    ]),
    ['R10 OPTIONS is authenticated', 'OPTIONS /member/', 200, as('ada')],
    ['R10 and denied', 'OPTIONS /member/', forbidden],
    [
      'I11 what a named user sees is for no shared cache',
      'GET /any/',
      { status: 200, headers: { 'cache-control': 'private' } },
      as('ada'),
    ],
    ...['remote-user', 'remote_user', 'http_remote_user', 'x_front_user', 'x-remote-user'].map(
      (name): Row => [
        `RU1 a client that names itself in ${name}`,
        'GET /any/',
        nobody,
        { headers: { [name]: 'ada' } },
      ],
    ),
  ]
  throughDoors(behindAFront(app), rows, on)

  test('RU4 an account is made once, also where the answer is no', async () => {
    const front = behindAFront(app)
    const before = made.length
    for (const path of ['/denied/', '/denied/', '/any/']) {
      await front.fetch(
        new Request(`http://localhost${path}`, { headers: { [FRONT]: 'newcomer' } }),
      )
    }
    expect(made.slice(before)).toEqual(['newcomer'])
  })

  test('RU4 the first requests of somebody, all at once, make one account', async () => {
    const front = behindAFront(app)
    const first = () =>
      front.fetch(new Request('http://localhost/member/', { headers: { [FRONT]: 'crowd' } }))
    const answers = await Promise.all(Array.from({ length: 20 }, first))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(made.filter((username) => username === 'crowd')).toHaveLength(1)
  })
})

describe('I9 a service without a channel does not start', () => {
  const { users } = people()
  const remote = new RemoteUserAuthentication({ users })
  const classes = { Front: remote }

  test.each<[title: string, start: () => App]>([
    [
      'the scheme of an api',
      () => {
        const api = defineApi({ urls: { me: '/me/' }, authentication: [remote] })
        return api.serve([api.endpoint('me').get(() => 1)], quiet)
      },
    ],
    [
      'of an endpoint, behind others',
      () => {
        const api = defineApi({ urls: { me: '/me/' } })
        const authentication = [scheme(() => null), remote]
        return api.serve([api.endpoint('me', { authentication }).get(() => 1)], quiet)
      },
    ],
    [
      'of an operator',
      () => {
        const api = defineApi({ urls: { me: '/me/' }, classes })
        const configuration = configurationOf({ DEFAULT_AUTHENTICATION_CLASSES: ['Front'] })
        return api.serve([api.endpoint('me').get(() => 1)], { configuration })
      },
    ],
    [
      'trusted proxies alone are no channel',
      () => {
        const api = defineApi({ urls: { me: '/me/' }, authentication: [remote] })
        const configuration = configurationOf({ TRUSTED_PROXIES: ['127.0.0.1'] })
        return api.serve([api.endpoint('me').get(() => 1)], { configuration })
      },
    ],
  ])('%s', (_, start) => {
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow(
      /^endpoint me: DEFAULT_AUTHENTICATION_CLASSES \(from [^)]+\) has RemoteUserAuthentication, which needs .*REMOTE_USER_SOURCE/,
    )
  })

  test('where no endpoint uses it, nothing is missing', () => {
    const api = defineApi({ urls: { me: '/me/' }, authentication: [remote] })
    const me = api.endpoint('me', { authentication: [] }).get(() => 1)
    expect(() => api.serve([me], quiet)).not.toThrow()
  })

  test('by its registered name it needs accounts', () => {
    const api = defineApi({ urls: { me: '/me/' } })
    const configuration = configurationOf({
      DEFAULT_AUTHENTICATION_CLASSES: ['RemoteUserAuthentication'],
      REMOTE_USER_SOURCE: 'environ',
    })
    expect(() => api.serve([api.endpoint('me').get(() => 1)], { configuration })).toThrow(
      /RemoteUserAuthentication needs the users of an application with accounts/,
    )
  })
})

test('RU8 a request without a name is told to nobody', async () => {
  const logger = notebook()
  const { users, made } = people()
  const authentication = [new RemoteUserAuthentication({ users })]
  const api = defineApi({ urls: { me: '/me/' }, authentication, logger })
  const app = api.serve([api.endpoint('me').get(() => 1)], believing)
  await app.fetch(new Request('http://localhost/me/'))
  expect([logger.records, made]).toEqual([[], []])
})
