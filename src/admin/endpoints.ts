import type { Endpoint, Group } from '../api/types.ts'
import type { Accounts } from '../accounts/create-accounts.ts'
import { SessionLogin } from '../authentication/session-login.ts'
import type { ApiRequest, Permission } from '../contract/request.ts'
import { uncached } from '../replies/reply.ts'
import { UserRateThrottle } from '../throttling/rate-throttles.ts'
import { retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { create, update } from '../endpoints/writing.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { UsernameTaken } from '../errors/storage-errors.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { accountLists } from '../sql/accounts/lists.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import type { EndpointName } from '../types/routes.ts'
import type { Scope } from '../types/scope.ts'
import {
  type AccountOptions,
  type AccountRoute,
  type AdminOptions,
  type AdminRoute,
  IsAccountOwner,
  IsAdministrator,
} from './access.ts'
import {
  type AdminGroup,
  type Found,
  Narrowing,
  type Parts,
  asked,
  inHandsOf,
  invalid,
  moment,
  moments,
  oneOf,
  ownOf,
  PAGE_SIZE,
  readOnly,
  userOf,
} from './parts.ts'
import { ownSessionEndpoints, sessionEndpoints } from './sessions.ts'
import { auditEndpoint, ownTokenEndpoints, tokenEndpoints } from './tokens.ts'

/**
 * The administration of users, tokens and sessions, and the audit trail, as endpoints for `serve`: for clients in JSON,
 * for people as pages. Whatever changes something is a POST, is written into the audit trail, and goes no further than
 * the rights of the user who asks. Schemes, parsers and throttles are those of the group. The key of a token is in the
 * answer that makes it, and nowhere else.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...adminUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...adminEndpoints(api, { accounts })])
 */
export function adminEndpoints<S extends Scope, R>(
  api: Group<S, R> & WithRoutes<R, AdminRoute>,
  { accounts, permissions = [new IsAdministrator()] }: AdminOptions,
): readonly Endpoint<never>[] {
  void accounts.sessions
  const parts = partsFor('adminEndpoints', api, accounts, permissions)
  return [
    ...userEndpoints(parts),
    ...sessionEndpoints(parts),
    ...tokenEndpoints(parts),
    auditEndpoint(parts),
  ]
}

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
  api: Group<S, R> & WithRoutes<R, AccountRoute>,
  options: AccountOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAccountOwner()] } = options
  void accounts.sessions
  const parts = partsFor('accountEndpoints', api, accounts, permissions)
  return [
    parts.group
      .endpoint('account', { title: 'My account' })
      .get(async (request) => ownShown.represent(await ownOf(request, accounts), request)),
    passwordEndpoint(parts, options),
    ...ownSessionEndpoints(parts),
    ...ownTokenEndpoints(parts),
  ]
}

function partsFor(
  name: string,
  api: object,
  accounts: Accounts,
  permissions: readonly Permission[],
): Parts {
  const { database } = accounts
  if (!('kysely' in database))
    throw new ConfigurationError(`${name}: the database of the accounts must speak SQL.`)
  const group = (api as UntypedGroup).group({
    permissions,
    pagination: new CursorPagination({
      pageSize: PAGE_SIZE,
      pageSizeQueryParam: 'page_size',
      maxPageSize: PAGE_SIZE,
      ordering: '-id',
    }),
    versioning: null,
  })
  return { group, accounts, lists: accountLists(database as SqlDatabase) }
}

interface UntypedGroup {
  group(layer: object): AdminGroup
}

/** A condition, because a table with fewer names is assignable to one with more. */
type WithRoutes<R, Needed> =
  Needed extends EndpointName<R> ? unknown : { readonly '~needs': Needed }

const userShown = serializer({
  id: field.integer(readOnly),
  username: field.text(readOnly),
  email: field.text(readOnly),
  isActive: field.boolean({ source: 'is_active', ...readOnly }),
  isStaff: field.boolean({ source: 'is_staff', ...readOnly }),
  isSuperuser: field.boolean({ source: 'is_superuser', ...readOnly }),
  dateJoined: moment('date_joined'),
  lastLogin: moment('last_login'),
})

const password = { maxLength: 4096, trim: false, writeOnly: true, secret: true } as const

const newUser = serializer({
  username: field.text({ maxLength: 150 }),
  email: field.email({ maxLength: 254, allowBlank: true, required: false }),
  password: field.text({ ...password, required: false, nullable: true }),
  isStaff: field.boolean({ default: false }),
  isSuperuser: field.boolean({ default: false }),
})

const ownShown = serializer({
  id: field.integer(readOnly),
  username: field.text(readOnly),
  email: field.text(readOnly),
  dateJoined: field.dateTime({ as: 'date', ...readOnly }),
  lastLogin: field.dateTime({ as: 'date', nullable: true, ...readOnly }),
})

const newPassword = serializer({ password: field.text({ ...password, nullable: true }) })

function userEndpoints({ group, accounts, lists }: Parts): Endpoint<never>[] {
  const { users: source } = lists
  const find = ({ params }: Found) => oneOf(source, 'id', params.id)
  const again = async ({ id }: { readonly id: number }) => (await oneOf(source, 'id', id))!
  const one = retrieve({ find: find as never, serializer: userShown as never })
  const activating =
    (isActive: boolean) =>
    async (request: ApiRequest): Promise<unknown> => {
      const { users } = inHandsOf(request, accounts)
      const user = await userOf(accounts, (request as Found).params.id)
      await users.update(user, { isActive })
      return userShown.represent(await again(user), request)
    }
  const make = create({
    serializer: newUser,
    output: userShown as never,
    save: async (input, request: ApiRequest) => {
      try {
        return await again(await inHandsOf(request, accounts).users.create(input, request))
      } catch (error) {
        if (!(error instanceof UsernameTaken)) throw error
        throw invalid('username', 'unique')
      }
    },
  })
  const setPassword = update({
    find: find as never,
    serializer: newPassword,
    output: userShown as never,
    save: async ({ password: text }, request: ApiRequest) => {
      const user = await userOf(accounts, (request as Found).params.id)
      await inHandsOf(request, accounts).users.setPassword(user, text, request)
      return again(user)
    },
  })
  return [
    group
      .endpoint('admin-users', { title: 'Users' })
      .get(
        list({
          source: source as never,
          serializer: userShown as never,
          filters: [
            new SearchFilter(),
            new FieldFilter(),
            new Narrowing(...moments('lastLogin', 'last_login')),
          ],
          searchFields: ['username', 'email'] as never,
          filterFields: ['isActive', 'isStaff', 'isSuperuser', 'username'] as never,
        }),
      )
      .post({ ...make, takesPasswords: true }),
    group.endpoint('admin-user', { title: 'User' }).get(one),
    group
      .endpoint('admin-user-activate', { title: 'Activate a user' })
      .get(one)
      .post(activating(true)),
    group
      .endpoint('admin-user-deactivate', { title: 'Deactivate a user' })
      .get(one)
      .post(activating(false)),
    group
      .endpoint('admin-user-password', { title: 'Set a password' })
      .get(one)
      .post({ ...setPassword, takesPasswords: true }),
  ]
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
  const ownPassword = serializer({
    current: field.text(password),
    password: field.text({ ...password, minLength, validators }),
  })
  const change = async (request: ApiRequest) => {
    const { current, password: next } = await ownPassword.parse(await request.body(), request)
    const { username } = await ownOf(request, accounts)
    const { users } = inHandsOf(request, accounts)
    const user = await users.authenticate(username, current, request)
    if (user === null) {
      await request.guesses?.wrong()
      throw invalid('current', 'invalid.current_password')
    }
    const isOfSession = (await login.current(request))?.id === user.id
    await users.setPassword(user, next, request)
    const cookies = isOfSession ? (await login.begin(request, user)).cookies : []
    return uncached({ changed: true }, { headers: { 'Set-Cookie': cookies } })
  }
  return group
    .endpoint('account-password', {
      title: 'Change my password',
      throttles: [new PasswordThrottle()],
    })
    .get(() => ({ minLength }))
    .post({ ...asked(ownPassword, change), takesPasswords: true })
}
