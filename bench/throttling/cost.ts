import { sendLoad } from '../http/load.ts'
import type { ServerProcess } from '../http/server-process.ts'

/** The number of clients that take turns. */
export const CLIENTS = 500
/** Few requests, so that other work on the machine affects both. */
const REQUESTS = 2000
const WARM_UP = 10

/** CPU time of a throttled request ÷ that of a plain one, in interleaved rounds; stops the server. */
export async function compareCost(
  server: ServerProcess,
  path: string,
  rounds: number,
  tokens: readonly string[] = Array<string>(CLIENTS).fill('none'),
): Promise<string> {
  const [plain, ratios]: [number[], number[]] = [[], []]
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      // The order changes, so that the position favours neither.
      const order = round % 2 === 0 ? ['plain', 'throttled'] : ['throttled', 'plain']
      const cost: Record<string, number> = {}
      for (const kind of order) cost[kind] = await measure(server, `${path}/${kind}/`, tokens)
      // The first rounds only warm up.
      if (round < 0) continue
      plain.push(cost['plain']!)
      ratios.push(cost['throttled']! / cost['plain']!)
    }
  } finally {
    server.stop()
  }
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)]
  const range = `${low.toFixed(2)}–${high.toFixed(2)}`
  return `${quantile(plain, 0.5).toFixed(1)} µs plain, throttled × ${quantile(ratios, 0.5).toFixed(2)} (${range})`
}

async function measure(
  server: ServerProcess,
  target: string,
  tokens: readonly string[],
): Promise<number> {
  const texts = tokens.map((token, client) =>
    [
      `GET ${target} HTTP/1.1`,
      'Host: localhost',
      'Accept: */*',
      `X-Forwarded-For: 10.0.${client >> 8}.${client & 255}`,
      ...(token === 'none' ? [] : [`Authorization: Token ${token}`]),
      '\r\n',
    ].join('\r\n'),
  )
  const before = await server.cpu()
  const request = (i: number): string => texts[i % texts.length]!
  await sendLoad({ port: server.port, connections: 32, requests: REQUESTS, request })
  return ((await server.cpu()) - before) / REQUESTS
}

function quantile(all: readonly number[], share: number): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * share)]!
}
