import type { RemoteUserHeader, RemoteUserSource } from '../contract/service-facts.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { utf8FromHeader } from '../std/http/authorization.ts'
import { type Peer, Proxies } from './forwarded-headers.ts'

/** The header that is hidden from applications, in lower case; `null`: none. */
export function headerOf(source: RemoteUserSource | null): string | null {
  return source === null || source === 'environ' ? null : source.header.toLowerCase()
}

/** The header in which trusted servers in front name their user; from any other peer it is ignored (I9). */
export class RemoteUserChannel {
  /** In lower case. */
  readonly header: string
  readonly #proxies: Proxies

  constructor({ header, proxies }: RemoteUserHeader, trusted: readonly string[]) {
    this.header = header.toLowerCase()
    this.#proxies = new Proxies(proxies ?? trusted)
  }

  /**
   * The name; `undefined`: none was sent, or the peer is not trusted.
   * The error (400): two names were sent, or one that is not UTF-8.
   */
  read(rawHeaders: readonly string[], peer: Peer): string | ParseError | undefined {
    if (!this.#proxies.trust(peer)) return undefined
    const [value, second] = this.#values(rawHeaders)
    if (second !== undefined) return new ParseError(Message.of('parse_error.two_users'))
    if (value === undefined) return undefined
    return utf8FromHeader(value) ?? new ParseError(Message.of('parse_error.user_encoding'))
  }

  // `rawHeaders` has names and values in turn; in `headers`, repeated ones are joined.
  #values(rawHeaders: readonly string[]): string[] {
    return rawHeaders.filter(
      (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === this.header,
    )
  }
}
