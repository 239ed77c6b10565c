import type { RowsToChoose } from '../../core/ports/page.ts'
import type { CheckedService } from '../../core/ports/serializer.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import { ConfigurationError, NoReverseMatch } from '../../core/errors/configuration-error.ts'
import { explainName } from '../../core/urls/explain-no-link.ts'
import { attempt } from '../../core/std/attempt.ts'
import type { Linker, OpenLink } from '../../core/types/reverse.ts'
import type { Route } from '../../core/types/routes.ts'
import type { LinkKey } from './declaration.ts'
import { Unshowable, abridged } from './refused.ts'

/** The target of a field's links. */
export interface LinkTarget<Param extends string = string> {
  /** Name of the address; under namespaces the short one (`user-detail`) stays in the version of the request. */
  readonly route: string
  /** The parameter of its path that takes the key. @default 'id' */
  readonly param?: Param
  /** Format suffix of the links where the request has one (U28). @default that of the request */
  readonly format?: string
}

/** Makes the links of a field: absolute, in the version and the format of the request (U20). */
export class LinkMaker {
  readonly route: string
  readonly param: string
  readonly #options: { readonly format: string } | undefined
  #prepared: Prepared | null = null
  /** All prepared makers. Each forgets its request when the work pauses, so that fields do not keep requests alive. */
  static readonly #ready: LinkMaker[] = []
  static readonly #forget = (): void => {
    for (const links of LinkMaker.#ready.splice(0)) links.#prepared = null
  }

  /** @throws ConfigurationError no route is named */
  constructor(target: string | LinkTarget) {
    const { route, param = 'id', format } = typeof target === 'string' ? { route: target } : target
    if (typeof route !== 'string' || route === '')
      throw new ConfigurationError('A hyperlink needs the name of the address that it leads to.')
    this.route = route
    this.param = param
    this.#options = format === undefined ? undefined : { format }
  }

  /** @throws NoReverseMatch the service has no such route (U21), Unshowable it takes no such key */
  url(key: LinkKey, request: ApiRequest): string {
    const link = this.find(key, request)
    if (link !== null) return link
    const { linker, open } = this.#for(request)
    if (open === null) return urlOf(linker, { [this.param]: key })
    throw new Unshowable(`No address of "${this.route}" can hold the key ${abridged(key)}.`)
  }

  /** A row without a key, which is not stored yet, has no address: it is shown as `null` (U21). */
  shown(key: LinkKey, request: ApiRequest): string {
    return key === '' ? (null as never) : this.url(key, request)
  }

  /** @throws NoReverseMatch as `url` does */
  hasAddress(key: LinkKey, request: ApiRequest): boolean {
    return Boolean(attempt(Unshowable, () => this.url(key, request)))
  }

  /** The list of the linked rows, if it has the usual name: `user-list` for `user-detail`. `null`: it has another. */
  listed(request: ApiRequest): RowsToChoose | null {
    const name = this.route.replace(/-detail$/, '-list')
    return name === this.route ? null : rowsAt(name, 'url', request)
  }

  /** The link of a key; `null`: there is no such link. */
  find(key: LinkKey, request: ApiRequest): string | null {
    const { linker, open } = this.#for(request)
    // A scheme may treat each link in its own way, so the key is tried as it is, then as text.
    return (
      open?.(key) ??
      linker.find({ [this.param]: typeof key === 'bigint' ? Number(key) : key }) ??
      (typeof key === 'string' ? null : linker.find({ [this.param]: `${key}` }))
    )
  }

  /** All links of the request, which differ in the key alone; `null`: they have to be asked for one by one. */
  open(request: ApiRequest): OpenLink | null {
    return this.#for(request).open
  }

  #for(request: ApiRequest): Prepared {
    if (this.#prepared?.request === request) return this.#prepared
    if (LinkMaker.#ready.push(this) === 1) queueMicrotask(LinkMaker.#forget)
    return (this.#prepared = this.#prepare(request))
  }

  /** A path with more parameters takes them from the address of the request: rows below one parent share it. */
  #prepare(request: ApiRequest): Prepared {
    const linker = request.linker(this.route, this.#options)
    const open = linker.to(this.param)
    if (open !== null) return { request, linker, open }
    const params = paramsBeside(this.param, request)
    const within = request.linker(this.route, { ...this.#options, params })
    return { request, linker: within, open: within.to(this.param) }
  }
}

/** The parameters of a request's address beside one, with its version and its format. */
export function paramsBeside(
  param: string,
  { params, settings }: ApiRequest,
): Readonly<Record<string, unknown>> {
  const others = new Set([param, 'format', settings.versionParam])
  return Object.fromEntries(Object.entries(params).filter(([name]) => !others.has(name)))
}

/** A list with parameters takes them from the address of the request. `null`: its version has no such list. */
export function rowsAt(route: string, member: string, request: ApiRequest): RowsToChoose | null {
  const params = paramsBeside('', request)
  const url = attempt(
    NoReverseMatch,
    () => request.linker(route).find({}) ?? request.linker(route, { params }).find({}),
  )
  return url === null ? null : { url, member }
}

interface Prepared {
  readonly request: ApiRequest
  readonly linker: Linker
  readonly open: OpenLink | null
}

/** A wrong value of one row is no mistake of the program. */
export function urlOf(linker: Linker, params: Readonly<Record<string, unknown>>): string {
  try {
    return linker.url(params)
  } catch (error) {
    if (error instanceof NoReverseMatch && error.isOfValue) throw new Unshowable(error.message)
    throw error
  }
}

/** Why this service cannot make the links; `null`: it can. `param: null`: the row gives all. */
export function linkProblem(
  field: string,
  { route, param }: { readonly route: string; readonly param: string | null },
  { versioning }: Settings,
  { routes, route: place }: CheckedService,
): string | null {
  if (routes === null) return null
  // Only a scheme adds a namespace or a parameter to an address.
  const named = routes.filter(
    ({ name }) => name === route || (versioning !== null && name.endsWith(`:${route}`)),
  )
  const start = `The field "${field}" links to "${route}"`
  if (named.length === 0)
    return `${start}. ${explainName(route, [...new Set(routes.map(({ name }) => name))])}`
  const fits = ({ parameters }: Route): boolean =>
    parameters.includes(param!) &&
    (versioning !== null ||
      parameters.every((name) => name === param || place?.parameters.includes(name)))
  if (param === null || named.some(fits)) return null
  const taken = named.map(({ parameters }) => parameters.map((name) => `"${name}"`).join(' and '))
  const all = [...new Set(taken)].map((names) => names || 'none').join(', or ')
  const problem = `${start} with the parameter "${param}", and that address takes ${all}.`
  return named.every(({ parameters }) => parameters.length < 2) ? problem : `${problem} ${OTHERS}`
}

const OTHERS =
  'The others are taken from the address of the endpoint, which has not all of them: field.identity({ route, params }) makes them of the row.'
