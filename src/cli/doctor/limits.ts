import type { DescribedEndpoint } from '../../api/app.ts'
import { SEPARATE_COUNTS, isCounted } from '../../api/counter-store.ts'
import { BasicAuthentication } from '../../authentication/basic.ts'
import type { Settings, Throttle } from '../../contract/request.ts'
import { ConcurrencyThrottle } from '../../throttling/concurrency.ts'
import { MemoryCounters } from '../../throttling/memory-counters.ts'
import { ScopedRateThrottle } from '../../throttling/rate-throttles.ts'
import { hasScheme, sendsPasswords, takesPasswords } from './connections.ts'
import { type Checks, type Examined, inEndpoints } from './finding.ts'

/** How often clients may come, and who counts as one. */
export const limitChecks: Checks = {
  'unlimited-guesses': (app) =>
    inEndpoints(app, letsGuess, ['credentialFailures'], {
      message: 'Clients can try passwords as fast as the service can check them.',
      fix: 'Set CREDENTIAL_FAILURES, such as "10/10m".',
    }),
  'guesses-without-store': (app) =>
    inEndpoints(
      app,
      (endpoint) =>
        isCounted(endpoint) &&
        sendsPasswords(endpoint) &&
        endpoint.settings.onStoreError === 'allow' &&
        !isInMemory(app),
      ['onStoreError'],
      {
        message: 'While the store of counters is away, clients can try passwords without a limit.',
        fix: 'Set ON_STORE_ERROR to "local" or "deny".',
      },
    ),
  'idle-throttle': (app) =>
    inEndpoints(
      app,
      ({ settings }) => settings.throttles.some((throttle) => isForgotten(throttle, settings)),
      ['throttles', 'throttleRates'],
      {
        message: 'A throttle lets everything pass, because the rate of its scope is null.',
        fix: 'Set the rate in DEFAULT_THROTTLE_RATES, such as {"user": "1000/h"}, or take the throttle out.',
      },
    ),
  'counters-in-memory': (app) =>
    inEndpoints(
      app,
      // An operator who says "memory" means it.
      (endpoint) => isInMemory(app) && app.service.throttleStore === null && isCounted(endpoint),
      ['throttleStore'],
      SEPARATE_COUNTS,
    ),
  'chosen-addresses': (app) =>
    inEndpoints(
      app,
      (endpoint) => readsForwarded(endpoint.settings) && isCounted(endpoint),
      ['numProxies'],
      {
        message: 'A client that writes X-Forwarded-For itself may count as a new one each time.',
        fix: 'Leave NUM_PROXIES out, and set TRUSTED_PROXIES to the servers in front.',
      },
    ),
  'many-addresses': (app) =>
    inEndpoints(
      app,
      (endpoint) => isCounted(endpoint) && countsHosts(app, endpoint),
      ['ipv6Prefix', 'numProxies'],
      {
        message:
          'A client of IPv6 chooses among many addresses, and counts as a new one with each.',
        fix: 'Set IPV6_PREFIX to 64 or less, and leave NUM_PROXIES out.',
      },
    ),
  'shared-addresses': (app) =>
    inEndpoints(
      app,
      (endpoint) => isCounted(endpoint) && countsProxies(app, endpoint),
      ['trustedProxies', 'numProxies'],
      {
        message:
          'All clients of a server in front have its address, and use up one limit together.',
        fix: 'Set TRUSTED_PROXIES to the servers in front ("unix" for a unix socket), and leave NUM_PROXIES out.',
      },
    ),
}

/** Throttles come after authentication: wrong Basic credentials never meet them. */
function letsGuess(endpoint: DescribedEndpoint): boolean {
  if (endpoint.settings.credentialFailures !== null) return false
  return (
    hasScheme(endpoint, BasicAuthentication) || (takesPasswords(endpoint) && !isRated(endpoint))
  )
}

/** How many are answered at the same moment says nothing of how many there are in an hour. */
function isRated({ settings }: DescribedEndpoint): boolean {
  return settings.throttles.some(
    (throttle) => !throttle.isIdle?.(settings) && !(throttle instanceof ConcurrencyThrottle),
  )
}

/** One for scopes is meant to let endpoints without a scope pass (T13). */
function isForgotten(throttle: Throttle, settings: Settings): boolean {
  const isScopeless = throttle instanceof ScopedRateThrottle && settings.throttleScope === null
  return !isScopeless && (throttle.isIdle?.(settings) ?? false)
}

function isInMemory({ counters }: Examined): boolean {
  return counters instanceof MemoryCounters
}

/** Does what a client writes into X-Forwarded-For count, wherever it comes from (T20)? */
function readsForwarded({ numProxies }: Settings): boolean {
  return numProxies !== 'peer' && numProxies !== 0
}

/** Does each address of a /64, which one host may have, count for itself? So it is with `NUM_PROXIES` too. */
function countsHosts(app: Examined, endpoint: DescribedEndpoint): boolean {
  const { numProxies, ipv6Prefix } = endpoint.settings
  return numProxies === 'peer' ? ipv6Prefix > 64 : numProxies === 0 && !countsProxies(app, endpoint)
}

/** A unix socket and https mean a server in front; unless it is trusted, its address is that of every client. */
function countsProxies({ service }: Examined, { settings }: DescribedEndpoint): boolean {
  const { host, publicUrl, trustedProxies } = service
  const isBehind = host.startsWith('unix:') || publicUrl?.startsWith('https:') === true
  if (settings.numProxies === 0) return isBehind || trustedProxies.length > 0
  if (settings.numProxies !== 'peer') return false
  if (host.startsWith('unix:')) return !trustedProxies.includes('unix')
  return isBehind && trustedProxies.length === 0
}
