import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { Conflict } from '../../../core/errors/api-errors.ts'
import { messagesOf } from '../../../core/errors/detail.ts'
import { Message } from '../../../core/messages/message.ts'
import { wordsFor } from '../../../core/messages/words.ts'
import type { User } from '../../../core/ports/credentials.ts'
import type { Permission } from '../../../core/ports/policies/permissions.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import type { LoginPasskeys } from '../../../core/ports/sessions.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { Query } from '../../../core/std/http/query.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { CSRF_FIELD, Csrf } from '../../../policies/authentication/csrf/csrf.ts'
import { IsAuthenticated, IsRecentlyAuthenticated } from '../../../policies/permissions/builtin.ts'
import { templatesFor } from '../templates.ts'
import { coloursOf } from '../top-bar.ts'
import { pagePolicy, placeNear, redirect, textsIn } from './page-settings.ts'

/** The address of the page of an account's passkeys: `...passkeysPageUrls`. */
export const passkeysPageUrls = { passkeys: '/account/passkeys/' } as const

/** The accounts whose passkeys the page shows. */
export interface PasskeysPageOptions {
  readonly accounts: Accounts
  readonly passkeys: LoginPasskeys
  /**
   * The permissions to see and change one's passkeys; users never see those of others.
   *
   * @default [new IsRecentlyAuthenticated({ within: '10 minutes' })]
   */
  readonly permissions?: readonly Permission[]
}

/**
 * The page where users add passkeys, see their last use, and remove them. Adding needs the script of the page; removing does
 * not.
 *
 * @example
 * passkeysPage(api, { accounts, passkeys: keys })
 */
export function passkeysPage<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, keyof typeof passkeysPageUrls | 'passkeys-begin'>,
  options: PasskeysPageOptions,
): Endpoint<never> {
  const { permissions = [new IsRecentlyAuthenticated({ within: '10 minutes' })] } = options
  const page = new Page(options)
  const unlisted = { operation: () => null }
  return (api as unknown as Group<TypedSettings, Record<string, string>>)
    .group({ ...pagePolicy(options), permissions: [new IsAuthenticated(), ...permissions] })
    .endpoint('passkeys', { title: String(TITLE), queryParams: ['_theme'] })
    .get({ ...unlisted, handle: (request: ApiRequest) => page.show(request) })
    .post({ ...unlisted, handle: (request: ApiRequest) => page.change(request) })
}

const TITLE = Message.of('page.passkeys')

class Page {
  readonly #options: PasskeysPageOptions
  readonly #csrf: Csrf

  constructor(options: PasskeysPageOptions) {
    this.#options = options
    this.#csrf = new Csrf(options.accounts.sessions)
  }

  async show(
    request: ApiRequest,
    {
      wrong = null,
      codes = [],
    }: { wrong?: Message | Conflict | null; codes?: readonly string[] } = {},
  ): Promise<Reply> {
    const { accounts } = this.#options
    const templates = await templatesFor(request.settings.browsable)
    const words = wordsFor(request)
    const colours = coloursOf(request, Query.parse(''))
    const { token, cookies } = this.#csrf.issue(request)
    const { csrfHeaderName: header } = accounts.sessions.settings
    const asking = { url: 'passkeys-begin', kind: 'create', header, isKnown: true } as const
    const own = await accounts.factors.passkeys(request.user as User)
    const sentence =
      wrong instanceof Conflict
        ? String(messagesOf(wrong.inWords((message) => words.text(message)).detail))
        : wrong && words.text(wrong)
    const page = {
      ...colours,
      title: words.text(TITLE),
      form: { action: request.path, field: CSRF_FIELD, token, next: '' },
      passkey: passkeyForm(request, asking),
      passkeys: own.map((each) => ({
        ...each,
        created: shown(each.created),
        lastUsed: each.lastUsed && shown(each.lastUsed),
      })),
      sentence,
      codes,
    }
    const kept = [...cookies, ...colours.cookies]
    const policy = templates.policyWith(null, true)
    const headers = { 'Content-Security-Policy': policy, ...words.headers, 'Set-Cookie': kept }
    return uncached(templates.render('passkeys', words, page), { headers })
  }

  /** The authentication scheme has already checked the CSRF token. */
  async change(request: ApiRequest): Promise<Reply> {
    const textOf = await textsIn(request)
    const removed = textOf('remove')
    if (removed !== '') return this.#remove(request, Number(removed))
    const { passkeys } = this.#options
    const user = request.user as User
    try {
      const codes = await passkeys.register(request, user, textOf('name'), textOf('passkey'))
      if (codes === null) return await this.show(request, { wrong: Message.of('invalid.passkey') })
      return codes.length > 0 ? await this.show(request, { codes }) : redirect(request.path, [])
    } catch (error) {
      if (error instanceof Conflict) return this.show(request, { wrong: error })
      throw error
    }
  }

  async #remove(request: ApiRequest, id: number): Promise<Reply> {
    const { accounts } = this.#options
    const user = request.user as User
    const own = await accounts.factors.passkeys(user)
    const found = own.find((each) => each.id === id)
    const { factors } = accounts.by({ user, requestId: request.id })
    if (found !== undefined) await factors.remove(user, found.id)
    return redirect(request.path, [])
  }
}

function shown(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ')
}

/** The request of a page's script to the browser. */
interface PasskeyAsked {
  /** The name of the address that gives the challenge. */
  readonly url: 'login-passkey' | 'passkeys-begin'
  readonly kind: 'get' | 'create'
  /** The name of the header for the CSRF token. */
  readonly header: string
  /** Must the passkey belong to the current user? */
  readonly isKnown: boolean
}

/** The data for the template of its form. */
export function passkeyForm(request: ApiRequest, asked: PasskeyAsked): PasskeyAsked {
  return { ...asked, url: placeNear(request, asked.url, {}, '') as never }
}
