import type { DescribedEndpoint } from '../../../core/app/app.ts'
import { isSent, takesPasswords } from '../../../core/app/served-endpoints.ts'
import { parseNetwork } from '../../../core/std/http/network.ts'
import type { Checks, Examined } from './finding.ts'

const PUT_HTTPS_IN_FRONT =
  'Put https in front, and set PUBLIC_URL to the https:// address that clients use.'

/** What lies between clients and the service: https, hosts, servers in front, bodies. */
export const connectionChecks: Checks = {
  'passwords-without-https': {
    inEndpoints: (app) => (endpoint) => !isByHttps(app) && sendsPasswords(endpoint),
    settings: ['publicUrl', 'authentication'],
    message:
      'Without https, anyone on the way can read the passwords that clients send: with Basic, in each request.',
    fix: PUT_HTTPS_IN_FRONT,
  },
  'tokens-without-https': {
    inEndpoints: (app) => (endpoint) => !isByHttps(app) && isSent(endpoint, 'token'),
    settings: ['publicUrl', 'authentication'],
    message: 'Without https, anyone on the way can read a token, and use it.',
    fix: PUT_HTTPS_IN_FRONT,
  },
  'any-host': {
    inService: ({ service }) => service.allowedHosts.includes('*'),
    settings: ['allowedHosts'],
    message:
      'Clients choose the host in generated links, and a page of another site can reach the service by a name of its own (DNS rebinding).',
    fix: 'Set ALLOWED_HOSTS to the names of the service.',
  },
  'any-proxy': {
    inService: ({ service }) => service.trustedProxies.some(isWide),
    settings: ['trustedProxies'],
    message: 'A client that is no proxy can say which address, scheme and host it has.',
    fix: 'Set TRUSTED_PROXIES to the addresses of the servers in front.',
  },
  'any-remote-user': {
    inService: (app) => remoteUserPeers(app).some(isWide),
    settings: ['remoteUserSource'],
    message: 'A client that is no proxy can say which user it is.',
    fix: 'Set "proxies" of REMOTE_USER_SOURCE to the addresses of the servers in front.',
  },
  'huge-bodies': {
    inEndpoints: () => keepsHugeBodies,
    settings: ['maxBodySize', 'parsers'],
    message: 'A few requests at once can take all memory, because a body is kept there whole.',
    fix: 'Set maxBodySize (key DATA_UPLOAD_MAX_MEMORY_SIZE) to at most 104857600 (100 MiB), or let the parsers stream.',
  },
}

const HUGE = 100 * 2 ** 20

/** A parser of streams has a piece of the body in memory, and no more. */
function keepsHugeBodies({ settings: { maxBodySize, parsers } }: DescribedEndpoint): boolean {
  return maxBodySize > HUGE && parsers.some(({ parseStream }) => parseStream === undefined)
}

/** By its public address, else by servers in front that may say so. The Node.js server itself speaks only HTTP. */
function isByHttps({ service: { publicUrl, trustedProxies } }: Examined): boolean {
  return publicUrl === null ? trustedProxies.length > 0 : new URL(publicUrl).protocol === 'https:'
}

/** In a header or in a body. */
export function sendsPasswords(endpoint: DescribedEndpoint): boolean {
  return isSent(endpoint, 'password') || takesPasswords(endpoint)
}

function remoteUserPeers({ service: { remoteUserSource } }: Examined): readonly string[] {
  const isHeader = remoteUserSource !== null && remoteUserSource !== 'environ'
  return isHeader ? (remoteUserSource.proxies ?? []) : []
}

/** Is a network wider than any that a private address range has: 10.0.0.0/8, fc00::/7? */
function isWide(network: string): boolean {
  const bits = parseNetwork(network)?.bits ?? 128
  return bits < 7 || (bits >= 96 && bits < 104)
}
