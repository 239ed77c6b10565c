import type { LinkForm } from '../contract/versioning.ts'
import { ParseError } from '../errors/api-errors.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { attempt } from '../std/attempt.ts'
import { withQuery } from '../std/http/query.ts'
import type { LinkOptions, Linker, LinkerOptions, OpenLink } from '../types/reverse.ts'
import type { Resolution } from '../types/routes.ts'
import { type Params, type Template, type Templates, fillIn } from './templates.ts'
import { type LinkContext, versionedLink } from './link-in-version.ts'

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

  /** `reverse` leaves format suffixes to its caller, and linkers keep that of the request (U28). */
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
    // Any other text would be relative to an address that is not known.
    const isWhole = url.startsWith('/') || ABSOLUTE.test(url)
    const parsed = isWhole ? URL.parse(url, origin) : null
    if (parsed === null) return null
    // The origin as a client sees it: lower case, and without a default port.
    this.#origin ??= new URL(origin).origin
    return parsed.origin === this.#origin ? resolvePath(parsed.pathname, urls) : 'foreign'
  }

  #to(name: string): RouteLinks {
    const known = this.#routes.get(name)
    if (known !== undefined) return known
    const links = new RouteLinks(this.#request, name, this.#forms)
    this.#routes.set(name, links)
    return links
  }
}

const ABSOLUTE = /^https?:\/\//i
const NO_PARAMS: Params = Object.freeze({})

/** What the links of a request have in common in one form of its scheme; `end` is the query. */
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
  readonly #paths: (readonly Template[])[] = []
  readonly #templates: Templates
  /** What was opened last: fields of one serializer often lead to one route. */
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

  #pathsIn(form: number): readonly Template[] {
    return (this.#paths[form] ??= this.#prepared(this.#forms![form]!))
  }

  /** Most requests want what one before them wanted, in the same version and of the same host. */
  #prepared(form: Form): readonly Template[] {
    if (this.#given.length > 0) return this.#prepare(form)
    const { namespace = '', param = ['', ''], origin, end } = form
    const key = [this.#name, namespace, param[0], param[1], origin, end].join('\n')
    const known = this.#templates.prepared.get(key)
    if (known !== undefined) return known
    const paths = this.#prepare(form)
    this.#templates.prepared.set(key, paths)
    return paths
  }

  #byScheme(params: Params): string {
    const { version } = this.#request
    const lookup = { name: this.#name, params: this.#withGiven(params), version }
    return keepFormat(versionedLink(lookup, this.#request), this.#request)
  }

  /** A scheme finds the path by itself: any of this name takes the same. */
  #withGiven(params: Params): Params {
    if (this.#given.length === 0) return params
    const { byName } = this.#templates
    const [path] =
      byName.get(this.#name) ??
      [...byName.values()].flat().filter(({ route }) => route.localName === this.#name)
    const taken = this.#given.filter(([name]) => path?.route.parameters.includes(name))
    return { ...Object.fromEntries(taken), ...params }
  }

  #prepare({ namespace, param, origin, end }: Form): readonly Template[] {
    const name = namespace === undefined ? this.#name : `${namespace}:${this.#name}`
    const found = this.#templates.byName.get(name) ?? []
    const filled =
      param === undefined ? found : found.flatMap((each) => fillIn(each, ...param) ?? [])
    const known = filled.map((each) =>
      this.#given.reduce((path, given) => fillIn(path, ...given) ?? path, each),
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

/** What the scheme does to all links of the request; `null`: it makes each by itself. */
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
