import type { IssuedToken } from '../../authentication/csrf/csrf.ts'
import { type LoginAccounts, SessionLogin } from '../../authentication/session-login.ts'
import type { User } from '../../contract/credentials.ts'
import type { Behaviour } from '../../contract/kernel.ts'
import type { ApiRequest, Reply } from '../../contract/request.ts'
import { uncached } from '../../replies/reply.ts'
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SCHEMA,
  credentialsIn,
  refusedCredentials,
} from './credentials.ts'
import type { JSONSchema } from '../../types/documents.ts'

/** What the session of a browser is shown and changed with. */
export interface SessionEndpointOptions {
  readonly accounts: LoginAccounts
  /** What is shown of the user. @default `id`, `username` and `email` */
  readonly show?: (user: User) => unknown
}

/**
 * GET of who has logged in with this browser: `{ user, csrf_token }`, `user: null` for none. It sets
 * the CSRF cookie, so a script asks it first; the token goes into `X-CSRFToken` of every later request
 * that changes something.
 *
 * @example
 * const session = api
 *   .endpoint('session')
 *   .get(showSession({ accounts }))
 *   .post(loginSession({ accounts }))
 *   .delete(logoutSession({ accounts }))
 */
export function showSession({ accounts, show }: SessionEndpointOptions): Behaviour<ApiRequest> {
  const login = new SessionLogin(accounts)
  return {
    policy: POLICY,
    operation: () => ({
      summary: 'Who has logged in with this browser',
      body: null,
      answers: [{ status: 200, schema: show === undefined ? SESSION : SHOWN }],
    }),
    handle: async (request) => shown(await login.current(request), login.csrf.issue(request), show),
  }
}

/**
 * POST of `username` and `password` in JSON: logs this browser in, and answers like `showSession`.
 * Every request needs a CSRF token, and one from another site is refused before its body is read.
 * The session and the CSRF token are new afterwards. Refused credentials are 400, whatever was wrong.
 */
export function loginSession({ accounts, show }: SessionEndpointOptions): Behaviour<ApiRequest> {
  const login = new SessionLogin(accounts)
  return {
    policy: { ...POLICY, DEFAULT_PARSER_CLASSES: ['JSONParser'] },
    takesPasswords: true,
    operation: () => ({
      summary: 'Log this browser in',
      body: CREDENTIAL_SCHEMA,
      answers: [{ status: 200, schema: show === undefined ? SESSION : SHOWN }],
      errors: [
        { status: 400, codes: ['invalid'] },
        { status: 403, codes: ['permission_denied'] },
      ],
    }),
    fields: CREDENTIAL_FIELDS,
    async handle(request) {
      await login.csrf.check(request)
      const { username, password } = await credentialsIn(request)
      const loggedIn = await login.logIn(request, username, password)
      if (loggedIn === null) throw refusedCredentials(request)
      return shown(loggedIn.user, loggedIn, show)
    },
  }
}

/** DELETE or POST that ends the session of this browser: 204, also where there was none. It requires the CSRF token. */
export function logoutSession(options: Pick<SessionEndpointOptions, 'accounts'>): Behaviour {
  const login = new SessionLogin(options.accounts)
  return {
    policy: POLICY,
    operation: () => ({
      summary: 'End the session of this browser',
      body: null,
      answers: [{ status: 204, schema: null }],
      errors: [{ status: 403, codes: ['permission_denied'] }],
    }),
    async handle(request) {
      await login.csrf.check(request)
      const headers = { 'Set-Cookie': await login.logOut(request) }
      return uncached(null, { status: 204, headers })
    },
  }
}

/** They look after cookies and tokens themselves, and every client may use them. */
const POLICY = {
  DEFAULT_RENDERER_CLASSES: ['JSONRenderer'],
  DEFAULT_AUTHENTICATION_CLASSES: [],
  DEFAULT_PERMISSION_CLASSES: [],
} as const

function shown(
  user: User | null,
  { token, cookies }: IssuedToken,
  show: (user: User) => unknown = ({ id, username, email }) => ({ id, username, email }),
): Reply {
  const data = { user: user && show(user), csrf_token: token }
  return uncached(data, { headers: { 'Set-Cookie': cookies } })
}

function sessionOf(user: JSONSchema): JSONSchema {
  const properties = { user, csrf_token: { type: 'string' } }
  return { type: 'object', properties, required: Object.keys(properties) }
}

const SHOWN = sessionOf({})
const SESSION = sessionOf({
  type: ['object', 'null'],
  properties: {
    id: { type: 'integer' },
    username: { type: 'string' },
    email: { type: 'string' },
  },
  required: ['id', 'username', 'email'],
})
