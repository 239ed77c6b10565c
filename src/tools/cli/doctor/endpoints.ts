import type { DescribedEndpoint } from '../../../core/app/app.ts'
import { BasicAuthentication } from '../../../policies/authentication/basic.ts'
import { RemoteUserAuthentication } from '../../../policies/authentication/remote-user.ts'
import { SessionAuthentication } from '../../../policies/authentication/session.ts'
import type { Finding, TenantFacts } from '../../../core/ports/kernel.ts'
import type { Settings } from '../../../core/ports/settings/settings.ts'
import type { Throttle } from '../../../core/ports/policies/throttling.ts'
import { AllowAny } from '../../../policies/permissions/builtin.ts'
import { sendsPasswords } from './connections.ts'
import {
  type DoctorCheck,
  type Checks,
  type Diagnosis,
  type Examined,
  foundBy,
  setBy,
} from './finding.ts'
import { OUTER } from '../../../core/app/checks.ts'
import { SAFEGUARDS, type SafeguardKind } from '../../../core/app/served-endpoints.ts'
import { SEPARATE_COUNTS, countsApart, isCounted } from '../../../preset/counter-store.ts'
import { MemoryCounters } from '../../../policies/throttling/memory-counters.ts'
import { ScopedRateThrottle } from '../../../policies/throttling/rate-throttles.ts'

/** The rights of clients at endpoints. */
export const endpointChecks: Checks = {
  'open-writes': {
    inEndpoints: () => isOpenToWrites,
    settings: ['permissions'],
    message: 'Every client can write here, because no layer of the endpoint says who may.',
    fix: 'Set permissions; where everyone may write, say new AllowAny() at the endpoint or its group.',
  },
  'open-reads': {
    inEndpoints: () => isOpenToReads,
    settings: ['permissions'],
    message: 'Every client can read rows here, because no layer says who may.',
    fix: 'Set permissions; where everyone may read, say new AllowAny().',
  },
  'crossing-relations': {
    inEndpoints: crossesTenants,
    settings: [],
    message: 'A body can refer to rows of every tenant here, and elsewhere these have a scope.',
    fix: 'Give the resource a scope, and take scope: null from the relation.',
  },
  'unscoped-relations': {
    inEndpoints: (app) => (endpoint) => refersAnywhere(endpoint) && !crossesTenants(app)(endpoint),
    settings: [],
    message: 'A function narrows the rows here, and a body can refer to any row of a relation.',
    fix: 'Give the resource a scope too, or say scope: null at relations to rows that everyone may name.',
  },
}

/** Are clients let in to read by the default permissions alone? */
function isOpenToReads({ settings, provenance, behaviours: { get } }: DescribedEndpoint): boolean {
  const isUnsaid = provenance.permissions === 'defaults' && get?.permissions === undefined
  return get?.showsRows === true && isUnsaid && settings.permissions.every(isOpen)
}

const isOpen = (permission: object): boolean => permission instanceof AllowAny

/** Does the endpoint refer to rows without their scope, while another resource keeps to that? */
function crossesTenants({ endpoints }: Examined): (endpoint: DescribedEndpoint) => boolean {
  const all = endpoints.flatMap(({ behaviours }) => tenantsIn(behaviours))
  const scoped = new Set(all.filter(({ isScoped }) => isScoped).map(({ store }) => store))
  return ({ behaviours }) =>
    tenantsIn(behaviours).some(({ refersTo }) => refersTo.some((each) => scoped.has(each)))
}

/** Does a function narrow the rows of a resource, while nothing narrows those that bodies refer to? */
function refersAnywhere({ behaviours }: DescribedEndpoint): boolean {
  return tenantsIn(behaviours).some((each) => each.store === null && each.refersAnywhere)
}

function tenantsIn(behaviours: DescribedEndpoint['behaviours']): readonly TenantFacts[] {
  return Object.values(behaviours).flatMap((each) => each['~tenants'] ?? [])
}

const WRITES = ['post', 'put', 'patch', 'delete'] as const

/**
 * Are writes open to all? A permission that an endpoint, its group or a behaviour names is meant; that of an outer layer may
 * not be.
 */
function isOpenToWrites({ settings, provenance, behaviours }: DescribedEndpoint): boolean {
  if (!settings.permissions.every(isOpen) || !OUTER.has(provenance.permissions)) return false
  return WRITES.some((verb) => behaviours[verb] && behaviours[verb].permissions === undefined)
}

/** The settings that decide each kind of finding, those of lists and those of this folder. */
const DECIDED_BY: Readonly<Record<string, readonly (keyof Settings)[]>> = {
  'missing-page-size': ['pagination', 'pageSize'],
  'whole-list': ['pagination', 'maxPageSize'],
  'unlimited-offset': ['pagination', 'maxOffset'],
  'uncapped-search': ['pagination', 'filters'],
}

export const LIST_KINDS: readonly string[] = Object.keys(DECIDED_BY)

/** Findings that behaviours report, such as lists: one finding for all endpoints with the same sentence. */
export function behaviourFindings(app: Examined): readonly Diagnosis[] {
  const found = app.endpoints.flatMap((endpoint) =>
    findingsOf(endpoint).map((finding) => ({ endpoint, finding })),
  )
  return [...Map.groupBy(found, ({ finding }) => finding.message).values()].map((same) => {
    const { finding } = same[0]!
    const endpoints = [...new Set(same.map(({ endpoint }) => endpoint))]
    const settings = setBy(app, endpoints, DECIDED_BY[finding.kind] ?? [])
    return { ...finding, endpoints: endpoints.map(({ name }) => name), settings }
  })
}

function findingsOf({ settings, behaviours }: DescribedEndpoint): readonly Finding[] {
  return Object.values(behaviours).flatMap((behaviour) => {
    const found = behaviour.findings?.(settings) ?? []
    const isWhole = (each: Finding): boolean => each.kind === 'whole-list'
    if (!found.some(isWhole)) return found
    // A style that would have pages if it knew their size is not at fault.
    const sized = behaviour.findings!({ ...settings, pageSize: settings.pageSize ?? 1 })
    return sized.some(isWhole) ? found : [NO_SIZE, ...sized]
  })
}

const NO_SIZE: Finding = {
  kind: 'missing-page-size',
  message: 'There is a style of pages and no size for them, so one request reads all rows.',
  fix: 'Set PAGE_SIZE, or a page size of the style itself.',
}

/** Requests that browsers send by themselves, and for which pages. */
export const browserChecks: Checks = {
  'insecure-cookies': (app) => {
    const settings = (['sessionCookieSecure', 'csrfCookieSecure'] as const).filter(
      (setting) => app.service[setting] === false,
    )
    const inService = (): boolean => settings.length > 0 && hasSessions(app)
    return foundBy({ inService, settings, ...INSECURE_COOKIES }, app)
  },
  'cross-site-sessions': {
    inService: (app) => app.service.sessionCookieSamesite === 'None' && hasSessions(app),
    settings: ['sessionCookieSamesite'],
    message: 'Browsers send the session with requests that pages of any other site make.',
    fix: 'Set SESSION_COOKIE_SAMESITE to "Lax", and serve pages that need the session from the same site.',
  },
  'wide-csrf-origins': {
    inService: (app) => wideOrigins(app).length > 0 && hasScheme(app, ...SENT_BY_BROWSERS),
    settings: ['csrfTrustedOrigins'],
    message: (app) =>
      `Pages that are not yours may pass the check of origins, because it admits ${wideOrigins(app).join(', ')}.`,
    fix: 'Set CSRF_TRUSTED_ORIGINS to exact origins with https://.',
  },
  'wide-cors': {
    inEndpoints: () => admitsWideWithCredentials,
    settings: ['cors'],
    message: 'Pages that are not yours may read answers in the name of a user who visits them.',
    fix: 'List exact origins with https:// in CORS, or leave "credentials" out.',
  },
}

const INSECURE_COOKIES = {
  message: 'Browsers send the cookies of a login without https too, where they can be read.',
  fix: 'Set SESSION_COOKIE_SECURE and CSRF_COOKIE_SECURE to "auto" or true.',
}

const wideOrigins = ({ service }: Examined): readonly string[] =>
  service.csrfTrustedOrigins.filter(isWide)

/** Other hosts, other ports, or http, where an attacker on the way can make a page of any host. */
function isWide(origin: string): boolean {
  return !/^https:\/\/[^*]+$/i.test(origin)
}

/** Without credentials a page learns what every program can ask for; a function is not known before it is asked. */
function admitsWideWithCredentials({ settings: { cors } }: DescribedEndpoint): boolean {
  return cors?.credentials === true && Array.isArray(cors.origins) && cors.origins.some(isWide)
}

const SENT_BY_BROWSERS = [SessionAuthentication, BasicAuthentication, RemoteUserAuthentication]

function hasSessions(app: Examined): boolean {
  return hasScheme(app, SessionAuthentication)
}

function hasScheme(
  { endpoints }: Examined,
  ...kinds: readonly (abstract new (...options: never[]) => object)[]
): boolean {
  const schemes = endpoints.flatMap(({ settings }) => settings.authentication)
  return schemes.some((scheme) => kinds.some((kind) => scheme instanceof kind))
}

function safeguard(kind: SafeguardKind): DoctorCheck {
  const { isMissing, setting, ...words } = SAFEGUARDS[kind]
  return { inEndpoints: () => isMissing, settings: [setting], ...words }
}

/** The rates of clients, who counts as one, and the headers of answers about them. */
export const limitChecks: Checks = {
  'unlimited-guesses': safeguard('unlimited-guesses'),
  'lenient-query': safeguard('lenient-query'),
  'silent-limits': safeguard('silent-limits'),
  'guesses-without-store': {
    inEndpoints: (app) => (endpoint) =>
      isCounted(endpoint) &&
      sendsPasswords(endpoint) &&
      endpoint.settings.onStoreError === 'allow' &&
      !isInMemory(app),
    settings: ['onStoreError'],
    message: 'While the store of counters is away, clients can try passwords without a limit.',
    fix: 'Set ON_STORE_ERROR to "local" or "deny".',
  },
  'idle-throttle': {
    inEndpoints:
      () =>
      ({ settings }) =>
        settings.throttles.some((throttle) => isForgotten(throttle, settings)),
    settings: ['throttles', 'throttleRates'],
    message: 'A throttle lets everything pass, because the rate of its scope is null.',
    fix: 'Set the rate in DEFAULT_THROTTLE_RATES, such as {"user": "1000/h"}, or take the throttle out.',
  },
  'counters-in-memory': {
    // An operator who says "memory" means it.
    inEndpoints: (app) => (endpoint) =>
      isInMemory(app) &&
      app.service.throttleStore === null &&
      countsApart(app.databases[0] ?? null, endpoint),
    settings: ['throttleStore'],
    ...SEPARATE_COUNTS,
  },
  'chosen-addresses': {
    inEndpoints: () => (endpoint) => readsForwarded(endpoint.settings) && isCounted(endpoint),
    settings: ['numProxies'],
    message: 'A client that writes X-Forwarded-For itself may count as a new one each time.',
    fix: 'Leave NUM_PROXIES out, and set TRUSTED_PROXIES to the servers in front.',
  },
  'many-addresses': {
    inEndpoints: (app) => (endpoint) => isCounted(endpoint) && countsHosts(app, endpoint),
    settings: ['ipv6Prefix', 'numProxies'],
    message: 'A client of IPv6 chooses among many addresses, and counts as a new one with each.',
    fix: 'Set IPV6_PREFIX to 64 or less, and leave NUM_PROXIES out.',
  },
  'shared-addresses': {
    inEndpoints: (app) => (endpoint) => isCounted(endpoint) && countsProxies(app, endpoint),
    settings: ['trustedProxies', 'numProxies'],
    message: 'All clients of a server in front have its address, and use up one limit together.',
    fix: 'Set TRUSTED_PROXIES to the servers in front ("unix" for a unix socket), and leave NUM_PROXIES out.',
  },
}

/** Does the throttle limit nothing? A throttle for scopes is meant to let endpoints without a scope pass (T13). */
function isForgotten(throttle: Throttle, settings: Settings): boolean {
  const isScopeless = throttle instanceof ScopedRateThrottle && settings.throttleScope === null
  return !isScopeless && (throttle.isIdle?.(settings) ?? false)
}

function isInMemory({ counters }: Examined): boolean {
  return counters instanceof MemoryCounters
}

/** Does a client's own X-Forwarded-For count, from any address (T20)? */
function readsForwarded({ numProxies }: Settings): boolean {
  return numProxies !== 'peer' && numProxies !== 0
}

/** Does each address of a /64, which one host may have, count for itself? With `NUM_PROXIES` it does, too. */
function countsHosts(app: Examined, endpoint: DescribedEndpoint): boolean {
  const { numProxies, ipv6Prefix } = endpoint.settings
  return numProxies === 'peer' ? ipv6Prefix > 64 : numProxies === 0 && !countsProxies(app, endpoint)
}

/**
 * Does the address of a server in front count as that of every client? A unix socket and https mean such a server, which has
 * to be trusted.
 */
function countsProxies({ service }: Examined, { settings }: DescribedEndpoint): boolean {
  const { host, publicUrl, trustedProxies } = service
  const isBehind = host.startsWith('unix:') || publicUrl?.startsWith('https:') === true
  if (settings.numProxies === 0) return isBehind || trustedProxies.length > 0
  if (settings.numProxies !== 'peer') return false
  if (host.startsWith('unix:')) return !trustedProxies.includes('unix')
  return isBehind && trustedProxies.length === 0
}
