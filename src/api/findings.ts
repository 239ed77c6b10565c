import { BasicAuthentication } from '../authentication/basic.ts'
import type { Finding, Logger } from '../contract/kernel.ts'
import type { ServiceSettings } from '../settings/service.ts'
import type { Served } from './checks.ts'

/** A finding, and the endpoint that it is about. */
export interface EndpointFinding extends Finding {
  /** Full name of the address: `v1:article-list`. */
  readonly endpoint: string
}

/** Every endpoint's findings, in the order of the address table; each kind once for an endpoint. */
export function findingsOf(served: readonly Served[]): readonly EndpointFinding[] {
  return served.flatMap(({ facts, settings, behaviours }) => {
    const found = Object.values(behaviours).flatMap((each) => each.findings?.(settings) ?? [])
    const once = new Map(found.map((finding) => [finding.kind, finding]))
    return [...once.values()].map((finding) => ({ endpoint: facts.name, ...finding }))
  })
}

/** One line for the operator about each thing that was found, with the lists that it is about (I20). */
export function logFindings(served: readonly Served[], logger: Logger): void {
  for (const [message, found] of Map.groupBy(findingsOf(served), ({ message: text }) => text)) {
    const { kind, fix } = found[0]!
    const endpoints = found.map(({ endpoint }) => endpoint)
    logger.info?.({ event: 'lists.unbounded', kind, endpoints, message: `${message} ${fix}` })
  }
}

/**
 * One line where passwords are taken with every request, and nothing says that they come by HTTPS: neither the
 * address of the service nor a proxy that could say so.
 */
export function logUnencrypted(
  served: readonly Served[],
  { publicUrl, trustedProxies }: ServiceSettings,
  logger: Logger,
): void {
  if (trustedProxies.length > 0 || publicUrl?.startsWith('https:')) return
  const endpoints = served
    .filter(({ settings }) =>
      settings.authentication.some((scheme) => scheme instanceof BasicAuthentication),
    )
    .map(({ facts }) => facts.name)
  if (endpoints.length === 0) return
  const message =
    'These endpoints take Basic credentials, and nothing tells the service that they come by HTTPS. Put a proxy with HTTPS in front and name it in TRUSTED_PROXIES, or give programs tokens.'
  logger.info?.({ event: 'basic.unencrypted', endpoints, message })
}
