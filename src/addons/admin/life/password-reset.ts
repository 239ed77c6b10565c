import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { AuthenticationFailed } from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import type { PresentedAction } from '../../../core/ports/page.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { uncached } from '../../../core/replies/reply.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { field, serializer } from '../../../resources/serializers/serializer.ts'
import { ACCOUNT_LIMITS } from '../../../accounts/account-input.ts'
import { PostThrottle, newPasswordBy } from '../access.ts'
import { actOnBody, formPage, objectWith, readOnly } from '../behaviours.ts'
import {
  type AccountLifeOptions,
  type LifeParts,
  checkMail,
  fromOwnForm,
  lifeParts,
  deferWork,
  mayMail,
  send,
} from './mail.ts'
import {
  CarriedToken,
  deadLink,
  SENT_TOKEN,
  addressOf,
  linkEndpoint,
  linkTo,
} from './mail-links.ts'

const m = Message.of
const HOUR = 3_600_000
/** Stands for a user of an unknown address: no row has this number. */
const NO_ONE = { id: 0 }
const NO_TOKEN = 'v1.'.padEnd(240, '0')

/** Addresses for a forgotten password. Take them into your own with `...passwordResetUrls`. */
export const passwordResetUrls = {
  'password-forgotten': '/password/forgotten/',
  'password-reset': '/password/reset/',
} as const

/** Names of the addresses that a forgotten password needs: `passwordResetUrls` has them. */
export type PasswordResetRoute = keyof typeof passwordResetUrls

/** Options for setting a forgotten password anew. */
export interface PasswordResetOptions extends AccountLifeOptions {
  /** Milliseconds for which a link holds. @default 3,600,000, which is an hour */
  readonly lifetime?: number
}

/**
 * A forgotten password: a link by mail leads to a form for a new one. Pages for people, JSON for programs. A link sets one
 * password; it ends early if the password or the address of the user changes. The answer is the same for known and unknown
 * addresses, and the look-up happens after it. Users without a password get no link.
 *
 * A client may ask 5 times a minute and 20 times an hour; an address gets 3 mails an hour.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL; or, by `serve`, nothing can send mail in production,
 * or a client could choose the host that links lead to
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...passwordResetUrls }), accounts })
 * const mail = ({ to, subject, text }: AccountMail) => transport.sendMail({ to, subject, text })
 * export default api.serve([...loginPages(api, { accounts }), ...passwordReset(api, { accounts, mail })])
 */
export function passwordReset<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, PasswordResetRoute>,
  options: PasswordResetOptions,
): readonly Endpoint<never>[] {
  const parts = lifeParts(api, options)
  return [forgottenEndpoint(parts, options), resetEndpoint(parts, options)]
}

function forgottenEndpoint(parts: LifeParts, options: PasswordResetOptions): Endpoint<never> {
  const { accounts, lifetime = HOUR } = { ...options, ...parts }
  const wanted = serializer(
    { email: field.email({ maxLength: ACCOUNT_LIMITS.email }) },
    { name: 'PasswordForgotten' },
  )
  const sendAll = async (request: ApiRequest, email: string) => {
    if (!(await mayMail(request, 'password', email))) return
    const users = await accounts.links.usersOf(email)
    // An unknown address costs as much work: the next answer of this process waits for it, and would show the difference.
    for (const user of users.length === 0 ? [null] : users) {
      const { email: to, username: name } = user ?? { email, username: '' }
      const token = await accounts.links.make('password', user ?? NO_ONE, { lifetime })
      const link = linkTo(request, 'password-reset', token ?? NO_TOKEN)
      const facts = { to, kind: 'password-reset', user, name, link } as const
      await send(request, options, facts, token !== null)
    }
  }
  const ask = actOnBody({
    reads: wanted,
    title: m('life.send_link'),
    autocomplete: { email: 'email' },
    status: 202,
    shows: () => objectWith('accepted', { type: 'boolean' }),
    presentation: () => ({ notice: m('life.link_sent'), hasNoForms: true }),
    does: ({ email }, request) => {
      deferWork(request, () => sendAll(request, email))
      return uncached({ accepted: true }, { status: 202 })
    },
  })
  const throttles = [new PostThrottle('password_forgotten')]
  return parts.group
    .endpoint('password-forgotten', { title: 'Forgot your password?', throttles })
    .get(formPage(m('life.forgotten')))
    .post({ ...fromOwnForm(ask, parts), check: (_, service) => checkMail(options, service) })
}

function resetEndpoint(parts: LifeParts, options: PasswordResetOptions): Endpoint<never> {
  const { accounts, lifetime = HOUR } = { ...options, ...parts }
  const carried = new CarriedToken('password_link', parts, lifetime)
  const rules = newPasswordBy(options)
  const shown = serializer(
    { username: field.text({ nullable: true, ...readOnly }), minLength: field.integer(readOnly) },
    { name: 'PasswordLink' },
  )
  const passwords = serializer(
    {
      token: field.text(SENT_TOKEN),
      password: field.text({ ...rules, label: 'New password' }),
    },
    { name: 'PasswordReset' },
  )
  const facts = async (token: string) => {
    const opened = await accounts.links.open('password', token)
    return { username: opened?.user.username ?? null, minLength: rules.minLength }
  }
  const use = actOnBody({
    reads: passwords,
    title: m('life.set_password'),
    takesPasswords: true,
    shows: () => objectWith('changed', { type: 'boolean' }),
    presentation: (_data: unknown) => ({
      notice: m('life.password_set'),
      actions: [{ label: m('page.log_in'), url: accounts.sessions.settings.loginUrl }],
      hasNoForms: true,
    }),
    does: async ({ token, password }, request) => {
      const opened = await accounts.links.open('password', carried.of(request, token))
      if (opened === null) throw deadLink(request)
      await resetPassword(opened.user, password, request, accounts)
      const headers = { 'Set-Cookie': carried.forget(request) }
      return uncached({ changed: true }, { headers })
    },
  })
  return linkEndpoint(parts, {
    route: 'password-reset',
    title: 'A new password',
    carried,
    shown,
    facts,
    presentation: ({ username: name }, request) =>
      name === null
        ? { notice: m('invalid.link'), actions: [askAgain(request)], hasNoForms: true }
        : { notice: m('life.password_for', { name }) },
    use,
  })
}

async function resetPassword(
  user: User,
  password: string,
  request: ApiRequest,
  accounts: Accounts,
): Promise<void> {
  const { users } = accounts.by({ user, requestId: request.id })
  try {
    await users.setPassword(user, password, request)
  } catch (error) {
    // Another request with the same link was faster.
    throw error instanceof AuthenticationFailed ? deadLink(request) : error
  }
}

function askAgain(request: ApiRequest): PresentedAction {
  return { label: m('life.send_link'), url: addressOf(request, 'password-forgotten') }
}
