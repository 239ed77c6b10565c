import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A way to a server that can be broken: by silence, as in a network that drops everything, or by refusal. */
export interface TcpProxy {
  readonly port: number
  /** Port of the server; another one counts from the next connection on. */
  upstream: number
  /** The same address, by way of the proxy. */
  via(url: string): string
  /** From now on nothing is forwarded, on connections that are open and on those to come. */
  silence(): void
  /** The connection on which a client speaks next is silent for good; the others are not. */
  silenceNext(): void
  /** What a client says next that has this text has another one of the same length in its place. */
  replaceNext(text: string, by: string): void
  /** Answers arrive so many milliseconds later from now on. */
  slow(milliseconds: number): void
  /** New connections are forwarded again. Those that were silent stay so. */
  resume(): Promise<void>
  /** Ends every connection, and refuses new ones. */
  refuse(): Promise<void>
  /** Connections that clients have open. */
  readonly open: number
  /** Those of them that are silent. */
  readonly silent: number
  /** All that were ever opened. */
  readonly opened: number
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
  /** When answers arrive that come now. */
  openAt: number
}

/** Forwards to a port of this machine. */
export async function startTcpProxy(upstream: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let allSilent = false
  let nextIsSilent = false
  let opened = 0
  let delay = 0
  let replacement: { readonly text: string; readonly by: string } | null = null
  const replaced = (bytes: Buffer): Buffer => {
    const at = replacement === null ? -1 : bytes.indexOf(replacement.text)
    if (at >= 0) bytes.write(replacement!.by, at)
    if (at >= 0) replacement = null
    return bytes
  }

  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: proxy.upstream, host: '127.0.0.1', noDelay: true })
    const pair: Pair = { client, server, silent: allSilent, openAt: 0 }
    pairs.add(pair)
    opened++
    client.on('data', (bytes) => {
      if (nextIsSilent) pair.silent = true
      nextIsSilent = false
      if (!pair.silent) server.write(replaced(bytes))
    })
    server.on('data', (bytes) => {
      if (pair.silent) return
      const now = performance.now()
      // Nothing overtakes what came before it.
      pair.openAt = Math.max(pair.openAt, now + delay)
      if (pair.openAt <= now) client.write(bytes)
      else setTimeout(() => client.write(bytes), pair.openAt - now)
    })
    client
      .on('error', () => undefined)
      .on('close', () => {
        pairs.delete(pair)
        server.destroy()
      })
    server
      .on('error', () => undefined)
      .on('close', () => {
        // A network that drops everything does not say either that the server has gone.
        if (!pair.silent) client.destroy()
      })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const own = (listener.address() as AddressInfo).port

  const end = (): void => {
    for (const { client, server } of pairs) {
      client.destroy()
      server.destroy()
    }
  }
  const proxy: TcpProxy = {
    port: own,
    upstream,
    via: (url) => url.replace(/:\d+\//, `:${own}/`),
    silence() {
      allSilent = true
      for (const pair of pairs) pair.silent = true
    },
    silenceNext() {
      nextIsSilent = true
    },
    replaceNext(text, by) {
      replacement = { text, by }
    },
    slow(milliseconds) {
      delay = milliseconds
    },
    async resume() {
      allSilent = false
      if (listener.listening) return
      listener.listen(own, '127.0.0.1')
      await once(listener, 'listening')
    },
    async refuse() {
      const closed = once(listener, 'close')
      listener.close()
      end()
      await closed
    },
    get open() {
      return pairs.size
    },
    get silent() {
      return [...pairs].filter((pair) => pair.silent).length
    },
    get opened() {
      return opened
    },
    close() {
      listener.close()
      end()
    },
  }
  return proxy
}
