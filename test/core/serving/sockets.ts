import { type Socket, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A connection on which a test writes what it likes. */
export interface Wire {
  readonly socket: Socket
  write(text: string): void
  /** Everything received so far. */
  text(): string
  /** Waits until what was received matches. */
  until(pattern: RegExp): Promise<string>
  /** Waits until the other side has closed; gives everything received. */
  closed(): Promise<string>
}

export async function open(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return {
    socket,
    write: (text) => void socket.write(text),
    text: () => received,
    closed: () => closed,
    async until(pattern) {
      const deadline = Date.now() + 60_000
      while (!pattern.test(received)) {
        if (Date.now() > deadline) throw new Error(`never came: ${String(pattern)}\n${received}`)
        await wait(2)
      }
      return received
    },
  }
}

/** Writes one request and gives everything that comes back until the connection closes. */
export async function raw(url: string, text: string): Promise<string> {
  const wire = await open(url)
  wire.write(text)
  return wire.closed()
}

/** A request with its lines ended as HTTP wants. */
export function lines(...texts: string[]): string {
  return `${texts.join('\r\n')}\r\n\r\n`
}
