import type { KeyObject } from 'node:crypto'
import type { Incoming } from '../../core/ports/request.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { toQuotedString } from '../../core/std/http/header-value.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { StandardSchema } from '../../core/types/standard-schema.ts'
import {
  type KeySource,
  type KeyTimes,
  ProviderKeys,
  type PublicKeys,
  givenKeys,
  publicKeys,
} from './keys.ts'
import { scopesOf } from './token.ts'
import { type Claims, claimsUser } from './users.ts'

/** What the scheme is made from. `issuer`, `audience`, and either `jwks` or `secret` are required. */
export interface JWTAuthenticationOptions<U extends object, C extends object> {
  /** `iss` of the tokens, exactly as the provider writes it, with or without a slash at the end. */
  readonly issuer: string
  /** What the provider calls this service: `aud` of its tokens has to have one of these. */
  readonly audience: string | readonly string[]
  /** The claim that names the audience: `client_id` for access tokens of Cognito, which have no `aud`. @default 'aud' */
  readonly audienceClaim?: string
  /** The keys of the provider: their address, or the public keys themselves. */
  readonly jwks?: string | URL | PublicKeys | KeyObject
  /** In place of `jwks`, for HS256, HS384 and HS512: a secret that the issuer shares, of 32, 48 or 64 bytes at least. */
  readonly secret?: string | Uint8Array
  /** @default RS256, PS256, ES256, EdDSA, Ed25519; with `secret` HS256 */
  readonly algorithms?: readonly string[]
  /** The only `typ` that is taken: `at+jwt` where the provider follows RFC 9068. @default none, `JWT` or `at+jwt` */
  readonly typ?: string
  /** Claims that must be there, beside `iss`, `aud`, `sub` and `exp`. @default none */
  readonly required?: readonly string[]
  /** What the claims must be: a schema of another library (standardschema.dev). It gives `auth.claims` its types. */
  readonly claims?: StandardSchema<unknown, C>
  /** The scopes of a token. @default those of `scope` or `scp`; none where it has neither */
  readonly scopes?: (claims: Claims & NoInfer<C>) => readonly string[]
  /**
   * Who the claims mean; `null`: no user of this service. Asked in each request. @default `claimsUser()`: without accounts
   */
  readonly user?: (
    claims: Claims & NoInfer<C>,
    request: Incoming,
  ) => MaybePromise<U | null | undefined>
  /** Seconds by which the clocks may differ. @default 30 */
  readonly clockTolerance?: number
  /** Seconds after `iat` at which a token is refused, although it has not expired. @default no limit beside `exp` */
  readonly maxTokenAge?: number
  /** How keys at an address are fetched and kept. */
  readonly keys?: KeyTimes
  /** Leaves what is no JWT, or one of another issuer, to the schemes behind this one. @default false: it is refused */
  readonly passOthers?: boolean
  /** The name of the protected area in the challenge. @default 'api' */
  readonly realm?: string
  /** The address of the metadata of this resource (RFC 9728), for the challenge. @default it is not in the challenge */
  readonly resourceMetadata?: string
  /** Takes an issuer and keys by http from other machines, where the network is your own. @default false */
  readonly allowHttp?: boolean
  /** @default that of Node */
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

export const OPTIONS: readonly string[] =
  'issuer audience audienceClaim jwks secret algorithms typ required claims scopes user clockTolerance maxTokenAge keys passOthers realm resourceMetadata allowHttp fetch now'.split(
    ' ',
  )

const PUBLIC_DEFAULT = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
const PUBLIC = [...PUBLIC_DEFAULT, 'RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512']
/** Bytes that the secret must have (RFC 7518, 3.2). */
const SHARED: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 }

/** The options with their defaults, as requests need them. */
export interface CheckedOptions<U extends object, C extends object> {
  readonly realm: string
  readonly resourceMetadata: string | null
  readonly passOthers: boolean
  readonly clockTolerance: number
  readonly now: () => number
  readonly typ: string | null
  readonly claims: StandardSchema<unknown, C> | null
  readonly scopes: (claims: Claims & C) => readonly string[]
  readonly user: (claims: Claims & C, request: Incoming) => MaybePromise<U | null | undefined>
  readonly keySource: KeySource
  readonly audience: readonly string[]
  readonly audienceClaim: string
  readonly verify: {
    readonly issuer: string
    readonly algorithms: string[]
    readonly clockTolerance: number
    readonly requiredClaims: string[]
    readonly maxTokenAge?: number
  }
}

/** The options with their defaults. @throws ConfigurationError one is missing or unsafe */
export function checkedOptions<U extends object, C extends object>(
  options: JWTAuthenticationOptions<U, C>,
): CheckedOptions<U, C> {
  const { issuer, realm = 'api', resourceMetadata = null, passOthers = false } = options
  const { clockTolerance = 30, maxTokenAge, required = [], now = Date.now } = options
  const { audienceClaim = 'aud' } = options
  refuse(!isText(issuer), '"issuer" is missing. Set it to "iss" of the tokens.')
  refuse(
    !isSafe(URL.parse(issuer), options),
    `"issuer" is ${JSON.stringify(issuer)}. It must begin with https://. For a provider in your own network, set allowHttp: true.`,
  )
  const audience = [options.audience].flat()
  refuse(
    audience.length === 0 || !audience.every(isText),
    '"audience" is missing. Without it a token that the provider made for another service would be valid here. Set it to the name that the provider has for this API.',
  )
  const numbers = { clockTolerance, maxTokenAge: maxTokenAge ?? 0, ...options.keys }
  for (const [name, value] of Object.entries(numbers))
    refuse(!(value >= 0 && Number.isFinite(value)), `"${name}" must be a number of at least 0.`)
  const texts = [realm, resourceMetadata ?? '']
  refuse(
    texts.some((text) => typeof text !== 'string' || toQuotedString(text) === null),
    '"realm" and "resourceMetadata" must be printable ASCII.',
  )
  const algorithms = algorithmsOf(options)
  return {
    realm,
    resourceMetadata,
    passOthers,
    clockTolerance,
    now,
    typ: options.typ ?? null,
    claims: options.claims ?? null,
    scopes: options.scopes ?? scopesOf,
    user: options.user ?? (claimsUser() as unknown as CheckedOptions<U, C>['user']),
    keySource: keySourceOf(options, algorithms),
    audience,
    audienceClaim,
    verify: {
      issuer,
      algorithms,
      clockTolerance,
      requiredClaims: ['exp', 'sub', ...required],
      ...(maxTokenAge !== undefined && { maxTokenAge }),
    },
  }
}

type Options = Pick<
  JWTAuthenticationOptions<object, object>,
  'jwks' | 'secret' | 'algorithms' | 'keys' | 'allowHttp' | 'fetch' | 'now'
>

/** A public key must never be taken for a secret: either kind has its own algorithms. */
function algorithmsOf({ jwks, secret, algorithms }: Options): string[] {
  refuse(
    (jwks === undefined) === (secret === undefined),
    'it needs either "jwks", the keys of the provider, or "secret", and not both.',
  )
  const possible = secret === undefined ? PUBLIC : Object.keys(SHARED)
  const all = algorithms ?? (secret === undefined ? PUBLIC_DEFAULT : ['HS256'])
  refuse(all.length === 0, '"algorithms" is empty. Leave it out, or name those of the provider.')
  const wrong = all.find((each) => !possible.includes(each))
  refuse(
    wrong !== undefined,
    `"algorithms" has ${JSON.stringify(wrong)}. With "${secret === undefined ? 'jwks' : 'secret'}" there are ${possible.join(', ')}.`,
  )
  return [...all]
}

function keySourceOf(options: Options, algorithms: readonly string[]): KeySource {
  const { jwks, secret } = options
  if (secret !== undefined) return sharedSecret(secret, algorithms)
  if (typeof jwks === 'string' || jwks instanceof URL) return atAddress(String(jwks), options)
  if (!('export' in jwks!)) return publicKeys(jwks!)
  refuse(jwks.type !== 'public', '"jwks" is a private key. Give its public half: createPublicKey.')
  return publicKeys({ keys: [jwks.export({ format: 'jwk' })] })
}

function sharedSecret(secret: string | Uint8Array, algorithms: readonly string[]): KeySource {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
  const most = Math.max(...algorithms.map((each) => SHARED[each]!))
  refuse(
    !(bytes instanceof Uint8Array) || bytes.length < most,
    `"secret" has less than the ${most} bytes that ${algorithms.join(', ')} needs. Make a longer one: colophon secret.`,
  )
  return givenKeys(async () => bytes)
}

function atAddress(text: string, options: Options): KeySource {
  const url = URL.parse(text)
  refuse(
    url === null || !isSafe(url, options) || url.username !== '',
    '"jwks" must be an address that begins with https://, without a password. For a provider in your own network, set allowHttp: true. A key in PEM goes through createPublicKey(pem).',
  )
  const { keys = {}, fetch: network = fetch, now = Date.now } = options
  return new ProviderKeys(url!, keys, network, now)
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

function isSafe(url: URL | null, { allowHttp = false }: Options): boolean {
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && (allowHttp || LOOPBACK.test(url.hostname))
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function refuse(isWrong: boolean, problem: string): void {
  if (isWrong) throw new ConfigurationError(`JWTAuthentication: ${problem}`)
}
