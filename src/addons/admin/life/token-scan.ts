import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { Endpoint, Group } from '../../../core/app/group.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { PermissionDenied, ServiceUnavailable } from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'
import { JSONParser } from '../../../core/parsing/json.ts'
import type { Behaviour } from '../../../core/ports/kernel.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { uncached } from '../../../core/replies/reply.ts'
import { isSigned, sha256 } from '../../../core/secrets/digest.ts'
import type { HasRoutes } from '../../../core/types/routes.ts'
import type { TypedSettings } from '../../../core/types/typed-settings.ts'
import { many } from '../../../resources/serializers/derive.ts'
import { field, serializer } from '../../../resources/serializers/serializer.ts'

/** The scanner that reports leaked tokens. */
export interface TokenScanOptions {
  readonly accounts: Accounts
  /** The address of the scanner's keys. @default those of GitHub's secret scanning */
  readonly keys?: string
  /** `Authorization` of the request for the keys, such as `Bearer` with a token of GitHub, for a higher limit. @default none */
  readonly authorization?: string
  /** @default the one of the platform */
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

const GITHUB = 'https://api.github.com/meta/public_keys/secret_scanning'
/** In characters. */
const LONGEST_ANSWER = 256 * 1024
const TIMEOUT = 5000
const COOLDOWN = 30_000
const HOUR = 3_600_000
/** The time for which known keys stay valid while the scanner cannot be reached. */
const DAY = 24 * HOUR
const IDENTIFIER = /^[\w-]{1,128}$/
/** An ECDSA signature in DER, in base64: two numbers of 256 bits. */
const SIGNATURE = /^[A-Za-z0-9+/]{80,100}={0,2}$/
const LONGEST_KEY = 3000

/** The address for reports. Take it into your own with `...tokenScanUrls`. */
export const tokenScanUrls = { 'token-scan': '/token-scan/' } as const

/** Name of the address that reports need: `tokenScanUrls` has it. */
export type TokenScanRoute = keyof typeof tokenScanUrls

/**
 * Takes reports of a scanner that has found tokens in public, as of GitHub's secret scanning: a POST of JSON, signed with ECDSA
 * on P-256 over the raw body (`Github-Public-Key-Identifier`, `Github-Public-Key-Signature`). Each known token ends at once, a
 * refresh token with its family; listeners of `token.leaked` tell the owner. The answer says of each token, by its SHA-256,
 * whether it was made here. A wrong signature gets a 403, and nothing is looked up.
 *
 * @example
 * accounts.events.on('token.leaked', ({ user, url }) => mail.send(leakedMail(user, url)))
 * const api = defineApi({ urls: defineUrls({ ...tokenScanUrls }), accounts })
 * export default api.serve([...tokenScan(api, { accounts })])
 *
 * @throws ConfigurationError the address of the keys is not one of HTTPS
 */
export function tokenScan<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, TokenScanRoute>,
  options: TokenScanOptions,
): readonly Endpoint<never>[] {
  const group = api as unknown as Group<TypedSettings, Record<string, string>>
  const signed = { mediaType: 'application/json', parse: (bytes: Uint8Array) => bytes }
  const own = { authentication: [], permissions: [], parsers: [signed], versioning: null }
  return [group.endpoint('token-scan', own).post(reports(options))]
}

function reports(options: TokenScanOptions): Behaviour<ApiRequest> {
  const keys = new ScannerKeys(options)
  return {
    policy: { DEFAULT_RENDERER_CLASSES: ['JSONRenderer'] },
    operation: () => ({
      summary: 'Report tokens that were found in public',
      body: { type: 'array', items: { type: 'object', properties: FOUND, required: ['token'] } },
      answers: [{ status: 200, schema: { type: 'array', items: { type: 'object' } } }],
      errors: [
        { status: 400, codes: ['invalid', 'parse_error'] },
        { status: 403, codes: ['permission_denied'] },
        { status: 503, codes: ['unavailable'] },
      ],
    }),
    async handle(request) {
      const found = await foundIn(await signedBody(request, keys), request)
      const { tokens } = options.accounts.by({ user: null, requestId: request.id })
      const answers = await Array.fromAsync(found, async ({ token, type, url }) => {
        const key = token.trim()
        const isPossible = key !== '' && key.length <= LONGEST_KEY && isKeepable(key)
        const { isOurs } = isPossible ? await tokens.leaked(key, url) : { isOurs: false }
        const label = isOurs ? 'true_positive' : 'false_positive'
        return { token_hash: sha256(token), token_type: type, label }
      })
      return uncached(answers)
    },
  }
}

const TEXT = { type: 'string' }
const FOUND = { token: TEXT, type: TEXT, url: TEXT, source: TEXT }
const JSON_TYPE = { type: 'application/json', parameters: {} }
/** The most entries of a report. */
const MOST = 10_000
/** In characters; a longer type is cut. */
const LONGEST_TYPE = 200
const LONGEST_URL = 2000
const report = many(serializer({ token: field.text() }, { name: 'FoundToken' }), {
  maxLength: MOST,
})

interface Found {
  /** The token as the report has it. */
  readonly token: string
  readonly type: string
  readonly url: string
}

/**
 * A malformed entry must not save other tokens: the person who publishes a token chooses the path of its file.
 *
 * @throws ValidationError (400) the body is not a list, or no entry has a token
 */
async function foundIn(body: unknown, request: ApiRequest): Promise<readonly Found[]> {
  const found = (Array.isArray(body) ? body : []).map((each: unknown) => {
    const { token, type, url } = Object(each) as Readonly<Record<string, unknown>>
    return {
      token: textOf(token),
      type: cleaned(textOf(type).slice(0, LONGEST_TYPE)),
      url: cleaned(textOf(url).slice(0, LONGEST_URL)),
    }
  })
  const isOdd = found.length > MOST || found.every(({ token }) => token === '')
  if (isOdd) await report.parse(body, request)
  return found
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const isKeepable = (text: string): boolean => cleaned(text) === text
/** The text in a form that every database can keep. */
const cleaned = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** The body of a signed report. @throws PermissionDenied (403) the scanner did not sign it */
async function signedBody(request: ApiRequest, keys: ScannerKeys): Promise<unknown> {
  const identifier = request.header('github-public-key-identifier') ?? ''
  const signature = request.header('github-public-key-signature') ?? ''
  const isPossible = IDENTIFIER.test(identifier) && SIGNATURE.test(signature)
  const key = isPossible ? await keys.find(identifier) : null
  const body = key === null ? null : await request.body()
  if (body instanceof Uint8Array && isSigned(body, { key: key!, signature }))
    return new JSONParser().parse(body, JSON_TYPE)
  await request.guesses?.wrong()
  throw new PermissionDenied(Message.of('permission_denied.signature'))
}

/** The scanner's keys, fetched when a report names one and they are an hour old, and for unknown keys once in a cool-down. */
class ScannerKeys {
  readonly #address: URL
  readonly #options: TokenScanOptions
  readonly #now: () => number
  #keys: ReadonlyMap<string, string> = new Map()
  #fetched = -Infinity
  #tried = -Infinity
  #pending: Promise<void> | null = null

  constructor(options: TokenScanOptions) {
    const { keys = GITHUB, now = Date.now } = options
    const address = URL.parse(keys)
    if (address?.protocol !== 'https:')
      throw new ConfigurationError(
        `tokenScan: "keys" is ${JSON.stringify(keys)}. It must be an address that begins with "https:".`,
      )
    this.#address = address
    this.#options = options
    this.#now = now
  }

  /** `null`: the scanner has no such key. @throws ServiceUnavailable (503) the scanner cannot be reached, and may have it */
  async find(identifier: string): Promise<string | null> {
    if (!this.#keys.has(identifier) || this.#age >= HOUR) await this.#refresh()
    if (this.#age >= DAY) throw new ServiceUnavailable(COOLDOWN / 1000)
    return this.#keys.get(identifier) ?? null
  }

  get #age(): number {
    return Math.abs(this.#now() - this.#fetched)
  }

  async #refresh(): Promise<void> {
    if (this.#pending !== null) return this.#pending
    if (Math.abs(this.#now() - this.#tried) < COOLDOWN) return
    this.#tried = this.#now()
    this.#pending = this.#load()
    await this.#pending
  }

  async #load(): Promise<void> {
    const { fetch: network = fetch, authorization, accounts } = this.#options
    try {
      const response = await network(this.#address, {
        headers: { accept: 'application/json', ...(authorization && { authorization }) },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT),
      })
      this.#keys = await keysIn(response)
      this.#fetched = this.#now()
    } catch (error) {
      accounts.events.error('token_scan.keys_unavailable', error)
    } finally {
      this.#pending = null
    }
  }
}

/** The keys in PEM, by name. @throws Error the answer has no keys, or is too long */
async function keysIn(response: Response): Promise<ReadonlyMap<string, string>> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>)
    if ((text += decoder.decode(chunk, { stream: true })).length > LONGEST_ANSWER) break
  const { public_keys: all } = Object(response.ok ? JSON.parse(text) : null) as {
    readonly public_keys?: unknown
  }
  const keys = (Array.isArray(all) ? all : []).flatMap((each: unknown) => {
    const { key_identifier: name, key } = Object(each) as Readonly<Record<string, unknown>>
    return typeof name === 'string' && typeof key === 'string' ? [[name, key] as const] : []
  })
  if (keys.length === 0) throw new Error(`${response.status} and no public keys`)
  return new Map(keys)
}
