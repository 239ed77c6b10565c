import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site of empty pages, for scripts that a test runs in them; at `/sandboxed/` their origin is `null`. */
export interface Site {
  /** At a port of `host`, which leads to this machine. */
  originAt(host: string): string
  close(): Promise<void>
}

export async function servePages(): Promise<Site> {
  const server = createServer(({ url }, response) => {
    const headers =
      url === '/sandboxed/' ? { 'Content-Security-Policy': 'sandbox allow-scripts' } : {}
    response.writeHead(200, { 'Content-Type': 'text/html', ...headers })
    response.end('<!doctype html><title>A page</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { originAt: (host) => `http://${host}:${port}`, close: () => closed(server) }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
