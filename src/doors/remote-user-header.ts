import type { RemoteUserHeader, RemoteUserSource } from '../contract/remote-user.ts'
import { ParseError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { utf8FromHeader } from '../std/http/header-value.ts'
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
   *
   * @throws ParseError (400) the server sent two names, or one that is not UTF-8
   */
  read(rawHeaders: readonly string[], peer: Peer): string | undefined {
    if (!this.#proxies.trust(peer)) return undefined
    const [value, second] = this.#values(rawHeaders)
    if (second !== undefined) throw new ParseError(Message.of('parse_error.two_users'))
    if (value === undefined) return undefined
    const name = utf8FromHeader(value)
    if (name === null) {
      throw new ParseError(Message.of('parse_error.user_encoding'))
    }
    return name
  }

  // `rawHeaders` has names and values in turn; in `headers`, repeated ones are joined.
  #values(rawHeaders: readonly string[]): string[] {
    return rawHeaders.filter(
      (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === this.header,
    )
  }
}
