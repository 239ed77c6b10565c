import type { Accounts } from '../../accounts/create-accounts.ts'
import type { Endpoint, Group } from '../../core/app/group.ts'
import { NotFound, PermissionDenied, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Permission } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
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

/** Whose factors they are. */
export interface FactorEndpointsOptions {
  readonly accounts: Accounts
  readonly factors: SecondFactors
  /**
   * Who may change their factors. In any case users see and change their own alone.
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
  const group = (api as unknown as Group<TypedSettings, Record<string, string>>).group({
    permissions: [new IsAuthenticated()],
    versioning: null,
    pagination: null,
  })
  const by = ({ user, id: requestId }: ApiRequest) =>
    accounts.by({ user: user as User, requestId }).factors
  const mine = (request: ApiRequest) => ownerOf(request, accounts)
  const show = action({
    output: all,
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
    input: naming,
    output: begun,
    status: 201,
    errors: { 409: ['conflict'] },
    perform: async ({ request, input }) =>
      factors.begin(request, await mine(request), input.name ?? ''),
  })
  const confirm = action({
    permissions,
    input: coded,
    output: codes,
    perform: async ({ request, input }) => {
      const made = await factors.confirm(request, await mine(request), input.code)
      if (made === null) throw wrongCode()
      return { recovery_codes: [...made] }
    },
  })
  const renew = action({
    permissions,
    output: codes,
    errors: { 403: ['permission_denied'] },
    perform: async ({ request }) => {
      const user = await mine(request)
      if (!(await accounts.factors.isRequired(user))) throw new PermissionDenied()
      return { recovery_codes: [...(await by(request).makeCodes(user))] }
    },
  })
  const remove = action({
    permissions,
    input: chosen,
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

const RECENT = [new IsRecentlyAuthenticated({ within: '10 minutes' })]

const one = serializer(
  {
    id: field.integer(),
    kind: field.choice(['totp', 'unconfirmed', 'device', 'recovery_code']),
    name: field.text(),
    created: field.dateTime({ as: 'date' }),
    lastUsed: field.dateTime({ as: 'date', nullable: true }),
  },
  { name: 'Factor' },
)
const all = serializer(
  { factors: field.list(field.nested(one)), recovery_codes: field.integer() },
  { name: 'Factors' },
)
const naming = serializer(
  { name: field.text({ maxLength: 100, required: false, label: 'Name of the app' }) },
  { name: 'NewApp' },
)
const begun = serializer(
  { id: field.integer(), secret: field.text(), uri: field.text() },
  { name: 'BegunApp' },
)
const coded = serializer({ code: field.text({ maxLength: 40 }) }, { name: 'FirstCode' })
const codes = serializer({ recovery_codes: field.list(field.text()) }, { name: 'RecoveryCodes' })
const chosen = serializer({ id: field.integer() }, { name: 'ChosenFactor' })

/** Its answer holds a secret: no cache keeps it. */
function unkept<B extends Behaviour>(behaviour: B): B {
  const handle = async (request: ApiRequest) => {
    const { data, status } = toReply(await behaviour.handle(request))
    return uncached(data, { status })
  }
  return { ...behaviour, handle }
}

function wrongCode(): ValidationError {
  return new ValidationError({ code: [ErrorDetail.of('invalid.code')] })
}

/** @throws PermissionDenied (403) it is no user of the accounts */
async function ownerOf({ user, auth }: ApiRequest, accounts: Accounts): Promise<User> {
  const { id = 0, username = '' } = (user ?? {}) as Partial<User>
  const found = auth === null && Number.isSafeInteger(id) ? await accounts.users.byId(id) : null
  if (found === null || found.username !== username || !found.isActive) throw new PermissionDenied()
  return found
}
