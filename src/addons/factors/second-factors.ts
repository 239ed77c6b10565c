import { Secret, TOTP } from 'otpauth'
import type { Accounts } from '../../accounts/create-accounts.ts'
import { PermissionDenied, Throttled } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Limit } from '../../core/ports/policies/throttling.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { LoginFactors } from '../../core/ports/sessions.ts'
import { readCookie } from '../../core/std/http/cookie.ts'
import { type LoginCookie, loginCookie } from '../../policies/authentication/cookies.ts'

/** Options for checking second factors. */
export interface SecondFactorsOptions<U extends User = User> {
  readonly accounts: Accounts<U>
  /** The name of the service, which apps show beside the codes. It has no `:`. */
  readonly issuer: string
  /** Days for which a device need not prove it again; 0: no device is remembered. @default 30 */
  readonly rememberDays?: number
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Milliseconds of a step, as every app has it (RFC 6238, 5.2). */
const STEP = 30_000
/** Steps before and behind the current one that count too: clocks differ, and people need time to type. */
const WINDOW = 1
/** Bytes, as long as the hash (RFC 4226, 4: at least 16). */
const SECRET_BYTES = 20
/** Seconds between the password and the code. */
const LIFE = 300
const DAY = 86_400
const WAITING = 'log-in that waits for a factor'
const LONGEST_COOKIE = 1000
const LONGEST_CODE = 40
/**
 * Limits on wrong codes for an account, whichever client sends them: one guess of a million in each step would be right some
 * day.
 */
const WRONG = [
  [5, 300],
  [50, DAY],
] as const

/** A log-in under way, in a cookie that only this service can read and make. */
interface Waiting {
  readonly user: number
  /** A mark of the password that was proved; `null`: a provider let the user in. */
  readonly mark: string | null
  /** Milliseconds since 1970. */
  readonly end: number
}

/**
 * Second factors at log-ins: codes of apps (TOTP, RFC 6238), each accepted once, and recovery codes. An application that
 * makes it lets no user with a second factor in by a password alone, by whatever scheme.
 *
 * @example
 * const factors = secondFactors({ accounts, issuer: 'Library' })
 * export default api.serve([...loginPages(api, { accounts, factors }), ...factorEndpoints(api, { accounts, factors })])
 *
 * @throws ConfigurationError the issuer is no name, or the days are no number
 */
export function secondFactors<U extends User>(options: SecondFactorsOptions<U>): SecondFactors<U> {
  return new SecondFactors(options)
}

/** Checks second factors at log-ins: `secondFactors` makes it. */
export class SecondFactors<U extends User = User> implements LoginFactors<U> {
  readonly #accounts: Accounts<U>
  readonly #issuer: string
  readonly #remembered: number
  readonly #now: () => number

  constructor({ accounts, issuer, rememberDays = 30, now = Date.now }: SecondFactorsOptions<U>) {
    if (typeof issuer !== 'string' || issuer.trim() === '' || issuer.includes(':'))
      throw new ConfigurationError(
        `secondFactors: "issuer" is ${JSON.stringify(issuer)}. It is the name of your service, without ":".`,
      )
    if (!Number.isFinite(rememberDays) || rememberDays < 0)
      throw new ConfigurationError('secondFactors: "rememberDays" must be a number of days, or 0.')
    this.#accounts = accounts
    this.#issuer = issuer
    this.#remembered = rememberDays * DAY
    this.#now = now
    // From now on a password alone lets no one in who has a factor.
    accounts.factors.enforce()
  }

  byPassword(username: string, password: string, request: Incoming): Promise<U | null> {
    return this.#accounts.users.byPassword(username, password, request)
  }

  needsMore(user: User): Promise<boolean> {
    return this.#accounts.factors.isRequired(user)
  }

  async ask(request: Incoming, user: User, isRenewal: boolean): Promise<string | Date | null> {
    const { factors, seals, events } = this.#accounts
    if (!(await factors.isRequired(user))) return null
    const device = isRenewal ? null : this.#sent(request, 'device')
    const known = device && (await factors.knows(user, device, this.#remembered * 1000))
    if (known) return known
    // A right password that no code follows may be a stolen one.
    await events.emit('factor.asked', { user })
    const mark = factors.markOf(user)
    const waiting: Waiting = { user: user.id, mark, end: this.#now() + LIFE * 1000 }
    return this.#cookie(request, 'waiting').set(seals.seal(WAITING, JSON.stringify(waiting)), LIFE)
  }

  /** The user whose log-in waits in this browser; `null`: none does. */
  async waiting(request: Incoming): Promise<U | null> {
    const waiting = this.#waitingOf(request)
    return waiting && this.#accounts.factors.resume(waiting.user, waiting.mark)
  }

  /** Ends the log-in that waits: the value of `Set-Cookie`. */
  over(request: Incoming): string {
    return this.#cookie(request, 'waiting').set('', 0)
  }

  isWaiting(request: Incoming): boolean {
    return this.#waitingOf(request) !== null
  }

  async answer(
    request: Incoming,
    code: string,
    remember: boolean,
  ): Promise<{ readonly user: U; readonly cookies: readonly string[] } | null> {
    const { factors } = this.#accounts
    const user = await this.waiting(request)
    if (user === null) throw new PermissionDenied(Message.of('permission_denied.log_in_first'))
    if (!(await this.isRight(request, user, code))) return null
    const over = this.over(request)
    if (!remember || this.#remembered === 0) return { user, cookies: [over] }
    const device = await factors.remember(user, request.header('user-agent') ?? '')
    const known = this.#cookie(request, 'device').set(device, this.#remembered)
    return { user, cookies: [over, known] }
  }

  /** A secret for an app, which counts once a first code of it has come. `uri`: for a QR code. */
  async begin(
    request: ApiRequest,
    user: User,
    name: string,
  ): Promise<{ readonly id: number; readonly secret: string; readonly uri: string }> {
    const secret = new Secret({ size: SECRET_BYTES })
    const { id } = await this.#by(request).factors.begin(user, name, secret.base32)
    const app = new TOTP({ secret, issuer: this.#issuer, label: user.username })
    return { id, secret: secret.base32, uri: app.toString() }
  }

  /**
   * The first code of an app: from now on it counts. Other sessions of the user, and refresh tokens, which were begun without
   * it, end. Gives the recovery codes, where it is the first app. `null`: the code is wrong, or no app waits for one.
   *
   * @throws Throttled (429) too many wrong codes
   */
  async confirm(request: ApiRequest, user: User, code: string): Promise<readonly string[] | null> {
    const { factors, families, sessions } = this.#by(request)
    const [app] = await factors.apps(user, 'unconfirmed')
    const step = async () => (app === undefined ? null : this.#stepOf(app.secret, code))
    const found = await this.#counting(request, user, step)
    const codes = found === null ? null : await factors.confirm(user, app!, found)
    if (codes === null) return null
    const except = readCookie(request.header('cookie'), sessions.settings.sessionCookieName)
    await sessions.endAllOf(user, { except })
    await families.endAll(user)
    return codes
  }

  async isRight(request: Incoming, user: User, code: string): Promise<boolean> {
    if (await this.#counting(request, user, () => this.#used(request, user, code))) return true
    const { username } = user
    await this.#accounts.events.emit('login.failed', { username, reason: 'factor' })
    return false
  }

  async #used({ id: requestId }: Incoming, user: User, code: string): Promise<true | null> {
    if (code.length > LONGEST_CODE) return null
    const { factors } = this.#accounts
    for (const app of await factors.apps(user)) {
      const step = this.#stepOf(app.secret, code)
      if (step !== null && (await factors.accept(user, app, step))) return true
    }
    // The recovery code is deleted, and the audit trail says by whom.
    const own = this.#accounts.by({ user, requestId }).factors
    return (await own.spend(user, code)) ? true : null
  }

  /** The step of a code; `null`: the code is of no step in the window. */
  #stepOf(secret: string, code: string): number | null {
    const token = code.replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(token)) return null
    const timestamp = this.#now()
    const app = new TOTP({ secret: Secret.fromBase32(secret) })
    const delta = app.validate({ token, timestamp, window: WINDOW })
    return delta === null ? null : Math.floor(timestamp / STEP) + delta
  }

  /**
   * Counts a code as wrong before it is checked, and takes that back where the code was right. So many requests at the same
   * moment do not get around the limits.
   */
  async #counting<T>(
    request: Incoming,
    { id }: User,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const limits = WRONG.map(([limit, seconds]): Limit => {
      const key = `factor_${id}_${seconds}`
      return { key, limit, seconds, cost: 1, algorithm: 'log' }
    })
    const counted = await request.counters.hit(limits, { onStoreError: 'local' })
    const waits = counted?.standings.map(({ allowed, wait }) => (allowed ? 0 : (wait ?? 0))) ?? []
    const wait = Math.max(0, ...waits)
    if (wait > 0) throw new Throttled(wait / 1000, Message.of('throttled.credentials'))
    const found = await check()
    if (found === null) await request.guesses?.wrong()
    else if (counted !== null) await request.counters.withdraw(limits, counted)
    return found
  }

  #waitingOf(request: Incoming): Waiting | null {
    const sent = this.#sent(request, 'waiting')
    const text = sent === null ? null : this.#accounts.seals.unseal(WAITING, sent)
    const waiting = text === null ? null : (JSON.parse(text) as Waiting)
    return waiting !== null && this.#now() < waiting.end ? waiting : null
  }

  #by({ user, id: requestId }: ApiRequest): Accounts<U> {
    return this.#accounts.by({ user: user as Pick<User, 'id' | 'username'>, requestId })
  }

  #sent(request: Incoming, kind: keyof typeof COOKIES): string | null {
    const { sent } = this.#cookie(request, kind)
    return sent !== null && sent.length <= LONGEST_COOKIE ? sent : null
  }

  #cookie(request: Incoming, kind: keyof typeof COOKIES): LoginCookie {
    return loginCookie(request, this.#accounts.sessions.settings, COOKIES[kind])
  }
}

const COOKIES = { waiting: 'second_factor', device: 'remembered_device' } as const
