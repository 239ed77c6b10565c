import { type Socket, connect } from 'node:net'
import { once } from 'node:events'

/** A connection to which an attacker writes any bytes. */
export class Wire {
  readonly socket: Socket
  /** The number of answers so far, by status. */
  readonly answers: Record<string, number> = {}
  readonly closed: Promise<void>
  /** The number of characters received so far. */
  heard = 0
  #rest = ''

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    this.closed = new Promise((resolve) => void socket.once('close', () => resolve()))
  }

  /** `from` is the address of the attacker. */
  static async open(url: string, from = '127.0.0.1'): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const wire = new Wire(connect({ host: hostname, port: Number(port), localAddress: from }))
    await once(wire.socket, 'connect')
    return wire
  }

  /** Begins to read, and counts the answers. */
  count(): this {
    this.socket.setEncoding('latin1').on('data', (text: string) => this.#hear(text))
    return this
  }

  write(text: string | Uint8Array): void {
    if (typeof text === 'string') this.socket.write(text, 'latin1')
    else this.socket.write(text)
  }

  /** Resolves when the written bytes are on their way. */
  flushed(): Promise<void> {
    return new Promise((resolve) => void this.socket.write('', () => resolve()))
  }

  /** Resolves when an answer begins, which is not read, or when the other side closes. */
  async answered(): Promise<void> {
    const begun = new Promise<void>((resolve) => void this.socket.once('readable', () => resolve()))
    await Promise.race([begun, this.closed])
  }

  /** Resolves when the other side closes (`true`), or after so many milliseconds (`false`). */
  async closedWithin(milliseconds: number): Promise<boolean> {
    const late = Promise.withResolvers<false>()
    const timer = setTimeout(() => late.resolve(false), milliseconds)
    const closed = await Promise.race([this.closed.then(() => true), late.promise])
    clearTimeout(timer)
    return closed
  }

  #hear(text: string): void {
    this.heard += text.length
    const all = this.#rest + text
    for (const [, status = ''] of all.matchAll(STATUS_LINE))
      this.answers[status] = (this.answers[status] ?? 0) + 1
    // The rest may be the beginning of a status line, but never a whole one.
    this.#rest = all.slice(-(STATUS_LENGTH - 1))
  }
}

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g
const STATUS_LENGTH = 'HTTP/1.1 200 '.length

/** A request as text: header lines, an empty line, the body. */
export function requestText(
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const all = {
    Host: 'localhost',
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
