import type { Endpoint, Group } from '../api/types.ts'
import type { ApiRequest } from '../contract/request.ts'
import { retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { create, update } from '../endpoints/writing.ts'
import { NotFound } from '../errors/api-errors.ts'
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
import { type AdminOptions, type AdminRoute, IsAdministrator } from './access.ts'
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
  readOnly,
  userOf,
} from './parts.ts'
import { auditEndpoint, tokenEndpoints } from './tokens.ts'

const PAGE_SIZE = 50

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
  api: Group<S, R> & WithRoutes<R>,
  { accounts, permissions = [new IsAdministrator()] }: AdminOptions,
): readonly Endpoint<never>[] {
  const { database } = accounts
  if (!('kysely' in database))
    throw new ConfigurationError('adminEndpoints: the database of the accounts must speak SQL.')
  const group = (api as unknown as UntypedGroup).group({
    permissions,
    pagination: new CursorPagination({
      pageSize: PAGE_SIZE,
      pageSizeQueryParam: 'page_size',
      maxPageSize: PAGE_SIZE,
      ordering: '-id',
    }),
    versioning: null,
  })
  const parts: Parts = { group, accounts, lists: accountLists(database as SqlDatabase) }
  return [
    ...userEndpoints(parts),
    ...sessionEndpoints(parts),
    ...tokenEndpoints(parts),
    auditEndpoint(parts),
  ]
}

interface UntypedGroup {
  group(layer: object): AdminGroup
}

/** A condition, because a table with fewer names is assignable to one with more. */
type WithRoutes<R> =
  AdminRoute extends EndpointName<R> ? unknown : { readonly '~needs': AdminRoute }

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

const newPassword = serializer({ password: field.text({ ...password, nullable: true }) })

function userEndpoints({ group, accounts, lists }: Parts): Endpoint<never>[] {
  const { users: source } = lists
  const find = ({ params }: Found) => oneOf(source, 'id', params.id)
  const again = async ({ id }: { readonly id: number }) => (await oneOf(source, 'id', id))!
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
    group
      .endpoint('admin-user', { title: 'User' })
      .get(retrieve({ find: find as never, serializer: userShown as never })),
    group.endpoint('admin-user-activate', { title: 'Activate a user' }).post(activating(true)),
    group.endpoint('admin-user-deactivate', { title: 'Deactivate a user' }).post(activating(false)),
    group
      .endpoint('admin-user-password', { title: 'Set a password' })
      .post({ ...setPassword, takesPasswords: true }),
  ]
}

const sessionShown = serializer({
  id: field.text({ source: 'digest', ...readOnly }),
  created: moment('created'),
  expires: moment('expires'),
})

const sessionToEnd = serializer({
  session: field.text({ maxLength: 64, required: false, helpText: 'Leave it out to end all.' }),
})

function sessionEndpoints({ group, accounts, lists }: Parts): Endpoint<never>[] {
  void accounts.sessions
  const ofUser = async (request: ApiRequest) => {
    const { id } = await userOf(accounts, (request as Found).params.id)
    return lists.sessions.where([{ field: 'user_id', operator: 'equals', value: id }])
  }
  const end = async (request: ApiRequest): Promise<unknown> => {
    const { session } = await sessionToEnd.parse(await request.body(), request)
    const { sessions } = inHandsOf(request, accounts)
    if (session === undefined) {
      const user = await userOf(accounts, (request as Found).params.id)
      return { ended: await sessions.endAllOf(user) }
    }
    const found = await oneOf(await ofUser(request), 'digest', session)
    if (found === null) throw new NotFound()
    return { ended: Number(await sessions.endKept(found.digest)) }
  }
  return [
    group.endpoint('admin-user-sessions', { title: 'Sessions of a user' }).get(
      list({
        source: ofUser,
        serializer: sessionShown as never,
        filters: [],
        pagination: new CursorPagination({ pageSize: PAGE_SIZE, ordering: '-created' }),
      }),
    ),
    group
      .endpoint('admin-user-sessions-end', { title: 'End sessions of a user' })
      .post(asked(sessionToEnd, end)),
  ]
}
