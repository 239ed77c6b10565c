import { connect } from 'node:net'
import { type App, configurationOf, defineApi } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'

/** What an application gets to see of who asks, and where. */
export interface Facts {
  readonly address: string | null
  readonly user: string | null
  readonly link: string
  /** The headers that a name may stand in, as an application would read them. */
  readonly seen: readonly (string | null)[]
}

/** An application that tells what it sees, with what an operator has said of servers in front. */
export function trustingApp(keys: Readonly<Record<string, unknown>>): App {
  const api = defineApi({ urls: { facts: '/facts/' }, logger: { error: () => {} } })
  const facts = api.endpoint('facts').get(({ environ, reverse, header }) => ({
    address: environ['REMOTE_ADDR'] ?? null,
    user: environ['REMOTE_USER'] ?? null,
    link: reverse('facts'),
    seen: ['x-remote-user', 'x_remote_user', 'X-Remote-User'].map((name) => header(name)),
  }))
  const ALLOWED_HOSTS = ['localhost', '.example.com']
  return api.serve([facts], { configuration: configurationOf({ ALLOWED_HOSTS, ...keys }) })
}

/** An answer to lines that were written as they are. */
export interface Told {
  readonly status: number
  readonly facts: Facts
}

/** Serves an application for one request, whose header lines are sent as they stand. */
export async function ask(app: App, lines: readonly string[], host = '127.0.0.1'): Promise<Told> {
  const server = await serve(app, { host, port: 0 })
  try {
    return toTold(await exchange(server.url, lines))
  } finally {
    await server.close()
  }
}

/** Writes a request to `http://127.0.0.1:80` or `unix:/path`, and gives everything that comes back. */
export function exchange(url: string, lines: readonly string[]): Promise<string> {
  const head = ['GET /facts/ HTTP/1.1', ...withHost(lines), 'Connection: close', '', '']
  return new Promise((resolve, reject) => {
    const socket = connect(url.startsWith('unix:') ? { path: url.slice(5) } : addressOf(url))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (received += chunk))
    socket.once('error', reject)
    socket.once('close', () => resolve(received))
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'))
  })
}

export function toTold(text: string): Told {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  return { status: Number(text.slice(9, 12)), facts: JSON.parse(body) as Facts }
}

function withHost(lines: readonly string[]): readonly string[] {
  return lines.some((line) => /^host:/i.test(line)) ? lines : ['Host: localhost', ...lines]
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}
