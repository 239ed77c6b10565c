import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server'
import type { Accounts } from '../../accounts/create-accounts.ts'
import { PermissionDenied } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import type { Passkey } from '../../core/ports/account-stores.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { LoginRefusal } from '../../core/ports/events.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { LoginPasskeys, PasskeyQuestion } from '../../core/ports/sessions.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import { readCookie } from '../../core/std/http/cookie.ts'
import { loginCookie } from '../../policies/authentication/cookies.ts'
import {
  KEY_ALGORITHMS,
  type Expected,
  type Parts,
  fromBase64url,
  counterOf,
  madeOf,
  partsOf,
} from './passkey-answer.ts'
import type { SecondFactors } from './second-factors.ts'

/** Options of passkeys. */
export interface PasskeysOptions<U extends User = User> {
  readonly accounts: Accounts<U>
  /** The name of the service, which devices show. */
  readonly name: string
  /**
   * The origins of the pages that passkeys are used on: `https://example.com`, or `http://localhost:8000` for development. No
   * header of a request adds one.
   */
  readonly origins: readonly string[]
  /** The host that passkeys belong to for good: that of each origin, or a domain above. @default the host of the first origin */
  readonly rpId?: string
  /**
   * With these a passkey is a second factor too, and ends a log-in that waits for a code: give them wherever the accounts have
   * `secondFactors`. @default it is a log-in of its own
   */
  readonly factors?: SecondFactors<U>
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Seconds that people have at their device. */
const LIFE = 300
const CONTEXT = 'challenge of a passkey'
const COOKIE = 'passkey_challenge'
const LONGEST_COOKIE = 1500
/** The sealed question to a browser. */
interface Asked {
  readonly kind: 'get' | 'create'
  readonly challenge: string
  /** The user who has to answer; `null`: anyone may. */
  readonly user: number | null
  /** A digest of the session in which the browser was asked; `null`: there was no session. */
  readonly session: string | null
  /** The identifier of the user on a new device. */
  readonly handle: string | null
  /** Milliseconds since 1970. */
  readonly end: number
}

/**
 * Passkeys (WebAuthn Level 3): people log in with the key of a device, which checks who uses it by a finger, a face or a
 * PIN. Each is bound to the origins here, so no other site can ask for it. The database has public keys only.
 *
 * @example
 * const keys = passkeys({ accounts, factors, name: 'Library', origins: ['https://library.example'] })
 * export default api.serve([
 *   ...loginPages(api, { accounts, factors, passkeys: keys }),
 *   passkeysPage(api, { accounts, passkeys: keys }),
 *   ...passkeyEndpoints(api, { accounts, passkeys: keys }),
 * ])
 *
 * @throws ConfigurationError an origin is none, or not of the host `rpId`
 */
export function passkeys<U extends User>(options: PasskeysOptions<U>): Passkeys<U> {
  return new Passkeys(options)
}

/** Asks browsers for passkeys, and checks them: `passkeys` makes it. */
export class Passkeys<U extends User = User> implements LoginPasskeys<U> {
  readonly #options: PasskeysOptions<U>
  readonly #accounts: Accounts<U>
  readonly #now: () => number
  readonly #expected: Expected

  constructor(options: PasskeysOptions<U>) {
    const { accounts, name, origins, rpId = hostOf(origins?.[0]), now = Date.now } = options
    const problem = problemOf(name, origins, rpId)
    if (problem !== null) throw new ConfigurationError(`passkeys: ${problem}`)
    this.#options = options
    this.#accounts = accounts
    this.#now = now
    this.#expected = { expectedOrigin: [...origins], expectedRPID: rpId }
    // Their tables are made where an application uses them.
    void [accounts.factors, accounts.links]
  }

  async ask(request: Incoming, isKnown: boolean): Promise<PasskeyQuestion> {
    const user = isKnown ? await this.#known(request) : null
    const own = user === null ? [] : await this.#accounts.factors.passkeys(user)
    const options = await generateAuthenticationOptions({
      rpID: this.#expected.expectedRPID,
      userVerification: 'required',
      timeout: LIFE * 1000,
      allowCredentials: own.map(named),
    })
    const { challenge } = options
    return { options, cookie: this.#ask(request, { kind: 'get', challenge, handle: null }, user) }
  }

  async answer(
    request: Incoming,
    sent: unknown,
  ): Promise<{ readonly user: U; readonly cookies: readonly string[] } | null> {
    const { factors } = this.#options
    const asked = this.#askedOf(request, 'get')
    const given = partsOf(sent)
    const found = given && (await this.#accounts.factors.passkey(given.id))
    const outcome = await this.#outcome(asked, given, found)
    if (outcome === 'right') {
      const over = this.#cookie(request).set('', 0)
      return { user: found!.user, cookies: [over, ...(factors ? [factors.over(request)] : [])] }
    }
    const username = found?.user.username ?? ''
    await this.#accounts.events.emit('login.failed', { username, reason: outcome })
    return null
  }

  async begin(request: ApiRequest, user: User): Promise<PasskeyQuestion> {
    const own = await this.#accounts.factors.passkeys(user)
    // All devices of a user have one identifier, by which they know whose they are. It contains no name and no number of
    // ours.
    const known = own[0] && { userID: fromBase64url(own[0].handle) }
    const options = await generateRegistrationOptions({
      rpName: this.#options.name,
      rpID: this.#expected.expectedRPID,
      userName: user.username,
      ...known,
      timeout: LIFE * 1000,
      attestationType: 'none',
      excludeCredentials: own.map(named),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: KEY_ALGORITHMS,
    })
    const { challenge } = options
    const asked = { kind: 'create', challenge, handle: options.user.id } as const
    return { options, cookie: this.#ask(request, asked, user) }
  }

  async register(
    request: ApiRequest,
    user: User,
    name: string,
    sent: unknown,
  ): Promise<readonly string[] | null> {
    const asked = this.#askedOf(request, 'create')
    const given = partsOf(sent)
    if (asked === null || asked.user !== user.id || given === null) return null
    const { challenge, handle } = asked
    const made = await this.#once(asked, () => madeOf(this.#expected, challenge, given))
    if (made === null) return null
    const { id: requestId } = request
    const actor = { user: request.user as User, requestId }
    const { factors, families, sessions } = this.#accounts.by(actor)
    const codes = await factors.addPasskey(user, name, { ...made, handle: handle! })
    // Sessions that began without the passkey end.
    const except = readCookie(request.header('cookie'), sessions.settings.sessionCookieName)
    await sessions.endAllOf(user, { except })
    await families.endAll(user)
    return this.#accounts.users.asksForFactors ? codes : []
  }

  /** @throws PermissionDenied (403) no log-in waits, and no one is logged in */
  async #known(request: Incoming): Promise<User> {
    const { sessions } = this.#accounts
    const waiting = await this.#options.factors?.waiting(request)
    if (waiting) return waiting
    const cookie = readCookie(request.header('cookie'), sessions.settings.sessionCookieName)
    const session = cookie === null ? null : await sessions.read(cookie)
    if (session !== null) return session.user
    throw new PermissionDenied(Message.of('permission_denied.log_in_first'))
  }

  async #outcome(
    asked: Asked | null,
    given: Parts | null,
    found: Found<U> | null,
  ): Promise<'right' | LoginRefusal> {
    if (asked === null) return 'factor'
    // An unknown answer spends nothing: anyone may send any number of these, and each would be a row.
    if (given === null || found === null) return 'unknown'
    return (await this.#once(asked, () => this.#judged(asked, given, found))) ?? 'factor'
  }

  async #judged(
    { challenge, user }: Asked,
    given: Parts,
    { user: owner, passkey }: Found<U>,
  ): Promise<'right' | LoginRefusal> {
    if (user !== null && owner.id !== user) return 'factor'
    // A device that was asked for no user in particular says whose key it is (WebAuthn 7.2, 6).
    const handle = given.response.userHandle ?? (user === null ? null : passkey.handle)
    if (handle !== passkey.handle) return 'factor'
    const counter = await counterOf(this.#expected, challenge, given, passkey)
    if (counter === null) return 'factor'
    return (await this.#accounts.factors.count(passkey, counter)) ? 'right' : 'counter'
  }

  /**
   * Does work for a challenge that no passkey has answered before; `null`: one has. The challenge is spent, whatever comes
   * of it.
   */
  async #once<T>({ challenge, end }: Asked, work: () => Promise<T>): Promise<T | null> {
    const digest = sha256(`passkey ${challenge}`, 'base64')
    return this.#accounts.links.once({ digest, end }, work)
  }

  #ask(
    request: Incoming,
    asked: Pick<Asked, 'kind' | 'challenge' | 'handle'>,
    user: User | null,
  ): string {
    const end = this.#now() + LIFE * 1000
    const whole: Asked = { ...asked, user: user?.id ?? null, session: this.#session(request), end }
    const sealed = this.#accounts.seals.seal(CONTEXT, JSON.stringify(whole))
    return this.#cookie(request).set(sealed, LIFE)
  }

  /** The question that this browser got in this session; `null`: it got none, or too long ago. */
  #askedOf(request: Incoming, kind: Asked['kind']): Asked | null {
    const { sent } = this.#cookie(request)
    const isPossible = sent !== null && sent.length <= LONGEST_COOKIE
    const text = isPossible ? this.#accounts.seals.unseal(CONTEXT, sent) : null
    const asked = text === null ? null : (JSON.parse(text) as Asked)
    const isOwn = asked?.kind === kind && asked.session === this.#session(request)
    return isOwn && this.#now() < asked.end ? asked : null
  }

  #session(request: Incoming): string | null {
    const { sessionCookieName: name } = this.#accounts.sessions.settings
    const cookie = readCookie(request.header('cookie'), name)
    return cookie === null ? null : sha256(cookie, 'base64')
  }

  #cookie(request: Incoming) {
    return loginCookie(request, this.#accounts.sessions.settings, COOKIE)
  }
}

type Found<U extends User> = NonNullable<Awaited<ReturnType<Accounts<U>['factors']['passkey']>>>

function named({ credentialId: id, transports }: Passkey) {
  return { id, transports: [...transports] }
}

function hostOf(origin: unknown): string {
  return (typeof origin === 'string' && URL.parse(origin)?.hostname) || ''
}

function problemOf(name: unknown, origins: unknown, rpId: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '')
    return `"name" is ${JSON.stringify(name)}. It is the name of your service, which devices show.`
  if (!Array.isArray(origins) || origins.length === 0)
    return '"origins" must name the pages that passkeys are used on: ["https://example.com"].'
  const wrong = origins.find((origin) => !isSafe(origin))
  if (wrong !== undefined)
    return `"origins" has ${JSON.stringify(wrong)}. Browsers take "https://example.com" without a path, and "http://localhost:8000".`
  const apart = origins.find((origin) => !isWithin(hostOf(origin), rpId))
  if (apart === undefined) return null
  return `"rpId" is ${JSON.stringify(rpId)}, and ${apart} is not there. It is the host of each origin, or a domain above all of them, and no number.`
}

function isSafe(origin: unknown): boolean {
  const url = typeof origin === 'string' ? URL.parse(origin) : null
  if (url === null || url.origin !== origin) return false
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && isWithin(url.hostname, 'localhost'))
  )
}

function isWithin(host: string, rpId: unknown): boolean {
  if (typeof rpId !== 'string' || !/^[a-z\d.-]*[a-z][a-z\d-]*$/.test(rpId)) return false
  return host === rpId || host.endsWith(`.${rpId}`)
}
