import { parseHeaderValue, splitOutsideQuotes } from '../std/http/header-value.ts'
import { type Peer, type Proxies, parseHop } from './proxies.ts'

type Scheme = 'http' | 'https'

/** The request as the client sent it, by what trusted proxies tell. */
export interface Forwarded {
  readonly client: Peer
  readonly scheme: Scheme
  /** The host with its port, as sent: whether it is allowed is asked later (I10). */
  readonly host: string | null
}

type Header = (name: string) => string | null

/**
 * Reads what a trusted peer forwards (I8). The client is found from right to left: each trusted proxy
 * vouches for the hop that it names, and the first that is not trusted is the client, whatever stands
 * further left. Scheme, host and port are those that the proxy next to the client has told.
 */
export function readForwarded(
  header: Header,
  peer: Peer,
  own: Scheme,
  proxies: Proxies,
): Forwarded {
  const told = fromXHeaders(header) ?? fromStandard(header('forwarded') ?? '')
  const { client, hops } = walk(told.for, peer, proxies)
  const scheme = schemeFrom(told.proto.at(position(told.proto, hops))) ?? own
  const host = told.host.at(position(told.host, hops)) || header('host')
  return { client, scheme, host: withPort(host, told.port.at(position(told.port, hops)), scheme) }
}

/** Lists that every proxy appends to, the nearest to us last. */
interface Told {
  readonly for: readonly string[]
  readonly proto: readonly string[]
  readonly host: readonly string[]
  readonly port: readonly string[]
}

/** `null` where none of the headers is there. */
function fromXHeaders(header: Header): Told | null {
  const list = (name: string): string[] => listOf(header(`x-forwarded-${name}`))
  const told = { for: list('for'), proto: list('proto'), host: list('host'), port: list('port') }
  return Object.values(told).every((values) => values.length === 0) ? null : told
}

function listOf(header: string | null): string[] {
  if (header === null) return []
  const parts = header.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** RFC 7239: `for=192.0.2.60;proto=https;host=example.com`, one element for each proxy. */
function fromStandard(header: string): Told {
  const elements = splitOutsideQuotes(header, ',').filter((element) => element.trim() !== '')
  const read = elements.map((element) => parseHeaderValue(`;${element}`).parameters)
  const list = (name: string): string[] => read.map((parameters) => parameters[name] ?? '')
  return { for: list('for'), proto: list('proto'), host: list('host'), port: [] }
}

function walk(
  told: readonly string[],
  peer: Peer,
  proxies: Proxies,
): { client: Peer; hops: number } {
  let client = peer
  let hops = 0
  for (const text of told.toReversed()) {
    hops += 1
    const hop = parseHop(text)
    // Who does not say for whom it asks is asked for itself.
    if (hop === null) break
    client = hop
    if (!proxies.trust(hop)) break
  }
  return { client, hops: Math.max(hops, 1) }
}

/**
 * Index of what the proxy next to the client told, where so many hops were walked. Proxies that pass
 * a value on instead of appending theirs make the list shorter: then it is the first.
 */
function position(list: readonly string[], hops: number): number {
  return Math.max(list.length - hops, 0)
}

function schemeFrom(text: string | undefined): Scheme | null {
  const scheme = text?.toLowerCase()
  return scheme === 'http' || scheme === 'https' ? scheme : null
}

/** A port that the host does not say itself, unless it is the one that goes without saying. */
function withPort(host: string | null, port: string | undefined, scheme: Scheme): string | null {
  if (host === null || port === undefined || !/^[1-9]\d{0,4}$/.test(port)) return host
  const says = host.lastIndexOf(':') > host.lastIndexOf(']')
  const silent = port === (scheme === 'https' ? '443' : '80')
  return says || silent ? host : `${host}:${port}`
}
