// The common parts of an account's life: mails, addresses that are open to all, and proofs of identity.
import { SessionLogin } from '../../../accounts/login/session-login.ts'
import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Group } from '../../../core/app/group.ts'
import { PermissionDenied } from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { wordsFor } from '../../../core/messages/words.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { Behaviour } from '../../../core/ports/kernel.ts'
import type { Permission } from '../../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import type { ServiceFacts } from '../../../core/ports/service-facts.ts'
import { Form } from '../../../core/std/http/form.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import { PASSWORD, type PasswordRules } from '../access.ts'
import { invalid, ownAccount } from '../behaviours.ts'

/** A mail that the application sends. */
export interface AccountMail {
  readonly to: string
  /**
   * `password-reset`: to set a new password; `register`: to finish a registration; `register-known`: a registration named an
   * address that has an account; `email-confirm`: to prove an address; `email-changed`: to the former address.
   */
  readonly kind:
    | 'password-reset'
    | 'register'
    | 'register-known'
    | 'email-confirm'
    | 'email-changed'
  /**
   * An address of this service. A token is worth as much as a password: keep it out of logs. `''`: nothing needs a link, as
   * with `email-changed`.
   */
  readonly link: string
  /** `null`: the account does not exist yet. */
  readonly user: User | null
  /** The language of the person, as a tag: `de`. */
  readonly language: string
  /** The subject in that language, from the catalogue: `mail.password-reset.subject` and `mail.password-reset.text`. */
  readonly subject: string
  readonly text: string
}

/** The sender of the mails, and the life of the links. */
export interface AccountLifeOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * Sends a mail, after the answer. An error is logged (`task.failed`), and clients do not see it.
   *
   * @default outside of production the mail is written to the terminal; in production the service does not start
   */
  readonly mail?: (mail: AccountMail) => unknown
}

/** The parts of the service that links by mail need. */
export interface LifeParts {
  readonly group: Group<TypedSettings, Readonly<Record<string, string>>>
  readonly accounts: Accounts
  readonly login: SessionLogin
}

/** These addresses are open to all; only a session tells who has logged in. */
export function lifeParts(
  api: object,
  { accounts }: Pick<AccountLifeOptions, 'accounts'>,
  permissions: readonly Permission[] = [],
): LifeParts {
  // Reading the sessions refuses a start without a secret; reading the links adds their columns, which not every service needs.
  void accounts.sessions
  void accounts.links
  const group = (api as LifeParts['group']).group({
    permissions,
    authentication: [new SessionAuthentication(accounts)],
    versioning: null,
    pagination: null,
  })
  return { group, accounts, login: new SessionLogin(accounts) }
}

/** Checks a form of an anonymous visitor for a CSRF token, too. JSON needs none: browsers ask before another site sends it. */
export function fromOwnForm<B extends Behaviour>(behaviour: B, { login }: LifeParts): B {
  const handle = async (request: ApiRequest) => {
    // The scheme of a session has already checked its token.
    const isAnonymous = request.authenticator === null
    if (isAnonymous && (await request.body()) instanceof Form) await login.csrf.check(request)
    return behaviour.handle(request)
  }
  return { ...behaviour, handle }
}

/** Refuses to start if links could not be sent, or could lead to another host. */
export function checkMail(
  { mail }: Pick<AccountLifeOptions, 'mail'>,
  { production = false, hosts = null }: ServiceFacts,
): string | null {
  const many = hosts?.find((host) => host === '*' || (host.startsWith('.') && host !== LOCAL))
  if (many !== undefined)
    return `sends links by mail, and ALLOWED_HOSTS has "${many}": a client could choose where they lead. Set PUBLIC_URL.`
  if (mail === undefined && production)
    return 'sends links by mail, and has no way to: give it mail: async ({ to, subject, text }) => …'
  if (hosts === null || !production) return null
  return 'sends links by mail, which would lead to the host and the port that a client names. Set PUBLIC_URL to the address of the service.'
}

/** Names of this machine. */
const LOCAL = '.localhost'

/** The most mails of one kind to one address, from all clients together. */
const MAIL_RATE = { limit: 3, seconds: 3600 }

/** Sends a mail in the language of the request. If none is meant, the same work is done, so that no time tells of it. */
export async function send(
  request: ApiRequest,
  { accounts, mail = toTerminal }: Pick<AccountLifeOptions, 'accounts' | 'mail'>,
  facts: Pick<AccountMail, 'to' | 'kind' | 'user' | 'link'> & { readonly name: string },
  isMeant = true,
): Promise<void> {
  const words = wordsFor(request)
  const { kind, user, name, ...others } = facts
  const subject = words.text(Message.of(`mail.${kind}.subject`))
  const text = words.text(Message.of(`mail.${kind}.text`, { name, link: facts.link }))
  if (!isMeant) return
  await mail({ ...others, kind, user, language: words.language, subject, text })
  if (user !== null) await accounts.events.emit('link.sent', { user, kind })
}

/** Runs the work up to 50 ms after the answer, at a random moment: the next answer would otherwise show how long it took. */
export function deferWork(request: ApiRequest, work: () => Promise<void>): void {
  request.afterAnswer(async () => {
    await new Promise((done) => void setTimeout(done, Math.random() * 50))
    await work()
  })
}

/** `false`: this address has got enough mail. An address without an account counts alike. */
export async function mayMail(request: ApiRequest, kind: string, email: string): Promise<boolean> {
  const key = `mail_${kind}_${sha256(email.toLowerCase())}`
  const counted = await request.counters.hit([{ key, ...MAIL_RATE, cost: 1, algorithm: 'log' }])
  return counted?.standings.every(({ allowed }) => allowed) ?? true
}

function toTerminal({ to, subject, text }: AccountMail): void {
  process.stderr.write(`\nTo: ${to}\nSubject: ${subject}\n\n${text}\n\n`)
}

/** The current password of the user who asks. A user without one leaves it empty, and needs a recent log-in with a provider. */
export const CURRENT: typeof PASSWORD & {
  readonly label: string
  readonly default: string
  readonly allowBlank: true
} = { ...PASSWORD, label: 'Current password', default: '', allowBlank: true }

/** Milliseconds for which a log-in counts as recent. */
const RECENT = 600_000

/**
 * The user who asks, after a proof of identity. @throws ValidationError (400) the password is wrong; PermissionDenied (403) the
 * user has no password, and the log-in is too old
 */
export async function provenOwner(
  request: ApiRequest,
  { accounts }: LifeParts,
  current: string,
): Promise<User> {
  const { users } = accounts
  const { username } = await ownAccount(request, accounts)
  const found = await users.lookUp(username)
  const { authenticatedAt } = request
  // The distance counts in both directions: a log-in from the future proves no more than an old one.
  const isRecent = authenticatedAt && Math.abs(Date.now() - authenticatedAt.getTime()) < RECENT
  if (found?.hasPassword !== false) {
    const user = await users.byPassword(username, current, request)
    if (user === null) throw invalid('current', 'invalid.current_password')
    // For users with a second factor, a password alone does not prove who they are.
    if (isRecent || !(await users.needsMore(user))) return user
  } else if (isRecent) return found.user
  throw new PermissionDenied(Message.of('permission_denied.log_in_again'))
}
