import {
  type Address,
  type Network,
  contains,
  parseAddress,
  parseNetwork,
} from '../std/http/network.ts'

/** Who is at the other end: an address, a program of this machine on a unix socket, or nobody knows. */
export type Peer = Address | 'unix' | null

/** The servers in front that an operator trusts. */
export class Proxies {
  readonly #networks: readonly Network[]
  readonly #unix: boolean

  /** Networks, addresses, `unix`: what a configuration has checked already. */
  constructor(entries: readonly string[]) {
    this.#networks = entries.map(parseNetwork).filter((network) => network !== null)
    this.#unix = entries.includes('unix')
  }

  trust(peer: Peer): boolean {
    if (peer === null) return false
    if (peer === 'unix') return this.#unix
    return this.#networks.some((network) => contains(network, peer))
  }
}

/** `[2001:db8::1]:4711` → `2001:db8::1`. */
const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/
const WITH_PORT = /^([\d.]+):\d{1,5}$/

/** A hop as forwarded headers write it, perhaps with its port; `null`: `unknown`, a pseudonym, nonsense. */
export function parseHop(text: string): Peer {
  // What nginx calls a client on a unix socket.
  if (text === 'unix:') return 'unix'
  if (text.length > 100) return null
  return parseAddress((BRACKETED.exec(text) ?? WITH_PORT.exec(text))?.[1] ?? text)
}
