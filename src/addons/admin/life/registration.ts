import type { Accounts } from '../../../accounts/create-accounts.ts'
import { ACCOUNT_LIMITS, checkedEmail, checkedUsername } from '../../../accounts/account-input.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { Conflict } from '../../../core/errors/api-errors.ts'
import { UsernameTaken } from '../../../core/errors/storage-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import type { ServiceFacts } from '../../../core/ports/service-facts.ts'
import { uncached } from '../../../core/replies/reply.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { field, serializer } from '../../../resources/serializers/serializer.ts'
import { PostThrottle, newPasswordBy } from '../access.ts'
import { actOnBody, formPage, objectWith, invalid, readOnly } from '../behaviours.ts'
import { emailChange, emailUrls } from './email.ts'
import { type LeavingOptions, leaving, leavingUrls } from './leaving.ts'
import { passwordReset, passwordResetUrls } from './password-reset.ts'
import {
  type AccountLifeOptions,
  type LifeParts,
  deferWork,
  checkMail,
  fromOwnForm,
  lifeParts,
  mayMail,
  send,
} from './mail.ts'
import { CarriedToken, SENT_TOKEN, deadLink, linkEndpoint, linkTo } from './mail-links.ts'

const m = Message.of
const DAY = 86_400_000
const CONTEXT = 'registration'

/** Addresses of a registration. Take them into your own with `...registrationUrls`. */
export const registrationUrls = {
  register: '/register/',
  'register-finish': '/register/finish/',
} as const

/** Names of the addresses that a registration needs: `registrationUrls` has them. */
export type RegistrationRoute = keyof typeof registrationUrls

/** Options for registrations. */
export interface RegistrationOptions extends AccountLifeOptions {
  /** Milliseconds for which a link holds. @default 86,400,000, which is a day */
  readonly lifetime?: number
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** The content of a registration's link: the service stores nothing before the registration is finished. */
type Pending = readonly [username: string, email: string, end: number]

/**
 * Registration: a user name and an address, a link by mail, and a password by the link, which makes the account with its
 * address confirmed, and begins a session. Until then nothing is stored, so that names cannot be reserved. The answer is the
 * same whether the address has an account or not: its owner gets a mail about that.
 *
 * A client may ask 5 times a minute and 20 times an hour; an address gets 3 mails an hour.
 *
 * @throws ConfigurationError as for `passwordReset`
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...registrationUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...registration(api, { accounts, mail })])
 */
export function registration<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, RegistrationRoute>,
  options: RegistrationOptions,
): readonly Endpoint<never>[] {
  const parts = lifeParts(api, options)
  return [registerEndpoint(parts, options), finishEndpoint(parts, options)]
}

function registerEndpoint(parts: LifeParts, options: RegistrationOptions): Endpoint<never> {
  const { accounts } = parts
  const { lifetime = DAY, now = Date.now } = options
  const wanted = serializer(
    {
      username: field.text({ maxLength: ACCOUNT_LIMITS.username }),
      email: field.email({ maxLength: ACCOUNT_LIMITS.email }),
    },
    { name: 'Registration' },
  )
  const sendTo = async (request: ApiRequest, username: string, email: string) => {
    if (!(await mayMail(request, 'register', email))) return
    const { links } = accounts
    const [owner, [other = null]] = [await links.ownerOf(email), await links.usersOf(email)]
    const user = owner ?? other
    // Both links are made in either case: the next answer of this process waits for the work, and would show the difference.
    const known = new URL(accounts.sessions.settings.loginUrl, request.origin).href
    const pending: Pending = [username, email, now() + lifetime]
    const token = accounts.seals.seal(CONTEXT, JSON.stringify(pending))
    const link = linkTo(request, 'register-finish', token)
    if (user === null)
      return send(request, options, { to: email, kind: 'register', user, name: username, link })
    const { email: to, username: name } = user
    return send(request, options, { to, kind: 'register-known', user, name, link: known })
  }
  const ask = actOnBody({
    reads: wanted,
    title: m('life.register'),
    autocomplete: { username: 'username', email: 'email' },
    status: 202,
    shows: () => objectWith('accepted', { type: 'boolean' }),
    presentation: () => ({ notice: m('life.register_sent'), hasNoForms: true }),
    does: async ({ username, email: given }, request) => {
      const [name, email] = [checkedUsername(username), checkedEmail(given)]
      // Users of identity providers have names with this character.
      if (name.includes('#')) throw invalid('username', 'invalid.unfit')
      if ((await accounts.users.byUsername(name)) !== null) throw invalid('username', 'unique')
      deferWork(request, () => sendTo(request, name, email))
      return uncached({ accepted: true }, { status: 202 })
    },
  })
  return parts.group
    .endpoint('register', { title: 'Register', throttles: [new PostThrottle('register')] })
    .get(formPage(m('life.register_how')))
    .post({
      ...fromOwnForm(ask, parts),
      check: (_, service) => checkNames(service) ?? checkMail(options, service),
    })
}

function checkNames({ remoteUserSource }: ServiceFacts): string | null {
  if (remoteUserSource === null) return null
  return 'lets people choose their names, and with REMOTE_USER_SOURCE the web server in front names users as well: a stranger could take the name of one of them, and would share the account. Leave one of both out.'
}

function finishEndpoint(parts: LifeParts, options: RegistrationOptions): Endpoint<never> {
  const { accounts, login } = parts
  const { lifetime = DAY, now = Date.now } = options
  const carried = new CarriedToken('registration_link', parts, lifetime)
  const rules = newPasswordBy(options)
  const shown = serializer(
    { username: field.text({ nullable: true, ...readOnly }), minLength: field.integer(readOnly) },
    { name: 'RegistrationLink' },
  )
  const chosen = serializer(
    { token: field.text(SENT_TOKEN), password: field.text(rules) },
    { name: 'RegistrationFinish' },
  )
  const open = (token: string) => openLink(token, accounts, now)
  const facts = async (token: string) => {
    return { username: (await open(token))?.username ?? null, minLength: rules.minLength }
  }
  const use = actOnBody({
    reads: chosen,
    title: m('life.register'),
    takesPasswords: true,
    status: 201,
    shows: () => objectWith('username', { type: 'string' }),
    presentation: ({ username: name }: { readonly username: string }) => ({
      notice: m('life.registered', { name }),
      actions: [{ label: m('life.go_on'), url: accounts.sessions.settings.loginRedirectUrl }],
      hasNoForms: true,
    }),
    does: async ({ token, password }, request) => {
      const pending = await open(carried.of(request, token))
      if (pending === null) throw deadLink(request)
      const { username, email, link } = pending
      const account = { username, email, password }
      const user = await accounts.links.once(link, () => register(account, request, accounts))
      if (user === null) throw deadLink(request)
      const { cookies } = await login.begin(request, user)
      const headers = { 'Set-Cookie': [carried.forget(request), ...cookies] }
      return uncached({ username }, { status: 201, headers })
    },
  })
  return linkEndpoint(parts, {
    route: 'register-finish',
    title: 'Finish your registration',
    carried,
    shown,
    facts,
    presentation: ({ username: name }) =>
      name === null
        ? { notice: m('invalid.link'), hasNoForms: true }
        : { notice: m('life.register_as', { name }) },
    use,
  })
}

/** `null`: the link is not of our making, is over, or has been used. */
async function openLink(token: string, { seals, links }: Accounts, now: () => number) {
  const text = seals.unseal(CONTEXT, token)
  if (text === null) return null
  const [username, email, end] = JSON.parse(text) as Pending
  const link = { digest: sha256(`${CONTEXT} ${text}`, 'base64'), end }
  if (now() >= end || (await links.isSpent(link))) return null
  return { username, email, link }
}

/** `null`: the link has been used, or the name or the address belongs to another account by now. */
async function register(
  account: { readonly username: string; readonly email: string; readonly password: string },
  request: ApiRequest,
  accounts: Accounts,
): Promise<User | null> {
  const { users, links } = accounts.by({ user: null, requestId: request.id })
  const isRefused = (error: unknown) => error instanceof UsernameTaken || error instanceof Conflict
  try {
    await links.checkFree(account.email)
    return await users.create(account, request, { address: true })
  } catch (error) {
    if (isRefused(error)) return null
    // Another account may have proved the address first.
    const isTaken = await links.checkFree(account.email).then(() => false, isRefused)
    if (isTaken) return null
    throw error
  }
}

/** The addresses of `accountLife`. Take them into your own with `...accountLifeUrls`. */
export const accountLifeUrls: typeof passwordResetUrls & typeof emailUrls & typeof leavingUrls = {
  ...passwordResetUrls,
  ...emailUrls,
  ...leavingUrls,
}

/** Names of the addresses that an account's life needs: `accountLifeUrls` has them. */
export type AccountLifeRoute = keyof typeof accountLifeUrls

/**
 * `passwordReset`, `emailChange` and `leaving` together, for people who have an account. Each gets the options that it knows.
 * Strangers can make accounts only if you add `registration`.
 *
 * @throws ConfigurationError as for `passwordReset`
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...accountLifeUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...accountLife(api, { accounts, mail })])
 */
export function accountLife<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, AccountLifeRoute>,
  options: AccountLifeOptions & LeavingOptions,
): readonly Endpoint<never>[] {
  // The type parameter guarantees the addresses of all three parts, which TypeScript cannot see.
  const all = api as unknown as Group<S, typeof accountLifeUrls>
  return [...passwordReset(all, options), ...emailChange(all, options), ...leaving(all, options)]
}
