import type { DescribedEndpoint } from '../../../core/app/app.ts'
import { isSent, takesPasswords } from '../../../core/app/served-endpoints.ts'
import { parseNetwork } from '../../../core/std/http/network.ts'
import type { Checks, Examined, ServerFacts } from './finding.ts'

const PUT_HTTPS_IN_FRONT =
  'Put https in front, and set PUBLIC_URL to the https:// address that clients use, or TRUSTED_PROXIES to the servers in front.'

/** Checks of the way from clients to the service: https, hosts, servers in front, bodies. */
export const connectionChecks: Checks = {
  'passwords-without-https': {
    inEndpoints: (app) => (endpoint) => !isByHttps(app) && sendsPasswords(endpoint),
    settings: ['publicUrl', 'authentication'],
    message:
      'Without https, anyone on the way can read the passwords that clients send: with Basic, in each request.',
    fix: PUT_HTTPS_IN_FRONT,
  },
  'tokens-without-https': {
    inEndpoints: (app) => (endpoint) => !isByHttps(app) && isSent(endpoint, 'token'),
    settings: ['publicUrl', 'authentication'],
    message: 'Without https, anyone on the way can read a token, and use it.',
    fix: PUT_HTTPS_IN_FRONT,
  },
  'any-host': {
    inService: ({ service }) => service.allowedHosts.includes('*'),
    settings: ['allowedHosts'],
    message:
      'Clients choose the host in generated links, and a page of another site can reach the service by a name of its own (DNS rebinding).',
    fix: 'Set ALLOWED_HOSTS to the names of the service.',
  },
  'refused-hosts': {
    inEndpoints: (app) => (endpoint) => refusesVersion(endpoint, app),
    settings: ['allowedHosts', 'versioning'],
    message: 'The version stands in the host, and requests to the host of one of them are 400.',
    fix: 'Add the hosts of all versions to ALLOWED_HOSTS, such as ".example.com".',
  },
  'any-proxy': {
    inService: ({ service }) => service.trustedProxies.some(isWide),
    settings: ['trustedProxies'],
    message: 'A client that is no proxy can say which address, scheme and host it has.',
    fix: 'Set TRUSTED_PROXIES to the addresses of the servers in front.',
  },
  'any-remote-user': {
    inService: (app) => remoteUserPeers(app).some(isWide),
    settings: ['remoteUserSource'],
    message: 'A client that is no proxy can say which user it is.',
    fix: 'Set "proxies" of REMOTE_USER_SOURCE to the addresses of the servers in front.',
  },
  'huge-bodies': {
    inEndpoints: () => keepsHugeBodies,
    settings: ['maxBodySize', 'parsers'],
    message: 'A few requests at once can take all memory, because a body is kept there whole.',
    fix: 'Set maxBodySize (key DATA_UPLOAD_MAX_MEMORY_SIZE) to at most 104857600 (100 MiB), or let the parsers stream.',
  },
}

/** Checks of the running service: its processes, its databases, and the program that starts and stops it. */
export const operationChecks: Checks = {
  'idle-cores': {
    inService: ({ configuration, cores }) =>
      configuration.production && !configuration.given.has('WORKERS') && cores >= MANY_CORES,
    settings: ['workers'],
    message: ({ cores }) =>
      `One process uses one core for JavaScript, and this machine has ${cores}.`,
    fix: 'Set WORKERS to "auto"; set it to 1 where the machine does other work, or another program starts several.',
  },
  'missing-probes': {
    inService: ({ configuration, service, endpoints }) =>
      configuration.production &&
      !isLocal(service.host) &&
      !endpoints.some(({ behaviours: { get } }) => get?.takesAnyHost === true),
    settings: ['host'],
    message:
      'What stands in front, or runs the container, cannot ask whether the service is ready: clients get errors while it starts and stops.',
    fix: 'Serve healthEndpoints of colophon/operations, and let /readyz be asked.',
  },
  'crowded-database': {
    inService: (app) => app.servers.some(({ pool, most }) => pool * workersOf(app) > most - KEPT),
    settings: ['workers', 'databaseUrl'],
    message: (app) => {
      const [{ pool, most } = { pool: 0, most: 0 }] = app.servers.toSorted(
        (a, b) => b.pool - a.pool,
      )
      return `${workersOf(app)} workers with ${pool} connections each may want more than the ${most} that the server of the database gives: requests would fail under load.`
    },
    fix: 'Lower connections of the database, raise max_connections there, or put PgBouncer in between.',
  },
  'clocks-apart': {
    inService: ({ servers }) => servers.some(({ ahead }) => Math.abs(ahead) > FAR_APART),
    settings: ['databaseUrl'],
    message: ({ servers }) => {
      const [most = 0] = servers
        .map(({ ahead }) => ahead)
        .toSorted((a, b) => Math.abs(b) - Math.abs(a))
      return `The clock of the database is ${Math.abs(most / 1000).toFixed(1)} s ${most > 0 ? 'ahead of' : 'behind'} that of this machine: tokens, sessions and limits end too early or too late.`
    },
    fix: 'Let both machines follow a server of time, such as by chrony or systemd-timesyncd.',
  },
  'stale-replicas': {
    inService: ({ servers }) => servers.some(({ lag }) => lag > STALE),
    settings: ['databaseReplicas'],
    message:
      'A replica that follows no more, or late, goes on answering with rows of long ago: maxLag lets it be more than a minute behind.',
    fix: 'Set maxLag of the database to what clients bear, or leave it out: 5000.',
  },
  'mixed-times': {
    inService: ({ mixedTimes }) => mixedTimes.length > 0,
    settings: ['databaseUrl'],
    message: ({ mixedTimes }) =>
      `The database compares points in time as texts, and those of ${mixedTimes.join(', ')} have several forms: filters and orders are wrong.`,
    fix: "Give all rows one form, with strftime('%Y-%m-%dT%H:%M:%fZ', column), and let each program that writes them use it.",
  },
}

/** Are all hosts of a version, beside the default one, refused? Where an ending is allowed, some hosts with it are tried. */
function refusesVersion({ settings }: DescribedEndpoint, { service }: Examined): boolean {
  const { allowedVersions, versioning, defaultVersion } = settings
  const [carrier, ...others] = versioning?.carriers?.(settings) ?? []
  if (carrier?.in !== 'host' || others.length > 0) return false
  const leadsTo =
    (version: string) =>
    (allowed: string): boolean => {
      if (allowed === '*') return true
      const hosts = allowed.startsWith('.')
        ? ['', '.api', '.x.y'].map((between) => version + between + allowed)
        : [allowed]
      return hosts.some((host) => carrier.version(host) === version)
    }
  return (allowedVersions ?? []).some(
    (version) =>
      version !== null &&
      version !== defaultVersion &&
      !service.allowedHosts.some(leadsTo(version)),
  )
}

const MANY_CORES = 4
/** Connections that servers keep for their operators. */
const KEPT = 3
/** Milliseconds. */
const [FAR_APART, STALE] = [2000, 60_000]

function isLocal(host: string): boolean {
  return /^(?:127\.|\[?::1\]?$|localhost$|unix:|fd:)/.test(host)
}

function workersOf({ service: { workers }, cores }: Examined): number {
  return workers === 'auto' ? cores : workers
}

/** Asks the servers of databases for their limit and their clock. A file has neither. */
export async function askServers(
  databases: Examined['databases'],
  now: () => number,
): Promise<readonly ServerFacts[]> {
  const found = await Promise.all(databases.map((each) => askServer(each, now).catch(() => null)))
  return found.filter((each) => each !== null)
}

/** Asks those that have no type for points in time. */
export async function askTimes(databases: Examined['databases']): Promise<readonly string[]> {
  const asked = databases.map(async (each) => (await each.mixedTimes?.()) ?? [])
  return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat()
}

async function askServer(
  database: Examined['databases'][number],
  now: () => number,
): Promise<ServerFacts | null> {
  // The first answer opens the connection, which takes a while.
  if ((await database.serverFacts?.()) === undefined) return null
  const before = now()
  const { connections, clock, lag = 0 } = await database.serverFacts!()
  const between = (before + now()) / 2
  const gauges = database.gauges?.() ?? []
  const pool = gauges.find(({ name }) => name === 'database_connections_limit')?.value ?? 0
  return { pool, most: connections, ahead: clock - between, lag }
}

const HUGE = 100 * 2 ** 20

/** A parser of streams has a piece of the body in memory, and no more. */
function keepsHugeBodies({ settings: { maxBodySize, parsers } }: DescribedEndpoint): boolean {
  return maxBodySize > HUGE && parsers.some(({ parseStream }) => parseStream === undefined)
}

/**
 * Do clients come by https? The public address says so, else servers in front may. The Node.js server itself speaks only
 * HTTP.
 */
function isByHttps({ service: { publicUrl, trustedProxies } }: Examined): boolean {
  return publicUrl === null ? trustedProxies.length > 0 : new URL(publicUrl).protocol === 'https:'
}

/** Do requests to the endpoint send a password, in a header or in a body? */
export function sendsPasswords(endpoint: DescribedEndpoint): boolean {
  return isSent(endpoint, 'password') || takesPasswords(endpoint)
}

function remoteUserPeers({ service: { remoteUserSource } }: Examined): readonly string[] {
  const isHeader = remoteUserSource !== null && remoteUserSource !== 'environ'
  return isHeader ? (remoteUserSource.proxies ?? []) : []
}

/** Is a network wider than any that a private address range has: 10.0.0.0/8, fc00::/7? */
function isWide(network: string): boolean {
  const bits = parseNetwork(network)?.bits ?? 128
  return bits < 7 || (bits >= 96 && bits < 104)
}
