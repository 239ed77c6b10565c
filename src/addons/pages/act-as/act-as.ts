import type { Endpoint, Group } from '../../../core/app/group.ts'
import type { ActedFor } from '../../../core/ports/policies/authentication.ts'
import type { Token, TokenFacts, User } from '../../../core/ports/credentials.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { MaybePromise } from '../../../core/std/after.ts'
import type { Permission } from '../../../core/ports/policies/permissions.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import type { SessionReader } from '../../../core/ports/sessions.ts'
import { ValidationError } from '../../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../../core/errors/detail.ts'
import { IsAdminUser } from '../../../policies/permissions/builtin.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import { readCookie } from '../../../core/std/http/cookie.ts'
import { nextAddress } from '../../../core/std/http/next-address.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { PAGE_SETTINGS, textsIn } from '../login/page-settings.ts'
import { pageCookie } from '../top-bar.ts'
import { actingAs } from './acting-as.ts'

/** The address that takes the choice of a user. Take it into your own with `...actAsUrls`. */
export const actAsUrls = { 'act-as': '/act-as/' } as const

/** Options for seeing pages as other users. */
export interface ActAsOptions {
  /** The store of users and their tokens: `accounts` of a database. */
  readonly accounts: {
    readonly users: {
      byUsername(username: string): MaybePromise<User | null>
      byId(id: number): MaybePromise<User | null>
    }
    readonly tokens: {
      of(user: User): MaybePromise<readonly TokenFacts[]>
      heldTo?(user: User, token: Pick<Token, 'scopes'>): User
    }
  }
  /** Checked with the request of the real user, at every page. @default new IsAdminUser() */
  readonly permission?: Permission
  /** The seconds after which a choice ends. @default 3600 */
  readonly maxAge?: number
}

const COOKIE = 'colophon_act_as'

/** A choice in its cookie: sealed, and valid in one session only. */
interface Choice {
  readonly user: number
  /** The name of a token; `null`: the user without a token. */
  readonly token: string | null
  /** The end of the choice, in milliseconds since 1970. */
  readonly until: number
}

/**
 * Lets staff see the pages of the API as a user, or a token of that user, would see them (`actAsPages` has the form). It widens
 * no rights: a page is answered for both, and shows what both answers have in common. It concerns pages only, never changes
 * data, and logs each shown page as `act_as.shown`.
 *
 * @throws ConfigurationError an option is wrong
 * @example
 * const actAs = new ActAs({ accounts })
 * const api = defineApi({
 *   urls: defineUrls({ ...loginUrls, ...actAsUrls, home: '/' }),
 *   authentication: [new SessionAuthentication({ sessions: accounts.sessions, actAs })],
 * })
 * export default api.serve([...loginPages(api, { accounts }), ...actAsPages(api, { accounts, actAs }), home])
 */
export class ActAs {
  readonly permission: Permission
  readonly #accounts: ActAsOptions['accounts']
  readonly #maxAge: number

  constructor(options: ActAsOptions) {
    const { accounts, permission = new IsAdminUser(), maxAge = 3600 } = options
    if (!Number.isSafeInteger(maxAge) || maxAge < 1)
      throw new ConfigurationError(
        `ActAs: "maxAge" wants a whole number of at least 1, and got ${JSON.stringify(maxAge)}.`,
      )
    this.permission = permission
    this.#accounts = accounts
    this.#maxAge = maxAge
  }

  /** The user whose view the session shows; `null`: its own. */
  async chosen(request: Incoming, session: string): Promise<ActedFor | null> {
    const sealed = readCookie(request.header('cookie'), COOKIE)
    const text = sealed && request.seals.unseal(contextOf(session), sealed)
    if (!text) return null
    const choice = JSON.parse(text) as Choice
    const user = choice.until > Date.now() ? await this.#accounts.users.byId(choice.user) : null
    if (user === null || !user.isActive) return null
    const auth = await this.#tokenOf(user, choice.token)
    if (auth === undefined) return null
    const name = choice.token === null ? user.username : `${user.username} / ${choice.token}`
    const seen = (auth && this.#accounts.tokens.heldTo?.(user, auth)) ?? user
    return actingAs({ name, user: seen, auth, permits: (asked) => this.permits(asked) })
  }

  /** May the user of a request see pages as others? */
  async permits(request: ApiRequest): Promise<boolean> {
    return (await this.permission.hasPermission?.(request)) === true
  }

  /**
   * Gives values of `Set-Cookie` with which a session sees pages as this user.
   * @throws ValidationError this user or this token does not exist
   */
  async choose(
    request: Incoming,
    session: string,
    name: string,
    token: string | null,
  ): Promise<string> {
    const user = await this.#accounts.users.byUsername(name)
    if (user === null || !user.isActive)
      throw new ValidationError({ username: [ErrorDetail.of('does_not_exist')] })
    if ((await this.#tokenOf(user, token)) === undefined)
      throw new ValidationError({ token: [ErrorDetail.of('does_not_exist')] })
    const choice: Choice = { user: user.id, token, until: Date.now() + this.#maxAge * 1000 }
    const sealed = request.seals.seal(contextOf(session), JSON.stringify(choice))
    return pageCookie(request, COOKIE, sealed, this.#maxAge)
  }

  /** `undefined`: the user has no token of that name. The result contains no secret. */
  async #tokenOf(user: User, name: string | null): Promise<Token | null | undefined> {
    if (name === null) return null
    const facts = (await this.#accounts.tokens.of(user)).find((each) => each.name === name)
    return facts && { ...facts, user, key: '' }
  }
}

/** The name of the address that the pages need: `actAsUrls` has it. */
type ActAsRoute = keyof typeof actAsUrls
/** Options for the form of the top bar. */
export interface ActAsPagesOptions {
  readonly accounts: SessionAccounts
  readonly actAs: ActAs
}

type SessionAccounts = { readonly sessions: SessionReader }

/**
 * The endpoint of the form in the top bar, for `serve`: a POST with a CSRF token chooses the user whose view this session
 * shows, or its own view.
 *
 * @example
 * export default api.serve([...actAsPages(api, { accounts, actAs }), home])
 */
export function actAsPages<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, ActAsRoute>,
  { accounts: { sessions }, actAs }: ActAsPagesOptions,
): readonly Endpoint<never>[] {
  const pages = (api as unknown as Group<TypedSettings, Record<string, string>>).group({
    ...PAGE_SETTINGS,
    authentication: [new SessionAuthentication({ sessions })],
    permissions: [actAs.permission],
  })
  const choose = async (request: ApiRequest): Promise<Reply> => {
    const textOf = await textsIn(request)
    const username = textOf('username').trim()
    const session = readCookie(request.header('cookie'), sessions.settings.sessionCookieName)!
    const token = textOf('by_token') === '' ? null : textOf('token')
    const cookie =
      username === ''
        ? pageCookie(request, COOKIE, '', 0)
        : await actAs.choose(request, session, username, token)
    const Location = nextAddress(textOf('next'), request.origin) ?? '/'
    return uncached(null, { status: 303, headers: { Location, 'Set-Cookie': [cookie] } })
  }
  return [pages.endpoint('act-as').post({ handle: choose, operation: () => null })]
}

/** A choice is sealed for its session, so that it is invalid in another one. */
function contextOf(session: string): string {
  return `act-as ${sha256(session, 'base64')}`
}
