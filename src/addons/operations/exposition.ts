// The text format of Prometheus, version 0.0.4, and what is counted for it.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'

export type Labels = Readonly<Record<string, string>>

/** Durations in buckets with upper bounds, in seconds. */
export class Histogram {
  readonly bounds: readonly number[]
  /** One more than there are bounds: the last one is without. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  add(seconds: number): void {
    let at = 0
    while (at < this.bounds.length && seconds > this.bounds[at]!) at++
    this.counts[at]!++
    this.sum += seconds
  }
}

interface Labelled {
  readonly labels: Labels
}

/** Collects samples as text. */
export class Exposition {
  readonly #types = new Set<string>()
  text = ''

  gauge(name: string, value: number, labels: Labels = {}): void {
    this.#type(name, 'gauge')
    this.#sample(name, labels, value)
  }

  counter(name: string, value: number): void {
    this.#type(name, 'counter')
    this.#sample(name, {}, value)
  }

  counters<Each extends Labelled>(
    name: string,
    all: readonly Each[],
    valueOf: (each: Each) => number,
  ): void {
    this.#type(name, 'counter')
    for (const each of all) this.#sample(name, each.labels, valueOf(each))
  }

  /** Buckets hold what is in those before them, too. */
  histograms(name: string, all: readonly (Labelled & { readonly durations: Histogram })[]): void {
    this.#type(name, 'histogram')
    for (const { labels, durations } of all) {
      let count = 0
      durations.counts.forEach((each, at) => {
        count += each
        this.#sample(
          `${name}_bucket`,
          { ...labels, le: String(durations.bounds[at] ?? '+Inf') },
          count,
        )
      })
      this.#sample(`${name}_sum`, labels, durations.sum)
      this.#sample(`${name}_count`, labels, count)
    }
  }

  #type(name: string, type: string): void {
    if (this.#types.has(name)) return
    this.#types.add(name)
    this.text += `# TYPE ${name} ${type}\n`
  }

  #sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    this.text += `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

const NANOSECONDS = 1e9

/** What a process says of itself, by the names that all clients of Prometheus use. */
export class ProcessGauges {
  readonly #delay = monitorEventLoopDelay({ resolution: 20 })
  readonly #started = Date.now() / 1000 - process.uptime()

  constructor() {
    this.#delay.enable()
  }

  show(shown: Exposition): void {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, external } = process.memoryUsage()
    shown.counter('process_cpu_seconds_total', (user + system) / 1e6)
    shown.gauge('process_start_time_seconds', this.#started)
    shown.gauge('process_resident_memory_bytes', rss)
    shown.gauge('nodejs_heap_size_used_bytes', heapUsed)
    shown.gauge('nodejs_external_memory_bytes', external)
    // What was measured since the last look.
    for (const share of [50, 99])
      shown.gauge('nodejs_eventloop_delay_seconds', this.#delay.percentile(share) / NANOSECONDS, {
        quantile: String(share / 100),
      })
    this.#delay.reset()
    const { active } = performance.eventLoopUtilization()
    shown.counter('nodejs_eventloop_active_seconds_total', active / 1000)
  }
}
