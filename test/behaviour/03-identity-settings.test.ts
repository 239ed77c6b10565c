import { describe } from 'vitest'
import { IsAuthenticated, TokenAuthentication, defineApi } from '../../src/index.ts'
import { throughDoors } from './doors.ts'
import { DETAIL, byHeader, quiet, says, tokens } from './fixtures.ts'

const basicLike = byHeader('Basic realm="api"')
const members = { permissions: [new IsAuthenticated()] }
const asUser = (username: string) => ({ headers: { 'x-user': username } })
const no = (challenge: string | null) => ({
  status: challenge === null ? 403 : 401,
  data: DETAIL,
  headers: { 'www-authenticate': challenge },
})
const whoami = (request: { user: unknown; auth: unknown }) => ({
  user: (request.user as { username?: string } | null)?.username ?? null,
  auth: request.auth,
})

describe('A42–A44 whose no it is', () => {
  const closed = says(false, { message: 'closed today', code: 'closed' })
  const denying = defineApi({ urls: { none: '/none/', scheme: '/scheme/' } })
  const denied = denying.serve(
    [
      denying.endpoint('none', { permissions: [closed] }).get(() => 'ok'),
      denying
        .endpoint('scheme', { authentication: [basicLike], permissions: [closed] })
        .get(() => 'ok'),
    ],
    quiet,
  )
  throughDoors(denied, [
    [
      "A43 without schemes: the permission's own message",
      'GET /none/',
      { status: 403, data: { detail: 'closed today' } },
    ],
    [
      'A44 nobody named: the message is about credentials',
      'GET /scheme/',
      { status: 401, text: /^(?!.*closed)/ },
    ],
    [
      "A42 somebody named: the permission's own message",
      'GET /scheme/',
      { status: 403, data: { detail: 'closed today' }, headers: { 'www-authenticate': null } },
      asUser('ada'),
    ],
  ])
})

describe('A1, A20–A22 settings', () => {
  const guest = { username: 'guest', isAuthenticated: false }
  const layered = defineApi({
    urls: {
      guest: '/guest/',
      null: '/null/',
      shut: '/shut/',
      staff: '/staff/',
      other: '/other/',
      off: '/off/',
    },
    authentication: [basicLike],
    unauthenticatedUser: () => guest,
    unauthenticatedToken: () => 'none',
  })
  const nullUser = { unauthenticatedUser: null, unauthenticatedToken: null }
  const settled = layered.serve(
    [
      layered.endpoint('guest').get(whoami),
      layered.endpoint('null', nullUser).get(({ user, auth }) => ({ user, auth })),
      layered.endpoint('shut', { ...nullUser, ...members }).get(whoami),
      layered.endpoint('staff', members).get(whoami),
      layered
        .endpoint('other', { authentication: [new TokenAuthentication({ tokens })], ...members })
        .get(whoami),
      layered.endpoint('off', { authentication: [], ...members }).get(whoami),
    ],
    quiet,
  )
  throughDoors(settled, [
    [
      'A20, A21 nobody is what the factories make',
      'GET /guest/',
      { status: 200, data: { user: 'guest', auth: 'none' } },
    ],
    ['A20, A21 or null', 'GET /null/', { status: 200, data: { user: null, auth: null } }],
    ['A22 a null user is refused like an anonymous one', 'GET /shut/', no('Basic realm="api"')],
    ['A1 the endpoint inherits', 'GET /staff/', 200, asUser('ada')],
    ['A1 a list of the endpoint replaces', 'GET /other/', no('Token'), asUser('ada')],
    ['A1 an empty one too', 'GET /off/', no(null), asUser('ada')],
  ])
})
