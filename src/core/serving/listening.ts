import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** Resolves with the URL. @throws CannotListen */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  const path = socketPath(host)
  if (path !== null) await removeStaleSocket(path)
  await new Promise<void>((resolve, reject) => {
    const where = path === null ? `${host}:${port}` : host
    server.once('error', (error) => reject(new CannotListen(error, where)))
    if (path === null) server.listen(port, host, resolve)
    else server.listen(path, resolve)
    // The socket exists now, and no connection has been accepted yet. Only the owner and the group may connect:
    // `unix` among the trusted proxies means just these.
    if (path !== null && server.listening) chmodSync(path, 0o660)
  })
  if (path !== null) return host
  const { port: bound } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
}

const SCHEME = 'unix:'

/** The path of `unix:/run/api.sock`; `null`: a network address. */
export function socketPath(host: string): string | null {
  return host.startsWith(SCHEME) ? host.slice(SCHEME.length) : null
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
    const reasons = where.startsWith('unix:') ? SOCKET_REASONS : REASONS
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
