import type { Accounts } from '../../accounts/create-accounts.ts'
import { SessionLogin } from '../../accounts/login/session-login.ts'
import type { Endpoint, Group } from '../../core/app/group.ts'
import { NotFound, PermissionDenied, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { LoginPasskeys, PasskeyQuestion } from '../../core/ports/sessions.ts'
import { toReply, uncached } from '../../core/replies/reply.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { IsAuthenticated, IsRecentlyAuthenticated } from '../../policies/permissions/builtin.ts'
import { action } from '../../resources/endpoints/action.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import type { SecondFactors } from './second-factors.ts'

/** Addresses of an account's second factors, and of the code at log-ins. Take them into your own with `...factorUrls`. */
export const factorUrls = {
  'login-factor': '/login/code/',
  factors: '/account/factors/',
  'factors-app': '/account/factors/app/',
  'factors-confirm': '/account/factors/confirm/',
  'factors-codes': '/account/factors/recovery-codes/',
  'factors-remove': '/account/factors/remove/',
} as const

/** Names of the addresses that the endpoints need: `factorUrls` has them. */
export type FactorRoute = Exclude<keyof typeof factorUrls, 'login-factor'>

/** The accounts with the factors. */
export interface FactorEndpointsOptions {
  readonly accounts: Accounts
  readonly factors: SecondFactors
  /**
   * The permissions to change one's factors; users never see those of others.
   *
   * @default [new IsRecentlyAuthenticated({ within: '10 minutes' })]
   */
  readonly permissions?: readonly Permission[]
}

/**
 * A user's own second factors, as endpoints for `serve`: what there is, an app that is added and confirmed by its first
 * code, recovery codes, and the end of each. Renderers, parsers, schemes and throttles are those of the group.
 *
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...reauthenticationUrls, ...factorUrls }), accounts })
 * const factors = secondFactors({ accounts, issuer: 'Library' })
 * export default api.serve([
 *   ...loginPages(api, { accounts, factors }),
 *   reauthenticationPage(api, { accounts, factors }),
 *   ...factorEndpoints(api, { accounts, factors }),
 * ])
 */
export function factorEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, FactorRoute>,
  { accounts, factors, permissions = RECENT }: FactorEndpointsOptions,
): readonly Endpoint<never>[] {
  const group = groupOf(api, [new IsAuthenticated()])
  const by = ({ user, id: requestId }: ApiRequest) =>
    accounts.by({ user: user as User, requestId }).factors
  const mine = (request: ApiRequest) => ownerOf(request, accounts)
  const show = action({
    output: ownFactors,
    perform: async ({ request }) => {
      const own = await accounts.factors.of(await mine(request))
      return {
        factors: own.filter(({ kind }) => kind !== 'recovery_code'),
        recovery_codes: own.filter(({ kind }) => kind === 'recovery_code').length,
      }
    },
  })
  const begin = action({
    permissions,
    input: newApp,
    output: begunApp,
    status: 201,
    errors: { 409: ['conflict'] },
    perform: async ({ request, input }) =>
      factors.begin(request, await mine(request), input.name ?? ''),
  })
  const confirm = action({
    permissions,
    input: firstCode,
    output: recoveryCodes,
    perform: async ({ request, input }) => {
      const made = await factors.confirm(request, await mine(request), input.code)
      if (made === null) throw new ValidationError({ code: [ErrorDetail.of('invalid.code')] })
      return { recovery_codes: [...made] }
    },
  })
  const renew = action({
    permissions,
    output: recoveryCodes,
    errors: { 403: ['permission_denied'] },
    perform: async ({ request }) => {
      const user = await mine(request)
      if (!(await accounts.factors.isRequired(user))) throw new PermissionDenied()
      return { recovery_codes: [...(await by(request).makeCodes(user))] }
    },
  })
  const remove = action({
    permissions,
    input: chosenFactor,
    perform: async ({ request, input }) => {
      if (!(await by(request).remove(await mine(request), input.id))) throw new NotFound()
    },
  })
  return [
    group.endpoint('factors', { title: 'My second factors' }).get(show),
    group.endpoint('factors-app', { title: 'Add an app' }).post(unkept(begin)),
    group.endpoint('factors-confirm', { title: 'Confirm an app' }).post(unkept(confirm)),
    group.endpoint('factors-codes', { title: 'New recovery codes' }).post(unkept(renew)),
    group.endpoint('factors-remove', { title: 'Remove a second factor' }).post(remove),
  ]
}

/** Addresses of log-ins by passkeys, and of an account's own. Take them into your own with `...passkeyUrls`. */
export const passkeyUrls = {
  'login-passkey': '/login/passkey/',
  'passkeys-begin': '/account/passkeys/begin/',
  'passkeys-add': '/account/passkeys/add/',
} as const

/** Names of the addresses that the endpoints need: `passkeyUrls` has them. */
export type PasskeyRoute = keyof typeof passkeyUrls

/** The accounts with the passkeys. */
export interface PasskeyEndpointsOptions {
  readonly accounts: Accounts
  readonly passkeys: LoginPasskeys
  /**
   * The permissions to register passkeys; users register only their own.
   *
   * @default [new IsRecentlyAuthenticated({ within: '10 minutes' })]
   */
  readonly permissions?: readonly Permission[]
}

/**
 * Endpoints that a browser's scripts call before they use a passkey, and to register one. `loginSession({ passkeys })` and the
 * login page take the browser's answer. The other endpoints of a user's factors show and remove passkeys too.
 *
 * @example
 * const options = { accounts, passkeys: keys }
 * export default api.serve([...loginPages(api, options), ...passkeyEndpoints(api, options)])
 */
export function passkeyEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, PasskeyRoute>,
  { accounts, passkeys, permissions = RECENT }: PasskeyEndpointsOptions,
): readonly Endpoint<never>[] {
  const { csrf } = new SessionLogin(accounts)
  const cookies = new WeakMap<ApiRequest, string>()
  const asked = (request: ApiRequest, { options, cookie }: PasskeyQuestion) => {
    cookies.set(request, cookie)
    return { options }
  }
  const ask = action({
    input: askedFor,
    output: passkeyQuestion,
    errors: { 403: ['permission_denied'] },
    perform: async ({ request, input }) => {
      await csrf.check(request)
      return asked(request, await passkeys.ask(request, input.known ?? false))
    },
  })
  const begin = action({
    permissions,
    output: passkeyQuestion,
    perform: async ({ request }) =>
      asked(request, await passkeys.begin(request, await ownerOf(request, accounts))),
  })
  const add = action({
    permissions,
    input: newPasskey,
    output: recoveryCodes,
    status: 201,
    errors: { 409: ['conflict'] },
    perform: async ({ request, input: { name = '', passkey } }) => {
      const owner = await ownerOf(request, accounts)
      const made = await passkeys.register(request, owner, name, passkey)
      if (made === null) throw new ValidationError({ passkey: [ErrorDetail.of('invalid.passkey')] })
      return { recovery_codes: [...made] }
    },
  })
  const group = groupOf(api, [new IsAuthenticated()])
  return [
    groupOf(api, [])
      .group({ authentication: [] })
      .endpoint('login-passkey', { title: 'Ask for a passkey' })
      .post(unkept(ask, cookies)),
    group.endpoint('passkeys-begin', { title: 'Begin a passkey' }).post(unkept(begin, cookies)),
    group.endpoint('passkeys-add', { title: 'Add a passkey' }).post(unkept(add)),
  ]
}

function groupOf(api: object, permissions: readonly Permission[]) {
  return (api as Group<TypedSettings, Record<string, string>>).group({
    permissions,
    versioning: null,
    pagination: null,
  })
}

const RECENT = [new IsRecentlyAuthenticated({ within: '10 minutes' })]

const ownFactor = serializer(
  {
    id: field.integer(),
    kind: field.choice(['totp', 'passkey', 'unconfirmed', 'device', 'recovery_code']),
    name: field.text(),
    created: field.dateTime({ as: 'date' }),
    lastUsed: field.dateTime({ as: 'date', nullable: true }),
  },
  { name: 'Factor' },
)
const ownFactors = serializer(
  { factors: field.list(field.nested(ownFactor)), recovery_codes: field.integer() },
  { name: 'Factors' },
)
const newApp = serializer(
  { name: field.text({ maxLength: 100, required: false, label: 'Name of the app' }) },
  { name: 'NewApp' },
)
const begunApp = serializer(
  { id: field.integer(), secret: field.text(), uri: field.text() },
  { name: 'BegunApp' },
)
const firstCode = serializer({ code: field.text({ maxLength: 40 }) }, { name: 'FirstCode' })
const recoveryCodes = serializer(
  { recovery_codes: field.list(field.text()) },
  { name: 'RecoveryCodes' },
)
const askedFor = serializer(
  { known: field.boolean({ required: false, label: 'The user who is logged in' }) },
  { name: 'AskedForPasskey' },
)
const passkeyQuestion = serializer({ options: field.json() }, { name: 'PasskeyQuestion' })
const newPasskey = serializer(
  {
    name: field.text({ maxLength: 100, required: false, label: 'Name of the passkey' }),
    passkey: field.json(),
  },
  { name: 'NewPasskey' },
)
const chosenFactor = serializer({ id: field.integer() }, { name: 'ChosenFactor' })

/** The answer is for one browser, and caches do not keep it. */
function unkept<B extends Behaviour>(behaviour: B, cookies?: WeakMap<ApiRequest, string>): B {
  const handle = async (request: ApiRequest) => {
    const { data, status } = toReply(await behaviour.handle(request))
    const cookie = cookies?.get(request)
    return uncached(data, { status, headers: cookie === undefined ? {} : { 'Set-Cookie': cookie } })
  }
  return { ...behaviour, handle }
}

/** @throws PermissionDenied (403) it is no user of the accounts */
async function ownerOf({ user, auth }: ApiRequest, accounts: Accounts): Promise<User> {
  const { id = 0, username = '' } = (user ?? {}) as Partial<User>
  const found = auth === null && Number.isSafeInteger(id) ? await accounts.users.byId(id) : null
  if (found === null || found.username !== username || !found.isActive) throw new PermissionDenied()
  return found
}
