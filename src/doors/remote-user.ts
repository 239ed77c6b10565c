import type { RemoteUserHeader, RemoteUserSource } from '../contract/remote-user.ts'
import { ParseError } from '../errors/api-errors.ts'
import { utf8FromHeader } from '../std/http/credentials.ts'
import { type Peer, Proxies } from './proxies.ts'

/** The header that no application gets to see, in lower case; `null`: none. */
export function headerOf(source: RemoteUserSource | null): string | null {
  return source === null || source === 'environ' ? null : source.header.toLowerCase()
}

/** The header in which servers in front name their user (I9). From anybody else it says nothing. */
export class RemoteUserChannel {
  /** In lower case. */
  readonly header: string
  readonly #proxies: Proxies

  constructor({ header, proxies }: RemoteUserHeader, trusted: readonly string[]) {
    this.header = header.toLowerCase()
    this.#proxies = new Proxies(proxies ?? trusted)
  }

  /**
   * The name; `undefined`: none was said, or by nobody whom we believe.
   *
   * @throws ParseError (400) the server says two names, or one that is not UTF-8
   */
  read(rawHeaders: readonly string[], peer: Peer): string | undefined {
    if (!this.#proxies.trust(peer)) return undefined
    const [value, second] = this.#values(rawHeaders)
    if (second !== undefined) throw new ParseError('The web server in front names two users.')
    if (value === undefined) return undefined
    const name = utf8FromHeader(value)
    if (name === null) {
      throw new ParseError('The web server in front names a user whose name is not UTF-8.')
    }
    return name
  }

  // Names and values in turn, as they came: what stands in `headers` is joined already.
  #values(rawHeaders: readonly string[]): string[] {
    return rawHeaders.filter(
      (_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === this.header,
    )
  }
}
