import type { PlainRequest } from '../ports/http-adapter.ts'
import type { LinkForm } from '../ports/policies/versioning.ts'
import { ApiError, ParseError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import { attempt } from '../std/attempt.ts'
import { originIn } from '../std/http/origin-pattern.ts'
import { withQuery } from '../std/http/query.ts'
import { keptIn } from '../std/once.ts'
import type {
  LinkOptions,
  Linker,
  LinkerOptions,
  OpenLink,
  UrlForOptions,
} from '../types/reverse.ts'
import type { Match, Resolution } from '../types/routes.ts'
import { type LinkContext, versionedLink } from '../versions/link-in-version.ts'
import type { Urls } from './compile-urls.ts'
import { type Params, type PathTemplate, type PathTemplates, fillParameter } from './templates.ts'

/**
 * The links of one request: absolute, in its version (U1–U6), with the format that its query asks for
 * (U3). A scheme that gives the forms of its links is asked once, any other for each link.
 */
export class RequestLinks {
  readonly #request: LinkContext
  readonly #forms: readonly Form[] | null
  readonly #routes = new Map<string, RouteLinks>()
  #origin: string | null = null

  constructor(request: LinkContext) {
    this.#request = request
    this.#forms = formsOf(request)
  }

  // Handlers take requests apart, `({ reverse }) => …`: what they take must work alone.
  readonly reverse = (name: string, params: Params = NO_PARAMS, options?: LinkOptions): string =>
    this.#to(name).url(
      // A format is a parameter like others, which routes with suffixes take (U4).
      options?.format === undefined ? params : { ...params, format: options.format },
    )

  /** `reverse` leaves format suffixes to its caller, and linkers keep the suffix of the request (U28). */
  readonly linker = (name: string, options?: LinkerOptions): Linker => {
    const { suffixed, params } = this.#request
    const given = options?.params
    const links =
      given === undefined
        ? this.#to(name)
        : new RouteLinks(this.#request, name, this.#forms, Object.entries(given))
    return suffixed ? withSuffix(links, options?.format ?? params['format']) : links
  }

  /** The way back from an address to its name (U22, U23). Never throws. */
  readonly resolve = (url: string): Resolution => {
    const { origin, urls } = this.#request
    // Any other text would be relative to an unknown address.
    const isWhole = url.startsWith('/') || ABSOLUTE.test(url)
    const parsed = isWhole ? URL.parse(url, origin) : null
    if (parsed === null) return null
    // The origin as a client sees it: lower case, and without a default port.
    this.#origin ??= new URL(origin).origin
    if (parsed.origin !== this.#origin) return 'foreign'
    // `URL` reads a backslash as a slash, so that a text that is no address would be one.
    return url.includes('\\') ? null : resolvePath(parsed.pathname, urls)
  }

  #to(name: string): RouteLinks {
    return keptIn(this.#routes, name, () => new RouteLinks(this.#request, name, this.#forms))
  }
}

const ABSOLUTE = /^https?:\/\//i
const NO_PARAMS: Params = Object.freeze({})

/** The common parts of a request's links in one form of its scheme; `end` is the query. */
interface Form {
  readonly namespace: string | undefined
  readonly param: LinkForm['param']
  readonly origin: string
  readonly end: string
}

/** Links to one route, in the version and the format of the request (U3, U5). */
class RouteLinks implements Linker {
  readonly #request: LinkContext
  readonly #name: string
  readonly #forms: readonly Form[] | null
  /** Parameters that all of the links have, where their path takes them. */
  readonly #given: readonly (readonly [name: string, value: unknown])[]
  /** By form, made when they are wanted: mostly the first form has the link. */
  readonly #paths: (readonly PathTemplate[])[] = []
  readonly #templates: PathTemplates
  /** The last opened link: fields of one serializer often lead to one route. */
  #param: string | null = null
  #format: unknown
  #open: OpenLink | null = null

  constructor(
    request: LinkContext,
    name: string,
    forms: readonly Form[] | null,
    given: readonly (readonly [name: string, value: unknown])[] = [],
  ) {
    this.#request = request
    this.#name = name
    this.#forms = forms
    this.#given = given
    this.#templates = request.urls.templates
  }

  url(params: Params): string {
    return this.#byForms(params) ?? this.#byScheme(params)
  }

  find(params: Params): string | null {
    if (this.#forms !== null) return this.#byForms(params)
    return attempt(NoReverseMatch, () => this.#byScheme(params))
  }

  to(param: string, format?: unknown): OpenLink | null {
    if (param === this.#param && format === this.#format) return this.#open
    this.#param = param
    this.#format = format
    this.#open = null
    for (const form of this.#forms?.keys() ?? []) {
      const open = this.#templates.open(this.#pathsIn(form), param, format)
      if (open !== null) return (this.#open = open === 'several' ? null : open)
    }
    return null
  }

  #byForms(params: Params): string | null {
    const count = this.#forms?.length ?? 0
    for (let form = 0; form < count; form++) {
      const url = this.#templates.find(this.#pathsIn(form), params)
      if (url !== null) return url
    }
    return null
  }

  #pathsIn(form: number): readonly PathTemplate[] {
    return (this.#paths[form] ??= this.#prepared(this.#forms![form]!))
  }

  /**
   * Templates of paths for this form. Most requests want those that an earlier request made, in the same version and for the
   * same host.
   */
  #prepared(form: Form): readonly PathTemplate[] {
    if (this.#given.length > 0) return this.#prepare(form)
    const { namespace = '', param = ['', ''], origin, end } = form
    const key = [this.#name, namespace, param[0], param[1], origin, end].join('\n')
    return keptIn(this.#templates.prepared, key, () => this.#prepare(form))
  }

  #byScheme(params: Params): string {
    const { version } = this.#request
    const lookup = { name: this.#name, params: this.#withGiven(params), version }
    return keepFormat(versionedLink(lookup, this.#request), this.#request)
  }

  /** Adds the given parameters. A scheme finds the path by itself, and all paths of a name take the same parameters. */
  #withGiven(params: Params): Params {
    if (this.#given.length === 0) return params
    const { byName } = this.#templates
    const [path] =
      byName.get(this.#name) ??
      [...byName.values()].flat().filter(({ route }) => route.localName === this.#name)
    const taken = this.#given.filter(([name]) => path?.route.parameters.includes(name))
    return { ...Object.fromEntries(taken), ...params }
  }

  #prepare({ namespace, param, origin, end }: Form): readonly PathTemplate[] {
    const name = namespace === undefined ? this.#name : `${namespace}:${this.#name}`
    const found = this.#templates.byName.get(name) ?? []
    const filled =
      param === undefined ? found : found.flatMap((each) => fillParameter(each, ...param) ?? [])
    const known = filled.map((each) =>
      this.#given.reduce((path, given) => fillParameter(path, ...given) ?? path, each),
    )
    // Joined once, because a text in pieces would cost every link.
    return known.map((each) => ({ ...each, start: [origin, each.start].join(''), end }))
  }
}

function withSuffix(links: RouteLinks, format: unknown): Linker {
  return {
    url: (params) => links.url({ ...params, format }),
    find: (params) => links.find({ ...params, format }),
    to: (param) => links.to(param, format),
  }
}

/** The changes that the scheme makes to all links of the request; `null`: it makes each link by itself. */
function formsOf(request: LinkContext): readonly Form[] | null {
  const { version } = request
  const { versioning } = request.settings
  if (versioning?.linkForms === undefined && versioning?.reverse !== undefined) return null
  const given = version === null ? undefined : versioning?.linkForms?.(version, request)
  const forms: Form[] = []
  for (const { namespace, param, query, origin = request.origin } of [...(given ?? []), PLAIN]) {
    const end = keepFormat(query === undefined ? '' : withQuery('', ...query), request)
    if (param !== undefined) forms.push({ namespace, param, origin, end })
    forms.push({ namespace, param: undefined, origin, end })
  }
  return forms
}

const PLAIN: LinkForm = {}

/** The format that the request asks for in its query stays (U3). */
function keepFormat(url: string, request: LinkContext): string {
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride === null || request.queryText === '') return url
  const format = request.query.get(urlFormatOverride)
  return format === null ? url : withQuery(url, urlFormatOverride, format)
}

function resolvePath(path: string, urls: LinkContext['urls']): Resolution {
  const match = attempt(ParseError, () => urls.match(path))
  if (match === null) return null
  const { name, namespace } = match.route
  return { name, namespace, params: match.params }
}

interface LinkSources<Endpoint> {
  readonly urls: Urls
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** A request to an endpoint, as a client would send it. */
  readonly contextOf: (
    plain: PlainRequest,
    endpoint: Endpoint,
    match: Match | null,
    origin: string,
  ) => LinkContext & { version: string | null }
  readonly publicUrl: string | null
}

/**
 * `reverse` outside of every request. A link is made as it would be for a client that asks the endpoint
 * it leads to, at this origin, and names no version: so the scheme of that endpoint puts the version
 * where it keeps it, and its default stands in for a missing one (U11).
 */
export function createUrlFor<E>(
  sources: LinkSources<E>,
): (name: string, params?: Params, options?: UrlForOptions) => string {
  return (name, params = {}, options = {}) => {
    const endpoint = endpointOf(name, options.version, sources.endpoints)
    if (endpoint === null) return sources.urls.reverse(name, params)
    const { format } = options
    const all = format === undefined ? params : { ...params, format }
    return urlTo(endpoint, name, all, options, sources)
  }
}

function urlTo<E>(
  endpoint: E,
  name: string,
  params: Params,
  { origin, version }: UrlForOptions,
  sources: LinkSources<E>,
): string {
  const given = origin ?? sources.publicUrl
  const from = given === null ? NOWHERE : originOf(given)
  const request = sources.contextOf(plainOf(from, '/'), endpoint, null, from)
  request.version = versionOf(request)
  const url = versionedLink({ name, params, version: version ?? request.version }, request)
  if (version !== undefined) {
    const found = versionIn(url, endpoint, request, sources)
    // A scheme that keeps versions in addresses must find the requested one in its own address.
    if (found !== undefined && found !== version) throw notInVersion(name, version, url, found)
  }
  return given === null ? url.slice(from.length) : url
}

/** Stands for the origin of a link that is to be a path. No scheme reads a version from it. */
const NOWHERE = 'http://localhost'

/** The endpoint of a name. For a short name, it is the endpoint in the version, or any: all of them make the same link. */
function endpointOf<E>(
  name: string,
  version: string | undefined,
  endpoints: ReadonlyMap<string, E>,
): E | null {
  return (
    endpoints.get(name) ??
    endpoints.get(`${version}:${name}`) ??
    [...endpoints].find(([full]) => full.endsWith(`:${name}`))?.[1] ??
    null
  )
}

function originOf(text: string): string {
  const origin = originIn(text)
  if (origin !== null) return origin
  throw new ConfigurationError(
    `urlFor: "${text}" is no origin. Write scheme and host, such as "https://api.example.com".`,
  )
}

/** The version of a request that carries none: a default, or that of the host. */
function versionOf(request: LinkContext): string | null {
  const { versioning } = request.settings
  const version = attempt(ApiError, () => versioning?.determineVersion(request))
  return typeof version === 'string' ? version : null
}

/**
 * The version that a request which follows the link would have; `undefined`: links do not show it, or finding it takes time.
 */
function versionIn<E>(
  url: string,
  endpoint: E,
  { settings: { versioning } }: LinkContext,
  { urls, contextOf }: LinkSources<E>,
): string | null | undefined {
  if (versioning?.reverse === undefined || versioning.find === undefined) return undefined
  const { origin, pathname, search } = new URL(url)
  const plain = plainOf(origin, pathname + search)
  const found = versioning.find(contextOf(plain, endpoint, urls.match(pathname), origin))
  return found instanceof Promise ? undefined : found
}

function notInVersion(name: string, version: string, url: string, found: string | null): Error {
  const hint =
    found === null ? 'The address has no place for a version' : `It is of version "${found}"`
  return new NoReverseMatch(`"${name}" has no address in version "${version}". ${hint}: ${url}`)
}

function plainOf(origin: string, target: string): PlainRequest {
  const { protocol, host } = new URL(origin)
  return {
    method: 'GET',
    target,
    scheme: protocol === 'https:' ? 'https' : 'http',
    environ: {},
    body: null,
    header: (name) => (name === 'host' ? host : null),
  }
}
