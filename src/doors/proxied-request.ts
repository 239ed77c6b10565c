import type { IncomingMessage } from 'node:http'
import type { Environ } from '../contract/door.ts'
import type { RemoteUserSource } from '../contract/service-facts.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { utf8FromHeader } from '../std/http/authorization.ts'
import { formatAddress, parseAddress } from '../std/http/network.ts'
import { type Trusts, readForwarded, trusting } from './forwarded-headers.ts'
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
