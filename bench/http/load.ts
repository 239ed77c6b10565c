import { type Socket, connect } from 'node:net'

/** The parameters of one run. */
export interface Load {
  readonly port: number
  readonly connections: number
  readonly requests: number
  /** The text of request number `i`, headers included. */
  request(i: number): string
}

/** Sends all requests over a few keep-alive connections, one at a time on each; fails on any answer but 200. */
export async function sendLoad({ port, connections, requests, request }: Load): Promise<void> {
  let next = 0
  const take = (): string | null => (next < requests ? request(next++) : null)
  await Promise.all(Array.from({ length: connections }, () => runConnection(port, take)))
}

function runConnection(port: number, take: () => string | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const reader = new ResponseReader()
    const send = (): void => {
      const text = take()
      if (text === null) finish(socket, resolve)
      else socket.write(text)
    }
    socket.setNoDelay(true)
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      const status = reader.push(chunk)
      if (status === null) return
      if (status === 200) send()
      else reject(new Error(`The server answered ${status}.`))
    })
  })
}

function finish(socket: Socket, resolve: () => void): void {
  socket.end()
  resolve()
}

/** Counts bytes until one whole answer is there. */
class ResponseReader {
  #missing = 0
  #status = 0

  /** The status once the answer is complete, `null` before. */
  push(chunk: Buffer): number | null {
    if (this.#missing === 0) this.#begin(chunk)
    else this.#missing -= chunk.length
    return this.#missing === 0 ? this.#status : null
  }

  // These servers write the headers in one piece, with the first bytes of the body.
  #begin(chunk: Buffer): void {
    const head = chunk.toString('latin1', 0, 1024)
    const end = head.indexOf('\r\n\r\n')
    const length = /content-length: (\d+)/i.exec(head)
    if (end < 0 || length === null) throw new Error(`An answer without head or length: ${head}`)
    this.#status = Number(head.slice(9, 12))
    this.#missing = Number(length[1]) - (chunk.length - end - 4)
  }
}
