import type { Accounts } from '../accounts/create-accounts.ts'
import type { Database } from '../contract/database.ts'
import type { DoorRequest, Kernel } from '../contract/door.ts'
import type { Logger, Rehearsal, RehearsedStep, ServedEndpoint } from '../contract/kernel.ts'
import type { Settings } from '../contract/request.ts'
import type { CounterStore } from '../contract/throttling.ts'
import type { Place, UrlFor } from '../types/reverse.ts'
import type { UrlTable } from '../types/routes.ts'
import { type Fetch, toFetch } from '../doors/fetch.ts'
import { compileEndpoint } from '../pipeline/compile-endpoint.ts'
import { type CompiledEndpoint, Context, type Service } from '../pipeline/context.ts'
import { createKernel } from '../pipeline/kernel.ts'
import { Origins } from '../pipeline/origins/allowed-hosts.ts'
import { transportSecurityOf } from '../pipeline/response-headers.ts'
import { createUrlFor } from '../links/url-for.ts'
import {
  type Configuration,
  layersOf,
  logUnread,
  readConfiguration,
} from '../settings/configuration.ts'
import type { Folded, Layer } from '../settings/fold.ts'
import type { ServiceSettings } from '../settings/service.ts'
import { compileUrls } from '../links/compile-urls.ts'
import type { FormatSuffixes } from '../links/format-suffix.ts'
import { GuessLimits } from '../throttling/guess-limits.ts'
import { BUILT_IN, defaultsFor, noteSessions, servicesOf } from './built-in.ts'
import { type Served, checkVersioning, doubtsAbout } from './checks.ts'
import { countersFor } from './counter-store.ts'
import { requireTablesIfKnown } from './before-serving.ts'
import { type EndpointFinding, findingsOf, logFindings, logUnencrypted } from './findings.ts'
import { safeLogger, seldomLogger, standardErrorLogger } from './logger.ts'
import { NO_SEALS, checkSecrets, sealsFor } from './secrets.ts'
import {
  type Given,
  type Surroundings,
  fallbackEndpoint,
  serveEndpoints,
} from './served-endpoints.ts'

/** One address with what is served there, for `routes`, `explain` and documents. */
export interface DescribedEndpoint {
  readonly name: string
  readonly path: string
  readonly methods: readonly string[]
  readonly title: string
  readonly description: string
  readonly settings: Settings
  /** Which layer each setting comes from. */
  readonly provenance: Folded['provenance']
  /** What answers each verb. */
  readonly behaviours: ServedEndpoint['behaviours']
}

/**
 * An application, compiled and frozen: hand it to a door, or ask it directly. `R` is its address table,
 * `Implied` and `P` what its versioning scheme fills in: what `urlFor` goes by.
 */
export interface App<
  R = unknown,
  Implied extends string = string,
  P extends Place = never,
  Facts = unknown,
> extends Kernel {
  /** Type only, for `createClient<typeof app>`. */
  readonly '~facts'?: Facts
  /** Answers a web-standard request: for runtimes with a fetch-style server, and for mounting elsewhere. */
  readonly fetch: Fetch
  /** Every address with its endpoint, in the order of the table. */
  describe(): readonly DescribedEndpoint[]
  /**
   * What works, and should not be exposed to the open internet as it is (I20): `whole-list`, one request can read all
   * rows; `unlimited-offset`, it can leave out any number of rows; `uncapped-search`, it can count or read
   * every match. Empty: nothing was found. Handlers that are plain functions are not examined.
   *
   * @example
   * for (const { endpoint, kind, message, fix } of app.findings()) console.log(endpoint, kind, message, fix)
   */
  findings(): readonly EndpointFinding[]
  /**
   * How far a request would come: through negotiation, version, schemes and permissions, but to no throttle, which
   * would count it, and to no handler. Schemes are asked as ever: a token is noted as used, a wrong password counts.
   * `colophon explain GET /v1/cities/` shows it. `last` is the step after which it stops: after `'version'` no scheme
   * has been asked.
   */
  rehearse(request: DoorRequest, last?: RehearsedStep): Promise<Rehearsal>
  /**
   * The address of a named route, outside of every request: for mails, jobs and tests. A path, or with an
   * origin absolute. The version goes where the scheme of that endpoint keeps it: a parameter or
   * namespace of the path, the query, the first label of the host; a scheme that reads headers has none in links.
   *
   * @throws NoReverseMatch no path takes these parameters, or none has a place for this `version`
   * @throws ConfigurationError `origin` is more than scheme and host, or less
   * @example
   * app.urlFor('article-detail', { id: 7 }) // '/articles/7/'
   * app.urlFor('article-detail', { id: 7 }, { origin: 'https://api.example.com', version: 'v2' })
   */
  readonly urlFor: UrlFor<R, Implied, P>
  /** What the operator configured for the whole service. */
  readonly service: ServiceSettings
  /** The same, with the place where each key was set. */
  readonly configuration: Configuration
  readonly accounts: Accounts | null
  /** The databases of the application: that of its accounts, and its own. `colophon migrate` brings them up to date. */
  readonly databases: readonly Database[]
  /** Where requests are counted. */
  readonly counters: CounterStore
  /**
   * What a server asks before it listens.
   *
   * @throws ConfigurationError tables of these databases are not up to date. One that cannot be asked is not judged
   */
  open(): Promise<void>
  /**
   * Closes what the application has opened by itself: the Redis that `THROTTLE_STORE` names. A server does so
   * when it is closed. A later request opens it again.
   */
  close(): Promise<void>
}

/** What belongs to the whole api, beside its settings. */
export interface ApiOptions<T extends UrlTable, C = Accounts> {
  /** The address table, from `defineUrls`. */
  readonly urls: T
  /**
   * Users, tokens and sessions, from `defineAccounts`. With them, the schemes are sessions and then Basic
   * credentials where no layer names others, and configuration keys may name all that need accounts.
   */
  readonly accounts?: C
  /**
   * Where the application keeps its own tables, for `colophon migrate`, and counters where `THROTTLE_STORE` is
   * `database`. @default the database of the accounts, if there are any
   */
  readonly database?: Database
  /** Classes and functions of the application that configuration keys may name. */
  readonly classes?: Readonly<Record<string, unknown>>
  /** `/articles.json` is `/articles/` with `params.format` `'json'`, and links take a `format` (N5). @default false */
  readonly formatSuffixes?: FormatSuffixes
  /** Receives unforeseen errors and the events of accounts. @default lines of JSON on standard error */
  readonly logger?: Logger
  /** Where throttles count requests; the key `THROTTLE_STORE` takes precedence. @default the memory of this process */
  readonly counters?: CounterStore
  /** The clock, in milliseconds since 1970: it decides when a version ends and how requests are counted. @default Date.now; counter stores have clocks of their own */
  readonly now?: () => number
}

/** What may be given when an api becomes an application. */
export interface ServeOptions {
  /** What the operator configured. @default `readConfiguration()`: `colophon.json`, then the environment */
  readonly configuration?: Configuration
}

/** Fold → check → compile → freeze. */
export function createApp(
  options: ApiOptions<UrlTable, Accounts | undefined> & Layer,
  given: Given,
  { configuration = readConfiguration() }: ServeOptions = {},
): App {
  const {
    urls: table,
    accounts = null,
    database = accounts?.database ?? null,
    classes = {},
    formatSuffixes = false,
    logger: sink = standardErrorLogger(),
    counters: inCode = null,
    now,
    ...values
  } = options
  const { service, production } = configuration
  const { publicUrl, remoteUserSource } = service
  const logger = safeLogger(sink)
  accounts?.events.logTo(logger)
  accounts?.check(configuration)
  checkSecrets(configuration, logger)
  logUnread(configuration, logger)

  const registry = { named: { ...BUILT_IN, ...classes }, services: servicesOf(accounts) }
  const seals = sealsFor(configuration, accounts)
  const urls = compileUrls(table, { formatSuffixes })
  const { routes } = urls
  const around: Surroundings = {
    defaults: defaultsFor(accounts),
    outer: [{ name: 'api', values }, ...layersOf(configuration, registry)],
    registry,
    service: { hasSecret: seals !== null, remoteUserSource, routes },
  }
  const served = serveEndpoints(routes, given, around)
  checkVersioning(served, { routes, publicUrl })
  for (const doubt of doubtsAbout(served, { routes, publicUrl })) logger.info?.(doubt)
  if (accounts !== null) noteSessions(accounts, served)
  if (production) {
    logFindings(served, logger)
    logUnencrypted(served, service, logger)
  }
  const logSeldom = seldomLogger(logger)
  const counting = { configuration, database, inCode, served, logger, logSeldom, now: now ?? null }
  const counters = countersFor(counting)
  const shared: Omit<Service, 'endpoints' | 'handle'> = {
    urls,
    trustedOrigins: service.csrfTrustedOrigins,
    hosts: service.allowedHosts,
    transportSecurity: transportSecurityOf(publicUrl),
    logger,
    logSeldom,
    seals: seals ?? NO_SEALS,
    counters: counters.guarded,
    guessLimits: new GuessLimits(now ?? Date.now),
    now: now ?? Date.now,
  }
  const answering = compileApp(
    served,
    fallbackEndpoint(around, service.csrfHeaderName),
    shared,
    service,
  )
  const { store, close } = counters
  const databases = [...new Set([accounts?.database, database])].filter((each) => each != null)
  for (const each of databases) each.onlyUsed?.()
  const open = (): Promise<void> => requireTablesIfKnown(databases)
  const parts = { service, configuration, accounts, databases, counters: store, open, close }
  return Object.freeze({ ...answering, ...parts })
}

function compileApp(
  served: readonly Served[],
  fallback: CompiledEndpoint,
  around: Omit<Service, 'endpoints' | 'handle'>,
  service: ServiceSettings,
): Omit<
  App,
  'service' | 'configuration' | 'accounts' | 'databases' | 'counters' | 'open' | 'close'
> {
  const { publicUrl, remoteUserSource, csrfHeaderName } = service
  const compiled = served.map((each) => compileEndpoint(each, csrfHeaderName))
  const endpoints = new Map(compiled.map((each) => [each.facts.name, each]))
  const handle: Kernel['handle'] = (door) => kernel.handle(door)
  const shared: Service = { ...around, endpoints, handle }
  const origins = new Origins({ ...service, logSeldom: shared.logSeldom })
  const kernel = createKernel({ service: shared, fallback, origins })
  const describe = (): readonly DescribedEndpoint[] =>
    served.map(({ route: { name, path }, facts, settings, provenance, behaviours }) => {
      const methods = endpoints.get(name)!.allow.split(', ')
      return { ...facts, path, methods, settings, provenance, behaviours }
    })
  const urlFor = createUrlFor<CompiledEndpoint>({
    urls: shared.urls,
    endpoints,
    contextOf: (door, endpoint, match, origin) =>
      new Context(door, shared, endpoint, match, origin, ''),
    publicUrl,
  })
  const findings = (): readonly EndpointFinding[] => findingsOf(served)
  return { ...kernel, fetch: toFetch(kernel, remoteUserSource), describe, findings, urlFor }
}
