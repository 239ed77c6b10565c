import type { RemoteUserSource } from '../ports/service-facts.ts'
import { type Trusts, trustedPeers } from '../std/http/forwarded.ts'
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { type AddressInfo, type Server, type Socket, connect } from 'node:net'
import type { Environ } from '../ports/http-adapter.ts'

/** The source of a server's connections. */
export interface Listening {
  /** Resolves with the URL. @throws CannotListen */
  listen(server: Server, port: number, host: string): Promise<string>
  /** Resolves when no connection will come. */
  stop(server: Server): Promise<void>
}

/** Milliseconds that connections which wait may be taken when a server stops, and of a turn in which hardly another one can have come. */
const [LONGEST_LAST, SHORT] = [500, 0.3]

/**
 * Closes the socket after a turn without a new connection: the kernel would reset connections that it has made and no one
 * has taken. Node takes one connection in each turn.
 */
async function stop(server: Server): Promise<void> {
  let taken = 0
  const count = (): void => void taken++
  server.on('connection', count)
  const start = performance.now()
  // In the rest of this turn, no connection is taken.
  await nextTurn()
  for (;;) {
    const [before, began] = [taken, performance.now()]
    await nextTurn()
    const now = performance.now()
    const isEmpty = taken === before && now - began < SHORT
    if (isEmpty || now - start > LONGEST_LAST) break
  }
  server.close()
  server.off('connection', count)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** By a socket of its own. */
export const bySocket: Listening = { listen, stop }

/** Resolves with the URL. @throws CannotListen */
async function listen(server: Server, port: number, host: string): Promise<string> {
  const path = isUnixSocket(host) ? host.slice(SCHEME.length) : null
  const fd = descriptorOf(host)
  if (path !== null) await removeStaleSocket(path)
  await new Promise<void>((resolve, reject) => {
    const where = path === null && fd === null ? `${host}:${port}` : host
    server.once('error', (error) => reject(new CannotListen(error, where)))
    const options = fd !== null ? { fd } : path === null ? { port, host } : { path }
    server.listen(options, resolve)
  })
  // No request has been read yet. Only the owner and the group may connect: `unix` among the trusted proxies means
  // just these.
  if (path !== null) chmodSync(path, 0o660)
  return urlOf(server.address(), host)
}

/** A unix socket that was handed over has no address: `unix:fd:3`. */
function urlOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return SCHEME + (bound ?? host)
  const name = descriptorOf(host) === null ? host : bound.address
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`
}

const SCHEME = 'unix:'

/** The number of `fd:3`, a socket that another program has opened and handed over; `null`: this one opens its own. */
function descriptorOf(host: string): number | null {
  const found = /^fd:(\d{1,6})$/.exec(host)
  return found === null ? null : Number(found[1])
}

export const isUnixSocket = (url: string): boolean => url.startsWith(SCHEME)

/** Removes a socket that no server listens on; sockets in use and other files stay. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() && !(await answers(path))) unlinkSync(path)
}

// Only a refused connection proves that no server listens: one that is busy, or of another user, still does.
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
}

/** The server cannot listen at its address; the message gives the reason and a remedy in one line. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen'
  readonly where: string

  constructor(cause: NodeJS.ErrnoException, where: string) {
    const kind = /^(?:unix|fd)(?=:)/.exec(where)?.[0]
    const reasons = kind === 'unix' ? SOCKET_REASONS : kind === 'fd' ? HANDED_REASONS : REASONS
    super(`Cannot listen on ${where}: ${reasons[cause.code ?? ''] ?? cause.message}`, { cause })
    this.where = where
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use. Stop the other program, or set PORT to another number.',
  EACCES: 'this user may not use that port. Ports below 1024 need privileges.',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one that it has.',
}

const SOCKET_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the path is taken. Stop the other program, or set HOST to another path.',
  EACCES: 'this user may not write there, or the folder does not exist.',
  ENOENT: 'the folder does not exist. Make it first.',
  EINVAL: 'the path is too long for a socket.',
}

const HANDED = 'this program was handed no listening socket with that number.'
const NOT_HANDED = ['EBADF', 'EEXIST', 'EINVAL', 'ERR_INVALID_FD_TYPE', 'ENOTSOCK']
const HANDED_REASONS: typeof REASONS = Object.fromEntries(NOT_HANDED.map((code) => [code, HANDED]))

/**
 * Facts of a connection with `CLIENT_CERT`: the certificate whose key the client has by TLS, as RFC 9440 writes it. Whether
 * anyone trusts it is another question. It is read when it is asked for.
 */
export function withCertificate(facts: Environ, socket: Socket): Environ {
  return Object.defineProperty({ ...facts }, 'CLIENT_CERT', {
    get: () => certificateOf(socket as Secured),
    enumerable: true,
  })
}

/** The members of a TLS socket that are needed here. */
interface Secured {
  getPeerCertificate?(): { readonly raw?: Buffer }
}

function certificateOf(socket: Secured): string | undefined {
  const certificate = socket.getPeerCertificate?.()
  return certificate?.raw && `:${certificate.raw.toString('base64')}:`
}

/** The settings about servers in front. */
export interface TrustOptions {
  readonly trustedProxies?: readonly string[]
  readonly remoteUserSource?: RemoteUserSource | null
}

export interface Trust {
  readonly proxies: Trusts
  /** The header of a user's name; from any other peer it is ignored (I9). */
  readonly remoteUser: { readonly header: string; readonly from: Trusts } | null
  readonly unixSocket: boolean
}

/** `null`: no server in front is trusted, so requests are taken as they come. */
export function trustOf(options: TrustOptions = {}, unixSocket: boolean): Trust | null {
  const { trustedProxies = [], remoteUserSource: source = null } = options
  const proxies = trustedPeers(trustedProxies)
  if (source !== null && source !== 'environ') {
    const from = source.proxies === undefined ? proxies : trustedPeers(source.proxies)
    return { proxies, remoteUser: { header: source.header.toLowerCase(), from }, unixSocket }
  }
  return trustedProxies.length === 0 ? null : { proxies, remoteUser: null, unixSocket }
}
