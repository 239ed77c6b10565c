import type { DoorRequest } from '../../contract/door.ts'
import { ParseError } from '../../errors/api-errors.ts'
import { Message } from '../../messages/message.ts'
import type { Service } from '../context.ts'

const REMEMBERED = 256

interface OriginsOptions {
  readonly allowedHosts: readonly string[]
  readonly publicUrl: string | null
  readonly logSeldom: Service['logSeldom']
}

/** A malformed or foreign host is refused: no link points where an attacker wants it (I10). */
export class Origins {
  readonly #options: OriginsOptions
  /** Origins of the hosts that were admitted, by scheme; real clients send few different ones. */
  readonly #admitted = { http: new Map<string, string>(), https: new Map<string, string>() }

  constructor(options: OriginsOptions) {
    const { publicUrl } = options
    // Written with a slash at its end or without, it is the same origin.
    this.#options = { ...options, publicUrl: publicUrl === null ? null : new URL(publicUrl).origin }
  }

  /** @throws ParseError (400) for a host that is not admitted */
  of(request: DoorRequest): string {
    const host = request.header('host')
    if (host === null) return this.fallback(request)
    return this.#admitted[request.scheme].get(host) ?? this.#admit(host, request)
  }

  /** For requests without a host to trust. */
  fallback({ scheme }: DoorRequest): string {
    return this.#options.publicUrl ?? `${scheme}://localhost`
  }

  #admit(host: string, { scheme }: DoorRequest): string {
    const { allowedHosts, publicUrl } = this.#options
    const name = nameOf(host)
    if (name === null || !allowedHosts.some((allowed) => admits(allowed.toLowerCase(), name)))
      throw this.#refuse(host)
    const origin = publicUrl ?? `${scheme}://${host}`
    const admitted = this.#admitted[scheme]
    if (admitted.size >= REMEMBERED) admitted.clear()
    admitted.set(host, origin)
    return origin
  }

  /** Any number of strangers may ask for any number of hosts: the log has one of them a second. */
  #refuse(host: string): ParseError {
    const shown = { event: 'host.refused', key: 'ALLOWED_HOSTS', host: host.slice(0, 255) }
    this.#options.logSeldom('refused host', shown)
    return new ParseError(Message.of('parse_error.host'))
  }
}

function admits(allowed: string, name: string): boolean {
  if (allowed === '*' || allowed === name) return true
  return allowed.startsWith('.') && (name.endsWith(allowed) || name === allowed.slice(1))
}

const NAME_AND_PORT = /^(?:([A-Za-z0-9._-]+)|(\[[0-9A-Fa-f:.]+\]))(?::[1-9]\d{0,4})?$/

/** The host without its port, in lower case; `null` when it is malformed (RFC 9110 §7.2). */
function nameOf(host: string): string | null {
  const found = host.length > 259 ? null : NAME_AND_PORT.exec(host)
  const name = found?.[1] ?? found?.[2]
  // Ports beyond 65535, addresses such as 1.2.3.999 and broken Punycode: links to them are none.
  if (name === undefined || !URL.canParse(`http://${host}`)) return null
  return name.toLowerCase().replace(/\.$/, '')
}
