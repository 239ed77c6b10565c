import type { IncomingMessage } from 'node:http'
import type { DoorRequest, Body, Environ } from '../contract/door.ts'
import { ParseError, PayloadTooLarge } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { formatAddress, parseAddress } from '../std/http/network.ts'
import { collect, limited } from './bodies.ts'

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
    this.body = bodyOf(incoming)
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
    const { headers, rawHeaders } = this.#incoming
    const value = headers[name]
    if (name === 'authorization' && value !== undefined) {
      let times = 0
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name)
          times++
      // Credentials come once (RFC 9110 §5.3): of two, a server in front may have believed the other, and
      // without `joinDuplicateHeaders` Node would show the first alone. The fetch door has its own way.
      if (times > 1) throw new ParseError(Message.of('parse_error.repeated_header', { name }))
    }
    // The headers are an object of JavaScript: no client sent its "constructor".
    return typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : null
  }
}

/** How the connection itself was made. Sockets of Node have `encrypted` under TLS alone, those of Bun always. */
export function schemeOf({ socket }: IncomingMessage): 'http' | 'https' {
  return (socket as { readonly encrypted?: boolean }).encrypted === true ? 'https' : 'http'
}

/** In its one spelling: a server of both kinds of addresses says `::ffff:1.2.3.4` for `1.2.3.4`. */
function peerAddress({ socket }: IncomingMessage): string | undefined {
  const text = socket.remoteAddress
  // What the platform says of IPv4 is that spelling already.
  if (text === undefined || !text.includes(':')) return text
  const address = parseAddress(text)
  return address === null ? undefined : formatAddress(address)
}

/** Anything but `http://host/path`, such as `*`, is a path that no route has. */
function absoluteForm(url: string): [authority: string | null, target: string] {
  const found = /^https?:\/\/([^/?#]*)/i.exec(url)
  if (found === null) return [null, url]
  const rest = url.slice(found[0].length)
  return [found[1]!, rest.startsWith('/') ? rest : `/${rest}`]
}

function bodyOf(incoming: IncomingMessage): Body | null {
  const { 'content-length': stated, 'transfer-encoding': encoding } = incoming.headers
  if (stated === undefined ? encoding === undefined : stated === '0') return null
  const length = stated === undefined ? null : Number(stated)
  const all = (): AsyncIterable<Uint8Array> => incoming.iterator({ destroyOnReturn: false })
  return {
    length,
    async bytes(limit) {
      try {
        return await collect(all(), { length, limit })
      } catch (error) {
        // The rest is read and dropped, so that the client gets to see the answer.
        if (error instanceof PayloadTooLarge) incoming.resume()
        throw error
      }
    },
    async *chunks(limit) {
      try {
        yield* limited(all(), { length, limit })
      } finally {
        incoming.resume()
      }
    },
  }
}
