import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  VersioningScheme,
  LinkForm,
  Lookup,
  PlainReverse,
  VersionedAddress,
  VersioningFacts,
} from '../../core/ports/policies/versioning.ts'
import type { VersioningMarks, ImpliedUnder } from '../../core/types/version-types.ts'
import { NotFound, NotAcceptable } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { linkByForms } from '../../core/versions/link-in-version.ts'
import { Message } from '../../core/messages/message.ts'
import {
  TEXT,
  TEXT_OR_NULL,
  checkNames,
  checkOptions,
  listOf,
  orNull,
} from '../../core/settings/options.ts'
import type { VersionCarrier } from '../../core/types/documents.ts'
import { hostName } from '../../core/std/http/origin-pattern.ts'
import { isDots } from '../../core/urls/encoding.ts'
import { ConfigurationError, NoReverseMatch } from '../../core/errors/configuration-error.ts'
import { attempt } from '../../core/std/attempt.ts'

/** The options of a scheme, in place of the settings of the same names (V2). */
export interface VersioningOptions<
  Param extends string = string,
  W extends AllowedVersions = AllowedVersions,
  D extends DefaultVersion = DefaultVersion,
> {
  readonly defaultVersion?: D
  readonly allowedVersions?: W
  readonly versionParam?: Param
}

/** `undefined` stands for the setting. */
type AllowedVersions = readonly (string | null)[] | null | undefined
type DefaultVersion = string | null | undefined

/** Longer texts are no versions, unless they are listed: every link of an answer would carry them. */
const LONGEST_VERSION = 255

/**
 * The common part of all schemes. A scheme of your own reads the version from its place and lets `allowed` decide.
 *
 * @example
 * class HeaderVersioning extends BaseVersioning {
 *   determineVersion(request: Incoming) {
 *     return this.allowed(request.header('x-api-version'), request)
 *   }
 * }
 */
export abstract class BaseVersioning<
  Param extends string = string,
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
>
  implements VersioningScheme, VersioningMarks
{
  declare readonly '~own'?: { readonly allowedVersions: W; readonly defaultVersion: D }
  static readonly options: readonly string[] = ['defaultVersion', 'allowedVersions', 'versionParam']

  readonly invalidVersionMessage: string | Message = Message.of('not_found.version')
  readonly #options: VersioningOptions

  /** @throws ConfigurationError an option of the wrong type */
  constructor(options: VersioningOptions<Param, W, D> = {}) {
    checkNames(new.target, options)
    this.#options = { ...options }
    checkOptions(new.target.name, this.#options, {
      defaultVersion: TEXT_OR_NULL,
      allowedVersions: {
        ...orNull(listOf('a list of texts and null', TEXT_OR_NULL)),
        wants: 'a list of texts and null, or null for no restriction',
      },
      versionParam: TEXT,
    })
  }

  abstract determineVersion(request: Incoming): MaybePromise<string | null>

  /** The listed versions and the default; `null`: there is no list (V3, V4). Outside all versions, the default alone. */
  versions(settings: Settings, address?: VersionedAddress): readonly string[] | null {
    const isOutside = address !== undefined && this.isOutside(address, settings)
    const listed = isOutside ? [] : this.#listed(settings)
    if (listed === null) return null
    const all = new Set([...listed, this.defaultVersion({ settings })])
    return [...all].filter((version) => version !== null)
  }

  /** Has the address no place for a version, so that all of its requests have the default (V31, V43)? */
  protected isOutside(_address: VersionedAddress, _settings: Settings): boolean {
    return false
  }

  /** The version, or the default in place of `null` (V7); throws where it is not allowed (V3, V8). */
  protected allowed(found: string | null, request: Incoming): string | null {
    const version = found ?? this.defaultVersion(request)
    if (this.isAllowed(version, request)) return version
    throw this.invalidVersion()
  }

  /** V3, V4: without a list everything is allowed; the default always is, unless it is `null`. */
  protected isAllowed(version: string | null, request: Pick<Incoming, 'settings'>): boolean {
    const listed = this.#listed(request.settings)
    if (listed === null) return version === null || version.length <= LONGEST_VERSION
    if (version !== null && version === this.defaultVersion(request)) return true
    return listed.includes(version)
  }

  /** Its message has the code of the reference; the problem, the one that programs tell it by. */
  protected invalidVersion(): Error {
    const detail = new ErrorDetail(this.invalidVersionMessage, NotFound.code)
    return new NotFound(detail, 'unknown_version')
  }

  protected defaultVersion({ settings }: Pick<Incoming, 'settings'>): string | null {
    const own = this.#options.defaultVersion
    return own === undefined ? settings.defaultVersion : own
  }

  protected versionParam({ settings }: Pick<Incoming, 'settings'>): string {
    return this.#options.versionParam ?? settings.versionParam
  }

  #listed({ allowedVersions }: Settings): readonly (string | null)[] | null {
    const own = this.#options.allowedVersions
    const listed = own === undefined ? allowedVersions : own
    return listed === null || listed.length === 0 ? null : listed
  }
}

/** The schemes that put the version into links: each gives the forms of its links. */
abstract class LinkedVersioning<
  Param extends string = string,
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends BaseVersioning<Param, W, D> {
  abstract find(request: Incoming): string | null
  protected abstract formsOf(version: string, request: ApiRequest): readonly LinkForm[]

  override determineVersion(request: Incoming): string | null {
    return this.allowed(this.find(request), request)
  }

  /** Only while `reverse` is this one: a subclass that has its own is asked for every link. */
  get linkForms(): VersioningScheme['linkForms'] {
    if (this.reverse !== LinkedVersioning.prototype.reverse) return undefined
    return (version, request) => this.formsOf(version, request)
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    const forms = lookup.version === null ? [] : this.formsOf(lookup.version, request)
    return linkByForms(forms, lookup, request, next)
  }
}

/**
 * The version is a namespace of the address: the first one that is allowed, so `library:v2` is `v2`
 * (V40–V43). An address outside of all namespaces has the default version, and no list is asked.
 * `reverse('report-list')` means that of the same version, or else the one without a version (U5).
 *
 * @example
 * const urls = defineUrls({
 *   v1: include('/v1', { 'report-list': '/reports/' }),
 *   v2: include('/v2', { 'report-list': '/reports/' }),
 * })
 * defineApi({ urls, versioning: new NamespaceVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class NamespaceVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<string, W, D> {
  static override readonly options: readonly string[] = LinkedVersioning.options

  declare readonly '~namespaced'?: true

  override determineVersion(request: Incoming): string | null {
    if (request.namespace.length === 0) return this.defaultVersion(request)
    const version = this.find(request)
    if (version === null) throw this.invalidVersion()
    return version
  }

  override find(request: Incoming): string | null {
    return request.namespace.find((name) => this.isAllowed(name, request)) ?? null
  }

  protected override isOutside({ namespace }: VersionedAddress): boolean {
    return namespace.length === 0
  }

  /** In `library:v1` or `v1:admin` a name of the same version may stand there too: innermost first. */
  protected override formsOf(version: string, request: ApiRequest): readonly LinkForm[] {
    const { namespace, version: current } = request
    const at = current === null ? -1 : namespace.indexOf(current)
    const path = at < 0 ? [] : namespace.with(at, version)
    const around = path.slice(at).map((_, behind) => path.slice(0, path.length - behind).join(':'))
    const all = version === current ? [version, ...around] : [...around, version]
    return [...new Set(all)].map((each): LinkForm => ({ namespace: each })).concat({})
  }

  carriers(): readonly VersionCarrier[] {
    return [{ in: 'namespace' }]
  }

  check({ routes }: VersioningFacts): string | null {
    if (routes.some(({ namespace }) => namespace.length > 0)) return null
    return 'needs namespaces in the address table: mount one for each version, `v1: include("/v1", { … })`.'
  }

  /** V42. An operator may switch versions off, so the code alone is judged. */
  doubt({ routes, endpointName, alone, inCode }: VersioningFacts): string | null {
    const { namespace = [], path } = routes.find(({ name }) => name === endpointName) ?? {}
    const settings = { settings: inCode }
    if (!alone || namespace.length === 0) return null
    if (namespace.some((name) => this.isAllowed(name, settings))) return null
    return `answers 404 to all of ${path}: ALLOWED_VERSIONS has no "${namespace.at(-1)}". Add it, or set versioning: null there.`
  }
}

/**
 * The version is a parameter of the path: `/:version<v1|v2>/articles/` (V30–V33). A path without it
 * has the default version. Links stay in the version of the request (U5), unless the caller names
 * another (U9).
 *
 * @example
 * defineApi({ urls, versioning: new URLPathVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class URLPathVersioning<
  const Param extends string = 'version',
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<Param, W, D> {
  static override readonly options: readonly string[] = LinkedVersioning.options

  declare readonly '~implied'?: Param
  declare readonly '~refusesUnversioned'?: true

  override find(request: Incoming): string | null {
    const found = request.params[this.versionParam(request)]
    return typeof found === 'string' ? found : null
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'path', name: this.versionParam({ settings }) }]
  }

  protected override isOutside({ parameters }: VersionedAddress, settings: Settings): boolean {
    return !parameters.includes(this.versionParam({ settings }))
  }

  protected override formsOf(version: string, request: Incoming): readonly LinkForm[] {
    return [{ param: [this.versionParam(request), version] }, {}]
  }

  check(facts: VersioningFacts): string | null {
    const param = this.versionParam(facts)
    const paths = facts.routes.filter(({ name }) => name === facts.endpointName)
    if (!facts.alone || paths.some(({ parameters }) => parameters.includes(param))) return null
    if (this.isAllowed(this.defaultVersion(facts), facts)) return null
    return `would answer 404 to everything: no path of this endpoint has the parameter ":${param}", and there is no default version.`
  }

  /** No link could carry `..`: clients take it out of an address. */
  protected override isAllowed(
    version: string | null,
    request: Pick<Incoming, 'settings'>,
  ): boolean {
    return super.isAllowed(version, request) && (version === null || !isDots(version))
  }
}

/**
 * The version is a parameter of the query: `/articles/?version=v2`; of several the last (V60). Every
 * link carries it, whatever it leads to (U7).
 *
 * @example
 * defineApi({ urls, versioning: new QueryParameterVersioning({ versionParam: 'v' }) })
 */
export class QueryParameterVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<string, W, D> {
  static override readonly options: readonly string[] = LinkedVersioning.options

  declare readonly '~refusesUnversioned'?: true

  override find(request: Incoming): string | null {
    return request.query.get(this.versionParam(request))
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'query', name: this.versionParam({ settings }) }]
  }

  protected override formsOf(version: string, request: Incoming): readonly LinkForm[] {
    return [{ query: [this.versionParam(request), version] }]
  }
}

/** The options of the scheme by host. */
export interface HostNameVersioningOptions<
  W extends AllowedVersions = AllowedVersions,
  D extends DefaultVersion = DefaultVersion,
> extends VersioningOptions<string, W, D> {
  /**
   * Its first group is the version; matched from the beginning of the host, without the port and a dot at the end.
   * A pattern of your own knows no case.
   *
   * @default ^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$
   */
  readonly hostnameRegex?: RegExp | string
}

const IPV4 = /^\d+(?:\.\d+){3}\.?$/

/** Such names exclude addresses and `localhost` (V51). */
const THREE_LABELS = /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/

/**
 * The version is the first label of the host: `v2.example.com` (V50–V53). Any other host has the
 * default version, and no list is asked. Links keep the host of the request, and so the version. A pattern
 * of your own knows no case, as hosts do not (RFC 9110, 4.2.3): `V2` is the version as the list has it.
 *
 * @throws ConfigurationError `hostnameRegex` is no regular expression, or has no group
 * @example
 * new HostNameVersioning({ hostnameRegex: /^(v[0-9]+)\.api\.example\.com$/ })
 */
export class HostNameVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends LinkedVersioning<string, W, D> {
  static override readonly options: readonly string[] = [
    ...LinkedVersioning.options,
    'hostnameRegex',
  ]

  readonly #pattern: RegExp
  /** The version of three labels keeps its case (V52). */
  readonly #knowsCase: boolean

  constructor({ hostnameRegex = THREE_LABELS, ...options }: HostNameVersioningOptions<W, D> = {}) {
    super(options)
    this.#pattern = toPattern(hostnameRegex)
    this.#knowsCase = hostnameRegex === THREE_LABELS
  }

  override determineVersion(request: Incoming): string | null {
    const version = this.find(request)
    return version === null ? this.defaultVersion(request) : this.allowed(version, request)
  }

  override find(request: Incoming): string | null {
    const host = request.header('host')
    return host === null ? null : this.#versionIn(host, request.settings)
  }

  /** In another version, the host differs at the place of the version. */
  protected override formsOf(version: string, request: ApiRequest): readonly LinkForm[] {
    if (version === request.version) return [{}]
    const { origin } = request
    const start = origin.indexOf('://') + 3
    const place = this.#match(origin.slice(start))?.indices?.[1]
    if (place === undefined) return [{}]
    const [from, to] = [start + place[0], start + place[1]]
    return [{ origin: `${origin.slice(0, from)}${version}${origin.slice(to)}` }]
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [
      {
        in: 'host',
        version: (host) => this.#versionIn(host, settings),
        host: (version) => this.#hostOf(version),
      },
    ]
  }

  check({ publicUrl }: VersioningFacts): string | null {
    if (publicUrl === null) return null
    return 'needs links that keep the host of the request: take PUBLIC_URL away, and list the hosts in ALLOWED_HOSTS. If a server in front has https, name it in TRUSTED_PROXIES.'
  }

  /** The version in the spelling of the list, whatever the case of the host. */
  #versionIn(host: string, settings: Settings): string | null {
    const found = this.#match(host)?.[1] ?? null
    if (this.#knowsCase || found === null || this.isAllowed(found, { settings })) return found
    return this.versions(settings)?.find((each) => each.toLowerCase() === found) ?? found
  }

  /** The host of a version, if the pattern is plain text around its first group. */
  #hostOf(version: string): string | null {
    const plain = this.#pattern.source.replace(/^\^/, '').replace(/\$$/, '')
    const host = plain.replace(/\([^()]*\)/, () => version).replaceAll(/\\([.-])/g, '$1')
    return /^[a-z\d.-]+$/i.test(host) ? host : null
  }

  /** Up to the first colon (V50): an address has no name. */
  #match(host: string): RegExpExecArray | null {
    this.#pattern.lastIndex = 0
    const name = host.split(':', 1)[0]!
    if (IPV4.test(name)) return null
    return this.#pattern.exec(this.#knowsCase ? name.replace(/\.$/, '') : hostName(name))
  }
}

/** A copy, so that `lastIndex` is ours: it matches from the beginning, in any case, and has the places of its groups. */
function toPattern(regex: RegExp | string): RegExp {
  const { source, flags } = regex instanceof RegExp ? regex : { source: regex, flags: '' }
  const pattern = hostExpression(source, new Set([...flags.replace('g', ''), 'd', 'i', 'y']))
  const groups =
    hostExpression(`${source}|`, new Set(flags.replace(/[gy]/g, ''))).exec('')!.length - 1
  if (groups > 0) return pattern
  throw new ConfigurationError(
    `HostNameVersioning: "hostnameRegex" ${source} has no group. Put the version in parentheses, such as ^(v[0-9]+)\\.example\\.com$.`,
  )
}

function hostExpression(source: unknown, flags: ReadonlySet<string>): RegExp {
  try {
    if (typeof source === 'string') return new RegExp(source, [...flags].join(''))
  } catch {
    // The error below is clearer.
  }
  throw new ConfigurationError(
    `HostNameVersioning: "hostnameRegex" must be a regular expression as JavaScript writes it, but is ${JSON.stringify(source)}.`,
  )
}

/**
 * The version is a parameter of the media type that was accepted:
 * `Accept: application/json; version=v2` (V20–V28). Of several ranges only the one that won counts.
 * A version that is not allowed is 406. Links do not show the version; every answer varies by `Accept`.
 *
 * @example
 * defineApi({ urls, versioning: new AcceptHeaderVersioning(), allowedVersions: ['v1', 'v2'] })
 */
export class AcceptHeaderVersioning<
  const W extends AllowedVersions = AllowedVersions,
  const D extends DefaultVersion = DefaultVersion,
> extends BaseVersioning<string, W, D> {
  static override readonly options: readonly string[] = BaseVersioning.options

  declare readonly '~refusesUnversioned'?: true
  override readonly invalidVersionMessage: string | Message = Message.of('not_acceptable.version')

  override determineVersion(request: Incoming): string | null {
    return this.allowed(this.find(request), request)
  }

  find(request: Incoming): string | null {
    // The header is read, so that `Vary` names it even if the endpoint has one renderer only (I11).
    request.header('accept')
    const { parameters } = request.accepted
    const param = this.versionParam(request).toLowerCase()
    return Object.hasOwn(parameters, param) ? parameters[param]! : null
  }

  carriers(settings: Settings): readonly VersionCarrier[] {
    return [{ in: 'accept', name: this.versionParam({ settings }) }]
  }

  check(facts: VersioningFacts): string | null {
    if (this.versionParam(facts).toLowerCase() !== 'q') return null
    return 'needs a VERSION_PARAM other than "q", which is the weight of a media type.'
  }

  protected override invalidVersion(): Error {
    const detail = new ErrorDetail(this.invalidVersionMessage, NotAcceptable.code)
    return new NotAcceptable(detail, 'unknown_version')
  }
}

/**
 * Several schemes in order. The first one that finds a version decides, with its own list and its own
 * error: a version that it finds and does not allow is refused, and no other scheme is asked. Where
 * none finds any, the first scheme decides, with its default. Links go the way of the scheme that
 * decided, and where it finds no route, the way of the others.
 *
 * A scheme finds what its `find` gives; one without `find` what its `determineVersion` gives, so its
 * default counts as found: let it be the last.
 *
 * @throws ConfigurationError no scheme is given
 * @example
 * firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()])
 */
export function firstOf<const S extends readonly VersioningScheme[]>(
  schemes: readonly [...S],
): SchemesInOrder<S> {
  return new FirstOf(schemes)
}

/** Schemes as one. It knows their versions and what they fill in, and no short names. */
interface SchemesInOrder<S extends readonly VersioningScheme[]> extends VersioningScheme<
  ImpliedUnder<S[number]>
> {
  readonly '~schemes'?: S
}

class FirstOf implements VersioningScheme<never> {
  readonly #schemes: readonly VersioningScheme[]
  readonly #first: VersioningScheme
  /** Links go the way of the scheme that decided. */
  readonly #decided = new WeakMap<Incoming, VersioningScheme>()

  constructor([first, ...others]: readonly VersioningScheme[]) {
    if (first === undefined) throw new ConfigurationError('firstOf needs at least one scheme.')
    this.#schemes = [first, ...others]
    this.#first = first
  }

  determineVersion(request: Incoming): MaybePromise<string | null> {
    return after(this.#decide(request), (scheme) => {
      this.#decided.set(request, scheme)
      return scheme.determineVersion(request)
    })
  }

  find(request: Incoming): MaybePromise<string | null> {
    return after(this.#decide(request), (scheme) => carried(scheme, request))
  }

  reverse(lookup: Lookup, request: ApiRequest, next: PlainReverse): string {
    for (const scheme of this.#inOrder(request)) {
      const url = scheme.reverse
        ? attempt(NoReverseMatch, () => scheme.reverse!(lookup, request, next))
        : next.find(lookup)
      if (url !== null) return url
    }
    return next(lookup)
  }

  /** The forms exist if every scheme that makes links has them. */
  get linkForms(): VersioningScheme['linkForms'] {
    if (this.#schemes.some(({ reverse, linkForms }) => reverse && !linkForms)) return undefined
    return (version, request) =>
      this.#inOrder(request).flatMap(
        (scheme): readonly LinkForm[] => scheme.linkForms?.(version, request) ?? [{}],
      )
  }

  carriers(settings: Settings): readonly VersionCarrier[] | null {
    const all = this.#schemes.map((scheme) => scheme.carriers?.(settings) ?? null)
    return all.includes(null) ? null : all.flatMap((carriers) => carriers ?? [])
  }

  versions(settings: Settings, address?: VersionedAddress): readonly string[] | null {
    const all = this.#schemes.map((scheme) => scheme.versions?.(settings, address) ?? null)
    return all.includes(null) ? null : [...new Set(all.flatMap((versions) => versions ?? []))]
  }

  check(facts: VersioningFacts): string | null {
    const alone = facts.alone && this.#schemes.length === 1
    for (const scheme of this.#schemes) {
      const problem = scheme.check?.({ ...facts, alone }) ?? null
      if (problem !== null) return `asks ${scheme.constructor.name}, which ${problem}`
    }
    return null
  }

  #decide(request: Incoming, from = 0): MaybePromise<VersioningScheme> {
    const scheme = this.#schemes[from]
    if (scheme === undefined) return this.#first
    return after(carried(scheme, request), (version) =>
      version === null ? this.#decide(request, from + 1) : scheme,
    )
  }

  #inOrder(request: ApiRequest): readonly VersioningScheme[] {
    const decided = this.#decided.get(request) ?? this.#first
    return [decided, ...this.#schemes.filter((scheme) => scheme !== decided)]
  }
}

function carried(scheme: VersioningScheme, request: Incoming): MaybePromise<string | null> {
  return scheme.find === undefined ? scheme.determineVersion(request) : scheme.find(request)
}

interface Versioned<V extends string | null> {
  readonly version: V
}

/** Type only: the choice for each version, for clients of one version. */
interface Editions<C> {
  readonly '~byVersion'?: C
}

/**
 * Picks by the version of the request. Every version that the endpoint allows must have an answer,
 * and so must the lack of one, as second argument, where that can happen: else it does not compile.
 *
 * @example
 * list({ source, serializer: byVersion({ v1: brief, v2: full }) })
 */
export function byVersion<const C extends Readonly<Record<string, { readonly fields: object }>>>(
  choices: C,
): ((request: Versioned<keyof C & string>) => C[keyof C]) & Editions<C>
export function byVersion<V extends string, T>(choices: {
  readonly [K in V]: T
}): (request: Versioned<V>) => T
export function byVersion<V extends string, T>(
  choices: { readonly [K in V]: T },
  unversioned: T,
): (request: Versioned<V | null>) => T
export function byVersion<V extends string, T>(
  choices: { readonly [K in V]: T },
  unversioned?: T,
): (request: Versioned<V | null>) => T {
  const choose = ({ version }: Versioned<V | null>): T => {
    if (version !== null && Object.hasOwn(choices, version)) return choices[version]
    if (unversioned !== undefined) return unversioned
    throw new Error(`byVersion has no answer for the version ${JSON.stringify(version)}.`)
  }
  // The choices are listed, because the checks at start-up look at all of them before any request.
  return Object.assign(choose, { '~choices': [...Object.values<T>(choices), unversioned] })
}
