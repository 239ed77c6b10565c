import type { LinkForm } from '../contract/versioning.ts'
import { ParseError } from '../errors/api-errors.ts'
import { NoReverseMatch } from '../errors/configuration-error.ts'
import { withQuery } from '../std/http/query.ts'
import type { LinkOptions, Linker } from '../types/reverse.ts'
import type { Resolution } from '../types/routes.ts'
import type { Urls } from './compile-urls.ts'
import { type OpenLink, type Params, type Template, type Templates, fillIn } from './templates.ts'
import { type LinkContext, plainReverse, versionedLink } from './versioned-link.ts'

/**
 * The links of one request: absolute, in its version (U1–U6), with the format that its query asks for
 * (U3). A scheme that gives the forms of its links is asked once, any other for each link.
 */
export class RequestLinks {
  readonly #request: LinkContext
  readonly #forms: readonly Form[] | null
  /** By name: `reverse` leaves format suffixes to its caller, and linkers keep that of the request. */
  readonly #routes = new Map<string, RouteLinks>()
  readonly #linkers: Map<string, RouteLinks>
  #origin: string | null = null

  constructor(request: LinkContext) {
    this.#request = request
    this.#forms = formsOf(request)
    this.#linkers = request.suffixed ? new Map() : this.#routes
  }

  // Handlers take requests apart, `({ reverse }) => …`: what they take must work alone.
  readonly reverse = (name: string, params: Params = NO_PARAMS, options?: LinkOptions): string =>
    (this.#routes.get(name) ?? this.#prepare(name, this.#routes, NO_PARAMS)).url(
      // A format is a parameter like others, which routes with suffixes take (U4).
      options?.format === undefined ? params : { ...params, format: options.format },
    )

  readonly linker = (name: string, options?: LinkOptions): Linker => {
    const known = options === undefined ? this.#linkers.get(name) : undefined
    if (known !== undefined) return known
    const { suffixed, params } = this.#request
    if (suffixed && options?.format !== undefined)
      return new RouteLinks(this.#request, name, this.#forms, { format: options.format })
    const suffix = suffixed ? { format: params['format'] } : NO_PARAMS
    return this.#linkers.get(name) ?? this.#prepare(name, this.#linkers, suffix)
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

  #prepare(name: string, among: Map<string, RouteLinks>, suffix: Params): RouteLinks {
    const links = new RouteLinks(this.#request, name, this.#forms, suffix)
    among.set(name, links)
    return links
  }
}

const ABSOLUTE = /^https?:\/\//i
const NO_PARAMS: Params = Object.freeze({})
const PLAIN: readonly LinkForm[] = [{}]

/** How links of a request look in one form of its scheme: all texts that they have in common. */
interface Form {
  readonly namespace: string | undefined
  /** `undefined`: as the caller gives it. */
  readonly param: LinkForm['param']
  readonly origin: string
  readonly end: string
}

/** Links to one route, in the version, the format and the suffix of the request (U3, U5, U28). */
class RouteLinks implements Linker {
  readonly #request: LinkContext
  readonly #name: string
  /** The format suffix that links have, if any. */
  readonly #suffix: Params
  readonly #templates: Templates
  /** `null`: the scheme makes each link. */
  readonly #forms: readonly Form[] | null
  /** The paths of the route by form, made when they are wanted: mostly the first form has the link. */
  readonly #paths: (readonly Template[])[] = []
  #param: string | null = null
  #open: OpenLink | null = null

  constructor(request: LinkContext, name: string, forms: readonly Form[] | null, suffix: Params) {
    this.#request = request
    this.#name = name
    this.#suffix = suffix
    this.#templates = request.urls.templates
    this.#forms = forms
  }

  url(params: Params): string {
    const all = this.#withSuffix(params)
    return this.#byForms(all) ?? this.#byScheme(all)
  }

  find(params: Params): string | null {
    const all = this.#withSuffix(params)
    if (this.#forms !== null) return this.#byForms(all)
    try {
      // No one reads why there is no link: that would take long to find out.
      return this.#byScheme(all, () => new NoReverseMatch(this.#name))
    } catch (error) {
      if (error instanceof NoReverseMatch) return null
      throw error
    }
  }

  to(param: string): OpenLink | null {
    if (param === this.#param || this.#forms === null) return this.#open
    this.#param = param
    this.#open = null
    for (const form of this.#forms.keys()) {
      const open = this.#templates.open(this.#pathsIn(form), param, this.#suffix['format'])
      if (open !== null) return (this.#open = open === 'several' ? null : open)
    }
    return null
  }

  #byForms(params: Params): string | null {
    if (this.#forms === null) return null
    for (let form = 0; form < this.#forms.length; form++) {
      const url = this.#templates.find(this.#pathsIn(form), params)
      if (url !== null) return url
    }
    return null
  }

  #pathsIn(form: number): readonly Template[] {
    return (this.#paths[form] ??= templatesOf(this.#templates, this.#name, this.#forms![form]!))
  }

  #withSuffix(params: Params): Params {
    return this.#suffix === NO_PARAMS ? params : { ...params, ...this.#suffix }
  }

  #byScheme(params: Params, refuse?: () => Error): string {
    const request = this.#request
    const lookup = { name: this.#name, params, version: request.version }
    return keepFormat(versionedLink(lookup, request, plainReverse(request, refuse)), request)
  }
}

/** What the scheme does to all links of the request; `null`: it treats each by itself. */
function formsOf(request: LinkContext): readonly Form[] | null {
  const { version } = request
  const { versioning } = request.settings
  if (versioning?.linkForms === undefined && versioning?.reverse !== undefined) return null
  const forms = version === null ? undefined : versioning?.linkForms?.(version, request)
  return (forms ?? PLAIN).flatMap(({ namespace, param, query, origin = request.origin }) => {
    const end = keepFormat(query === undefined ? '' : withQuery('', ...query), request)
    const form = { namespace, param: undefined, origin, end }
    return param === undefined ? form : [{ ...form, param }, form]
  })
}

/** The templates of a name in one form, with all that the form says. */
function templatesOf(
  templates: Templates,
  name: string,
  { namespace, param, origin, end }: Form,
): readonly Template[] {
  const found = templates.in(namespace).get(name) ?? []
  const filled = param === undefined ? found : found.flatMap((each) => fillIn(each, ...param) ?? [])
  // Joined once, because a text in pieces would cost every link.
  return filled.map((each) => ({ ...each, start: [origin, each.start].join(''), end }))
}

/** The format that the request asks for in its query stays (U3). */
function keepFormat(url: string, request: LinkContext): string {
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride === null || request.queryText === '') return url
  const format = request.query.get(urlFormatOverride)
  return format === null ? url : withQuery(url, urlFormatOverride, format)
}

function resolvePath(path: string, urls: Urls): Resolution {
  try {
    const match = urls.match(path)
    if (match === null) return null
    const { name, namespace } = match.route
    return { name, namespace, params: match.params }
  } catch (error) {
    if (error instanceof ParseError) return null
    throw error
  }
}
