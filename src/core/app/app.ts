import type { Database } from '../ports/database.ts'
import type { PlainRequest, Kernel } from '../ports/http-adapter.ts'
import type { Logger, Rehearsal, RehearsedStep, ServedEndpoint } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { CounterStore } from '../ports/policies/throttling.ts'
import type { ServiceFacts } from '../ports/service-facts.ts'
import type { DocumentInfo } from '../types/documents.ts'
import type { LinkPlaces, UrlFor } from '../types/reverse.ts'
import type { UrlTable } from '../types/routes.ts'
import { type Fetch, toFetch } from '../serving/fetch.ts'
import { compileEndpoint, createKernel } from '../pipeline/kernel.ts'
import { type CompiledEndpoint, Context, type Service } from '../pipeline/context.ts'
import { AfterAnswers } from '../pipeline/after-answer.ts'
import { logFailure } from '../pipeline/exceptions.ts'
import { Origins, transportSecurityOf } from '../pipeline/origins.ts'
import { createUrlFor } from '../urls/links.ts'
import { type Configuration, layersOf, logUnread } from '../settings/configuration.ts'
import type { Folded, Layer } from '../settings/fold.ts'
import type { ServiceSettings } from '../settings/service-keys.ts'
import { type Urls, compileUrls } from '../urls/compile-urls.ts'
import type { FormatSuffixes } from '../urls/format-suffix.ts'
import { type Served, checkVersioning, doubtsAbout } from './checks.ts'
import { type Running, gaugesOf, lifecycleOf } from './lifecycle.ts'
import type { AppAccounts, AppTasks, Preset } from './preset.ts'
import { safeLogger, seldomLogger, standardErrorLogger } from './logger.ts'
import { NO_SEALS, checkSecrets } from '../secrets/secret-key.ts'
import { TimeZones } from '../std/time-zone.ts'
import {
  type EndpointFinding,
  type GivenEndpoints,
  type Surroundings,
  fallbackEndpoint,
  findingsOf,
  logFindings,
  logSafeguards,
  logUnencrypted,
  serveEndpoints,
} from './served-endpoints.ts'

/** An address with its endpoint, for `routes`, `explain` and documents. */
export interface DescribedEndpoint {
  readonly name: string
  readonly path: string
  readonly methods: readonly string[]
  readonly title: string
  readonly description: string
  readonly settings: Settings
  /** The versions of requests to the address, in their order; `null`: the endpoint has none, or takes any. */
  readonly versions: ServedEndpoint['versions']
  /** The layer that each setting comes from. */
  readonly provenance: Folded['provenance']
  /** The behaviour that answers each verb. */
  readonly behaviours: ServedEndpoint['behaviours']
}

/** An application without what its preset knows of it. */
export interface BaseApp<
  R = unknown,
  Implied extends string = string,
  P extends LinkPlaces = never,
  Facts = unknown,
> extends Kernel {
  /** Type only, for `createClient<typeof app>`. */
  readonly '~facts'?: Facts
  /** Answers a web-standard request: for runtimes with a fetch-style server, and for mounting elsewhere. */
  readonly fetch: Fetch
  /** Every address with its endpoint, in the order of the table. */
  describe(): readonly DescribedEndpoint[]
  /**
   * Endpoints that work, but should not be exposed to the open internet (I20): `whole-list`, one request can read all rows;
   * `unlimited-offset`, it can leave out any number of rows; `uncapped-search`, it can count or read every match. Empty:
   * nothing was found. Handlers that are plain functions are not examined.
   *
   * @example
   * for (const { endpoint, kind, message, fix } of app.findings()) console.log(endpoint, kind, message, fix)
   */
  findings(): readonly EndpointFinding[]
  /**
   * Runs the checks of a request without its handler: negotiation, version, schemes and permissions, but no throttle,
   * which would count it. Schemes run as usual: a token is recorded as used, and a wrong password counts.
   * `colophon explain GET /v1/cities/` shows the result. `last` is the last step to run: after `'version'`, no scheme
   * has run.
   */
  rehearse(request: PlainRequest, last?: RehearsedStep): Promise<Rehearsal>
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
  /** The facts about the service in OpenAPI documents. */
  readonly about: DocumentInfo
  /** The operator's settings for the whole service. */
  readonly service: ServiceSettings
  /** The configuration, with the place of each key. */
  readonly configuration: Configuration
  readonly accounts: AppAccounts | null
  /** The databases of the application: that of its accounts, and its own. `colophon migrate` brings them up to date. */
  readonly databases: readonly Database[]
  /** The store that counts requests. */
  readonly counters: CounterStore
  /**
   * Checks the databases, and starts the tasks. A server calls it before it listens; behind `toListener` and `fetch` the
   * first request does so, and is 500 where a check fails.
   *
   * @throws ConfigurationError tables of these databases are not up to date, or a migration changed after it was
   * applied. A database that cannot be asked is not judged
   */
  open(): Promise<void>
  /**
   * Says that the service stops: `readyz` answers 503 from now on, so that a load balancer sends no more, and all else is
   * answered as before. A server does so when it is closed; do it some seconds sooner where balancers need the time.
   *
   * @example
   * process.once('SIGTERM', async () => {
   *   app.drain()
   *   await setTimeout(5000)
   *   await server.close()
   * })
   */
  drain(): void
  /**
   * Waits for what is done after answers (`request.afterAnswer`), and closes what the application has opened by itself:
   * the Redis that `THROTTLE_STORE` names. A server does so when it is closed. A later request opens it again.
   *
   * @param patience - milliseconds that tasks get; those that are not done are logged (`task.unfinished`). @default 10,000
   */
  close(patience?: number): Promise<void>
}

/** The options of the whole api, beside its settings. */
export interface BaseOptions<T extends UrlTable = UrlTable> {
  /** The address table, from `defineUrls`. */
  readonly urls: T
  /**
   * The database for the application's own tables, for `colophon migrate`, and for counters if `THROTTLE_STORE` is `database`.
   * @default the database of the accounts, if there are any
   */
  readonly database?: Database
  /** The facts about the service in OpenAPI documents: title, description, contact, license. @default made of its title */
  readonly about?: DocumentInfo
  /** Classes and functions of the application that configuration keys may name. */
  readonly classes?: Readonly<Record<string, unknown>>
  /** `/articles.json` is `/articles/` with `params.format` `'json'`, and links take a `format` (N5). @default false */
  readonly formatSuffixes?: FormatSuffixes
  /** Receives unforeseen errors and the events of accounts. @default lines of JSON on standard error */
  readonly logger?: Logger
  /** The store for throttles; the key `THROTTLE_STORE` takes precedence. @default the memory of this process */
  readonly counters?: CounterStore
  /** Work that runs by the clock while a server runs: `defineTasks` of `colophon/operations` makes it. @default none */
  readonly tasks?: AppTasks
  /** The clock, in milliseconds since 1970: it decides when a version ends and how requests are counted. @default Date.now; counter stores have clocks of their own */
  readonly now?: () => number
}

/** Fold → check → compile → freeze. */
export function createApp(
  options: BaseOptions & Layer & { readonly accounts?: AppAccounts | undefined },
  given: GivenEndpoints,
  configuration: Configuration,
  { defaults, registry: builtIn, seals, countersFor }: Preset,
): BaseApp {
  const {
    urls: table,
    accounts = null,
    database = accounts?.database ?? null,
    about = {},
    classes = {},
    formatSuffixes = false,
    logger: sink = standardErrorLogger(),
    counters: inCode = null,
    tasks,
    now,
    ...values
  } = options
  const { service } = configuration
  const logger = safeLogger(sink)
  accounts?.events.logTo(logger)
  accounts?.check(configuration)
  checkSecrets(configuration, logger)
  logUnread(configuration, logger)

  const urls = compileUrls(table, { formatSuffixes })
  const registry = { ...builtIn, named: { ...builtIn.named, ...classes } }
  const surroundings: Surroundings = {
    defaults,
    outer: [{ name: 'api', values }, ...layersOf(configuration, registry)],
    registry,
    service: factsFor(urls, configuration, accounts, seals !== null),
  }
  const served = serveEndpoints(urls.routes, given, surroundings)
  checkServed(served, urls, configuration, logger)

  const logSeldom = seldomLogger(logger)
  const counting = { configuration, database, inCode, served, logger, logSeldom, now: now ?? null }
  const counters = countersFor(counting)
  const databases = [...new Set([accounts?.database, database])].filter((each) => each != null)
  const afterAnswers = new AfterAnswers<Context>(logFailure)
  const running: Running = { accounts, databases, served, counters, afterAnswers, tasks, logger }
  const { isDraining, ...life } = lifecycleOf(running)
  const shared: Omit<Service, 'endpoints' | 'handle'> = {
    urls,
    about,
    trustedOrigins: service.csrfTrustedOrigins,
    hosts: service.allowedHosts,
    transportSecurity: transportSecurityOf(service.publicUrl),
    logger,
    logSeldom,
    seals: seals ?? NO_SEALS,
    zones: new TimeZones(),
    counters: counters.guarded,
    guessLimits: counters.guessLimits,
    afterAnswers,
    databases,
    counterStore: counters.store,
    gauges: () => gaugesOf(running),
    isDraining,
    now: now ?? Date.now,
  }
  const fallback = fallbackEndpoint(surroundings, service.csrfHeaderName)
  const answering = compileApp(served, fallback, shared, service)
  for (const each of databases) each.onlyUsed?.()
  const facts = { about, service, configuration, accounts, databases, counters: counters.store }
  const fetch = toFetch({ ...answering, ...life }, service.remoteUserSource)
  return Object.freeze({ ...answering, ...facts, ...life, fetch })
}

/** The facts that policies may check. */
function factsFor(
  { routes }: Urls,
  { service, production }: Configuration,
  accounts: AppAccounts | null,
  hasSecret: boolean,
): ServiceFacts {
  const { publicUrl, remoteUserSource, allowedHosts } = service
  const hosts = publicUrl === null ? allowedHosts : null
  const roles = accounts && { roles: accounts.roles ?? [] }
  return { hasSecret, remoteUserSource, routes, production, hosts, ...roles }
}

/** Refuses what cannot work, and logs what could be wrong. */
function checkServed(
  served: readonly Served[],
  { routes }: Urls,
  { service, production }: Configuration,
  logger: Logger,
): void {
  const around = { routes, publicUrl: service.publicUrl }
  checkVersioning(served, around)
  for (const doubt of doubtsAbout(served, around)) logger.warn?.(doubt)
  if (!production) return
  logFindings(served, logger)
  logSafeguards(served, logger)
  logUnencrypted(served, service, logger)
}

function compileApp(
  served: readonly Served[],
  fallback: CompiledEndpoint,
  around: Omit<Service, 'endpoints' | 'handle'>,
  service: ServiceSettings,
): ReturnType<typeof createKernel> & Pick<BaseApp, 'describe' | 'findings' | 'urlFor'> {
  const { publicUrl, csrfHeaderName } = service
  const hasReplicas = served.some(({ settings }) => settings.reads === 'replica')
  const compiled = served.map((each) => compileEndpoint({ ...each, hasReplicas }, csrfHeaderName))
  const endpoints = new Map(compiled.map((each) => [each.facts.name, each]))
  const handle: Kernel['handle'] = (plain) => kernel.handle(plain)
  const shared: Service = { ...around, endpoints, handle }
  const excuses = ({ method, target }: PlainRequest): boolean => {
    const { name = '' } = shared.urls.match(target)?.route ?? {}
    const { takesAnyHost = false } = endpoints.get(name)?.behaviours.get ?? {}
    return takesAnyHost && (method === 'GET' || method === 'HEAD')
  }
  const origins = new Origins({ ...service, logSeldom: shared.logSeldom, excuses })
  const kernel = createKernel({ service: shared, fallback, origins })
  const describe = (): readonly DescribedEndpoint[] =>
    served.map(({ route: { path }, facts, settings, versions, provenance, behaviours }) => {
      const methods = endpoints.get(facts.name)!.allow.split(', ')
      return { ...facts, path, methods, settings, versions, provenance, behaviours }
    })
  const urlFor = createUrlFor<CompiledEndpoint>({
    urls: shared.urls,
    endpoints,
    contextOf: (plain, each, match, origin) => new Context(plain, shared, each, match, origin, ''),
    publicUrl,
  })
  const findings = (): readonly EndpointFinding[] => findingsOf(served)
  return { ...kernel, describe, findings, urlFor }
}
