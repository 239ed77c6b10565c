import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A path to a server that can be broken: by silence, as in a network that drops everything, or by refusal. */
export interface TcpProxy {
  readonly port: number
  /** The port of the server; a new value counts for the next connection. */
  upstream: number
  /** The address through the proxy. */
  via(url: string): string
  /** Stops forwarding, on open connections and on new ones. */
  silence(): void
  /** Silences for good the connection on which a client sends next, and no other. */
  silenceNext(): void
  /** Replaces this text in the next message of a client by another one of the same length. */
  replaceNext(text: string, by: string): void
  /** Delays answers by so many milliseconds. */
  slow(milliseconds: number): void
  /** Forwards new connections again. Silent ones stay silent. */
  resume(): Promise<void>
  /** Ends every connection, and refuses new ones. */
  refuse(): Promise<void>
  /** The number of connections that clients have open. */
  readonly open: number
  /** The number of those that are silent. */
  readonly silent: number
  /** The number of connections that were ever opened. */
  readonly opened: number
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
  /** The time at which answers that come now arrive. */
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
      // An answer must not overtake an earlier one.
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
        // A network that drops everything does not report the end of the server either.
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
