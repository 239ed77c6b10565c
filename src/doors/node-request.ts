import type { IncomingMessage } from 'node:http'
import type { DoorRequest } from '../contract/door.ts'
import type { Body } from '../contract/parsing.ts'
import type { Environ } from '../contract/request.ts'
import { ParseError, PayloadTooLarge } from '../errors/api-errors.ts'
import { formatAddress, parseAddress } from '../std/http/network.ts'

/** A request of `node:http` as the kernel sees it: nothing is copied that nobody asks for. */
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

/** How the connection itself was made. */
export function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
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
  if (seen > 1) throw new ParseError(`The header "${name}" came more than once.`)
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
