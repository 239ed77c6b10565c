import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { uncached } from '../../core/replies/reply.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import type { IssuedToken } from '../../policies/authentication/csrf/csrf.ts'
import type { LoginFactors, LoginPasskeys } from '../../core/ports/sessions.ts'
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SCHEMA,
  FILLED,
  PASSWORD_SCHEMA,
  credentialsIn,
  having,
  refusedCredentials,
  wrongCode,
} from './sent-credentials.ts'
import { type LoginAccounts, SessionLogin } from './session-login.ts'

/** The parts of the endpoints for a browser's session. */
export interface SessionEndpointOptions<U extends User = User> {
  readonly accounts: LoginAccounts<U>
  /** Asks users with a second factor for it: `secondFactors` of `colophon/factors`. @default such users are refused */
  readonly factors?: LoginFactors<U>
  /** Lets users in by passkeys: `passkeys` of `colophon/passkeys`. @default none does */
  readonly passkeys?: LoginPasskeys<U>
  /** The shown facts about the user. @default `id`, `username` and `email` */
  readonly show?: (user: U) => unknown
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
export function showSession<U extends User = User>({
  accounts,
  show,
}: SessionEndpointOptions<U>): Behaviour<ApiRequest> {
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
 * With `factors`, a user who has one gets 403 (`second_factor_required`) and sends `{ code, remember? }` next. With
 * `passkeys`, `{ passkey }` is a whole log-in.
 */
export function loginSession<U extends User = User>(
  options: SessionEndpointOptions<U>,
): Behaviour<ApiRequest> {
  const bodies = options.factors === undefined ? [] : [CODE_SCHEMA]
  return proving(options, {
    summary: 'Log this browser in',
    bodies: [CREDENTIAL_SCHEMA, ...bodies],
    fields: CREDENTIAL_FIELDS,
    async prove(request, login) {
      const { code, remember } = Object(await request.body())
      if (code !== undefined) {
        const sent = await credentialsIn(request, ['code'])
        const proved = await login.finish(request, sent.code, remember === true)
        if (proved === null) throw wrongCode()
        return proved
      }
      const { username, password } = await credentialsIn(request, ['username', 'password'])
      return login.logIn(request, username, password)
    },
  })
}

/**
 * PUT or POST of the `password` of the user who is logged in, in JSON: what `IsRecentlyAuthenticated` asks for. It answers
 * like `showSession`; session and CSRF token are new afterwards. A wrong password is 400 and counts like one of a log-in.
 *
 * @example
 * api.endpoint('reauthenticate').put(renewSession({ accounts }))
 */
export function renewSession<U extends User = User>(
  options: SessionEndpointOptions<U>,
): Behaviour<ApiRequest> {
  return proving(options, {
    summary: 'Prove again who is logged in',
    bodies: [having({ password: PASSWORD_SCHEMA })],
    fields: { password: CREDENTIAL_FIELDS.password },
    prove: async (request, login) =>
      login.renew(request, (await credentialsIn(request, ['password'])).password),
  })
}

interface Proving<U extends User> {
  readonly summary: string
  /** Schemas of the body, which fits one of them. */
  readonly bodies: readonly JSONSchema[]
  readonly fields: Partial<typeof CREDENTIAL_FIELDS>
  prove(request: ApiRequest, login: SessionLogin<U>): ReturnType<SessionLogin<U>['logIn']>
}

/** An endpoint that begins a session for the user whom a body proves. */
function proving<U extends User>(
  { accounts, factors, passkeys, show }: SessionEndpointOptions<U>,
  { summary, bodies, fields, prove }: Proving<U>,
): Behaviour<ApiRequest> {
  const login = new SessionLogin(accounts, factors, passkeys)
  const all = passkeys === undefined ? bodies : [...bodies, PASSKEY_SCHEMA]
  const codes = ['permission_denied', ...(factors === undefined ? [] : ['second_factor_required'])]
  return {
    policy: { ...POLICY, DEFAULT_PARSER_CLASSES: ['JSONParser'] },
    takesPasswords: true,
    operation: () => ({
      summary,
      body: all.length === 1 ? all[0]! : { anyOf: all },
      answers: [{ status: 200, schema: show === undefined ? SESSION : SHOWN }],
      errors: [
        { status: 400, codes: ['invalid'] },
        { status: 403, codes },
      ],
    }),
    form: () => ({ fields }),
    async handle(request) {
      await login.csrf.check(request)
      const { passkey } = Object(await request.body())
      const isByPasskey = passkeys !== undefined && passkey !== undefined
      const proved = await (isByPasskey
        ? login.enterByPasskey(request, passkey)
        : prove(request, login))
      if (proved === null) throw refusedCredentials(request)
      return shown(proved.user, proved, show)
    },
  }
}

/** DELETE or POST that ends the session of this browser: 204, also without a session. It requires the CSRF token. */
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

/** These endpoints look after cookies and tokens themselves, and every client may use them. */
const POLICY = {
  DEFAULT_RENDERER_CLASSES: ['JSONRenderer'],
  DEFAULT_AUTHENTICATION_CLASSES: [],
  DEFAULT_PERMISSION_CLASSES: [],
} as const

function shown<U extends User>(
  user: U | null,
  { token, cookies }: IssuedToken,
  show: (user: U) => unknown = ({ id, username, email }) => ({ id, username, email }),
): Reply {
  const data = { user: user && show(user), csrf_token: token }
  return uncached(data, { headers: { 'Set-Cookie': cookies } })
}

const TEXT: JSONSchema = { type: 'string' }
const SHOWN = having({ user: {}, csrf_token: TEXT })
const USER = having({ id: { type: 'integer' }, username: TEXT, email: TEXT })
const SESSION = having({ user: { ...USER, type: ['object', 'null'] }, csrf_token: TEXT })

const CODE_SCHEMA: JSONSchema = {
  type: 'object',
  properties: { code: FILLED, remember: { type: 'boolean' } },
  required: ['code'],
}

const PASSKEY_SCHEMA = having({ passkey: { type: 'object' } })
