import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import type { ApiRequest, Incoming } from '../../../core/ports/request.ts'
import type { Settings } from '../../../core/ports/settings/settings.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { SessionReader } from '../../../core/ports/sessions.ts'
import {
  AuthenticationFailed,
  NotAuthenticated,
  PermissionDenied,
} from '../../../core/errors/api-errors.ts'
import { NoReverseMatch } from '../../../core/errors/configuration-error.ts'
import { messagesOf } from '../../../core/errors/detail.ts'
import { Message } from '../../../core/messages/message.ts'
import type { Words } from '../../../core/messages/words.ts'
import { FormParser } from '../../../core/parsing/form.ts'
import { MultiPartParser } from '../../../core/parsing/multipart.ts'
import { IsAuthenticated } from '../../../policies/permissions/builtin.ts'
import { handleException } from '../../../core/pipeline/exceptions.ts'
import { StaticHTMLRenderer } from '../../../core/representations/static-html.ts'
import { reply, uncached } from '../../../core/replies/reply.ts'
import { Form } from '../../../core/std/http/form.ts'
import { withQuery } from '../../../core/std/http/query.ts'

/** The settings of an ordinary page: HTML in one version only, forms as bodies, no OPTIONS. */
export const PAGE_SETTINGS: Omit<
  PagePolicy,
  'authentication' | 'permissions' | 'exceptionHandler'
> = {
  renderers: [new StaticHTMLRenderer()],
  parsers: [new FormParser(), new MultiPartParser()],
  versioning: null,
  pagination: null,
  metadata: null,
  urlFormatOverride: null,
}

/** The protection of pages. */
export interface PagePolicyOptions {
  readonly accounts: { readonly sessions: SessionReader }
}

/** The settings of ordinary pages: one layer for a group. */
export interface PagePolicy extends Pick<
  Settings,
  'renderers' | 'parsers' | 'metadata' | 'urlFormatOverride' | 'exceptionHandler'
> {
  readonly versioning: null
  readonly pagination: null
  readonly authentication: readonly [SessionAuthentication]
  readonly permissions: readonly [IsAuthenticated]
}

/**
 * The settings of a group of ordinary pages, whose handlers return HTML. Visitors who have not logged in are sent to
 * `LOGIN_URL`, and those who must prove again who they are, to that page; a public page has `permissions: []`. Other endpoints
 * are not affected: they answer 401 or 403, never with a login page (5.2 rule 6, A50).
 *
 * @example
 * const pages = api.group(pagePolicy({ accounts }))
 * const home = pages.endpoint('home').get(({ user }) => `<h1>Hello ${escape(user.username)}</h1>`)
 * const about = pages.endpoint('about', { permissions: [] }).get(() => '<h1>About us</h1>')
 */
export function pagePolicy({ accounts: { sessions } }: PagePolicyOptions): PagePolicy {
  return {
    ...PAGE_SETTINGS,
    authentication: [new SessionAuthentication({ sessions })],
    permissions: [new IsAuthenticated()],
    exceptionHandler: (error, request) => {
      const place = placeFor(error, sessions)
      return place === null ? handleException(error, request) : sentTo(place, request)
    },
  }
}

/** The address where visitors prove who they are, or prove it again; `null`: the error has another cause. */
function placeFor(error: unknown, sessions: SessionReader): string | null {
  if (error instanceof NotAuthenticated || error instanceof AuthenticationFailed)
    return sessions.settings.loginUrl
  const isOld = error instanceof PermissionDenied && error.code === 'reauthentication_required'
  const { reauthenticate = null } = isOld ? Object(messagesOf(error.detail)) : {}
  return reauthenticate
}

function sentTo(place: string, { path, url }: Incoming): Reply {
  const next = encodeURIComponent(path + url.search).replaceAll('%2F', '/')
  const Location = `${place}${place.includes('?') ? '&' : '?'}next=${next}`
  return reply(null, { status: 302, headers: { Location } })
}

/** Reads the fields of a form; another body has no fields. */
export async function textsIn(request: ApiRequest): Promise<(name: string) => string> {
  const body = await request.body()
  return (name) => {
    const value = body instanceof Form ? body.get(name) : null
    return typeof value === 'string' ? value : ''
  }
}

/** The address of a route in the same namespace, with `next` in its query. */
export function placeNear(
  request: ApiRequest,
  route: string,
  params: Readonly<Record<string, string>>,
  next: string,
): string {
  const { endpointName: own } = request
  const name = `${own.slice(0, own.lastIndexOf(':') + 1)}${route}`
  const address = request.linker(name).url(params)
  return next === '' ? address : withQuery(address, 'next', next)
}

export function redirect(Location: string, cookies: readonly string[]): Reply {
  return uncached(null, { status: 302, headers: { Location, 'Set-Cookie': cookies } })
}

/** Links for visitors who cannot log in. Each needs two routes of these names: a single one might be about anything. */
const HELP = [
  ['password-forgotten', 'password-reset', Message.of('page.forgotten')],
  ['register', 'register-finish', Message.of('life.register')],
] as const

export function linksOf(request: ApiRequest, words: Words): readonly object[] {
  const urlOf = (name: string): string | null => {
    try {
      return placeNear(request, name, {}, '')
    } catch (error) {
      if (error instanceof NoReverseMatch) return null
      throw error
    }
  }
  return HELP.flatMap(([name, second, message]) =>
    urlOf(second) === null ? [] : [{ title: words.text(message), url: urlOf(name) }],
  ).filter(({ url }) => url !== null)
}
