import { SessionLogin } from '../../accounts/login/session-login.ts'
import type { Endpoint, Group } from '../../core/app/group.ts'
import { Message } from '../../core/messages/message.ts'
import type { Presentation, PresentedAction } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { DataShownBy } from '../../core/ports/serializer.ts'
import { uncached } from '../../core/replies/reply.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import { type AccountOptions, IsAccountOwner, PostThrottle } from './access.ts'
import {
  type AdminParts,
  act,
  described,
  holding,
  inHandsOf,
  invalid,
  ownOf,
  partsFor,
  pathToRoute,
  readOnly,
  tableOf,
} from './behaviours.ts'
import { ownSessionEndpoints } from './sessions.ts'
import { ownTokenEndpoints } from './tokens.ts'
import type { AccountRoute } from './urls.ts'
import { COLUMNS, PASSWORD, newPasswordBy } from './users.ts'

const m = Message.of

/**
 * An account's own pages, as endpoints for `serve`: who am I, my tokens, my sessions, a new password. For clients in JSON,
 * for people as pages; each shows and changes the account of the user who asks, and nothing else. The administration is
 * not needed for them. Schemes, parsers and throttles are those of the group, but for the password, whose guesses are
 * limited to 5 a minute and 20 an hour for each user.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...accountUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...accountEndpoints(api, { accounts })])
 */
export function accountEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, AccountRoute>,
  options: AccountOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAccountOwner()] } = options
  const parts = partsFor(api, accounts, permissions)
  return [
    whoEndpoint(parts),
    passwordEndpoint(parts, options),
    ...ownSessionEndpoints(parts),
    ...ownTokenEndpoints(parts),
  ]
}

const accountShown = serializer(
  {
    id: field.integer(readOnly),
    username: field.text(readOnly),
    email: field.text(readOnly),
    dateJoined: field.dateTime({ as: 'date', ...readOnly }),
    lastLogin: field.dateTime({ as: 'date', nullable: true, ...readOnly }),
  },
  { name: 'Account' },
)

function whoEndpoint({ group, accounts }: AdminParts): Endpoint<never> {
  const me = async (request: ApiRequest) =>
    accountShown.represent(await ownOf(request, accounts), request)
  return group.endpoint('account', { title: 'My account' }).get(
    described(me, {
      shows: (at) => at.schema(accountShown, 'output'),
      presentation: accountPage,
    }),
  )
}

function accountPage(account: DataShownBy<typeof accountShown>, request: ApiRequest): Presentation {
  const columns = { 'page.username': () => ({ text: account.username }), ...COLUMNS }
  const actions = (['tokens', 'sessions', 'password'] as const).map((name) => linkTo(name, request))
  const known = { id: '', name: account.username }
  return { ...tableOf(columns, [account], request, () => known), isOne: true, actions }
}

function linkTo(name: 'tokens' | 'sessions' | 'password', request: ApiRequest): PresentedAction {
  return { label: m(`account.${name}`), url: pathToRoute(request, `account-${name}`) }
}

/** The other sessions end; this one goes on under another cookie, so that one that was taken is worth nothing. */
function passwordEndpoint(
  { group, accounts }: AdminParts,
  options: AccountOptions,
): Endpoint<never> {
  const rules = newPasswordBy(options)
  const { minLength } = rules
  const login = new SessionLogin(accounts)
  const passwords = serializer(
    {
      current: field.text({ ...PASSWORD, label: 'Current password' }),
      password: field.text({ ...rules, label: 'New password' }),
    },
    { name: 'AccountPassword' },
  )
  const change = act({
    reads: passwords,
    title: m('account.password'),
    autocomplete: { current: 'current-password' },
    takesPasswords: true,
    shows: () => holding('changed', { type: 'boolean' }),
    presentation: (_data: unknown, request) => ({
      notice: m('account.password_changed'),
      actions: [linkTo('sessions', request)],
      hasNoForms: true,
    }),
    does: async ({ current, password }, request) => {
      const { username } = await ownOf(request, accounts)
      const { users } = inHandsOf(request, accounts)
      const user = await users.byPassword(username, current, request)
      if (user === null) throw invalid('current', 'invalid.current_password')
      const session = await login.session(request)
      await users.setPassword(user, password, request)
      const isOfSession = session?.user.id === user.id
      // A password alone is no new proof of who has a second factor.
      const begun = isOfSession ? await login.begin(request, user, session.created) : null
      const cookies = begun?.cookies ?? []
      return uncached({ changed: true }, { headers: { 'Set-Cookie': cookies } })
    },
  })
  const known = described(() => ({ minLength }), {
    shows: () => holding('minLength', { type: 'integer' }),
    presentation: () => ({ notice: m('account.password_length', { count: minLength }) }),
  })
  const throttles = [new PostThrottle('account_password')]
  return group
    .endpoint('account-password', { title: 'Change my password', throttles })
    .get(known)
    .post(change)
}
