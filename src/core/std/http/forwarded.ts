// The servers in front: whom they answer for, and which of them is believed.
import { parseHeaderValue, splitOutsideQuotes } from './header-value.ts'
import { type IpAddress, contains, networkOfClient, parseIp, parseNetwork } from './network.ts'

/** The other end of a connection: an address, a program of this machine on a unix socket, or unknown. */
export type Peer = IpAddress | 'unix' | null

export type Trusts = (peer: Peer) => boolean

/** `entries`: networks, addresses and `unix`, which the configuration has checked. */
export function trustedPeers(entries: readonly string[]): Trusts {
  const networks = entries.map(parseNetwork).filter((network) => network !== null)
  return (peer) =>
    typeof peer === 'bigint'
      ? networks.some((network) => contains(network, peer))
      : peer === 'unix' && entries.includes('unix')
}

type Scheme = 'http' | 'https'

type Header = (name: string) => string | null

/**
 * The facts that a trusted peer forwards (I8), from right to left: each trusted proxy vouches for the hop that it names, and
 * the first untrusted one is the client. Scheme, host and port are those that the proxy next to it received. Whether that host
 * is allowed is asked later (I10). `null`: the peer is not trusted, and may claim anything.
 */
export function readForwarded(
  header: Header,
  peer: Peer,
  own: Scheme,
  trusts: Trusts,
): { client: Peer; scheme: Scheme; host: string | null } | null {
  if (!trusts(peer)) return null
  const reported = fromXHeaders(header) ?? fromStandard(header('forwarded') ?? '')
  const { client, hops } = walk(reported.for, peer, trusts)
  // Proxies that pass a value on instead of appending theirs make the list shorter: then it is the first.
  const received = (list: readonly string[]): string | undefined => list.at(-hops) ?? list[0]
  const scheme = schemeFrom(received(reported.proto)) ?? own
  const host = received(reported.host) || header('host')
  return { client, scheme, host: withPort(host, received(reported.port), scheme) }
}

/** The reports of proxies, in lists that each of them appends to: the nearest to this server is last. */
type Hops = Readonly<Record<'for' | 'proto' | 'host' | 'port', readonly string[]>>

/** Hops by the `X-Forwarded-…` headers; `null` if none of the headers is there. */
function fromXHeaders(header: Header): Hops | null {
  const list = (name: keyof Hops): string[] =>
    listed(header(`x-forwarded-${name}`) ?? '').filter((part) => part !== '')
  const hops = { for: list('for'), proto: list('proto'), host: list('host'), port: list('port') }
  return Object.values(hops).every((values) => values.length === 0) ? null : hops
}

/** RFC 7239: `for=192.0.2.60;proto=https;host=example.com`, one element for each proxy. */
function fromStandard(header: string): Hops {
  const elements = splitOutsideQuotes(header, ',').filter((element) => element.trim() !== '')
  const read = elements.map((element) => parseHeaderValue(`;${element}`).parameters)
  const list = (name: string): string[] => read.map((parameters) => parameters[name] ?? '')
  return { for: list('for'), proto: list('proto'), host: list('host'), port: [] }
}

function walk(
  reported: readonly string[],
  peer: Peer,
  trusts: Trusts,
): { client: Peer; hops: number } {
  let client = peer
  let hops = 0
  for (const text of reported.toReversed()) {
    hops += 1
    const hop = parseHop(text)
    // A proxy that does not name its client counts as the client.
    if (hop === null) break
    client = hop
    if (!trusts(hop)) break
  }
  return { client, hops: Math.max(hops, 1) }
}

function schemeFrom(text: string | undefined): Scheme | null {
  const scheme = text?.toLowerCase()
  return scheme === 'http' || scheme === 'https' ? scheme : null
}

function withPort(host: string | null, port: string | undefined, scheme: Scheme): string | null {
  if (host === null || port === undefined || !/^[1-9]\d{0,4}$/.test(port)) return host
  const hasPort = host.lastIndexOf(':') > host.lastIndexOf(']')
  const isDefault = port === (scheme === 'https' ? '443' : '80')
  return hasPort || isDefault ? host : `${host}:${port}`
}

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/
const WITH_PORT = /^([\d.]+):\d{1,5}$/

/** A hop as forwarded headers write it, perhaps with its port; `null`: `unknown`, a pseudonym, nonsense. */
export function parseHop(text: string): Peer {
  // nginx's name for a client on a unix socket.
  if (text === 'unix:') return 'unix'
  if (text.length > 100) return null
  return parseIp((BRACKETED.exec(text) ?? WITH_PORT.exec(text))?.[1] ?? text)
}

/** The rules that decide who counts as one client (T20). */
interface ClientRules {
  readonly numProxies: number | 'peer' | null
  /** Bits of an IPv6 address that one client has. */
  readonly ipv6Prefix: number
}

/** The name of one client. `ignored` is called if an untrusted peer claims to speak for another. */
export function clientOf(
  plain: { header(name: string): string | null; readonly vouched?: boolean },
  peer: string,
  { numProxies: proxies, ipv6Prefix }: ClientRules,
  ignored: () => void,
): string {
  const forwarded = proxies === 0 ? null : plain.header('x-forwarded-for')
  if (proxies === 'peer') {
    if (forwarded !== null && !plain.vouched) ignored()
    return networkOfClient(peer, ipv6Prefix)
  }
  if (forwarded === null) return peer
  if (proxies === null) return forwarded.replace(/\s/g, '')
  const hops = listed(forwarded)
  return hops.at(-proxies) ?? hops[0]!
}

function listed(value: string): string[] {
  return value.split(',').map((part) => part.trim())
}
