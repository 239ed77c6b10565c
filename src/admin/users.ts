import type { Endpoint } from '../api/types.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { Cell, Presentation, PresentedAction, PresentedRow } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { DataShownBy } from '../contract/serializer.ts'
import { NONE, retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { create, update } from '../endpoints/writing.ts'
import { UsernameTaken } from '../errors/storage-errors.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { Message } from '../messages/message.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { withQuery } from '../std/http/query.ts'
import { described } from './behaviours.ts'
import { Narrowing, moments } from './narrowing.ts'
import {
  type Numbered,
  type Parts,
  inHandsOf,
  invalid,
  moment,
  momentOrNull,
  oneOf,
  readOnly,
  userNamed,
  userOf,
} from './parts.ts'
import { type Listed, link, pathTo, shownAs, time } from './presentation.ts'
import type { AdminRoute } from './urls.ts'

const m = Message.of

const userShown = serializer(
  {
    id: field.integer(readOnly),
    username: field.text(readOnly),
    email: field.text(readOnly),
    isActive: field.boolean({ source: 'is_active', ...readOnly }),
    isStaff: field.boolean({ source: 'is_staff', ...readOnly }),
    isSuperuser: field.boolean({ source: 'is_superuser', ...readOnly }),
    dateJoined: moment('date_joined'),
    lastLogin: momentOrNull('last_login'),
  },
  { name: 'AdminUser' },
)
type UserShown = DataShownBy<typeof userShown>

/** A password in a body: no space is cut off, and no answer or log has it. */
export const PASSWORD = { maxLength: 4096, trim: false, writeOnly: true, secret: true } as const

const newUser = serializer(
  {
    username: field.text({ maxLength: 150 }),
    email: field.email({ maxLength: 254, allowBlank: true, required: false }),
    password: field.text({ ...PASSWORD, required: false, nullable: true }),
    isStaff: field.boolean({ default: false }),
    isSuperuser: field.boolean({ default: false }),
  },
  { name: 'AdminUser' },
)

const newPassword = serializer(
  { password: field.text({ ...PASSWORD, nullable: true }) },
  { name: 'AdminPassword' },
)

/** Who there is, and who may come. */
export function userEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const byNumber = (id: number) => oneOf(lists.users, 'id', id)
  const find = ({ params }: Numbered) => byNumber(params.id)
  const one: Behaviour<Numbered> = shownAs(retrieve({ find, serializer: userShown }), userPage)
  const changed = async ({ id }: { readonly id: number }) => (await byNumber(id))!
  const activating = (isActive: boolean) => {
    const handle = async (request: Numbered) => {
      const user = await userNamed(request, parts)
      await inHandsOf(request, accounts).users.update(user, { isActive })
      return userShown.represent(await changed(user), request)
    }
    return described(handle, {
      shows: (at) => at.schema(userShown, 'output'),
      errors: [NONE, { status: 409, codes: ['conflict'] }],
    })
  }
  const make = create({
    serializer: newUser,
    output: userShown,
    save: async (input, request: ApiRequest) => {
      try {
        return await changed(await inHandsOf(request, accounts).users.create(input, request))
      } catch (error) {
        if (!(error instanceof UsernameTaken)) throw error
        throw invalid('username', 'unique')
      }
    },
  })
  const setPassword: Behaviour<Numbered> = update({
    find,
    serializer: newPassword,
    output: userShown,
    save: async ({ password }, request, { id }) => {
      const user = await userOf(accounts, id)
      await inHandsOf(request, accounts).users.setPassword(user, password, request)
      return changed(user)
    },
  })
  return [
    group
      .endpoint('admin-users', { title: 'Users' })
      .get(
        shownAs(
          list({
            source: lists.users,
            serializer: userShown,
            filters: [
              new SearchFilter(),
              new FieldFilter(),
              new Narrowing(...moments('lastLogin', 'last_login')),
            ],
            searchFields: ['username', 'email'],
            filterFields: ['isActive', 'isStaff', 'isSuperuser', 'username'],
          }),
          usersShown,
        ),
      )
      .post(shownAs(takingPassword(make, m('admin.make_user')), saved('admin.user_saved'))),
    group.endpoint('admin-user', { title: 'User' }).get(one),
    group
      .endpoint('admin-user-activate', { title: 'Activate a user' })
      .get(one)
      .post(shownAs(activating(true), saved('admin.user_saved'))),
    group
      .endpoint('admin-user-deactivate', { title: 'Deactivate a user' })
      .get(one)
      .post(shownAs(activating(false), saved('admin.user_saved'))),
    group
      .endpoint('admin-user-password', { title: 'Set a password' })
      .get(shownAs(one, passwordPage))
      .post(
        shownAs(takingPassword(setPassword, m('admin.set_password')), saved('admin.password_set')),
      ),
  ]
}

/** `title`: what its form is called. */
function takingPassword<Rq>(behaviour: Behaviour<Rq>, title: Message): Behaviour<Rq> {
  return {
    ...behaviour,
    takesPasswords: true,
    form: (request, row) => {
      const form = behaviour.form?.(request, row) ?? null
      return form && { ...form, title }
    },
  }
}

const saved =
  (key: 'admin.user_saved' | 'admin.password_set') =>
  (user: UserShown, request: ApiRequest): Presentation => ({
    notice: m(key),
    ...userPage(user, request),
  })

const COLUMNS = [
  m('page.username'),
  m('admin.email'),
  m('admin.rights'),
  m('admin.last_login'),
  m('admin.joined'),
]

function rowOf(user: UserShown, request: ApiRequest): PresentedRow {
  const { id, username, email, isActive, isStaff, isSuperuser } = user
  const rights = [
    ...(isActive ? [] : [m('admin.inactive')]),
    ...(isSuperuser ? [m('admin.superuser')] : []),
    ...(isStaff ? [m('admin.staff')] : []),
  ]
  const cells: readonly Cell[] = [
    { text: username, url: pathTo(request, 'admin-user', { id }) },
    { text: email || null },
    rights.length === 0 ? { text: null } : { words: rights, isLoud: !isActive },
    time(user.lastLogin, m('admin.never')),
    time(user.dateJoined),
  ]
  return { id: String(id), name: username, cells, actions: [] }
}

function usersShown({ results }: Listed<UserShown>, request: ApiRequest): Presentation {
  const rows = results.map((user) => rowOf(user, request))
  const actions = [
    link(m('admin.tokens'), pathTo(request, 'admin-tokens')),
    link(m('admin.audit'), pathTo(request, 'admin-audit')),
  ]
  return { columns: COLUMNS, rows, actions }
}

/** With what can be done to the user. */
function userPage(user: UserShown, request: ApiRequest): Presentation {
  const { id, isActive } = user
  const own = (name: AdminRoute): string => pathTo(request, name, { id })
  const about = (name: AdminRoute): string => withQuery(pathTo(request, name), 'user', String(id))
  const change: PresentedAction = isActive
    ? {
        label: m('admin.deactivate'),
        url: own('admin-user-deactivate'),
        sure: m('admin.deactivate.sure'),
        isDangerous: true,
      }
    : {
        label: m('admin.activate'),
        url: own('admin-user-activate'),
        sure: m('admin.activate.sure'),
      }
  const actions = [
    link(m('admin.tokens'), about('admin-tokens')),
    link(m('admin.sessions'), own('admin-user-sessions')),
    link(m('admin.set_password'), own('admin-user-password')),
    link(m('admin.audit'), about('admin-audit')),
    change,
  ]
  return { columns: COLUMNS, rows: [rowOf(user, request)], isOne: true, actions, hasNoForms: true }
}

/** The page with the form that sets a password. */
function passwordPage(user: UserShown, request: ApiRequest): Presentation {
  return { columns: COLUMNS, rows: [rowOf(user, request)], isOne: true }
}
