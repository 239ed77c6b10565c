import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** Resolves with the URL. @throws CannotListen */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  const path = socketPath(host)
  const fd = descriptorOf(host)
  if (path !== null) await removeStaleSocket(path)
  await new Promise<void>((resolve, reject) => {
    const where = path === null && fd === null ? `${host}:${port}` : host
    server.once('error', (error) => reject(new CannotListen(error, where)))
    const options = fd !== null ? { fd } : path === null ? { port, host } : { path }
    server.listen(options, resolve)
  })
  // No request has been read yet. Only the owner and the group may connect: `unix` among the trusted proxies means
  // just these. In a worker, the socket is made by its supervisor, so that it is there no sooner.
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

/** The path of `unix:/run/api.sock`; `null`: a network address. */
function socketPath(host: string): string | null {
  return isUnixSocket(host) ? host.slice(SCHEME.length) : null
}

/** The socket of a server that still listens, and any other file, stays. */
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

  constructor(cause: NodeJS.ErrnoException, where: string) {
    const kind = /^(?:unix|fd)(?=:)/.exec(where)?.[0]
    const reasons = kind === 'unix' ? SOCKET_REASONS : kind === 'fd' ? HANDED_REASONS : REASONS
    super(`Cannot listen on ${where}: ${reasons[cause.code ?? ''] ?? cause.message}`, { cause })
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
const HANDED_REASONS: Readonly<Record<string, string>> = {
  EBADF: HANDED,
  EEXIST: HANDED,
  EINVAL: HANDED,
  ERR_INVALID_FD_TYPE: HANDED,
  ENOTSOCK: HANDED,
}
