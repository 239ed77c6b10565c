import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  timingSafeEqual,
} from 'node:crypto'
import { BoundedMap } from '../bounded-map.ts'
import { deriveKey } from './keys.ts'

const VERSION = 'v2.'
const CIPHER = 'aes-256-ctr'
const TAG = 16

/** `first`: the key of the form before this one, for texts that are still kept in it. */
const PURPOSES = {
  tokens: { mac: 'token seal: mac', cipher: 'token seal: cipher', first: 'token seal' },
  texts: { mac: 'sealed texts: mac', cipher: 'sealed texts: cipher', first: null },
} as const

/** Characters that are remembered each way, about a mebibyte. */
const REMEMBERED = 1024 * 1024
const BOUND = { most: REMEMBERED, of: (one: string, other: string) => one.length + other.length }

/** The keys that one secret gives. */
interface Keys {
  readonly mac: KeyObject
  readonly cipher: KeyObject
  readonly first: KeyObject | null
}

/**
 * Encrypts texts so that only this service can make and read them, and only in the same context. It seals
 * with the first of the secrets; what any of them sealed still opens. The same text in the same context
 * always gives the same sealed text, so pages with cursors can be cached.
 *
 * SIV, the synthetic IV of Rogaway and Shrimpton ("Deterministic Authenticated-Encryption", 2006), from
 * HMAC-SHA-256 and AES-256-CTR: the first 16 bytes of the HMAC of context and text are both the tag and
 * the initialisation vector. It needs no nonce, so none can come twice: under one key of AES-GCM random
 * nonces are good for 2³² texts, which a busy service seals within a month. RFC 5297 builds it from
 * AES-CMAC, which `node:crypto` does not have.
 */
export class Seal {
  readonly #use: keyof typeof PURPOSES
  readonly #secrets: () => readonly string[]
  /**
   * What was sealed last, with its context, by its sealed text, and the other way round: clients who walk a list come
   * back at once with what they got, and many ask for the same page. It was made here, so there is nothing to verify.
   * `null`: what is sealed is secret, and not kept in the open.
   */
  readonly #recent: Record<'opened' | 'sealed', BoundedMap<string, string>> | null
  #made: readonly Keys[] | null = null

  /** @param secrets the current secret, then those before it; asked for on the first use, and then never again */
  constructor(use: keyof typeof PURPOSES, secrets: () => readonly string[]) {
    this.#use = use
    this.#secrets = secrets
    const memory = (): BoundedMap<string, string> => new BoundedMap(Infinity, BOUND)
    this.#recent = use === 'tokens' ? null : { opened: memory(), sealed: memory() }
  }

  /** URL-safe: 25 characters, and a third longer than the text, which is well-formed. */
  seal(context: string, text: string): string {
    if (this.#recent === null) return this.#seal(context, text)
    const whole = wholeOf(context, text)
    const known = this.#recent.sealed.get(whole)
    if (known !== undefined) return known
    const sealed = this.#seal(context, text)
    this.#recent.sealed.set(whole, sealed)
    this.#recent.opened.set(sealed, whole)
    return sealed
  }

  #seal(context: string, text: string): string {
    const { mac, cipher } = this.#keys[0]!
    const bytes = Buffer.allocUnsafe(TAG + 3 * text.length)
    // The text of a digest is cheaper than its bytes, which `node:crypto` allocates for themselves.
    bytes.write(macOf(mac, context, text).digest('binary'), 0, TAG, 'binary')
    const hidden = createCipheriv(CIPHER, cipher, bytes.subarray(0, TAG)).update(text, 'utf8')
    bytes.set(hidden, TAG)
    return VERSION + bytes.toString('base64url', 0, TAG + hidden.length)
  }

  /** `null`: the secrets or the context are others, or the sealed text was changed. */
  unseal(context: string, sealed: string): string | null {
    const recent = this.#recent?.opened.get(sealed)
    const before = wholeOf(context, '')
    if (recent?.startsWith(before)) return recent.slice(before.length)
    return this.open(context, sealed)?.text ?? null
  }

  /** `secret`: the index of the one that opened it; 0: the current one. */
  open(context: string, sealed: string): { text: string; secret: number } | null {
    for (const [secret, keys] of this.#keys.entries()) {
      const text = unseal(keys, context, sealed) ?? unsealFirst(keys.first, context, sealed)
      if (text !== null) return { text, secret }
    }
    return null
  }

  get #keys(): readonly Keys[] {
    if (this.#made !== null) return this.#made
    const { mac, cipher, first } = PURPOSES[this.#use]
    return (this.#made = this.#secrets().map((secret) => ({
      mac: deriveKey(secret, mac),
      cipher: deriveKey(secret, cipher),
      first: first === null ? null : deriveKey(secret, first),
    })))
  }
}

function unseal({ mac, cipher }: Keys, context: string, sealed: string): string | null {
  const bytes = bytesBehind(VERSION, sealed)
  if (bytes === null || bytes.length < TAG) return null
  const tag = bytes.subarray(0, TAG)
  const plain = createDecipheriv(CIPHER, cipher, tag).update(bytes.subarray(TAG))
  // Bytes are compared, not what they decode to: many bytes decode to U+FFFD.
  return timingSafeEqual(macOf(mac, context, plain).digest().subarray(0, TAG), tag)
    ? plain.toString()
    : null
}

/** The length keeps the end of the context and the beginning of the text apart. */
function wholeOf(context: string, text: string): string {
  return `${Buffer.byteLength(context)}:${context}${text}`
}

function macOf(mac: KeyObject, context: string, text: string | Uint8Array) {
  const before = wholeOf(context, '')
  const hmac = createHmac('sha256', mac)
  // Two calls cost more than one.
  return typeof text === 'string' ? hmac.update(before + text) : hmac.update(before).update(text)
}

const FIRST = 'v1.'
const NONCE = 12

/** The first form, AES-256-GCM under a random nonce: tokens that are kept in it go on opening. */
function unsealFirst(key: KeyObject | null, context: string, sealed: string): string | null {
  const bytes = key === null ? null : bytesBehind(FIRST, sealed)
  if (key === null || bytes === null || bytes.length < NONCE + TAG) return null
  const nonce = bytes.subarray(0, NONCE)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  const plain = decipher.update(bytes.subarray(NONCE + TAG))
  try {
    decipher.final()
    return plain.toString()
  } catch {
    return null
  }
}

/** `null`: another version, or written otherwise than `seal` does. Node's decoder forgives spare bits and odd characters. */
function bytesBehind(version: string, sealed: string): Buffer | null {
  if (!sealed.startsWith(version)) return null
  const text = sealed.slice(version.length)
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
