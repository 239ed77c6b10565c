import type { RemoteUserHeader } from '../contract/remote-user.ts'
import { formatNetwork, parseNetwork } from '../std/http/network.ts'

/** Stands for the peers of a unix socket, which have no address. */
const UNIX = 'unix'

/** What is wrong with a list of proxies, as a sentence; `null`: nothing. */
export function proxiesProblem(proxies: readonly string[]): string | null {
  for (const proxy of proxies) {
    const network = parseNetwork(proxy)
    if (proxy === UNIX || network?.exact) continue
    const shown = JSON.stringify(proxy)
    return network === null
      ? `${shown} is no address, no network such as "10.0.0.0/8", and not "unix".`
      : `${shown} says more than its prefix. Did you mean "${formatNetwork(network)}"?`
  }
  return null
}

/** Whether this has the form of a source of `REMOTE_USER`. */
export function isRemoteUserSource(value: unknown): boolean {
  if (value === null || value === 'environ') return true
  if (typeof value !== 'object' || Array.isArray(value)) return false
  const { header, proxies = [], ...others } = value as Record<string, unknown>
  return typeof header === 'string' && isTexts(proxies) && Object.keys(others).length === 0
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

/** What is wrong with a source of the right form, as a sentence; `null`: nothing. */
export function remoteUserProblem(source: RemoteUserHeader): string | null {
  const { header, proxies = [] } = source
  const shown = JSON.stringify(header)
  if (!NAME.test(header)) {
    return `${shown} is no name for the header: write letters, digits and dashes, such as "X-Remote-User".`
  }
  if (TAKEN.has(header.toLowerCase())) {
    return `${shown} means something else already. Choose a name of its own, such as "X-Remote-User".`
  }
  return proxiesProblem(proxies)
}

// An underscore is refused: some servers take `X_Remote_User` and `X-Remote-User` for one name.
const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/i

const TAKEN: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'origin',
  'referer',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
])

const SOCKET = 'unix:'
/** Bytes that the kernel keeps for the path of a socket, without the final zero; 104 on some systems. */
const LONGEST_PATH = 103

/** What is wrong with an address to listen on, as a sentence; `null`: nothing that can be seen from here. */
export function hostProblem(host: string): string | null {
  if (!host.startsWith(SOCKET)) return null
  const path = host.slice(SOCKET.length)
  if (!path.startsWith('/'))
    return 'the path of a unix socket is absolute: "unix:/run/api/api.sock".'
  if (Buffer.byteLength(path) <= LONGEST_PATH) return null
  return `the path of a unix socket has at most ${LONGEST_PATH} bytes.`
}
