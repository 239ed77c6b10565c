import { ACCOUNT_LIMITS, checkedEmail } from '../../../accounts/account-input.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { Message } from '../../../core/messages/message.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { uncached } from '../../../core/replies/reply.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { field, serializer } from '../../../resources/serializers/serializer.ts'
import { IsAccountOwner, PostThrottle } from '../access.ts'
import { actOnBody, withAnswer, objectWith, ownAccount, readOnly } from '../behaviours.ts'
import {
  type AccountLifeOptions,
  CURRENT,
  type LifeParts,
  checkMail,
  lifeParts,
  mayMail,
  provenOwner,
  send,
} from './mail.ts'
import { CarriedToken, SENT_TOKEN, deadLink, linkEndpoint, linkTo } from './mail-links.ts'

const m = Message.of
const DAY = 86_400_000

/** Addresses to change and confirm an e-mail address. Take them into your own with `...emailUrls`. */
export const emailUrls = { 'email-change': '/email/', 'email-confirm': '/email/confirm/' } as const

/** Names of the addresses that `emailUrls` has. */
export type EmailRoute = keyof typeof emailUrls

/** Options for changing and confirming e-mail addresses. */
export interface EmailOptions extends Pick<AccountLifeOptions, 'accounts' | 'mail'> {
  /** Milliseconds for which a link holds. @default 86,400,000, which is a day */
  readonly lifetime?: number
}

/**
 * Confirms the address of a user, or changes it, by a link that is sent to the new address. The form asks for the password;
 * users without one need a log-in of the last ten minutes. The address changes when the link is used; the old address then gets
 * a mail. Two accounts never have the same confirmed address.
 *
 * @throws ConfigurationError as for `passwordReset`
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...emailUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...emailChange(api, { accounts, mail })])
 */
export function emailChange<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, EmailRoute>,
  options: EmailOptions,
): readonly Endpoint<never>[] {
  const owners = lifeParts(api, options, [new IsAccountOwner()])
  return [changeEndpoint(owners, options), confirmEndpoint(lifeParts(api, options), options)]
}

function changeEndpoint(parts: LifeParts, options: EmailOptions): Endpoint<never> {
  const { accounts } = parts
  const { lifetime = DAY } = options
  const shown = serializer(
    { email: field.text(readOnly), isConfirmed: field.boolean(readOnly) },
    { name: 'AccountEmail' },
  )
  const wanted = serializer(
    { email: field.email({ maxLength: ACCOUNT_LIMITS.email }), current: field.text(CURRENT) },
    { name: 'AccountEmailChange' },
  )
  const look = async (request: ApiRequest) => {
    const user = await ownAccount(request, accounts)
    const isConfirmed = await accounts.links.isConfirmed(user)
    return shown.represent({ email: user.email, isConfirmed }, request)
  }
  const change = actOnBody({
    reads: wanted,
    title: m('life.change_email'),
    autocomplete: { email: 'email', current: 'current-password' },
    takesPasswords: true,
    status: 202,
    shows: () => objectWith('accepted', { type: 'boolean' }),
    presentation: () => ({ notice: m('life.link_sent_to'), hasNoForms: true }),
    does: async ({ email: given, current }, request) => {
      const email = checkedEmail(given)
      const user = await provenOwner(request, parts, current)
      request.afterAnswer(async () => {
        if (!(await mayMail(request, 'email', email))) return
        const token = await accounts.links.make('email', user, { lifetime, email })
        if (token === null) return
        const link = linkTo(request, 'email-confirm', token)
        const name = user.username
        await send(request, options, { to: email, kind: 'email-confirm', user, name, link })
      })
      return uncached({ accepted: true }, { status: 202 })
    },
  })
  return parts.group
    .endpoint('email-change', { title: 'My address', throttles: [new PostThrottle('email')] })
    .get(
      withAnswer(look, {
        shows: (at) => at.schema(shown, 'output'),
        presentation: ({ email, isConfirmed }: { email: string; isConfirmed: boolean }) => ({
          notice: m(isConfirmed ? 'life.email_now.confirmed' : 'life.email_now', { email }),
        }),
      }),
    )
    .post({ ...change, check: (_, service) => checkMail(options, service) })
}

function confirmEndpoint(parts: LifeParts, options: EmailOptions): Endpoint<never> {
  const { accounts } = parts
  const { lifetime = DAY } = options
  const carried = new CarriedToken('email_link', parts, lifetime)
  const shown = serializer(
    {
      username: field.text({ nullable: true, ...readOnly }),
      email: field.text({ nullable: true, ...readOnly }),
    },
    { name: 'EmailLink' },
  )
  const facts = async (token: string) => {
    const opened = await accounts.links.open('email', token)
    return { username: opened?.user.username ?? null, email: opened?.email ?? null }
  }
  const use = actOnBody({
    reads: serializer({ token: field.text(SENT_TOKEN) }, { name: 'EmailConfirmation' }),
    title: m('life.confirm_email'),
    shows: () => objectWith('email', { type: 'string' }),
    errors: [{ status: 409, codes: ['conflict'] }],
    presentation: ({ email }: { readonly email: string }) => ({
      notice: m('life.email_confirmed', { email }),
      hasNoForms: true,
    }),
    does: async ({ token }, request) => {
      const opened = await accounts.links.open('email', carried.of(request, token))
      if (opened === null) throw deadLink(request)
      const { user, email } = opened
      const { links } = accounts.by({ user, requestId: request.id })
      if (!(await links.confirm(user, email))) throw deadLink(request)
      const former = { to: user.email, kind: 'email-changed', user, link: '' } as const
      if (user.email !== '' && user.email !== email)
        request.afterAnswer(() => send(request, options, { ...former, name: user.username }))
      return uncached({ email }, { headers: { 'Set-Cookie': carried.forget(request) } })
    },
  })
  return linkEndpoint(parts, {
    route: 'email-confirm',
    title: 'Confirm your address',
    carried,
    shown,
    facts,
    // It shows an action, because pages have no form without fields.
    presentation({ username: name, email }, { path: url }) {
      if (name === null || email === null) return { notice: m('invalid.link'), hasNoForms: true }
      const notice = m('life.confirm_this', { name, email })
      const action = { label: m('life.confirm_email'), url, sure: notice }
      return { notice, actions: [action], hasNoForms: true }
    },
    use,
  })
}
