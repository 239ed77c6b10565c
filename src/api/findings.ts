import type { Finding, Logger } from '../contract/kernel.ts'
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
