import type { Endpoint } from '../api/types.ts'
import { SessionLogin } from '../authentication/session-login.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { Presentation } from '../contract/page.ts'
import { Message } from '../messages/message.ts'
import {
  accountPage,
  link,
  passwordPage,
  pathTo,
  shownAs,
  userPage,
  usersShown,
} from './presentation.ts'
import { uncached } from '../replies/reply.ts'
import { UserRateThrottle } from '../throttling/rate-throttles.ts'
import { NONE, retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { create, update } from '../endpoints/writing.ts'
import { UsernameTaken } from '../errors/storage-errors.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { type AccountOptions } from './access.ts'
import {
  type Found,
  Narrowing,
  type Parts,
  asked,
  described,
  holding,
  inHandsOf,
  invalid,
  moment,
  moments,
  oneOf,
  ownOf,
  titled,
  readOnly,
  userOf,
} from './parts.ts'

const userShown = serializer(
  {
    id: field.integer(readOnly),
    username: field.text(readOnly),
    email: field.text(readOnly),
    isActive: field.boolean({ source: 'is_active', ...readOnly }),
    isStaff: field.boolean({ source: 'is_staff', ...readOnly }),
    isSuperuser: field.boolean({ source: 'is_superuser', ...readOnly }),
    dateJoined: moment('date_joined'),
    lastLogin: moment('last_login', { nullable: true }),
  },
  { name: 'AdminUser' },
)

const password = { maxLength: 4096, trim: false, writeOnly: true, secret: true } as const

const newUser = serializer(
  {
    username: field.text({ maxLength: 150 }),
    email: field.email({ maxLength: 254, allowBlank: true, required: false }),
    password: field.text({ ...password, required: false, nullable: true }),
    isStaff: field.boolean({ default: false }),
    isSuperuser: field.boolean({ default: false }),
  },
  { name: 'AdminUser' },
)

const ownShown = serializer(
  {
    id: field.integer(readOnly),
    username: field.text(readOnly),
    email: field.text(readOnly),
    dateJoined: field.dateTime({ as: 'date', ...readOnly }),
    lastLogin: field.dateTime({ as: 'date', nullable: true, ...readOnly }),
  },
  { name: 'Account' },
)

const newPassword = serializer(
  { password: field.text({ ...password, nullable: true }) },
  { name: 'AdminPassword' },
)

export function userEndpoints({ group, accounts, lists }: Parts): Endpoint<never>[] {
  const { users: source } = lists
  const find = ({ params }: Found) => oneOf(source, 'id', params.id)
  const again = async ({ id }: { readonly id: number }) => (await oneOf(source, 'id', id))!
  const one = shownAs(retrieve({ find: find as never, serializer: userShown as never }), userPage)
  const activating = (isActive: boolean) => {
    const handle = async (request: ApiRequest): Promise<unknown> => {
      const { users } = inHandsOf(request, accounts)
      const user = await userOf(accounts, (request as Found).params.id)
      await users.update(user, { isActive })
      return userShown.represent(await again(user), request)
    }
    return described(handle, {
      shows: (at) => at.schema(userShown, 'output'),
      errors: [NONE, { status: 409, codes: ['conflict'] }],
    })
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
        shownAs(
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
          usersShown,
        ),
      )
      .post(
        shownAs(
          { ...titled(make, Message.of('admin.make_user')), takesPasswords: true },
          saved('admin.user_saved'),
        ),
      ),
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
        shownAs(
          { ...titled(setPassword, Message.of('admin.set_password')), takesPasswords: true },
          saved('admin.password_set'),
        ),
      ),
  ]
}

const saved =
  (key: 'admin.user_saved' | 'admin.password_set') =>
  (user: Parameters<typeof userPage>[0], request: ApiRequest): Presentation =>
    userPage(user, request, Message.of(key))

function lengthShown({ minLength: count }: { readonly minLength: number }): Presentation {
  return { notice: Message.of('account.password_length', { count }) }
}

function changedShown(_data: unknown, request: ApiRequest): Presentation {
  const actions = [link(Message.of('account.sessions'), pathTo(request, 'account-sessions'))]
  return { notice: Message.of('account.password_changed'), actions, hasNoForms: true }
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

/** Who the user who asks is, and a new password. */
export function ownEndpoints(parts: Parts, options: AccountOptions): Endpoint<never>[] {
  const { group, accounts } = parts
  const me = async (request: ApiRequest) =>
    ownShown.represent(await ownOf(request, accounts), request)
  const shown = described(me, { shows: (at) => at.schema(ownShown, 'output') })
  return [
    group.endpoint('account', { title: 'My account' }).get(shownAs(shown, accountPage)),
    passwordEndpoint(parts, options),
  ]
}

/** The other sessions end; this one goes on under another cookie, so that one that was taken is worth nothing. */
function passwordEndpoint({ group, accounts }: Parts, options: AccountOptions): Endpoint<never> {
  const { passwordValidators: validators = [], passwordMinLength: minLength = 8 } = options
  const login = new SessionLogin(accounts)
  const ownPassword = serializer(
    {
      current: field.text({ ...password, label: 'Current password' }),
      password: field.text({ ...password, label: 'New password', minLength, validators }),
    },
    { name: 'AccountPassword' },
  )
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
    .get(
      shownAs(
        described(() => ({ minLength }), { shows: () => LENGTH }),
        lengthShown,
      ),
    )
    .post(
      shownAs(
        {
          ...described(asked(ownPassword, change, Message.of('account.password')), {
            reads: ownPassword,
            shows: () => CHANGED,
          }),
          takesPasswords: true,
        },
        changedShown,
      ),
    )
}

const LENGTH = holding('minLength', { type: 'integer' })
const CHANGED = holding('changed', { type: 'boolean' })
