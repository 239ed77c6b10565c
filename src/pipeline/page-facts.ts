import type { FilterControl } from '../contract/list-source.ts'
import type {
  Acting,
  BrowserAccess,
  NamedLink,
  Offer,
  OtherAnswer,
  PageFacts,
  Presentation,
  VersionLink,
} from '../contract/page.ts'
import type { Incoming, MaybePromise, Reply } from '../contract/request.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { otherVersion } from '../links/link-in-version.ts'
import { attempt } from '../std/attempt.ts'
import { withQuery } from '../std/http/query.ts'
import type { Match } from '../types/routes.ts'
import type { Context } from './context.ts'
import { answerForBoth } from './pages/act-as.ts'
import { offerFor } from './pages/offers.ts'

/** Parameters that are about a page, and not about what it shows. */
const OF_PAGES = ['_view', '_theme']

/** Segments of a path that become crumbs; a path of strangers may have thousands. */
const MOST_CRUMBS = 24

/** What a page may ask about the request that it answers, with no more rights than its client. */
export class PageOf implements PageFacts<Context> {
  readonly request: Context
  readonly endpoint: Context['endpoint']['facts']
  readonly methods: readonly string[]

  constructor(request: Context) {
    const { facts, allow } = request.endpoint
    this.request = request
    this.endpoint = facts
    this.methods = allow === '' ? [] : allow.split(', ')
  }

  permits(method: string): MaybePromise<boolean> {
    return this.methods.includes(method) && this.#permits(method)
  }

  async #permits(method: string): Promise<boolean> {
    const { endpoint } = this.request
    try {
      await endpoint.checkPermissions?.(this.request.as(method))
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }

  offer(answer: Reply): Promise<Offer> {
    return offerFor(answer, this.request, this.browser)
  }

  /** As DRF: with and without the slash at the end, nothing twice in a row. */
  crumbs(): readonly NamedLink[] {
    const { path } = this.request
    const cuts = ['/', ...beginnings(path)]
    const found: (NamedLink & { readonly match: Match })[] = []
    for (const cut of cuts) {
      const match = this.#matchAt(cut)
      if (match === null || isSame(match, found.at(-1)?.match)) continue
      const name = this.#titleOf(match.route.name)
      found.push({ name, url: this.#withFormat(cut), isCurrent: cut === path, match })
    }
    return found.map(({ name, url, isCurrent }) => ({ name, url, isCurrent }))
  }

  actions(): readonly NamedLink[] {
    const { path, urls, params } = this.request
    const own = this.#matchAt(path)?.route
    if (own === undefined || this.request.suffixed) return []
    const start = own.path.endsWith('/') ? own.path : `${own.path}/`
    const further = urls.routes.filter(
      (route) => route.path.startsWith(start) && /^[^/:]+\/?$/.test(route.path.slice(start.length)),
    )
    return further.flatMap(({ name }) => {
      const url = urls.find(name, params)
      return url === null ? [] : [{ name: this.#titleOf(name), url, isCurrent: false }]
    })
  }

  versions(): readonly VersionLink[] {
    const { settings, version, query, params, suffixed } = this.request
    const all = settings.versioning?.versions?.(settings) ?? []
    if (version === null || all.length < 2) return []
    const links = all.map((each): VersionLink => {
      if (each === version) return { version: each, url: null, isCurrent: true }
      const url = otherVersion(this.request, each)
      const isSuffixed = suffixed && params['format'] !== undefined
      return {
        version: each,
        url: url && !isSuffixed ? keepQuery(url, query) : url,
        isCurrent: false,
      }
    })
    return links
  }

  async inVersion(version: string): Promise<OtherAnswer | null> {
    const link = this.versions().find((each) => each.version === version)
    const renderer = this.request.settings.renderers.find(({ prepare }) => prepare === undefined)
    const { suffixed, settings } = this.request
    if (link === undefined || link.isCurrent || renderer === undefined || suffixed) return null
    const url = new URL(link.url ?? this.request.url)
    for (const name of [...OF_PAGES, settings.urlFormatOverride ?? ''])
      url.searchParams.delete(name)
    const accept = `${renderer.mediaType}; indent=4`
    const named = link.url === null ? `${accept}; ${settings.versionParam}=${version}` : accept
    const headers = url.origin === this.request.origin ? {} : { host: url.host }
    const target = url.pathname + url.search
    const { status, body } = await this.request.ask(target, { accept: named, ...headers })
    if (body instanceof ReadableStream) await body.cancel()
    // Lists are written as bytes at once.
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
    return { status, mediaType: renderer.mediaType, text: typeof text === 'string' ? text : null }
  }

  async metadata(): Promise<unknown> {
    const { handlers } = this.request.endpoint
    const { request } = this
    if (!(await this.permits('OPTIONS'))) return null
    const handler = handlers.get('OPTIONS')!
    const asked = request.as('OPTIONS')
    if (request.acting === null) return handler.handle(asked)
    try {
      return (await answerForBoth((each) => handler.handle(each), request.acting, asked)).data
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  filters(): readonly FilterControl[] {
    const { handlers } = this.request.endpoint
    return handlers.get('GET')?.filterControls?.(this.request) ?? []
  }

  presentation({ status, data }: Reply): Presentation | null {
    const { endpoint, method } = this.request
    if (status >= 300) return null
    const presented = endpoint.handlers.get(method)?.presentation
    return presented?.(data as never, this.request) ?? null
  }

  get browser(): BrowserAccess<Incoming> | null {
    const { authentication } = this.request.settings
    return authentication.find(({ browser }) => browser !== undefined)?.browser ?? null
  }

  async acting(): Promise<Acting | null> {
    const { request } = this
    const { actAs } = request.authenticator?.browser ?? {}
    if (actAs === undefined || !(await actAs.permits(request as never))) return null
    const { namespace = [] } = (this.browser && this.#matchAt(this.browser.loginUrl)?.route) ?? {}
    const url = request.urls.find([...namespace, 'act-as'].join(':'))
    return { name: request.acting?.name ?? null, url }
  }

  get login(): PageFacts<Context>['login'] {
    const { browser } = this
    const match = browser && this.#matchAt(browser.loginUrl)
    if (browser === null || match === null) return null
    const { namespace } = match.route
    const logoutUrl = this.request.urls.find([...namespace, 'logout'].join(':'))
    return { loginUrl: browser.loginUrl, logoutUrl }
  }

  #matchAt(target: string): Match | null {
    return attempt(ParseError, () => this.request.urls.match(target))
  }

  #titleOf(name: string): string {
    return this.request.service.endpoints.get(name)!.facts.title
  }

  #withFormat(url: string): string {
    const { query, settings } = this.request
    const parameter = settings.urlFormatOverride
    const format = parameter === null ? null : query.peek(parameter)
    return parameter === null || format === null ? url : withQuery(url, parameter, format)
  }
}

/** `/a/b/` → `/a`, `/a/`, `/a/b`, `/a/b/`. */
function beginnings(path: string): readonly string[] {
  const ends: number[] = []
  for (
    let at = path.indexOf('/', 1);
    at > 0 && ends.length < MOST_CRUMBS;
    at = path.indexOf('/', at + 1)
  )
    ends.push(at, at + 1)
  const cuts = ends.map((end) => path.slice(0, end))
  return cuts.includes(path) || path === '/' ? cuts : [...cuts, path]
}

function isSame(match: Match, other: Match | undefined): boolean {
  return (
    match.route.name === other?.route.name &&
    JSON.stringify(match.params) === JSON.stringify(other.params)
  )
}

/** What the other address says of the version wins; the rest of the query goes along. */
function keepQuery(url: string, query: Context['query']): string {
  const own = new URL(url)
  const rest = new URLSearchParams(query.toString())
  for (const name of own.searchParams.keys()) rest.delete(name)
  for (const name of OF_PAGES) rest.delete(name)
  for (const [name, value] of rest) own.searchParams.append(name, value)
  return own.href
}
