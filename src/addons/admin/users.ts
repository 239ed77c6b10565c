import { ACCOUNT_LIMITS } from '../../accounts/account-input.ts'
import type { Endpoint } from '../../core/app/group.ts'
import { Conflict, NotFound } from '../../core/errors/api-errors.ts'
import { UsernameTaken } from '../../core/errors/storage-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Cell, Presentation, PresentedAction } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { DataShownBy } from '../../core/ports/serializer.ts'
import { withQuery } from '../../core/std/http/query.ts'
import { FieldFilter } from '../../policies/filters/field-filter.ts'
import { SearchFilter } from '../../policies/filters/search-filter.ts'
import { retrieve } from '../../resources/endpoints/retrieve.ts'
import { list } from '../../resources/endpoints/list.ts'
import { create, update } from '../../resources/endpoints/writing.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import { type PasswordRules, newPasswordBy } from './access.ts'
import {
  type Columns,
  KeptFilter,
  NO_SUCH_OBJECT,
  ROLE_PARAMETER,
  type Numbered,
  type AdminParts,
  declaredFields,
  withAnswer,
  accountsBy,
  invalid,
  linksTo,
  timeField,
  timeOrNull,
  timeFilters,
  rowWhere,
  ownerCell,
  pathToRoute,
  readOnly,
  tableOf,
  timeCell,
  adminUserNamed,
  userById,
  withRoles,
} from './behaviours.ts'
import type { AdminRoute } from './urls.ts'

const m = Message.of

/** A user's fields without the columns that an application declares. */
const USER_SHOWN = {
  id: field.integer(readOnly),
  username: field.text(readOnly),
  email: field.text(readOnly),
  isActive: field.boolean({ source: 'is_active', ...readOnly }),
  isStaff: field.boolean({ source: 'is_staff', ...readOnly }),
  isSuperuser: field.boolean({ source: 'is_superuser', ...readOnly }),
  dateJoined: timeField('date_joined'),
  lastLogin: timeOrNull('last_login'),
}

/** The users as endpoints find them, and as answers show them. */
function shownUsers(parts: AdminParts) {
  const { accounts, lists } = parts
  const { shown: declared, given } = declaredFields(accounts)
  const byNumber = async (id: number) => withRoles(await rowWhere(lists.users, 'id', id), accounts)
  return {
    ...parts,
    declared,
    given,
    output: serializer({ ...USER_SHOWN, ...declared }, { name: 'AdminUser' }),
    find: ({ params }: Numbered) => byNumber(params.id),
    /** @throws NotFound users can delete their own account at any moment */
    async changed({ id }: { readonly id: number }) {
      const row = await byNumber(id)
      if (row === null) throw new NotFound()
      return row
    },
  }
}
type ShownUsers = ReturnType<typeof shownUsers>
type UserShown = DataShownBy<ShownUsers['output']> & { readonly roles?: readonly string[] }

/** The list of users, and new users. */
export function userEndpoints(parts: AdminParts, rules: PasswordRules): Endpoint<never>[] {
  const { group } = parts
  const users = shownUsers(parts)
  const secret = { ...newPasswordBy(rules), nullable: true } as const
  const shown: Behaviour<Numbered> = retrieve({ find: users.find, serializer: users.output })
  const one: Behaviour<Numbered> = { ...shown, presentation: userPage }
  const userEndpoint = group.endpoint('admin-user', { title: 'User' })
  return [
    group
      .endpoint('admin-users', { title: 'Users' })
      .get(listUsers(users))
      .post(createUser(users, secret)),
    Object.keys(users.given).length > 0
      ? userEndpoint
          .get({ ...shown, presentation: (...of) => ({ ...userPage(...of), hasNoForms: false }) })
          .put(updateUser(users))
      : userEndpoint.get(one),
    group
      .endpoint('admin-user-activate', { title: 'Activate a user' })
      .get(one)
      .post(setActive(true, users)),
    group
      .endpoint('admin-user-deactivate', { title: 'Deactivate a user' })
      .get(one)
      .post(setActive(false, users)),
    group
      .endpoint('admin-user-password', { title: 'Set a password' })
      .get({ ...shown, presentation: userTable })
      .post(setPassword(users, secret)),
  ]
}

type Secret = ReturnType<typeof newPasswordBy> & { readonly nullable: true }

function listUsers({ accounts, lists, declared, output }: ShownUsers) {
  const roles = accounts.roles.length > 0 ? [ROLE_PARAMETER] : []
  return {
    ...list({
      source: lists.users,
      serializer: output,
      filters: [
        new SearchFilter(),
        new FieldFilter(),
        new KeptFilter(...timeFilters('lastLogin', 'last_login'), ...roles),
      ],
      searchFields: ['username', 'email'],
      filterFields: [
        ...(['isActive', 'isStaff', 'isSuperuser', 'username'] as const),
        ...(Object.keys(declared).filter((name) => name !== 'roles') as 'username'[]),
      ],
    }),
    presentation: usersPage,
  }
}

function createUser({ accounts, given, output, changed }: ShownUsers, secret: Secret) {
  const newUser = serializer(
    {
      username: field.text({ maxLength: ACCOUNT_LIMITS.username }),
      email: field.email({ maxLength: ACCOUNT_LIMITS.email, allowBlank: true, required: false }),
      password: field.text({ ...secret, required: false }),
      isStaff: field.boolean({ default: false }),
      isSuperuser: field.boolean({ default: false }),
      ...given,
    },
    { name: 'AdminUser' },
  )
  const make = create({
    serializer: newUser,
    output,
    save: async (input, request: ApiRequest) => {
      try {
        return await changed(await accountsBy(request, accounts).users.create(input, request))
      } catch (error) {
        if (!(error instanceof UsernameTaken)) throw error
        throw invalid('username', 'unique')
      }
    },
  })
  return { ...titled(make, m('admin.make_user'), 'admin.user_saved'), takesPasswords: true }
}

function updateUser({ accounts, given, find, output, changed }: ShownUsers): Behaviour<Numbered> {
  const change: Behaviour<Numbered> = update({
    find,
    serializer: serializer(given, { name: 'AdminUserChange' }),
    output,
    save: async (input, request, { id }) => {
      const user = await userById(accounts, id)
      await accountsBy(request, accounts).users.update(user, input)
      return changed(user)
    },
  })
  return titled(change, m('admin.change_user'), 'admin.user_saved')
}

function setActive(isActive: boolean, users: ShownUsers): Behaviour<Numbered> {
  const { accounts, output, changed } = users
  const handle = async (request: Numbered) => {
    const user = await adminUserNamed(request, users)
    await accountsBy(request, accounts).users.update(user, { isActive })
    return output.represent(await changed(user), request)
  }
  return withAnswer(handle, {
    shows: (at) => at.schema(output, 'output'),
    errors: [NO_SUCH_OBJECT, { status: 409, codes: ['conflict'] }],
    presentation: saved('admin.user_saved'),
  })
}

function setPassword({ accounts, find, output, changed }: ShownUsers, secret: Secret) {
  const change: Behaviour<Numbered> = update({
    find,
    serializer: serializer({ password: field.text(secret) }, { name: 'AdminPassword' }),
    output,
    save: async ({ password }, request, { id }) => {
      const user = await userById(accounts, id)
      const { users } = accountsBy(request, accounts)
      // A stolen token or session could otherwise take over the account.
      if (id === (request.user as User).id) throw new Conflict(m('conflict.own_password'))
      await users.setPassword(user, password, request)
      return changed(user)
    },
  })
  return { ...titled(change, m('admin.set_password'), 'admin.password_set'), takesPasswords: true }
}

function titled<Rq extends ApiRequest>(
  behaviour: Behaviour<Rq>,
  title: Message,
  notice: Parameters<typeof saved>[0],
): Behaviour<Rq> {
  return {
    ...behaviour,
    presentation: saved(notice),
    form: (request, row) => {
      const form = behaviour.form?.(request, row) ?? null
      return form && { ...form, title }
    },
  }
}

function saved(key: 'admin.user_saved' | 'admin.password_set') {
  return (user: UserShown, request: ApiRequest): Presentation => ({
    notice: m(key),
    ...userPage(user, request),
  })
}

/** The columns that an account's own page shows as well. */
export const COLUMNS: Columns<{
  readonly email: string
  readonly lastLogin: string | null
  readonly dateJoined: string
}> = {
  'admin.email': ({ email }) => ({ text: email || null }),
  'admin.last_login': timeCell('lastLogin', 'admin.never'),
  'admin.joined': timeCell('dateJoined'),
}

const { 'admin.email': email, ...times } = COLUMNS
const ALL_COLUMNS: Columns<UserShown> = {
  'page.username': ({ username, id }, request) => ownerCell({ username, user: id }, request),
  'admin.email': email!,
  'admin.rights': rightsOf,
  ...times,
}

function rightsOf({ isActive, isStaff, isSuperuser, roles = [] }: UserShown): Cell {
  const rights = [
    ...(isActive ? [] : [m('admin.inactive')]),
    ...(isSuperuser ? [m('admin.superuser')] : []),
    ...(isStaff ? [m('admin.staff')] : []),
    ...roles,
  ]
  return rights.length === 0 ? { text: null } : { words: rights, isLoud: !isActive }
}

function usersTable(users: readonly UserShown[], request: ApiRequest) {
  return tableOf(ALL_COLUMNS, users, request, ({ id, username: name }) => ({ id: `${id}`, name }))
}

function usersPage({ results }: { readonly results: readonly UserShown[] }, request: ApiRequest) {
  return {
    ...usersTable(results, request),
    actions: linksTo(request, 'admin-tokens', 'admin-audit'),
  }
}

/** A table with this user only, on the page with the form that sets a password. */
function userTable(user: UserShown, request: ApiRequest): Presentation {
  return { ...usersTable([user], request), isOne: true }
}

function userPage(user: UserShown, request: ApiRequest): Presentation {
  const { id, isActive } = user
  const own = (name: AdminRoute): string => pathToRoute(request, name, { id })
  const [tokens, audit] = linksTo(request, 'admin-tokens', 'admin-audit').map((link) => {
    return { ...link, url: withQuery(link.url, 'user', String(id)) }
  })
  const verb = isActive ? 'deactivate' : 'activate'
  const change: PresentedAction = {
    label: m(`admin.${verb}`),
    url: own(`admin-user-${verb}`),
    sure: m(`admin.${verb}.sure`),
    isDangerous: isActive,
  }
  const actions = [
    tokens!,
    { label: m('admin.sessions'), url: own('admin-user-sessions') },
    { label: m('admin.ways'), url: own('admin-user-factors') },
    { label: m('admin.set_password'), url: own('admin-user-password') },
    audit!,
    change,
  ]
  return { ...userTable(user, request), actions, hasNoForms: true }
}
