import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

const SCHEME = 'unix:'

/** The path of `unix:/run/api.sock`; `null`: an address of the network. */
export function socketPath(host: string): string | null {
  return host.startsWith(SCHEME) ? host.slice(SCHEME.length) : null
}

/**
 * Takes away a socket that a server left behind when it was killed. A server that still listens keeps
 * its socket, and what is no socket is never touched.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() && !(await answers(path))) unlinkSync(path)
}

/** Only the owner and the group may connect: `unix` among the trusted proxies means just these. */
export function restrict(path: string): void {
  chmodSync(path, 0o660)
}

// Nobody at all is the only sure sign: a server that is busy, or of another user, is no stale one.
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
