import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** Stands between the service and its database, and can make connections silent, or go away. */
export class Proxy {
  readonly port: number
  /** Port of the database. */
  upstream: number
  readonly #pairs = new Set<Pair>()
  #server: Server
  #silenceNext = false

  private constructor(server: Server, upstream: number) {
    this.#server = server
    this.upstream = upstream
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (near) => this.#join(near))
  }

  static async start(upstream: number): Promise<Proxy> {
    return new Proxy(await listening(0), upstream)
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#pairs.size
  }

  /**
   * The next connection that is used stays open, and nothing comes through any more: what a firewall does
   * that forgot it.
   */
  silenceNext(): void {
    this.#silenceNext = true
  }

  /** Every connection breaks, and no new one is taken. */
  async leave(): Promise<void> {
    this.#server.close()
    for (const { near, far } of this.#pairs) for (const socket of [near, far]) socket.destroy()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  /** It is back, at the same port. */
  async comeBack(): Promise<void> {
    this.#server = await listening(this.port)
    this.#server.on('connection', (near) => this.#join(near))
  }

  #join(near: Socket): void {
    const pair = { near, far: connect(this.upstream, '127.0.0.1') }
    this.#pairs.add(pair)
    near.on('data', () => this.#use(pair))
    near.pipe(pair.far).pipe(near)
    for (const socket of [near, pair.far])
      socket
        .on('error', () => {})
        .once('close', () => {
          this.#pairs.delete(pair)
          near.destroy()
          pair.far.destroy()
        })
  }

  #use({ near, far }: Pair): void {
    if (!this.#silenceNext) return
    this.#silenceNext = false
    for (const socket of [near, far]) socket.unpipe().pause()
  }
}

async function listening(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}
