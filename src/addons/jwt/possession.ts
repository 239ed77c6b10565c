import { timingSafeEqual } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, compactVerify, importJWK } from 'jose'
import type { Incoming } from '../../core/ports/request.ts'
import { NotAuthenticated, stackless } from '../../core/errors/api-errors.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import type { JSONSchema } from '../../core/types/documents.ts'
import { isPrivateKey } from './keys.ts'
import { type Reason, type TokenRules, isOfType, readToken } from './token.ts'
import type { Claims } from './users.ts'

/** Options for proofs that a client has the key of a token (RFC 9449). */
export interface DPoPOptions {
  /** Takes tokens that are bound to nothing, too, while not all clients send proofs. @default false: they are refused */
  readonly optional?: boolean
  /** The algorithms of proofs. @default RS256, PS256, ES256, EdDSA, Ed25519 */
  readonly algorithms?: readonly string[]
  /** Seconds after its `iat` at which a proof is too old, beside `clockTolerance`. @default 60 */
  readonly maxAge?: number
  /** Each proof has to hold a text of this service (`DPoP-Nonce`), which is sealed, and good for five minutes. @default false */
  readonly nonce?: boolean
}

/** Options for tokens that are bound to a certificate of the client (RFC 8705). */
export interface CertificateOptions {
  /** Takes tokens that are bound to nothing, too. @default false: they are refused */
  readonly optional?: boolean
  /**
   * The certificate is what a proxy of `TRUSTED_PROXIES` says in the header `Client-Cert`: as RFC 9440 writes it, or PEM with
   * percent signs, as nginx does. The proxy must take the header of clients away. @default false: that of the connection
   */
  readonly fromProxy?: boolean
}

/** The checked rules of possession, with defaults. */
export interface PossessionRules {
  readonly dpop: Required<Omit<DPoPOptions, 'optional'>> | null
  readonly optional: boolean
  /** The fact of the connection that holds the certificate. */
  readonly certificate: 'CLIENT_CERT' | 'PROXY_CLIENT_CERT'
}

/** `cnf` of a token: the key or certificate to which it is bound, if any. */
interface Binding {
  readonly jkt?: string
  readonly 'x5t#S256'?: string
}

/** A token, and whether it came as DPoP. */
export interface Sent {
  readonly token: string
  readonly isDPoP: boolean
}

/** Why a token is refused, for the client and for the log. */
export interface Unproved {
  readonly error: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'
  readonly reason: Reason
}

const NONCE = 'dpop nonce'
const NONCE_LIFE = 300_000

/**
 * Asks the client for a nonce in its proofs (RFC 9449, 8), which all processes with the same secret know again. The answer
 * refuses no credentials, so it counts for no limit.
 */
export function nonceWanted(request: Incoming, now: number): NotAuthenticated {
  const headers = nonceFor(request, now)
  return stackless(() => new NotAuthenticated(null, null, headers))
}

function nonceFor({ seals }: Incoming, now: number): Readonly<Record<string, string>> {
  return { 'DPoP-Nonce': seals.seal(NONCE, String(now)) }
}

const PROOFS =
  'A token that is bound to a key comes as `DPoP`, each time with a new proof in the header `DPoP` (RFC 9449). '
const CERTIFICATES =
  'A token that is bound to a certificate counts on connections with this certificate (RFC 8705).'

const KEYS = 1000

/** Whether a request has what its token is bound to. */
export class Possession {
  readonly rules: PossessionRules
  /** Schemes of `Authorization` that are taken: DPoP alone, where each token is bound to a key. */
  readonly schemes: readonly string[]
  readonly #token: TokenRules
  /** Keys that tokens are bound to, as clients send them: each is read once. */
  readonly #keys = new BoundedMap<string, { readonly jkt: string; readonly key: CryptoKey }>(KEYS, {
    most: KEYS * 1024,
    of: (name) => name.length,
  })

  constructor(rules: PossessionRules, token: TokenRules) {
    this.rules = rules
    this.#token = token
    const isBearer = rules.dpop === null || rules.optional || token.bindings.length > 1
    this.schemes = [...(isBearer ? ['Bearer'] : []), ...(rules.dpop === null ? [] : ['DPoP'])]
  }

  /** For documents. */
  get facts(): JSONSchema {
    const first = this.schemes[0]!.toLowerCase()
    const proofs = this.rules.dpop === null ? '' : PROOFS
    const description = `${proofs}${this.#token.bindings.includes('x5t#S256') ? CERTIFICATES : ''}`
    return { scheme: first, description: description.trim() }
  }

  /** A nonce for the next proof, sent before the nonce of this proof is too old (RFC 9449, 8.2). */
  headersFor(request: Incoming): Readonly<Record<string, string>> {
    const isAsked = this.rules.dpop?.nonce && request.header('dpop') !== null
    return isAsked ? nonceFor(request, this.#token.now()) : {}
  }

  /**
   * Why the request proves no possession; `null`: it does. @throws ServiceUnavailable (503) a proof could come twice: the
   * counters are away
   */
  unproved({ cnf }: Claims, sent: Sent, request: Incoming): MaybePromise<Unproved | null> {
    const { jkt, 'x5t#S256': thumbprint } = (cnf ?? {}) as Binding
    if (thumbprint !== undefined && !this.#isOfCertificate(thumbprint, request))
      return wrongToken('bound to another certificate')
    if (sent.isDPoP)
      return jkt === undefined ? wrongToken('bound to no key') : this.#proof(jkt, sent, request)
    if (jkt !== undefined) return wrongToken('bound to a key, and sent as Bearer')
    return thumbprint !== undefined || this.rules.optional ? null : wrongToken('bound to nothing')
  }

  /** RFC 9449, 4.3. No signature is verified with a key that the token does not name, so that strangers cannot cause work. */
  async #proof(jkt: string, { token }: Sent, request: Incoming): Promise<Unproved | null> {
    const proof = request.header('dpop')
    const read = proof === null ? 'none' : readToken(proof)
    if (typeof read === 'string') return wrongProof(read)
    const { header, claims } = read
    const { algorithms } = this.rules.dpop!
    const wrong = problemOfProof(header, algorithms) ?? this.#problemOf(claims, token, request)
    if (wrong !== null) return wrongProof(wrong)
    if (!this.#hasNonce(claims['nonce'], request))
      return { error: 'use_dpop_nonce', reason: 'proof: nonce' }
    try {
      const key = await this.#keyOf(header, jkt)
      if (key === null) return wrongProof('key')
      await compactVerify(proof!, key, { algorithms: [...algorithms] })
    } catch {
      return wrongProof('signature')
    }
    return (await this.#isFirst(`${jkt} ${claims['jti'] as string}`, request))
      ? null
      : wrongProof('used before')
  }

  /** The key of a proof; `null`: the token is bound to another key. */
  async #keyOf({ jwk, alg }: Members, jkt: string): Promise<CryptoKey | null> {
    const name = JSON.stringify([alg, jwk])
    const known = this.#keys.get(name)
    if (known !== undefined) return isSame(known.jkt, jkt) ? known.key : null
    if (!isSame(await calculateJwkThumbprint(jwk as object), jkt)) return null
    const key = (await importJWK(jwk as object, alg as string)) as CryptoKey
    this.#keys.set(name, { jkt, key })
    return key
  }

  #problemOf(claims: Members, token: string, request: Incoming): Reason | null {
    const { htm, htu, iat, ath, jti } = claims
    const now = this.#token.now() / 1000
    const { clockTolerance } = this.#token
    if (htm !== request.method) return 'htm'
    if (!isAddress(htu, request.origin + request.path)) return 'htu'
    if (typeof iat !== 'number' || iat > now + clockTolerance) return 'iat'
    if (iat < now - this.rules.dpop!.maxAge - clockTolerance) return 'too old'
    if (typeof ath !== 'string' || !isSame(ath, digestOf(token))) return 'ath'
    return typeof jti === 'string' && jti !== '' && jti.length <= LONGEST_NAME ? null : 'jti'
  }

  #isOfCertificate(thumbprint: string, { environ }: Incoming): boolean {
    const certificate = certificateIn(environ[this.rules.certificate] ?? '')
    return certificate !== null && isSame(thumbprint, digestOf(certificate))
  }

  #hasNonce(nonce: unknown, { seals }: Incoming): boolean {
    if (!this.rules.dpop!.nonce) return true
    const made = typeof nonce === 'string' ? seals.unseal(NONCE, nonce) : null
    const age = this.#token.now() - Number(made ?? Number.NaN)
    return age < NONCE_LIFE && age >= -1000 * this.#token.clockTolerance
  }

  /** Counted where throttles are: processes that share counters take a proof once between them. */
  async #isFirst(name: string, { counters }: Incoming): Promise<boolean> {
    const seconds = Math.ceil(this.rules.dpop!.maxAge + 2 * this.#token.clockTolerance) + 1
    const key = `dpop_${digestOf(name)}`
    const limit = { key, limit: TRIES, seconds, cost: 1, algorithm: 'log' } as const
    const counted = await counters.hit([limit], { onStoreError: 'deny' })
    return counted!.standings[0]!.remaining === TRIES - 1
  }
}

type Members = Readonly<Record<string, unknown>>

/**
 * The limit of the counter of a proof, of which the first hit alone is accepted. With a limit of one, each proof would be a
 * client who has to wait. Such clients in memory are never forgotten, and once they filled it, all others would share one
 * counter, and be refused.
 */
const TRIES = 100
/** Characters of a `jti`. */
const LONGEST_NAME = 256
/** Characters of a modulus of 4,096 bits, and of an exponent of 32: others would cost too much to verify with. */
const LONGEST_MODULUS = 683
const LONGEST_EXPONENT = 6

function problemOfProof(header: Members, algorithms: readonly string[]): Reason | null {
  const { alg, typ, jwk } = header
  if (!isOfType(typ, 'dpop+jwt')) return 'typ'
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return 'algorithm'
  if (['crit', 'b64', 'enc', 'zip', 'cty'].some((name) => Object.hasOwn(header, name)))
    return 'header'
  return isPublicKey(jwk) ? null : 'jwk'
}

function isPublicKey(jwk: unknown): boolean {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk) || isPrivateKey(jwk))
    return false
  const { n = '', e = '' } = jwk as Members
  return String(n).length <= LONGEST_MODULUS && String(e).length <= LONGEST_EXPONENT
}

function isAddress(given: unknown, own: string): boolean {
  const address = typeof given === 'string' ? addressOf(given) : null
  return address !== null && address === addressOf(own)
}

/** Without query and fragment, in the one spelling of RFC 3986, 6.2.2; `null`: none that could be meant. */
function addressOf(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return null
  return url.origin + url.pathname.replace(/%[\da-f]{2}/gi, spelled)
}

function spelled(code: string): string {
  const letter = String.fromCharCode(parseInt(code.slice(1), 16))
  return /[\w.~-]/.test(letter) ? letter : code.toUpperCase()
}

const CERTIFICATE =
  /^(?::|-----BEGIN CERTIFICATE-----)([A-Za-z\d+/=\s]+)(?::|-----END CERTIFICATE-----)\s*$/

/** The bytes of a certificate (DER); `null`: the text is not a certificate. */
function certificateIn(text: string): Uint8Array | null {
  try {
    const [, code] = CERTIFICATE.exec(decodeURIComponent(text)) ?? []
    return code === undefined ? null : Buffer.from(code, 'base64')
  } catch {
    return null
  }
}

/** `ath` of a token (RFC 9449, 4.2), `x5t#S256` of a certificate in DER (RFC 8705, 3.1). */
function digestOf(what: string | Uint8Array): string {
  return sha256(what, 'base64url')
}

/** Takes as long for two that differ in the first character as in the last. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function wrongToken(reason: Reason): Unproved {
  return { error: 'invalid_token', reason }
}

function wrongProof(reason: Reason): Unproved {
  return { error: 'invalid_dpop_proof', reason: `proof: ${reason}` }
}
