// What the parts of an account's life have in common: links by mail, and addresses that anyone may ask.
import { SessionLogin } from '../../../accounts/login/session-login.ts'
import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Group } from '../../../core/app/group.ts'
import { ValidationError } from '../../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../../core/errors/detail.ts'
import { Message } from '../../../core/messages/message.ts'
import { wordsFor } from '../../../core/messages/words.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { Behaviour } from '../../../core/ports/kernel.ts'
import type { Permission } from '../../../core/ports/policies/permissions.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { ServiceFacts } from '../../../core/ports/service-facts.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { readCookie, writeCookie } from '../../../core/std/http/cookie.ts'
import { Form } from '../../../core/std/http/form.ts'
import { withQuery } from '../../../core/std/http/query.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import type { PasswordRules } from '../access.ts'

/** A mail that the application sends. */
export interface AccountMail {
  readonly to: string
  readonly kind: 'password-reset'
  /** An address of this service with a token, which is worth as much as a password: no log may have it. */
  readonly link: string
  readonly user: User
  /** Of the person, as a tag: `de`. */
  readonly language: string
  /** In that language, from the catalogue: `mail.password-reset.subject` and `mail.password-reset.text`. */
  readonly subject: string
  readonly text: string
}

/** What links are sent with, and how long they hold. */
export interface AccountLifeOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * Sends a mail, after the answer. What it throws is logged (`task.failed`), and no client hears of it.
   *
   * @default outside of production the mail is written to the terminal; in production the service does not start
   */
  readonly mail?: (mail: AccountMail) => unknown
}

/** What `open` needs, once for each part. */
export interface LifeParts {
  readonly group: Group<TypedSettings, Readonly<Record<string, string>>>
  readonly accounts: Accounts
  readonly login: SessionLogin
}

/** Everyone may ask these addresses; who has logged in is known by the session alone. */
export function lifeParts(
  api: object,
  { accounts }: AccountLifeOptions,
  permissions: readonly Permission[] = [],
): LifeParts {
  // Without its sessions, the service is not to start. Columns for addresses are made where an application uses them.
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

/** A form of an anonymous visitor needs a token, too: with JSON, browsers ask before they let another site send it. */
export function fromOwnForm<B extends Behaviour>(behaviour: B, { login }: LifeParts): B {
  const handle = async (request: ApiRequest) => {
    // With a session, its scheme has checked that.
    const isAnonymous = request.authenticator === null
    if (isAnonymous && (await request.body()) instanceof Form) await login.csrf.check(request)
    return behaviour.handle(request)
  }
  return { ...behaviour, handle }
}

/** Refuses to start where links could not be sent, or could lead elsewhere. */
export function checkMail(
  { mail }: AccountLifeOptions,
  { production = false, takesAnyHost = false }: ServiceFacts,
): string | null {
  if (takesAnyHost)
    return 'sends links by mail, and ALLOWED_HOSTS has "*": a client could choose where they lead. Set PUBLIC_URL.'
  if (mail !== undefined || !production) return null
  return 'sends links by mail, and has no way to: give it mail: async ({ to, subject, text }) => …'
}

/** Mails of one kind to one address, for all clients together. */
const MOST = { limit: 3, seconds: 3600 }

/** Sends what a link leads to. Asked for after the answer, so that no answer depends on it. */
export async function sendLink(
  request: ApiRequest,
  { accounts, mail = toTerminal }: AccountLifeOptions,
  { route, token, ...facts }: Pick<AccountMail, 'to' | 'kind' | 'user'> & LinkFacts,
): Promise<void> {
  const words = wordsFor(request)
  const link = withQuery(
    request.linker([...request.namespace, route].join(':')).url({}),
    'token',
    token,
  )
  const { kind, user } = facts
  const subject = words.text(Message.of(`mail.${kind}.subject`))
  const text = words.text(Message.of(`mail.${kind}.text`, { name: user.username, link }))
  await mail({ ...facts, link, language: words.language, subject, text })
  await accounts.events.emit('link.sent', { user, kind })
}

interface LinkFacts {
  readonly route: string
  readonly token: string
}

/** `false`: this address has got enough mail. An address that has no account counts alike. */
export async function mayMail(request: ApiRequest, kind: string, email: string): Promise<boolean> {
  const key = `mail_${kind}_${sha256(email.toLowerCase())}`
  const counted = await request.counters.hit([{ key, ...MOST, cost: 1, algorithm: 'log' }])
  return counted?.standings.every(({ allowed }) => allowed) ?? true
}

function toTerminal({ to, subject, text }: AccountMail): void {
  process.stderr.write(`\nTo: ${to}\nSubject: ${subject}\n\n${text}\n\n`)
}

/** The token of a link, on its way from the address to a form: a cookie has it, and the address loses it. */
export class CarriedToken {
  readonly #name: string
  readonly #parts: LifeParts
  readonly #seconds: number

  constructor(name: string, parts: LifeParts, milliseconds: number) {
    this.#name = name
    this.#parts = parts
    this.#seconds = Math.ceil(milliseconds / 1000)
  }

  /** Leads to the same address without the token. Nothing is spent: programs that look through mail follow links. */
  taken(request: ApiRequest): Reply | null {
    const token = request.query.get('token')
    if (token === null) return null
    const cookie = this.#cookie(request, WRITABLE.test(token) ? token : '')
    return uncached(null, {
      status: 302,
      headers: { Location: request.path, 'Set-Cookie': cookie },
    })
  }

  /** That of the body, else that which the browser carries. */
  of(request: Incoming, token = ''): string {
    return token || (readCookie(request.header('cookie'), this.#own) ?? '')
  }

  /** The value of `Set-Cookie` that makes the browser forget it. */
  forget(request: Incoming): string {
    return this.#cookie(request, '')
  }

  #cookie({ origin }: Incoming, value: string): string {
    return writeCookie({
      name: this.#own,
      value,
      maxAge: value === '' ? 0 : this.#seconds,
      path: '/',
      domain: null,
      secure: origin.startsWith('https:'),
      httpOnly: true,
      // The link was followed from a page of another site.
      sameSite: 'Lax',
    })
  }

  /** By https no other host can set it: a neighbour could otherwise have visitors set the password of its own account. */
  get #own(): string {
    const { settings } = this.#parts.accounts.sessions
    return `${settings.sessionCookieName.startsWith('__Host-') ? '__Host-' : ''}${this.#name}`
  }
}

/** What sealed tokens are written in; others are none. */
const WRITABLE = /^[\w.-]{1,4000}$/

/** One answer, whatever is wrong with a token. */
export function deadLink({ settings }: ApiRequest): ValidationError {
  return new ValidationError({ [settings.nonFieldErrorsKey]: [ErrorDetail.of('invalid.link')] })
}
