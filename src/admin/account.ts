import type { Endpoint, Group } from '../api/types.ts'
import { SessionLogin } from '../authentication/session-login.ts'
import type { Presentation } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { DataShownBy } from '../contract/serializer.ts'
import { Message } from '../messages/message.ts'
import { uncached } from '../replies/reply.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { UserRateThrottle } from '../throttling/rate-throttles.ts'
import type { HasRoutes } from '../types/routes.ts'
import type { Scope } from '../types/scope.ts'
import { type AccountOptions, IsAccountOwner } from './access.ts'
import { act, described, holding } from './behaviours.ts'
import { type Parts, inHandsOf, invalid, ownOf, partsFor, readOnly } from './parts.ts'
import { link, pathTo, shownAs, time } from './presentation.ts'
import { ownSessionEndpoints } from './sessions.ts'
import { ownTokenEndpoints } from './tokens.ts'
import type { AccountRoute } from './urls.ts'
import { PASSWORD } from './users.ts'

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
export function accountEndpoints<S extends Scope, R>(
  api: Group<S, R> & HasRoutes<R, AccountRoute>,
  options: AccountOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAccountOwner()] } = options
  const parts = partsFor('accountEndpoints', api, accounts, permissions)
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

/** Who the user who asks is. */
function whoEndpoint({ group, accounts }: Parts): Endpoint<never> {
  const me = async (request: ApiRequest) =>
    accountShown.represent(await ownOf(request, accounts), request)
  const shown = described(me, { shows: (at) => at.schema(accountShown, 'output') })
  return group.endpoint('account', { title: 'My account' }).get(shownAs(shown, accountPage))
}

function accountPage(
  { username, email, dateJoined, lastLogin }: DataShownBy<typeof accountShown>,
  request: ApiRequest,
): Presentation {
  const cells = [
    { text: username },
    { text: email || null },
    time(lastLogin, m('admin.never')),
    time(dateJoined),
  ]
  const columns = [m('page.username'), m('admin.email'), m('admin.last_login'), m('admin.joined')]
  const actions = (['tokens', 'sessions', 'password'] as const).map((name) =>
    link(m(`account.${name}`), pathTo(request, `account-${name}`)),
  )
  const row = { id: '', name: username, cells, actions: [] }
  return { columns, rows: [row], isOne: true, actions }
}

/** Enough for people who mistype, and too few to guess by. To look at the page is no guess. */
class PasswordThrottle extends UserRateThrottle {
  constructor() {
    super({ scope: 'account_password', rate: ['5/min', '20/h'] })
  }

  override identify(request: ApiRequest): string | null {
    return request.method === 'POST' ? super.identify(request) : null
  }
}

/** The other sessions end; this one goes on under another cookie, so that one that was taken is worth nothing. */
function passwordEndpoint({ group, accounts }: Parts, options: AccountOptions): Endpoint<never> {
  const { passwordValidators: validators = [], passwordMinLength: minLength = 8 } = options
  const login = new SessionLogin(accounts)
  const passwords = serializer(
    {
      current: field.text({ ...PASSWORD, label: 'Current password' }),
      password: field.text({ ...PASSWORD, label: 'New password', minLength, validators }),
    },
    { name: 'AccountPassword' },
  )
  const change = act({
    reads: passwords,
    title: m('account.password'),
    autocomplete: { current: 'current-password' },
    takesPasswords: true,
    shows: () => holding('changed', { type: 'boolean' }),
    does: async ({ current, password }, request) => {
      const { username } = await ownOf(request, accounts)
      const { users } = inHandsOf(request, accounts)
      const user = await users.authenticate(username, current, request)
      if (user === null) {
        await request.guesses?.wrong()
        throw invalid('current', 'invalid.current_password')
      }
      const isOfSession = (await login.current(request))?.id === user.id
      await users.setPassword(user, password, request)
      const cookies = isOfSession ? (await login.begin(request, user)).cookies : []
      return uncached({ changed: true }, { headers: { 'Set-Cookie': cookies } })
    },
  })
  const known = described(() => ({ minLength }), {
    shows: () => holding('minLength', { type: 'integer' }),
  })
  return group
    .endpoint('account-password', {
      title: 'Change my password',
      throttles: [new PasswordThrottle()],
    })
    .get(shownAs(known, () => ({ notice: m('account.password_length', { count: minLength }) })))
    .post(shownAs(change, changedShown))
}

function changedShown(_data: unknown, request: ApiRequest): Presentation {
  const actions = [link(m('account.sessions'), pathTo(request, 'account-sessions'))]
  return { notice: m('account.password_changed'), actions, hasNoForms: true }
}
