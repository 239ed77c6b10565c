import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DoorRequest, Body, Environ } from '../contract/door.ts'
import type { RemoteUserSource } from '../contract/service-facts.ts'
import { ParseError, PayloadTooLarge } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { formatAddress, parseAddress } from '../std/http/network.ts'
import { type Forwarded, type Peer, Proxies, readForwarded } from './forwarded-headers.ts'
import { RemoteUserChannel } from './remote-user-header.ts'

/** A request on its way, with the answer that it gets. */
export interface Exchange {
  readonly request: DoorRequest
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}

/** A request of `node:http` as the kernel sees it: nothing is copied until it is asked for. */
export class NodeRequest implements DoorRequest {
  readonly method: string
  readonly target: string
  readonly scheme: 'http' | 'https'
  readonly body: Body | null
  readonly #incoming: IncomingMessage
  /** The authority of a request line in absolute form, which outranks `Host` (RFC 9112 §3.2.2). */
  readonly #authority: string | null = null

  constructor(incoming: IncomingMessage, scheme: 'http' | 'https' = schemeOf(incoming)) {
    const url = incoming.url!
    this.#incoming = incoming
    this.method = incoming.method!
    this.scheme = scheme
    this.body = hasBody(incoming) ? new NodeBody(incoming) : null
    if (url.startsWith('/')) this.target = url
    else [this.#authority, this.target] = absoluteForm(url)
  }

  get environ(): Environ {
    return { REMOTE_ADDR: peerAddress(this.#incoming) }
  }

  get gone(): boolean {
    return this.#incoming.socket.destroyed
  }

  header(name: string): string | null {
    if (name === 'host' && this.#authority !== null) return this.#authority
    if (name === 'authorization') refuseRepeated(name, this.#incoming)
    const value = this.#incoming.headers[name]
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ')
  }
}

/** The servers in front that a door trusts, and the header that it takes user names from. */
interface Trust {
  readonly proxies: Proxies
  readonly remoteUser: RemoteUserChannel | null
}

/** The settings about servers in front. */
export interface TrustOptions {
  readonly trustedProxies?: readonly string[]
  readonly remoteUserSource?: RemoteUserSource | null
}

/** `null`: no server in front is trusted, so requests are taken as they come. */
export function trustOf(options: TrustOptions = {}): Trust | null {
  const { trustedProxies = [], remoteUserSource: source = null } = options
  const remoteUser =
    source === null || source === 'environ' ? null : new RemoteUserChannel(source, trustedProxies)
  if (remoteUser === null && trustedProxies.length === 0) return null
  return { proxies: new Proxies(trustedProxies), remoteUser }
}

/** A request that trusted servers in front may have passed on: the peer decides, once for each request. */
export class ProxiedRequest extends NodeRequest {
  readonly refusal: Error | null
  readonly #environ: Environ
  readonly #host: string | null
  /** The header of user names. Applications find the name in `environ`, never in the header. */
  readonly #hidden: string | null

  constructor(incoming: IncomingMessage, { proxies, remoteUser }: Trust, unixSocket: boolean) {
    const peer = unixSocket ? 'unix' : parseAddress(incoming.socket.remoteAddress ?? '')
    const forwarded = proxies.trust(peer) ? forwardedOf(incoming, peer, proxies) : null
    super(incoming, forwarded?.scheme)
    const named = remoteUser?.read(incoming.rawHeaders, peer)
    this.refusal = named instanceof ParseError ? named : null
    this.#host = forwarded?.host ?? null
    this.#hidden = remoteUser?.header ?? null
    this.#environ = environOf(forwarded?.client ?? peer, named)
  }

  override get environ(): Environ {
    return this.#environ
  }

  override header(name: string): string | null {
    if (name === 'host' && this.#host !== null) return this.#host
    return name === this.#hidden ? null : super.header(name)
  }
}

/** How the connection itself was made. */
function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return 'encrypted' in socket ? 'https' : 'http'
}

/** In its one spelling: a server of both kinds of addresses says `::ffff:1.2.3.4` for `1.2.3.4`. */
function peerAddress({ socket }: IncomingMessage): string | undefined {
  const text = socket.remoteAddress
  // What the platform says of IPv4 is that spelling already.
  if (text === undefined || !text.includes(':')) return text
  const address = parseAddress(text)
  return address === null ? undefined : formatAddress(address)
}

/** `http://host/path` → host and path; anything else, such as `*`, is a path that no route has. */
function absoluteForm(url: string): [authority: string | null, target: string] {
  const found = /^https?:\/\/([^/?#]*)/i.exec(url)
  if (found === null) return [null, url]
  const rest = url.slice(found[0].length)
  return [found[1]!, rest.startsWith('/') ? rest : `/${rest}`]
}

/**
 * Credentials come once (RFC 9110 §5.3): of two, a server in front may have believed the other, and
 * without `joinDuplicateHeaders` Node would show the first alone.
 */
function refuseRepeated(name: string, { rawHeaders }: IncomingMessage): void {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!
    if (sent.length === name.length && sent.toLowerCase() === name) seen += 1
  }
  if (seen > 1) throw new ParseError(Message.of('parse_error.repeated_header', { name }))
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0'
}

class NodeBody implements Body {
  readonly length: number | null
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage) {
    const length = incoming.headers['content-length']
    this.length = length === undefined ? null : Number(length)
    this.#incoming = incoming
  }

  async bytes(limit: number): Promise<Uint8Array> {
    // A body that says it is too large is refused unread.
    if (this.length !== null && this.length > limit) throw this.#refuse(limit)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of this.#incoming.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length
      if (size > limit) throw this.#refuse(limit)
      chunks.push(chunk as Buffer)
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  /** The rest is read and dropped, so that the client gets to see the answer. */
  #refuse(limit: number): PayloadTooLarge {
    this.#incoming.resume()
    return new PayloadTooLarge(limit)
  }
}

function forwardedOf(incoming: IncomingMessage, peer: Peer, proxies: Proxies): Forwarded {
  const plain = new NodeRequest(incoming)
  return readForwarded((name) => plain.header(name), peer, schemeOf(incoming), proxies)
}

function environOf(client: Peer, named: string | ParseError | undefined): Environ {
  const address = client === null || client === 'unix' ? undefined : formatAddress(client)
  return { REMOTE_ADDR: address, REMOTE_USER: typeof named === 'string' ? named : undefined }
}
