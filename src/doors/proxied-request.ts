import type { IncomingMessage } from 'node:http'
import type { RemoteUserSource } from '../contract/remote-user.ts'
import type { Environ } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { formatAddress, parseAddress } from '../std/http/network.ts'
import { type Forwarded, readForwarded } from './forwarded.ts'
import { NodeRequest, schemeOf } from './node-request.ts'
import { type Peer, Proxies } from './proxies.ts'
import { RemoteUserChannel } from './remote-user.ts'

/** Whom a door believes, and what. */
export interface Trust {
  readonly proxies: Proxies
  readonly remoteUser: RemoteUserChannel | null
}

/** What an operator has said of servers in front. */
export interface TrustOptions {
  readonly trustedProxies?: readonly string[]
  readonly remoteUserSource?: RemoteUserSource | null
}

/** `null`: nobody is believed, and no request need be looked at. */
export function trustOf(options: TrustOptions = {}): Trust | null {
  const { trustedProxies = [], remoteUserSource: source = null } = options
  const remoteUser =
    source === null || source === 'environ' ? null : new RemoteUserChannel(source, trustedProxies)
  if (remoteUser === null && trustedProxies.length === 0) return null
  return { proxies: new Proxies(trustedProxies), remoteUser }
}

/** A request that servers in front may have passed on. Who they are is decided once, by the peer. */
export class ProxiedRequest extends NodeRequest {
  readonly refusal: Error | null
  readonly #environ: Environ
  readonly #host: string | null
  /** The header of user names, which nobody gets to see: what counts of it stands in `environ`. */
  readonly #hidden: string | null

  constructor(incoming: IncomingMessage, { proxies, remoteUser }: Trust, unixSocket: boolean) {
    const peer = unixSocket ? 'unix' : parseAddress(incoming.socket.remoteAddress ?? '')
    const told = proxies.trust(peer) ? forwardedOf(incoming, peer, proxies) : null
    super(incoming, told?.scheme)
    const named = nameOf(incoming, peer, remoteUser)
    this.refusal = named instanceof ApiError ? named : null
    this.#host = told?.host ?? null
    this.#hidden = remoteUser?.header ?? null
    this.#environ = environOf(told?.client ?? peer, named)
  }

  override get environ(): Environ {
    return this.#environ
  }

  override header(name: string): string | null {
    if (name === 'host' && this.#host !== null) return this.#host
    return name === this.#hidden ? null : super.header(name)
  }
}

function forwardedOf(incoming: IncomingMessage, peer: Peer, proxies: Proxies): Forwarded {
  const plain = new NodeRequest(incoming)
  return readForwarded((name) => plain.header(name), peer, schemeOf(incoming), proxies)
}

function nameOf(
  { rawHeaders }: IncomingMessage,
  peer: Peer,
  channel: RemoteUserChannel | null,
): string | ApiError | undefined {
  try {
    return channel?.read(rawHeaders, peer)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function environOf(client: Peer, named: string | ApiError | undefined): Environ {
  const address = client === null || client === 'unix' ? undefined : formatAddress(client)
  return { REMOTE_ADDR: address, REMOTE_USER: typeof named === 'string' ? named : undefined }
}
