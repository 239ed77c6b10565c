import type { KeyObject } from 'node:crypto'
import type { Incoming } from '../../core/ports/request.ts'
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
import {
  JWT,
  isSafe,
  isSomeText,
  refuse,
  refuseNumbers,
  refusePasswordIn,
  safeAddress,
} from './option-checks.ts'
import { type CertificateOptions, type DPoPOptions, Possession } from './possession.ts'
import { SignedTokens, type TokenJudge, type TokenRules, scopesOf } from './token.ts'
import { type Claims, claimsUser } from './users.ts'

/** The common options of schemes for a provider's tokens. `issuer` and `audience` are required. */
export interface ProviderOptions<U extends object, C extends object> {
  /** `iss` of the tokens, exactly as the provider writes it, with or without a slash at the end. */
  readonly issuer: string
  /** The provider's names for this service: `aud` of its tokens must contain one of these. */
  readonly audience: string | readonly string[]
  /** The claim that names the audience: `client_id` for access tokens of Cognito, which have no `aud`. @default 'aud' */
  readonly audienceClaim?: string
  /** Claims that must be there, beside `iss`, `aud`, `sub` and `exp`. @default none */
  readonly required?: readonly string[]
  /** A schema for the claims from another library (standardschema.dev). It gives `auth.claims` its types. */
  readonly claims?: StandardSchema<unknown, C>
  /** The scopes of a token. @default those of `scope` or `scp`; none where it has neither */
  readonly scopes?: (claims: Claims & NoInfer<C>) => readonly string[]
  /**
   * The user that the claims mean; `null`: none here. Asked in each request. @default `claimsUser()`: without accounts
   */
  readonly user?: (
    claims: Claims & NoInfer<C>,
    request: Incoming,
  ) => MaybePromise<U | null | undefined>
  /** Seconds by which the clocks may differ. @default 30 */
  readonly clockTolerance?: number
  /** Seconds after `iat` at which a token is refused, although it has not expired. @default no limit beside `exp` */
  readonly maxTokenAge?: number
  /** Leaves tokens of another kind, or of another issuer, to the schemes behind this one. @default false: they are refused */
  readonly passOthers?: boolean
  /** The name of the protected area in the challenge. @default 'api' */
  readonly realm?: string
  /** The address of the metadata of this resource (RFC 9728), for the challenge. @default it is not in the challenge */
  readonly resourceMetadata?: string
  /**
   * `true`: each token is bound to a key of the client, and each request proves that it has the key (RFC 9449). @default
   * tokens that are bound to a key are refused
   */
  readonly dpop?: boolean | DPoPOptions
  /**
   * `true`: each token is bound to a certificate of the client, by which the connection was made (RFC 8705); behind a proxy of
   * `TRUSTED_PROXIES` to that of its header `Client-Cert` (RFC 9440). @default tokens that are bound to one are refused
   */
  readonly certificate?: boolean | CertificateOptions
  /** Allows http to other machines, for a network of your own. @default false */
  readonly allowHttp?: boolean
  /** @default that of Node */
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** Options of the scheme for signed tokens: either `jwks` or `secret` is required. */
export interface JWTAuthenticationOptions<
  U extends object,
  C extends object,
> extends ProviderOptions<U, C> {
  /** The keys of the provider: their address, or the public keys themselves. */
  readonly jwks?: string | URL | PublicKeys | KeyObject
  /** For HS256, HS384 and HS512 instead of `jwks`: a secret shared with the issuer, of at least 32, 48 or 64 bytes. */
  readonly secret?: string | Uint8Array
  /** @default RS256, PS256, ES256, EdDSA, Ed25519; with `secret` HS256 */
  readonly algorithms?: readonly string[]
  /** The only accepted `typ`: `at+jwt` if the provider follows RFC 9068. @default none, `JWT` or `at+jwt` */
  readonly typ?: string
  /** The times for fetching and keeping keys at an address. */
  readonly keys?: KeyTimes
}

const COMMON_OPTIONS =
  'issuer audience audienceClaim required claims scopes user clockTolerance maxTokenAge passOthers realm resourceMetadata dpop certificate allowHttp fetch now'

export const JWT_OPTIONS: readonly string[] =
  `${COMMON_OPTIONS} jwks secret algorithms typ keys`.split(' ')
export const INTROSPECTION_OPTIONS: readonly string[] =
  `${COMMON_OPTIONS} endpoint client rememberFor timeout cooldown`.split(' ')

const PUBLIC_DEFAULT: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
export const ALGORITHMS: readonly string[] = [
  ...PUBLIC_DEFAULT,
  'RS384',
  'RS512',
  'PS384',
  'PS512',
  'ES384',
  'ES512',
]
/** Bytes that the secret must have (RFC 7518, 3.2). */
const SHARED: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 }

/** The options with their defaults, as requests need them. */
export interface CheckedOptions<U extends object, C extends object> {
  readonly realm: string
  readonly resourceMetadata: string | null
  readonly passOthers: boolean
  readonly claims: StandardSchema<unknown, C> | null
  readonly scopes: (claims: Claims & C) => readonly string[]
  readonly user: (claims: Claims & C, request: Incoming) => MaybePromise<U | null | undefined>
  readonly rules: TokenRules
}

/** The options with their defaults. @throws ConfigurationError one is missing or unsafe */
export function checkedOptions<U extends object, C extends object>(
  scheme: string,
  options: ProviderOptions<U, C>,
): CheckedOptions<U, C> {
  const { realm = 'api', resourceMetadata = null, passOthers = false } = options
  refuse(
    [realm, resourceMetadata ?? ''].some(
      (text) => typeof text !== 'string' || toQuotedString(text) === null,
    ),
    '"realm" and "resourceMetadata" must be printable ASCII.',
    scheme,
  )
  refusePasswordIn({ issuer: options.issuer, resourceMetadata }, scheme)
  return {
    realm,
    resourceMetadata,
    passOthers,
    claims: options.claims ?? null,
    scopes: options.scopes ?? scopesOf,
    user: options.user ?? (claimsUser() as unknown as CheckedOptions<U, C>['user']),
    rules: rulesOf(scheme, options),
  }
}

type RuleOptions = Pick<
  ProviderOptions<object, object>,
  Exclude<keyof TokenRules, 'bindings'> | 'allowHttp' | 'certificate' | 'dpop'
>

function rulesOf(scheme: string, options: RuleOptions): TokenRules {
  const { issuer, audienceClaim = 'aud', required = [], now = Date.now } = options
  const { clockTolerance = 30, maxTokenAge = Infinity } = options
  refuse(!isSomeText(issuer), '"issuer" is missing. Set it to "iss" of the tokens.', scheme)
  refuse(
    !isSafe(URL.parse(issuer), options),
    '"issuer" must begin with https://. For a provider in your own network, set allowHttp: true.',
    scheme,
  )
  const audience = [options.audience].flat()
  refuse(
    audience.length === 0 || !audience.every(isSomeText),
    '"audience" is missing. Without it a token that the provider made for another service would be valid here. Set it to the name that the provider has for this API.',
    scheme,
  )
  refuseNumbers(scheme, { clockTolerance, ...(maxTokenAge !== Infinity && { maxTokenAge }) })
  const { dpop = false, certificate = false } = options
  const bindings = [...(dpop ? ['jkt'] : []), ...(certificate ? ['x5t#S256'] : [])]
  return { issuer, audience, audienceClaim, required, clockTolerance, maxTokenAge, bindings, now }
}

const DPOP_OPTIONS = ['optional', 'algorithms', 'maxAge', 'nonce']

/** `null`: tokens are bound to nothing. @throws ConfigurationError an option is wrong */
export function possessionOf(
  scheme: string,
  options: Pick<RuleOptions, 'certificate' | 'dpop'>,
  token: TokenRules,
): Possession | null {
  if (token.bindings.length === 0) return null
  const { dpop = false, certificate = false } = options
  const given = typeof dpop === 'object' ? dpop : {}
  const { algorithms = PUBLIC_DEFAULT, maxAge = 60, nonce = false } = given
  const wrong = [
    ...Object.keys(given).filter((name) => !DPOP_OPTIONS.includes(name)),
    ...algorithms.filter((each) => !ALGORITHMS.includes(each)),
  ]
  refuse(
    wrong.length > 0 || algorithms.length === 0,
    `"dpop" has ${wrong[0] ?? 'no algorithm'}. There are ${DPOP_OPTIONS.join(', ')}, and the algorithms ${ALGORITHMS.join(', ')}: keys of proofs are public.`,
    scheme,
  )
  refuseNumbers(scheme, { 'dpop.maxAge': maxAge })
  const { optional, fromProxy } = typeof certificate === 'object' ? certificate : {}
  const rules = {
    dpop: dpop === false ? null : { algorithms, maxAge, nonce },
    optional: given.optional === true || optional === true,
    certificate: fromProxy === true ? 'PROXY_CLIENT_CERT' : 'CLIENT_CERT',
  } as const
  return new Possession(rules, token)
}

/** @throws ConfigurationError keys or algorithms are missing or unsafe */
export function signedTokens(
  options: Options & { readonly typ?: string },
  rules: TokenRules,
): TokenJudge {
  refuseNumbers(JWT, options.keys ?? {})
  const algorithms = algorithmsOf(options)
  const keys = keySourceOf(options, algorithms)
  return new SignedTokens(rules, { keys, algorithms, typ: options.typ ?? null })
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
  const possible = secret === undefined ? ALGORITHMS : Object.keys(SHARED)
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
  const pem = ' A key in PEM goes through createPublicKey(pem).'
  const url = safeAddress('jwks', text, options, JWT, pem)
  const { keys = {}, fetch: network = fetch, now = Date.now } = options
  return new ProviderKeys(url, keys, network, now)
}
