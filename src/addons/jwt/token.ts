import {
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  errors,
  jwtVerify,
} from 'jose'
import { ServiceUnavailable } from '../../core/errors/api-errors.ts'
import { repeatedName } from '../../core/std/json/repeated-name.ts'
import type { KeySource, LogFailure } from './keys.ts'
import type { Claims } from './users.ts'

/** The rules for every token, with times in seconds. */
export interface TokenRules {
  readonly issuer: string
  readonly audience: readonly string[]
  readonly audienceClaim: string
  readonly required: readonly string[]
  readonly clockTolerance: number
  readonly maxTokenAge: number
  /** Members of `cnf` that are checked: a token that is bound to anything else is refused. */
  readonly bindings: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Decides what a token says. */
export interface TokenJudge {
  /** Does it ask the provider about each new token? */
  readonly isCostly: boolean
  /** Could it be one of this issuer? Nothing is proved. */
  isOurs(token: string): boolean
  /** @throws ServiceUnavailable (503) it cannot be decided now */
  judge(token: string, log: LogFailure): Promise<Claims | Reason>
  /** The time until which its decision may be remembered, by the clock of `now`. */
  until(now: number): number
}

/** The further rules for signed tokens. */
export interface SignatureRules {
  readonly keys: KeySource
  readonly algorithms: readonly string[]
  /** `null`: none, or an ordinary one. */
  readonly typ: string | null
}

/** Tokens that prove themselves by a signature (RFC 7519, RFC 8725, RFC 9068). */
export class SignedTokens implements TokenJudge {
  readonly isCostly = false
  readonly #rules: TokenRules
  readonly #signatures: SignatureRules

  constructor(rules: TokenRules, signatures: SignatureRules) {
    this.#rules = rules
    this.#signatures = signatures
  }

  isOurs(token: string): boolean {
    const read = readToken(token)
    return typeof read !== 'string' && read.claims['iss'] === this.#rules.issuer
  }

  until(now: number): number {
    return this.#signatures.keys.until(now)
  }

  async judge(token: string, log: LogFailure): Promise<Claims | Reason> {
    const read = readToken(token)
    if (typeof read === 'string') return read
    const problem = problemOfHeader(read.header, this.#signatures)
    if (problem !== null) return problem
    try {
      return await this.#verified(token, log)
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw error
      return reasonOf(error)
    }
  }

  async #verified(token: string, log: LogFailure): Promise<Claims | Reason> {
    const { issuer, required, clockTolerance, maxTokenAge, now } = this.#rules
    const { keys, algorithms } = this.#signatures
    const find: JWTVerifyGetKey = async (header) => keys.find(header, log)
    const payload = await verified(token, find, {
      issuer,
      algorithms: [...algorithms],
      clockTolerance,
      requiredClaims: ['exp', 'sub', ...required],
      currentDate: new Date(now()),
      ...(maxTokenAge < Infinity && { maxTokenAge }),
    })
    return problemOfClaims(payload, this.#rules) ?? (payload as unknown as Claims)
  }
}

/**
 * The claims of a token that is signed by one of the keys: where several fit alike, each of them is tried.
 *
 * @throws JOSEError it is not, or a claim is wrong
 */
export async function verified(
  token: string,
  find: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, find, options)).payload
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return verifiedByOne(error, token, options)
    throw error
  }
}

/** Tries keys that fit alike: without a `kid`, or where several have it. */
async function verifiedByOne(
  fitting: FittingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let tried = 0
  for await (const key of fitting) {
    if (++tried > MOST_TRIED) throw fitting
    try {
      return (await jwtVerify(token, key, options)).payload
    } catch (error) {
      if (isAboutClaims(error)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

type FittingKeys = InstanceType<typeof errors.JWKSMultipleMatchingKeys>
/** A stranger causes that many checks of a signature by one token. */
const MOST_TRIED = 4

/** Then the signature was right. */
function isAboutClaims(error: unknown): boolean {
  return error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed
}

/** The reason that a client sees for an expired token. */
export const EXPIRED = 'expired'

/** The kind of an error of jose. The rest of the error is dropped, because it has the claims. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof errors.JWTExpired) return EXPIRED
  if (error instanceof errors.JWTClaimValidationFailed) return `claim ${error.claim}`
  if (error instanceof errors.JWKSNoMatchingKey) return 'no key of the provider has this kid'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'several keys fit'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  return error instanceof errors.JOSEError ? error.code : 'the key does not fit'
}

/** Longer ones are refused before anything else is done with them. */
export const LONGEST_TOKEN = 8192
/** A JWS in its compact form (RFC 7515, 7.1); an encrypted token has five parts. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Does it look like a token that is signed? */
export function isSignedToken(token: string): boolean {
  return COMPACT.test(token)
}

type Members = Readonly<Record<string, unknown>>

/** The parts of a token, before any of them is proved. */
interface ReadToken {
  readonly header: Members
  readonly claims: Members
}

/** Why a token is refused, for the log; it shows nothing of the token. */
export type Reason = string

/** Reads a token, or gives the reason why it is invalid. A repeated member is ambiguous (RFC 8725, 2.7), so it is refused. */
export function readToken(token: string): ReadToken | Reason {
  if (token.length > LONGEST_TOKEN) return 'too long'
  if (!COMPACT.test(token)) return 'no signed token'
  const [first = '', second = '', signature = ''] = token.split('.')
  // Bits that decoding drops would let one signature be written in several ways.
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return 'signature'
  const header = membersOf(first)
  const claims = membersOf(second)
  if (header === null) return 'header'
  return claims === null ? 'claims' : { header, claims }
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function membersOf(part: string): Members | null {
  try {
    const text = STRICT.decode(Buffer.from(part, 'base64url'))
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && repeatedName(text, value) === null ? (value as Members) : null
  } catch {
    // No UTF-8, no JSON, or nested too deep.
    return null
  }
}

/** The types of tokens that are taken by default: an ID token of OpenID Connect and a logout token have others. */
const ORDINARY = ['jwt', 'at+jwt']
/** These change the scope of a signature (`b64`, `crit`), bring a key along (`jwk`), or hide the content (`enc`, `zip`). */
const REFUSED = ['crit', 'b64', 'jwk', 'enc', 'zip']

/**
 * The problem with the header of a token; `null`: none. `jku`, `x5u` and `x5c`, with which a token names keys of its own, are
 * never read.
 */
function problemOfHeader(header: Members, { algorithms, typ }: SignatureRules): Reason | null {
  const { alg, kid, cty } = header
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'algorithm'
  const member = REFUSED.find((name) => Object.hasOwn(header, name))
  if (member !== undefined) return `header ${member}`
  if (kid !== undefined && typeof kid !== 'string') return 'header kid'
  // A token within a token (RFC 7519, 5.2).
  if (cty !== undefined) return 'header cty'
  return isOfType(header['typ'], typ) ? null : 'header typ'
}

export function isOfType(given: unknown, wanted: string | null): boolean {
  if (given === undefined) return wanted === null
  if (typeof given !== 'string') return false
  const type = mediaType(given)
  return wanted === null ? ORDINARY.includes(type) : type === mediaType(wanted)
}

/** `application/` may be left out (RFC 7515, 4.1.9). */
function mediaType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}

/** The problem with claims whose issuer and times are right; `null`: none. */
export function problemOfClaims(
  claims: Members,
  { audience, audienceClaim, bindings, clockTolerance, now }: TokenRules,
): Reason | null {
  const { sub, iat, exp, cnf } = claims
  const meant = [claims[audienceClaim]].flat()
  if (!meant.some((each) => typeof each === 'string' && audience.includes(each)))
    return `claim ${audienceClaim}`
  if (typeof sub !== 'string' || sub === '' || sub.length > LONGEST_SUBJECT) return 'claim sub'
  if (typeof exp !== 'number' || exp > LAST_SECOND) return 'claim exp'
  const latest = now() / 1000 + clockTolerance
  if (iat !== undefined && (typeof iat !== 'number' || iat > latest)) return 'claim iat'
  return cnf === undefined || isBinding(cnf, bindings) ? null : 'claim cnf'
}

/** Is all checked that it is bound to? A key of the client (RFC 9449), a certificate (RFC 8705). */
function isBinding(cnf: unknown, known: readonly string[]): boolean {
  if (typeof cnf !== 'object' || cnf === null) return false
  const members = Object.entries(cnf)
  const isKnown = ([name, value]: readonly [string, unknown]): boolean =>
    known.includes(name) && typeof value === 'string' && THUMBPRINT.test(value)
  return members.length > 0 && members.every(isKnown)
}

/** SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/

/** The last second that a `Date` can hold. */
const LAST_SECOND = 8_640_000_000_000
/** OpenID Connect Core 1.0, 2. */
const LONGEST_SUBJECT = 255

/** The scopes in `scope` (RFC 9068) or `scp`, a text with spaces or a list of texts. */
export function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp ?? []
  const all = typeof given === 'string' ? given.split(' ') : given
  if (!Array.isArray(all)) return []
  return all.filter((each): each is string => typeof each === 'string' && each !== '')
}
