import { Agent, request } from 'node:http'

/** The answers that clients got. */
export interface Seen {
  asked: number
  /** The numbers of the notes with a 201. */
  readonly acknowledged: number[]
  /** The number of 200s, if nothing is written. */
  allowed: number
  /** The number of 429s. */
  limited: number
  /** The number of 5xx. */
  unavailable: number
  /** The number of requests that broke off. */
  unanswered: number
  /** The number of refused connections: the service no longer listens. */
  refused: number
  /** The milliseconds of each answer. */
  readonly times: number[]
  /** The time of the last failure, by `performance.now()`. */
  failedAt: number | null
}

interface LoadOptions {
  readonly clients?: number
  /** The milliseconds between two requests of a client. @default 5 */
  readonly pause?: number
  /** The path to GET instead of writing notes. */
  readonly path?: string
  /** The total number of requests. @default no limit */
  readonly most?: number
  /** Do clients stop as soon as `/readyz` refuses, like those of a balancer that asks twenty times a second? */
  readonly heedsReadiness?: boolean
}

let last = 0

/** Milliseconds after which a client gives up. */
const PATIENCE = 10_000

/** Clients that send one request after the other, each on its own connection. */
export function load(urls: string | readonly string[], options: LoadOptions = {}) {
  const { clients = 16, pause = 5, path, most = Infinity, heedsReadiness = false } = options
  const services = [urls].flat()
  const over = new AbortController()
  const agent = new Agent({ keepAlive: false })
  const seen: Seen = {
    asked: 0,
    acknowledged: [],
    allowed: 0,
    limited: 0,
    unavailable: 0,
    unanswered: 0,
    refused: 0,
    times: [],
    failedAt: null,
  }
  async function client(): Promise<void> {
    while (!over.signal.aborted && seen.asked < most) {
      const service = services[seen.asked++ % services.length]!
      const began = performance.now()
      note(began, path === undefined ? await write(service) : await asked(service, path))
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  async function write(service: string): Promise<number | string> {
    const n = ++last
    const status = await asked(service, '/notes/', JSON.stringify({ n }))
    if (status === 201) seen.acknowledged.push(n)
    return status
  }
  function asked(service: string, where: string, body?: string): Promise<number | string> {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { 'Content-Type': 'application/json' }
    return new Promise((resolve) => {
      const asking = request(service + where, { agent, method, headers }, (answer) => {
        answer.on('error', () => resolve('broken'))
        answer.on('end', () => resolve(answer.statusCode!)).resume()
      })
      asking.setTimeout(PATIENCE, () => asking.destroy(new Error('late')))
      asking.on('error', (error) => resolve('code' in error ? String(error.code) : 'broken'))
      asking.end(body)
    })
  }
  function note(began: number, status: number | string): void {
    if (typeof status === 'number') seen.times.push(performance.now() - began)
    if (status === 200) seen.allowed++
    else if (status === 429) seen.limited++
    else if (status === 'ECONNREFUSED') seen.refused++
    else if (status !== 201) {
      seen[typeof status === 'number' ? 'unavailable' : 'unanswered']++
      seen.failedAt = performance.now()
    }
  }
  async function balance(): Promise<void> {
    while (!over.signal.aborted) {
      if ((await asked(services[0]!, '/readyz')) !== 200) over.abort()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  if (heedsReadiness) void balance()
  const all = Promise.all(Array.from({ length: clients }, client))
  return {
    seen,
    /** Resolves when `most` requests have been sent. */
    done: all.then(() => seen),
    async stop(): Promise<Seen> {
      over.abort()
      await all
      return seen
    },
  }
}
