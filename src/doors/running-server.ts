import type { Server } from 'node:http'

/** A server that listens. */
export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8000`, or `unix:/path/to.sock`. */
  readonly url: string
  /** It takes no new connections and finishes what is in flight. */
  readonly closing: boolean
  /** Stops taking requests, finishes those in flight, and resolves when the last is answered. */
  close(): Promise<void>
}

/** The address cannot be had; the message is one clear line. */
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

/** Gives a server a `close` that finishes what is in flight, for at most `gracePeriod` milliseconds. */
export function stoppable(
  server: Server,
  { gracePeriod, drain }: { readonly gracePeriod: number; drain(): void },
): RunningServer & { closing: boolean; url: string } {
  let closed: Promise<void> | null = null
  const running = {
    url: '',
    closing: false,
    close(): Promise<void> {
      running.closing = true
      return (closed ??= stop())
    },
  }
  return running

  function stop(): Promise<void> {
    return new Promise((resolve) => {
      const impatience = setTimeout(() => server.closeAllConnections(), gracePeriod)
      // Node would destroy connections between two requests, of which the second is on its way perhaps.
      server.closeIdleConnections = () => {}
      server.close(() => {
        clearTimeout(impatience)
        resolve()
      })
      drain()
    })
  }
}
