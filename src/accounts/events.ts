import type { AccountEventName, AccountEventTypes, AccountListener } from '../contract/events.ts'
import type { TokenFacts, User } from '../contract/credentials.ts'
import type { Logger } from '../contract/kernel.ts'
import type { MaybePromise } from '../contract/request.ts'
import { errorText } from '../std/text/error-text.ts'

interface EventsOptions {
  /** Receives every event, in one record each. */
  readonly logger?: Logger | undefined
  /** Receives what went wrong while there is no logger. */
  readonly onError?: Logger['error'] | undefined
  readonly now?: () => number
}

/**
 * What happens to accounts, for the listeners of the application and the log.
 *
 * @example
 * const off = accounts.events.on('token.revoked', ({ user }) => notify(user))
 */
export class AccountEvents {
  readonly #listeners = new Map<AccountEventName, Set<Listener>>()
  readonly #now: () => number
  readonly #hasOwnLogger: boolean
  #logger: Logger

  constructor({ logger, onError = () => {}, now = Date.now }: EventsOptions = {}) {
    this.#hasOwnLogger = logger !== undefined
    this.#logger = logger ?? { error: onError }
    this.#now = now
  }

  /** Calls `listener` for every event of a type, until the function that comes back is called. */
  on<N extends AccountEventName>(type: N, listener: AccountListener<N>): () => void {
    const listeners = this.#listeners.get(type) ?? new Set()
    this.#listeners.set(type, listeners)
    // One function given twice counts twice, and is taken off once.
    const own: Listener = (event) => listener(event as Parameters<AccountListener<N>>[0])
    listeners.add(own)
    return () => void listeners.delete(own)
  }

  /** Writes to the log of an application, unless the accounts were given a logger of their own. */
  logTo(logger: Logger): void {
    if (!this.#hasOwnLogger) this.#logger = logger
  }

  /** Resolves when every listener has done its work; never rejects. */
  async emit<N extends AccountEventName>(type: N, facts: AccountEventTypes[N]): Promise<void> {
    this.#logger.info?.(recordOf(type, facts))
    const listeners = this.#listeners.get(type)
    if (listeners === undefined || listeners.size === 0) return
    const event = { ...facts, type, at: new Date(this.#now()) }
    await Promise.all(Array.from(listeners, (listener) => this.#tell(listener, event)))
  }

  /** For the log: a failure that the client does not see. */
  error(event: string, error: unknown): void {
    this.#logger.error({ event, error: errorText(error) })
  }

  /** The same, where it does not matter much. */
  info(event: string, error: unknown): void {
    this.#logger.info?.({ event, error: errorText(error) })
  }

  async #tell(listener: Listener, event: { readonly type: string }): Promise<void> {
    try {
      await listener(event)
    } catch (error) {
      this.error(`${event.type}.listener_failed`, error)
    }
  }
}

/** By `on` a listener gets events of its own type only. */
type Listener = (event: object) => MaybePromise<void>

/** Names and numbers instead of whole users and tokens. */
function recordOf(type: string, facts: object): Record<string, unknown> {
  const { user, token, ...rest } = facts as { readonly user?: User; readonly token?: TokenFacts }
  return {
    event: type,
    ...(user === undefined ? {} : { user: user.username, userId: user.id }),
    ...(token === undefined ? {} : { token: token.name }),
    ...rest,
  }
}
