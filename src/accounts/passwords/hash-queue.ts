import { availableParallelism } from 'node:os'
import type { Requester } from '../../contract/credentials.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { ServiceUnavailable } from '../../errors/api-errors.ts'
import { networkOfClient } from '../../std/http/network.ts'

/** How much is done at the same time, and who waits for how long. */
export interface HashQueueOptions {
  /**
   * Password hashes that are worked on at the same time. Where it is more than one, no client has all of
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
   * share it: 50 of them may press the button at the same moment.
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
    const { running = usualNumber(), waiting = 500, patience = 10_000 } = options
    const { waitingEach = Math.min(50, waiting) } = options
    checkNumbers({ running, patience }, 1)
    checkNumbers({ waiting, waitingEach }, 0)
    this.#options = { running, waiting, waitingEach, patience }
    // One is kept free, so that the next client need not wait for the slow hash of another.
    this.#runningEach = Math.max(running - 1, 1)
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
    // Clients without an address look alike: together they may fill the queue.
    const most = address === undefined ? this.#options.waiting : this.#options.waitingEach
    return this.#lanes.get(key) ?? new Lane(key, most)
  }

  #mayRun(lane: Lane): boolean {
    return this.#active < this.#options.running && lane.running < this.#runningEach
  }

  #begin(lane: Lane): void {
    this.#active++
    lane.running++
    // To the end of the line.
    this.#lanes.delete(lane.key)
    this.#lanes.set(lane.key, lane)
  }

  #next(): void {
    // A lane that begins is met again behind the others.
    for (const lane of this.#lanes.values()) {
      if (this.#active >= this.#options.running) return
      const waiter = this.#mayRun(lane) ? lane.take() : undefined
      if (waiter !== undefined) {
        this.#begin(lane)
        waiter.start()
      } else if (lane.running === 0 && lane.length === 0) this.#lanes.delete(lane.key)
    }
  }

  #turn(lane: Lane, client: Requester | undefined): Promise<void> {
    this.#makeRoom(lane)
    this.#lanes.set(lane.key, lane)
    const { promise, resolve: start, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { client, start, refuse: () => reject(new ServiceUnavailable()) }
    // A program that makes a thousand users waits as long as that takes.
    lane.add(waiter, client === undefined ? Infinity : this.#options.patience)
    return promise
  }

  /** A full queue refuses the client that would have most waiting, and before that those that have gone. */
  #makeRoom(lane: Lane): void {
    if (lane.isFull) lane.dropGone()
    if (lane.isFull) throw new ServiceUnavailable()
    const lanes = [...this.#lanes.values()]
    if (lanes.reduce((sum, { length }) => sum + length, 0) < this.#options.waiting) return
    const fullest = lanes.reduce((one, other) => (other.length > one.length ? other : one), lane)
    if (fullest.dropGone()) return
    if (fullest.length <= lane.length + 1) throw new ServiceUnavailable()
    fullest.refuseLast()
  }
}

interface Waiter {
  readonly client: Requester | undefined
  readonly start: () => void
  readonly refuse: () => void
}

/** The work of one client. */
class Lane {
  readonly key: string
  readonly #most: number
  /** In the order in which they came, with the timers of their patience. */
  readonly #waiters = new Map<Waiter, NodeJS.Timeout | undefined>()
  running = 0

  constructor(key: string, most: number) {
    this.key = key
    this.#most = most
  }

  /** How many wait. */
  get length(): number {
    return this.#waiters.size
  }

  get isFull(): boolean {
    return this.length >= this.#most
  }

  add(waiter: Waiter, patience: number): void {
    const isLimited = patience < Infinity
    this.#waiters.set(
      waiter,
      isLimited ? setTimeout(() => this.#refuse(waiter), patience) : undefined,
    )
  }

  /** The next one whose client is still there. */
  take(): Waiter | undefined {
    this.dropGone()
    const [waiter] = this.#waiters.keys()
    if (waiter !== undefined) this.#remove(waiter)
    return waiter
  }

  /** Whether there were any. */
  dropGone(): boolean {
    const before = this.length
    for (const waiter of this.#waiters.keys()) if (waiter.client?.gone) this.#refuse(waiter)
    return this.length < before
  }

  refuseLast(): void {
    this.#refuse([...this.#waiters.keys()].at(-1)!)
  }

  #refuse(waiter: Waiter): void {
    this.#remove(waiter)
    waiter.refuse()
  }

  #remove(waiter: Waiter): void {
    clearTimeout(this.#waiters.get(waiter))
    this.#waiters.delete(waiter)
  }
}

function checkNumbers(numbers: Readonly<Record<string, number>>, least: number): void {
  for (const [name, number] of Object.entries(numbers)) {
    if (Number.isInteger(number) && number >= least) continue
    throw new ConfigurationError(
      `HashQueue: "${name}" wants a whole number from ${least}, and got ${number}.`,
    )
  }
}

function usualNumber(): number {
  return Math.min(Math.max(availableParallelism() - 1, 1), 3)
}
