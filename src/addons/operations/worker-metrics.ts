// Each worker has its own numbers, but a scrape reaches one worker, which shows those of all, through its supervisor.

/** The variable of the environment that numbers a worker. Those of Colophon's own prefix are keys of the configuration. */
export const WORKER = 'WORKER_OF_COLOPHON'

/** Messages of a worker to its supervisor: a question for all metrics, and its own metrics on demand. */
export type MetricsNews =
  | { readonly collect: { readonly key: number; readonly at: number } }
  | { readonly shown: { readonly key: number; readonly text: string | null } }

/** Messages of a supervisor: the question, and the answers with the expected number of workers. */
export type MetricsOrder =
  | { readonly show: { readonly key: number; readonly at: number } }
  | { readonly collected: Collected }

interface Collected {
  readonly key: number
  /** The metrics of the program: their position among all that were defined. */
  readonly at: number
  readonly texts: readonly string[]
  readonly workers: number
}

/** Milliseconds in which a supervisor answers, who waits a second for each worker. */
const PATIENCE = 3000

/**
 * The text of all workers, in which each sample has the label `worker`. Summed up here, counts would shrink by those of a worker
 * that has ended, which Prometheus takes for a new beginning of all. Without workers it is the text of this process as it is.
 */
export function ofAllWorkers(text: () => Promise<string>): () => Promise<string> {
  const worker = process.env[WORKER]
  if (worker === undefined || !process.connected) return text
  const shared = new SharedMetrics(async () => labelled(await text(), worker))
  return () => shared.collected()
}

/** Marks listeners for orders about metrics. */
const LISTENS = Symbol('listens for orders about metrics')

/** The metrics of one definition, which each worker of a program has. */
class SharedMetrics {
  readonly #own: () => Promise<string>
  /** The position, which is the same in all workers of a program. */
  readonly #at = process.listeners('message').filter((each) => LISTENS in each).length
  #question = 0
  #answer: ((collected: Omit<Collected, 'key' | 'at'>) => void) | null = null
  #underway: Promise<string> | null = null

  constructor(own: () => Promise<string>) {
    this.#own = own
    const listen = (message: unknown): void => void this.#hear(message)
    process.on('message', Object.assign(listen, { [LISTENS]: true }))
  }

  /** Further questions meanwhile get the same answer. */
  collected(): Promise<string> {
    return (this.#underway ??= this.#collect().finally(() => (this.#underway = null)))
  }

  async #hear(message: unknown): Promise<void> {
    const { colophon: order } = (message ?? {}) as { readonly colophon?: MetricsOrder }
    if (order === undefined) return
    if ('collected' in order && this.#isAwaited(order.collected)) this.#answer?.(order.collected)
    if ('show' in order && order.show.at === this.#at) {
      // A worker that fails is left out of the page; if all fail, the page fails, as that of one process does.
      const text = await this.#own().catch(() => null)
      send({ shown: { key: order.show.key, text } })
    }
  }

  #isAwaited({ key, at }: Collected): boolean {
    return key === this.#question && at === this.#at
  }

  async #collect(): Promise<string> {
    const key = ++this.#question
    const { promise, resolve } = Promise.withResolvers<Omit<Collected, 'key' | 'at'>>()
    const late = setTimeout(() => resolve({ texts: [], workers: 0 }), PATIENCE)
    this.#answer = resolve
    send({ collect: { key, at: this.#at } })
    const { texts, workers } = await promise
    clearTimeout(late)
    const known = texts.length === 0 ? [await this.#own()] : texts
    return `${merged(known)}# TYPE colophon_workers gauge\ncolophon_workers ${workers}\n`
  }
}

function send(news: MetricsNews): void {
  if (process.connected) process.send!({ colophon: news })
}

const SAMPLE = /^([\w:]+)(?:\{(.*)\})? (\S.*)$/

function labelled(text: string, worker: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
      if (name === undefined) return line
      return `${name}{worker="${worker}"${labels === '' ? '' : `,${labels}`}} ${value}`
    })
    .join('\n')
}

/** The samples of a metric stand together, behind its type. */
function merged(texts: readonly string[]): string {
  const families = new Map<string, Set<string>>()
  for (const text of texts) {
    let family = ''
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const [, about, name = ''] = /^(?:# (TYPE|HELP) )?([\w:]+)/.exec(line) ?? []
      if (about !== undefined || family === '' || !name.startsWith(family)) family = name
      if (name !== '') families.set(family, (families.get(family) ?? new Set()).add(line))
    }
  }
  return [...families.values()].map((lines) => `${[...lines].join('\n')}\n`).join('')
}
