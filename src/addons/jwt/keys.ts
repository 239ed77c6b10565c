import { type JWTHeaderParameters, createLocalJWKSet, errors } from 'jose'
import { ServiceUnavailable } from '../../core/errors/api-errors.ts'
import { refuse } from './option-checks.ts'
import { Published } from './published.ts'

/** Public keys, as a provider publishes them (RFC 7517). */
export interface PublicKeys {
  readonly keys: readonly object[]
}

/** The times for fetching and keeping keys, in milliseconds. */
export interface KeyTimes {
  /** For the whole answer of the provider. @default 5,000 */
  readonly timeout?: number
  /** Between two fetches for keys that are not known, and after one that failed. @default 30,000 */
  readonly cooldown?: number
  /** For which keys are used before they are fetched again. @default 600,000: ten minutes */
  readonly maxAge?: number
  /** For which old keys go on while the provider is away, beyond `maxAge`. @default 86,400,000: a day */
  readonly staleFor?: number
}

/** The source of keys for a token. */
export interface KeySource {
  find(header: JWTHeaderParameters, log: LogFailure): Promise<Key>
  /** Until when an answer that they gave may be remembered, by the clock of `now`. */
  until(now: number): number
}

type Key = Awaited<ReturnType<ReturnType<typeof createLocalJWKSet>>> | Uint8Array
/** Logs a provider's behaviour, without secrets. */
export type LogFailure = (event: string, record: Readonly<Record<string, unknown>>) => void

/**
 * The level of an event in the log. A client brings a refusal on itself; an account that a stranger may have made for
 * someone else is for the operator.
 */
export function levelFor(event: string, record: object): 'error' | 'info' {
  return event.endsWith('.refused') && !('account' in record) ? 'info' : 'error'
}

const MOST_BYTES = 256 * 1024
const MOST_KEYS = 100
const TEN_MINUTES = 600_000
/** Members of a private key (RFC 7518, 6.2.2, 6.3.2, 6.4), with which anyone can sign. */
const PRIVATE = ['d', 'k', 'priv']

export function isPrivateKey(key: object): boolean {
  return PRIVATE.some((member) => member in key)
}

/** Keys that the application itself gives. */
export function givenKeys(find: (header: JWTHeaderParameters) => Promise<Key>): KeySource {
  return { find, until: (now) => now + TEN_MINUTES }
}

/** @throws ConfigurationError one of them is private or symmetric, or there is none */
export function publicKeys(given: PublicKeys): KeySource {
  const usable = usableKeys(given)
  refuse(
    usable.length === 0 || usable.length > MOST_KEYS || usable.length < given.keys.length,
    '"jwks" must hold public keys, a hundred at most, and no private or symmetric ones. Give the public half of each: createPublicKey(key).',
  )
  return givenKeys(createLocalJWKSet({ keys: usable as never }))
}

/**
 * Keys at an address. They are fetched when a token first needs one, again when they are old, and when a token names one
 * that is not known, once in each cool-down. Requests share a fetch. `createRemoteJWKSet` of jose has no bound on bytes and
 * keys, forgets good keys while the provider is away, and has no cool-down after a failure.
 */
export class ProviderKeys implements KeySource {
  readonly #address: URL
  readonly #times: Required<KeyTimes>
  readonly #fetch: typeof fetch
  readonly #local: Published<ReturnType<typeof createLocalJWKSet>, LogFailure>

  constructor(address: URL, times: KeyTimes, network: typeof fetch, now: () => number) {
    this.#address = address
    this.#times = { timeout: 5000, cooldown: 30_000, maxAge: TEN_MINUTES, staleFor: DAY, ...times }
    this.#fetch = network
    this.#local = new Published(
      async () => createLocalJWKSet({ keys: (await this.#download()) as never }),
      (error, log) => {
        const reason = failedBecause(error)
        log('jwt.keys_unavailable', { address: address.href, reason })
      },
      this.#times,
      now,
    )
  }

  /**
   * @throws ServiceUnavailable (503) the provider is away, and the key may be one that it has
   * @throws JWKSNoMatchingKey the provider has no such key
   */
  async find(header: JWTHeaderParameters, log: LogFailure): Promise<Key> {
    const before = this.#local.fetched
    await this.#local.renew(log)
    try {
      return await this.#known(header)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // Keys that were fetched meanwhile are as new as this request.
      if (this.#local.fetched === before) await this.#local.fetch(log, true)
      if (this.#local.isAway) throw awayFor(this.#local.wait)
      return this.#known(header)
    }
  }

  /** While the provider is away, a key that it has taken back works no longer than its own keys. */
  until(now: number): number {
    return Math.max(this.#local.fetched + this.#times.maxAge, now + this.#times.cooldown)
  }

  async #known(header: JWTHeaderParameters): Promise<Key> {
    const find = this.#local.value
    if (find === null) throw awayFor(this.#local.wait)
    return find(header)
  }

  async #download(): Promise<readonly object[]> {
    const response = await this.#fetch(this.#address, {
      headers: { accept: 'application/jwk-set+json, application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#times.timeout),
    })
    const usable = usableKeys(await answerOf(response))
    if (usable.length === 0) throw new Error('no public keys')
    if (usable.length > MOST_KEYS) throw new Error(`more than ${MOST_KEYS} keys`)
    return usable
  }
}

const DAY = 86_400_000

/** The public keys of an answer. */
function usableKeys(given: unknown): readonly object[] {
  const { keys } = (given ?? {}) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys.filter(
    (key: unknown): key is object =>
      typeof key === 'object' && key !== null && !Array.isArray(key) && !isPrivateKey(key),
  )
}

/** The answer of a provider. @throws Error it has another form, or is too long */
export async function answerOf(response: Response): Promise<unknown> {
  const bytes = await bodyBytes(response)
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return JSON.parse(bytes.toString())
}

/** @throws Error there are too many */
export async function bodyBytes(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    // To leave the loop ends the connection.
    if (size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The provider is asked again in so many milliseconds. */
export function awayFor(milliseconds: number): ServiceUnavailable {
  return new ServiceUnavailable(Math.max(1, Math.ceil(milliseconds / 1000)))
}

/** The reason of a failure, without anything of the answer. */
export function failedBecause(error: unknown): string {
  if (error instanceof SyntaxError) return 'no JSON'
  const { name, message, cause } = error as Error
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : `${name}: ${message}`
}
