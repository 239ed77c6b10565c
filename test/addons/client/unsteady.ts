import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** What happens to a request on its way: nothing, or what networks and those who run them do. */
export const FATES = ['429', '503', 'reset', 'truncated'] as const
export type Fate = (typeof FATES)[number] | 'none'

/** A way to a service on which some requests fail. */
export interface Unsteady {
  readonly url: string
  /** How many requests had each fate. */
  readonly met: Readonly<Record<Fate, number>>
  close(): Promise<void>
}

const REFUSALS = {
  '429': 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1',
  '503': 'HTTP/1.1 503 Service Unavailable',
}

/** Hands bytes on between clients and a port of this machine, but for what `fateOf` says of each request: a GET at a time. */
export async function unsteady(port: number, fateOf: () => Fate): Promise<Unsteady> {
  const met = { none: 0, '429': 0, '503': 0, reset: 0, truncated: 0 }
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client.on('close', () => open.delete(client)))
    // What breaks is what this is for.
    client.on('error', () => undefined)
    carry(client, port, () => {
      const fate = fateOf()
      met[fate]++
      return fate
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function carry(client: Socket, port: number, fateOf: () => Fate): void {
  const service = connect(port, '127.0.0.1').on('error', () => client.destroy())
  client.on('close', () => service.destroy())
  service.on('close', () => client.destroy())
  let fate: Fate = 'none'
  client.on('data', (request) => {
    fate = fateOf()
    if (fate === 'reset') client.resetAndDestroy()
    else if (fate === '429' || fate === '503')
      client.write(`${REFUSALS[fate]}\r\nContent-Length: 0\r\n\r\n`)
    else service.write(request)
  })
  service.on('data', (answer) => {
    if (fate === 'truncated') client.end(answer.subarray(0, -5))
    else client.write(answer)
  })
}
