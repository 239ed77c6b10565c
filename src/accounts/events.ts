import type {
  AccountEventName,
  AccountEventTypes,
  AccountListener,
  Operator,
} from '../core/ports/events.ts'
import type { TokenFamily } from '../core/ports/account-stores.ts'
import type { TokenFacts, User } from '../core/ports/credentials.ts'
import type { Logger } from '../core/ports/kernel.ts'
import type { MaybePromise } from '../core/std/after.ts'
import { failureOf } from '../core/std/text/error-text.ts'

interface EventsOptions {
  readonly logger?: Logger | undefined
  /** Receives what went wrong while there is no logger. */
  readonly onError?: Logger['error'] | undefined
  readonly now?: () => number
}

/**
 * Events of accounts, for the listeners of the application and the log.
 *
 * @example
 * const off = accounts.events.on('token.revoked', ({ user }) => notify(user))
 */
export class AccountEvents {
  readonly #listeners = new Set<{ readonly type: AccountEventName; readonly tell: Listener }>()
  readonly #now: () => number
  readonly #hasOwnLogger: boolean
  #logger: Logger
  #operator: { readonly operator?: Operator } = {}

  constructor({ logger, onError = () => {}, now = Date.now }: EventsOptions = {}) {
    this.#hasOwnLogger = logger !== undefined
    this.#logger = logger ?? { error: onError }
    this.#now = now
  }

  /** Calls `listener` for every event of a type, until the returned function is called. */
  on<N extends AccountEventName>(type: N, listener: AccountListener<N>): () => void {
    // A function that is added twice is called twice; each returned function removes it once.
    const own = { type, tell: listener as Listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Writes to the log of an application, unless the accounts were given a logger of their own. */
  logTo(logger: Logger): void {
    if (!this.#hasOwnLogger) this.#logger = logger
  }

  /** For a process of one command, such as those of `colophon`: its events carry who gave it. */
  operatedBy(operator: Operator): void {
    this.#operator = { operator }
  }

  /** Resolves when every listener has done its work; never rejects. */
  async emit<N extends AccountEventName>(type: N, facts: AccountEventTypes[N]): Promise<void> {
    // The log leaves out uses of tokens, which would hide all other lines; listeners and `lastUsed` have them.
    if (type !== 'token.used') this.#logger.info?.({ ...recordOf(type, facts), ...this.#operator })
    const listeners = [...this.#listeners].filter((each) => each.type === type)
    const event = { ...facts, ...this.#operator, type, at: new Date(this.#now()) }
    await Promise.all(
      listeners.map(async ({ tell }) => {
        try {
          await tell(event)
        } catch (error) {
          this.error(`${type}.listener_failed`, error)
        }
      }),
    )
  }

  /** Logs a role that users have and the application does not declare; it gives them nothing. */
  undeclared(role: string): void {
    this.#logger.info?.({ event: 'role.not_declared', role })
  }

  /** Logs a failure that the client does not see. */
  error(event: string, error: unknown): void {
    this.#logger.error({ event, ...failureOf(error) })
  }

  /** Logs a failure of little consequence that the client does not see. */
  info(event: string, error: unknown): void {
    this.#logger.info?.({ event, ...failureOf(error) })
  }
}

/** Keeps the events of a transaction until it is committed. */
export class HeldEvents extends AccountEvents {
  readonly #tellings: (() => Promise<void>)[] = []
  readonly #events: AccountEvents

  constructor(events: AccountEvents) {
    super()
    this.#events = events
  }

  override async emit<N extends AccountEventName>(
    type: N,
    facts: AccountEventTypes[N],
  ): Promise<void> {
    this.#tellings.push(() => this.#events.emit(type, facts))
  }

  async tell(): Promise<void> {
    for (const telling of this.#tellings) await telling()
  }
}

/** A listener, which gets events of one type only: `on` sees to that. */
type Listener = (event: object) => MaybePromise<void>

/** An event as a record of the log: names and numbers in place of whole users and tokens. */
function recordOf(type: string, facts: object): Record<string, unknown> {
  const { user, token, family, ...rest } = facts as {
    readonly user?: User
    readonly token?: TokenFacts
    readonly family?: TokenFamily
  }
  return {
    event: type,
    ...(user === undefined ? {} : { user: user.username, userId: user.id }),
    // The usual token has no name.
    ...(token?.name ? { token: token.name } : {}),
    ...(family === undefined ? {} : { family: family.id }),
    ...rest,
  }
}
