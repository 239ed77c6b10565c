import type { IncomingMessage } from 'node:http'
import type { Environ } from '../contract/door.ts'
import type { RemoteUserSource } from '../contract/service-facts.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { utf8FromHeader } from '../std/http/authorization.ts'
import { parseHeaderValue, splitOutsideQuotes } from '../std/http/header-value.ts'
import {
  type Address,
  contains,
  formatAddress,
  parseAddress,
  parseNetwork,
} from '../std/http/network.ts'
import { NodeRequest, schemeOf } from './node-request.ts'

/** The settings about servers in front. */
export interface TrustOptions {
  readonly trustedProxies?: readonly string[]
  readonly remoteUserSource?: RemoteUserSource | null
}

export interface Trust {
  readonly proxies: Trusts
  /** The header of a user's name; from any other peer it is ignored (I9). */
  readonly remoteUser: { readonly header: string; readonly from: Trusts } | null
  readonly unixSocket: boolean
}

/** `null`: no server in front is trusted, so requests are taken as they come. */
export function trustOf(options: TrustOptions = {}, unixSocket: boolean): Trust | null {
  const { trustedProxies = [], remoteUserSource: source = null } = options
  const proxies = trusting(trustedProxies)
  if (source !== null && source !== 'environ') {
    const from = source.proxies === undefined ? proxies : trusting(source.proxies)
    return { proxies, remoteUser: { header: source.header.toLowerCase(), from }, unixSocket }
  }
  return trustedProxies.length === 0 ? null : { proxies, remoteUser: null, unixSocket }
}

/** A request that trusted servers in front may have passed on: the peer decides, once for each request. */
export class ProxiedRequest extends NodeRequest {
  readonly refusal: Error | null = null
  readonly vouched: boolean
  readonly #environ: Environ
  readonly #host: string | null
  /** The header of user names. Applications find the name in `environ`, never in the header. */
  readonly #hidden: string | null

  constructor(incoming: IncomingMessage, { proxies, remoteUser, unixSocket }: Trust) {
    const peer = unixSocket ? 'unix' : parseAddress(incoming.socket.remoteAddress ?? '')
    const plain = new NodeRequest(incoming)
    const header = (name: string): string | null => plain.header(name)
    const forwarded = readForwarded(header, peer, schemeOf(incoming), proxies)
    super(incoming, forwarded?.scheme)
    const isNamed = remoteUser?.from(peer) ?? false
    const user = isNamed ? userIn(incoming.headersDistinct[remoteUser!.header]) : undefined
    if (user instanceof ParseError) this.refusal = user
    const client = forwarded?.client ?? peer
    this.vouched = forwarded !== null
    this.#host = forwarded?.host ?? null
    this.#hidden = remoteUser?.header ?? null
    this.#environ = {
      REMOTE_ADDR: typeof client === 'bigint' ? formatAddress(client) : undefined,
      REMOTE_USER: typeof user === 'string' ? user : undefined,
    }
  }

  override get environ(): Environ {
    return this.#environ
  }

  override header(name: string): string | null {
    if (name === 'host' && this.#host !== null) return this.#host
    return name === this.#hidden ? null : super.header(name)
  }
}

/** The user's name; the error (400): two names were sent, or one that is not UTF-8. */
function userIn([value, second]: readonly string[] = []): string | ParseError | undefined {
  if (second !== undefined) return new ParseError(Message.of('parse_error.two_users'))
  if (value === undefined) return undefined
  return utf8FromHeader(value) ?? new ParseError(Message.of('parse_error.user_encoding'))
}

/** The other end of a connection: an address, a program of this machine on a unix socket, or unknown. */
export type Peer = Address | 'unix' | null

export type Trusts = (peer: Peer) => boolean

/** `entries`: networks, addresses and `unix`, which the configuration has checked. */
export function trusting(entries: readonly string[]): Trusts {
  const networks = entries.map(parseNetwork).filter((network) => network !== null)
  return (peer) =>
    typeof peer === 'bigint'
      ? networks.some((network) => contains(network, peer))
      : peer === 'unix' && entries.includes('unix')
}

type Scheme = 'http' | 'https'

type Header = (name: string) => string | null

/**
 * What a trusted peer forwards (I8), from right to left: each trusted proxy vouches for the hop that it names,
 * and the first that is not trusted is the client. Scheme, host and port are what the proxy next to it received.
 * Whether that host is allowed is asked later (I10). `null`: the peer is not trusted, and may claim anything.
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

/** What proxies report, in lists that each of them appends to: the nearest to this server is last. */
type Hops = Readonly<Record<'for' | 'proto' | 'host' | 'port', readonly string[]>>

/** `null` where none of the headers is there. */
function fromXHeaders(header: Header): Hops | null {
  const list = (name: keyof Hops): string[] =>
    (header(`x-forwarded-${name}`) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
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
  // What nginx calls a client on a unix socket.
  if (text === 'unix:') return 'unix'
  if (text.length > 100) return null
  return parseAddress((BRACKETED.exec(text) ?? WITH_PORT.exec(text))?.[1] ?? text)
}
