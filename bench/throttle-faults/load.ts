// Sends requests at a steady pace, without waiting for answers.
import { Agent, get } from 'node:http'

/** One request. */
export interface Sample {
  /** The time of sending, by `performance.now()`. */
  readonly at: number
  /** The milliseconds until the whole answer arrived. */
  readonly took: number
  readonly status: number
}

export interface Load {
  readonly samples: readonly Sample[]
  /** Stops sending, and resolves when all requests are answered. */
  stop(): Promise<void>
}

/** Sends a request every so many milliseconds. */
export function startLoad(url: string, every: number): Load {
  const agent = new Agent({ keepAlive: true })
  const samples: Sample[] = []
  const asked = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const at = performance.now()
    const asking = ask(url, agent).then((status) => {
      samples.push({ at, took: performance.now() - at, status })
      asked.delete(asking)
    })
    asked.add(asking)
  }, every)
  return {
    samples,
    async stop() {
      clearInterval(timer)
      await Promise.all(asked)
      agent.destroy()
    },
  }
}

/** The status; 0: no answer. */
function ask(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    }).on('error', () => resolve(0))
  })
}

/** The number of answers of each status, and their times in milliseconds. */
export interface Figures {
  readonly statuses: Readonly<Record<number, number>>
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The figures of the requests that were under way in this time. */
export function figuresOf(samples: readonly Sample[], from: number, to: number): Figures {
  const within = samples.filter(({ at, took: time }) => at + time >= from && at < to)
  const took = within.map((sample) => sample.took).toSorted((one, other) => one - other)
  const at = (share: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  const statuses: Record<number, number> = {}
  for (const { status } of within) statuses[status] = (statuses[status] ?? 0) + 1
  return { statuses, p50: at(0.5), p99: at(0.99), max: at(1) }
}
