import type { Gauge } from '../../core/ports/service-facts.ts'
import { availableParallelism } from 'node:os'
import type { Requester } from '../../core/ports/credentials.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { ServiceUnavailable } from '../../core/errors/api-errors.ts'
import { networkOfClient } from '../../core/std/http/network.ts'

/** The number of parallel hashes, and the limits of waiting. */
export interface HashQueueOptions {
  /**
   * Password hashes that are computed at the same time. Where it is more than one, no client gets all of
   * them.
   *
   * @default one less than there are processors, 1 to 3: Node works on four such jobs, files and names
   * of hosts included, and the event loop needs a processor too
   */
  readonly running?: number
  /** Password hashes that wait for their turn; of more, the client that has most waiting is refused. @default 500 */
  readonly waiting?: number
  /**
   * Password hashes of one client that wait for their turn; more are refused. People behind one address
   * share it: 50 of them may log in at the same moment.
   *
   * @default 50, or `waiting` where that is less
   */
  readonly waitingEach?: number
  /** Milliseconds that a password hash of a request waits for its turn; then it is refused. @default 10000 */
  readonly patience?: number
}

/**
 * Does a few expensive things at a time, in fair turns: clients come one after the other, whatever each
 * has waiting. A client is an IPv4 address or a /64 of IPv6. What comes without a request, such as from
 * a command, shares one more turn.
 */
export class HashQueue {
  readonly #options: Required<HashQueueOptions>
  readonly #runningEach: number
  /** Clients with work, in the order of their turns. */
  readonly #lanes = new Map<string, Lane>()
  #active = 0

  /** @throws ConfigurationError not whole numbers, or nothing would ever run */
  constructor(options: HashQueueOptions = {}) {
    const usual = Math.min(Math.max(availableParallelism() - 1, 1), 3)
    const { running = usual, waiting = 500, patience = 10_000 } = options
    const { waitingEach = Math.min(50, waiting) } = options
    checkNumbers({ running, patience }, 1)
    checkNumbers({ waiting, waitingEach }, 0)
    this.#options = { running, waiting, waitingEach, patience }
    // One place is kept free, so that the next client need not wait for the slow hash of another.
    this.#runningEach = Math.max(running - 1, 1)
  }

  /** For metrics. */
  gauges(): readonly Gauge[] {
    const waiting = [...this.#lanes.values()].reduce((sum, each) => sum + each.waiting.size, 0)
    const of = (state: string, value: number) => ({ name: 'hashes', labels: { state }, value })
    return [of('running', this.#active), of('waiting', waiting)]
  }

  /**
   * Does the work when it is the client's turn; never, where the client has gone by then.
   *
   * @throws ServiceUnavailable (503) too many are waiting, or it has waited too long
   */
  async run<T>(work: () => Promise<T>, client?: Requester): Promise<T> {
    if (client?.gone) throw new ServiceUnavailable()
    const lane = this.#laneOf(client)
    if (this.#mayRun(lane)) this.#begin(lane)
    else await this.#turn(lane, client)
    try {
      return await work()
    } finally {
      this.#active--
      lane.running--
      this.#next()
    }
  }

  #laneOf(client: Requester | undefined): Lane {
    const address = client?.environ['REMOTE_ADDR']
    const key = address === undefined ? '' : networkOfClient(address)
    // Clients without an address share one lane: together they may fill the queue.
    const most = address === undefined ? this.#options.waiting : this.#options.waitingEach
    return this.#lanes.get(key) ?? { key, most, waiting: new Set(), running: 0 }
  }

  #mayRun(lane: Lane): boolean {
    return this.#active < this.#options.running && lane.running < this.#runningEach
  }

  #begin(lane: Lane): void {
    this.#active++
    lane.running++
    // The lane goes to the end of the line.
    this.#lanes.delete(lane.key)
    this.#lanes.set(lane.key, lane)
  }

  #next(): void {
    // The loop meets a lane that begins work again, behind the others.
    for (const lane of this.#lanes.values()) {
      if (this.#active >= this.#options.running) return
      if (!this.#mayRun(lane)) continue
      dropGone(lane)
      const [waiter] = lane.waiting
      if (waiter !== undefined) {
        this.#begin(lane)
        waiter.start()
      } else if (lane.running === 0) this.#lanes.delete(lane.key)
    }
  }

  #turn(lane: Lane, client: Requester | undefined): Promise<void> {
    this.#makeRoom(lane)
    this.#lanes.set(lane.key, lane)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      clearTimeout(timer)
      lane.waiting.delete(waiter)
    }
    const start = (): void => (leave(), resolve())
    const refuse = (): void => (leave(), reject(new ServiceUnavailable()))
    const waiter: Waiter = { client, start, refuse }
    // Only the work of a client has a limit: a program that makes a thousand users waits as long as that takes.
    const timer = client && setTimeout(refuse, this.#options.patience)
    lane.waiting.add(waiter)
    return promise
  }

  /** Makes room in a full queue: it drops clients that have gone, and then refuses the client that would have most waiting. */
  #makeRoom(lane: Lane): void {
    if (lane.waiting.size >= lane.most) dropGone(lane)
    if (lane.waiting.size >= lane.most) throw new ServiceUnavailable()
    const lanes = [...this.#lanes.values()]
    if (lanes.reduce((sum, { waiting }) => sum + waiting.size, 0) < this.#options.waiting) return
    const fullest = lanes.reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a), lane)
    if (dropGone(fullest)) return
    if (fullest.waiting.size <= lane.waiting.size + 1) throw new ServiceUnavailable()
    ;[...fullest.waiting].at(-1)!.refuse()
  }
}

interface Waiter {
  readonly client: Requester | undefined
  readonly start: () => void
  readonly refuse: () => void
}

/** The work of one client. */
interface Lane {
  readonly key: string
  /** The most jobs of the client that may wait. */
  readonly most: number
  readonly waiting: Set<Waiter>
  running: number
}

/** Refuses waiting work whose client has gone. `true`: there was some. */
function dropGone({ waiting }: Lane): boolean {
  const gone = [...waiting].filter(({ client }) => client?.gone)
  for (const waiter of gone) waiter.refuse()
  return gone.length > 0
}

function checkNumbers(numbers: Readonly<Record<string, number>>, least: number): void {
  for (const [name, number] of Object.entries(numbers)) {
    if (Number.isInteger(number) && number >= least) continue
    throw new ConfigurationError(
      `HashQueue: "${name}" must be a whole number from ${least}, but is ${number}.`,
    )
  }
}
