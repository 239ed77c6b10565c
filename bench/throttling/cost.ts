import { sendLoad } from '../http/load.ts'
import type { ServerProcess } from '../http/server-process.ts'

/** So many clients take turns. */
export const CLIENTS = 500
const REQUESTS = 8000

/** CPU time of a throttled request ÷ that of a plain one, in interleaved rounds; stops the server. */
export async function compareCost(
  server: ServerProcess,
  path: string,
  rounds: number,
  tokens: readonly string[] = Array<string>(CLIENTS).fill('none'),
): Promise<string> {
  const [plain, ratios]: [number[], number[]] = [[], []]
  try {
    for (let round = -1; round < rounds; round++) {
      const base = await measure(server, `${path}/plain/`, tokens)
      const throttled = await measure(server, `${path}/throttled/`, tokens)
      // The first round only warms up.
      if (round < 0) continue
      plain.push(base)
      ratios.push(throttled / base)
    }
  } finally {
    server.stop()
  }
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
  return `${median(plain).toFixed(1)} µs plain, throttled × ${median(ratios).toFixed(2)} (${range})`
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

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
}
