import type { Endpoint, Group } from '../../core/app/group.ts'
import { PermissionDenied } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { Cell, Presentation } from '../../core/ports/page.ts'
import type { DataShownBy } from '../../core/ports/serializer.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { FieldFilter } from '../../policies/filters/field-filter.ts'
import { list } from '../../resources/endpoints/list.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import {
  type AdminOptions,
  IsAdministrator,
  type AccountOptions,
  IsAccountOwner,
  PostThrottle,
  PASSWORD,
  newPasswordBy,
} from './access.ts'
import {
  type Columns,
  KeptFilter,
  type AdminParts,
  linksTo,
  timeField,
  timeFilters,
  ownerCell,
  partsFor,
  readOnly,
  tableOf,
  actOnBody,
  withAnswer,
  objectWith,
  accountsBy,
  invalid,
  ownAccount,
} from './behaviours.ts'
import { wayEndpoints } from './login-ways.ts'
import { sessionEndpoints, ownSessionEndpoints } from './sessions.ts'
import { tokenEndpoints, ownTokenEndpoints } from './tokens.ts'
import type { AdminRoute, AccountRoute } from './urls.ts'
import { COLUMNS, userEndpoints } from './users.ts'
import { SessionLogin } from '../../accounts/login/session-login.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { uncached } from '../../core/replies/reply.ts'

const m = Message.of

/**
 * The administration of users, tokens and sessions, and the audit trail, as endpoints for `serve`: JSON for clients, pages for
 * people. Each change is a POST or a PUT, is written into the audit trail, and cannot exceed the rights of the user who asks.
 * Schemes, parsers and throttles are those of the group. Only the answer that makes a token has its key.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...adminUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...adminEndpoints(api, { accounts })])
 */
export function adminEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, AdminRoute>,
  options: AdminOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAdministrator()] } = options
  const parts = partsFor(api, accounts, permissions)
  return [
    ...userEndpoints(parts, options),
    ...sessionEndpoints(parts),
    ...wayEndpoints(parts),
    ...tokenEndpoints(parts),
    auditEndpoint(parts),
  ]
}

const changeShown = serializer(
  {
    id: field.integer(readOnly),
    at: timeField('at'),
    actor: field.text(readOnly),
    systemUser: field.text({ source: 'system_user', ...readOnly }),
    command: field.text(readOnly),
    action: field.text(readOnly),
    user: field.integer({ source: 'user_id', ...readOnly }),
    username: field.text(readOnly),
    token: field.text({ nullable: true, ...readOnly }),
    details: field.computed(({ details }: { details: string }) => JSON.parse(details) as object, {
      schema: { type: 'object' },
    }),
    requestId: field.text({ source: 'request_id', nullable: true, ...readOnly }),
  },
  { name: 'AdminChange' },
)
type ChangeShown = DataShownBy<typeof changeShown>

function auditEndpoint({ group, lists }: AdminParts): Endpoint<never> {
  const changes = list({
    source: lists.audit,
    serializer: changeShown,
    filters: [new FieldFilter(), new KeptFilter(...timeFilters('at', 'at'))],
    filterFields: ['actor', 'user', 'username', 'action', 'systemUser', 'requestId'],
  })
  return group.endpoint('admin-audit', { title: 'Audit trail' }).get({
    ...changes,
    presentation: ({ results }: { readonly results: readonly ChangeShown[] }, request) => ({
      ...tableOf(CHANGE_COLUMNS, results, request, ({ id, action }) => ({
        id: `${id}`,
        name: action,
      })),
      actions: linksTo(request, 'admin-users', 'admin-tokens'),
    }),
  })
}

const CHANGE_COLUMNS: Columns<ChangeShown> = {
  'admin.at': ({ at }) => ({ at, toSecond: true }),
  'admin.actor': actorOf,
  'admin.action': ({ action }) => ({ words: [action] }),
  'page.username': ownerCell,
  'admin.token': ({ token }) => ({ text: token === '' ? Message.of('admin.usual') : token }),
  'admin.details': detailsOf,
}

function actorOf({ actor, systemUser, command }: ChangeShown): Cell {
  const operator = [systemUser, command && `(${command})`].filter(Boolean).join(' ')
  return { text: actor || operator || null }
}

function detailsOf({ details }: ChangeShown): Cell {
  const facts = Object.entries(details).filter(([, value]) => value !== null)
  return { text: facts.map(([name, value]) => `${name}: ${String(value)}`).join(', ') || null }
}

/**
 * An account's own pages, as endpoints for `serve`: its user, tokens and sessions, and a new password. JSON for clients, pages
 * for people; each shows and changes only the account of the user who asks. They do not need the administration. Schemes,
 * parsers and throttles are those of the group; guesses of the password are limited to 5 a minute and 20 an hour for each user.
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
    accountShown.represent(await ownAccount(request, accounts), request)
  return group.endpoint('account', { title: 'My account' }).get(
    withAnswer(me, {
      shows: (at) => at.schema(accountShown, 'output'),
      presentation: accountPage,
    }),
  )
}

function accountPage(account: DataShownBy<typeof accountShown>, request: ApiRequest): Presentation {
  const columns = { 'page.username': () => ({ text: account.username }), ...COLUMNS }
  const actions = linksTo(request, 'account-tokens', 'account-sessions', 'account-password')
  const known = { id: '', name: account.username }
  return { ...tableOf(columns, [account], request, () => known), isOne: true, actions }
}

/** A new password ends the other sessions, and moves this one to a new cookie, so that a stolen cookie becomes worthless. */
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
  const change = actOnBody({
    reads: passwords,
    title: m('account.password'),
    autocomplete: { current: 'current-password' },
    takesPasswords: true,
    shows: () => objectWith('changed', { type: 'boolean' }),
    presentation: (_data: unknown, request) => ({
      notice: m('account.password_changed'),
      actions: linksTo(request, 'account-sessions'),
      hasNoForms: true,
    }),
    does: async (input, request) => {
      const cookies = await changePassword(input, request, accounts, login)
      return uncached({ changed: true }, { headers: { 'Set-Cookie': cookies } })
    },
  })
  const known = withAnswer(() => ({ minLength }), {
    shows: () => objectWith('minLength', { type: 'integer' }),
    presentation: () => ({ notice: m('account.password_length', { count: minLength }) }),
  })
  const throttles = [new PostThrottle('account_password')]
  return group
    .endpoint('account-password', { title: 'Change my password', throttles })
    .get(known)
    .post(change)
}

/** Gives the cookies of the session that replaces the user's own. */
async function changePassword(
  { current, password }: { readonly current: string; readonly password: string },
  request: ApiRequest,
  accounts: AdminParts['accounts'],
  login: SessionLogin,
): Promise<readonly string[]> {
  const { username } = await ownAccount(request, accounts)
  const session = await login.session(request)
  const { users } = accountsBy(request, accounts)
  const user = await users.byPassword(username, current, request)
  if (user === null) throw invalid('current', 'invalid.current_password')
  const stillIn = async () => {
    if (session === null || (await login.session(request)) !== null) return
    throw new PermissionDenied(m('permission_denied.log_in_first'))
  }
  await users.setPassword(user, password, request, stillIn)
  if (session?.user.id !== user.id) return []
  // For users with a second factor, a password alone does not prove anew who they are.
  return (await login.begin(request, user, session.created)).cookies
}
