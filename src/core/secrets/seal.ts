import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  timingSafeEqual,
} from 'node:crypto'
import { BoundedMap } from '../std/bounded-map.ts'
import { type Purpose, deriveKey } from './keys.ts'

const VERSION = 'v1.'
/** Bytes: of AES, and of the tag that a sealed text begins with. */
const BLOCK = 16
/** Bytes of the key: one half for the tag, one for the cipher, each of AES-256. */
const KEY = 64

const PURPOSES: Readonly<Record<'tokens' | 'texts', Purpose>> = {
  tokens: 'token siv',
  texts: 'sealed text siv',
}

/** Characters that are remembered each way, about a mebibyte. */
const REMEMBERED = 1024 * 1024
const BOUND = { most: REMEMBERED, of: (one: string, other: string) => one.length + other.length }

/**
 * Encrypts texts so that only this service can make and read them, and only in the same context. It seals
 * with the first of the secrets; what any of them sealed still opens. The same text in the same context
 * always gives the same sealed text, so pages with cursors can be cached.
 *
 * A sealed text is `v1.` and the base64url of AES-SIV (RFC 5297, `AEAD_AES_SIV_CMAC_512`) of the text in UTF-8, with the
 * context in UTF-8 as the only associated data. It needs no nonce, so none can come twice.
 */
export class Seal {
  readonly #use: keyof typeof PURPOSES
  readonly #secrets: () => readonly string[]
  /**
   * The texts that were sealed last, with their contexts, and the same the other way round. Clients who walk a list come
   * back at once with their cursor, and many ask for the same page. Entries were made here, so they need no check. `null`:
   * the sealed texts are secret, and are not kept in clear.
   */
  readonly #recent: Record<'opened' | 'sealed', BoundedMap<string, string>> | null
  #made: readonly AesSiv[] | null = null

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
    return VERSION + this.#sivs[0]!.seal([context], Buffer.from(text)).toString('base64url')
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
    const sivs = this.#sivs
    const bytes = bytesOf(sealed)
    for (const [secret, siv] of sivs.entries()) {
      const text = bytes && siv.open([context], bytes)
      if (text !== null) return { text: text.toString(), secret }
    }
    return null
  }

  get #sivs(): readonly AesSiv[] {
    const keyOf = (secret: string): KeyObject => deriveKey(secret, PURPOSES[this.#use], KEY)
    return (this.#made ??= this.#secrets().map((secret) => new AesSiv(keyOf(secret))))
  }
}

/** The key under which both are remembered; the length separates the context from the text. */
function wholeOf(context: string, text: string): string {
  return `${context.length}:${context}${text}`
}

/**
 * `null`: the text has another form, or differs from what `seal` writes. Node's decoder forgives spare bits and odd
 * characters.
 */
function bytesOf(sealed: string): Buffer | null {
  if (!sealed.startsWith(VERSION)) return null
  const text = sealed.slice(VERSION.length)
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text && bytes.length >= BLOCK ? bytes : null
}

/**
 * AES-SIV as RFC 5297 has it, from the AES of `node:crypto`, which has no SIV and no CMAC. The words are those of the
 * RFC. A key of 32 bytes is for AES-128, one of 64 for AES-256.
 */
export class AesSiv {
  readonly #mac: KeyObject
  readonly #cipher: KeyObject
  readonly #bits: number
  /** The subkeys of CMAC: for a last block that is whole, and for one that is not (RFC 4493 §2.3). */
  readonly #subkeys: readonly [whole: Uint8Array, part: Uint8Array]
  readonly #start: Uint8Array
  /** The digest of the associated data that were used last: a page opens and seals texts for the same list. */
  #last: { readonly associated: readonly Data[]; readonly digest: Uint8Array } | null = null

  constructor(key: KeyObject) {
    const bytes = key.export()
    const half = bytes.length / 2
    this.#bits = half * 8
    this.#mac = createSecretKey(bytes.subarray(0, half))
    this.#cipher = createSecretKey(bytes.subarray(half))
    const whole = doubled(this.#chained(Buffer.alloc(BLOCK)))
    this.#subkeys = [whole, doubled(whole)]
    this.#start = this.#cmac(Buffer.alloc(BLOCK))
  }

  /** The tag, which is the initialisation vector too, and behind it the encrypted bytes. */
  seal(associated: readonly Data[], plain: Uint8Array): Buffer {
    const tag = this.#tagOf(associated, plain)
    const cipher = createCipheriv(`aes-${this.#bits}-ctr`, this.#cipher, counterOf(tag))
    return Buffer.concat([tag, cipher.update(plain)])
  }

  /** `null`: not sealed with this key, for these data. Bytes are compared, not what they decode to: many decode to U+FFFD. */
  open(associated: readonly Data[], sealed: Uint8Array): Buffer | null {
    const tag = sealed.subarray(0, BLOCK)
    const cipher = createDecipheriv(`aes-${this.#bits}-ctr`, this.#cipher, counterOf(tag))
    const plain = cipher.update(sealed.subarray(BLOCK))
    return timingSafeEqual(this.#tagOf(associated, plain), tag) ? plain : null
  }

  /** S2V (§2.4): the text goes in last. */
  #tagOf(associated: readonly Data[], plain: Uint8Array): Buffer {
    const digest = this.#digestOf(associated)
    if (plain.length < BLOCK) return this.#cmac(xored(doubled(digest), padded(plain), 0))
    return this.#cmac(xored(Buffer.from(plain), digest, plain.length - BLOCK))
  }

  #digestOf(associated: readonly Data[]): Uint8Array {
    const last = this.#last
    if (last !== null && isSame(last.associated, associated)) return last.digest
    let digest = this.#start
    for (const each of associated)
      digest = xored(doubled(digest), this.#cmac(Buffer.from(each as string)), 0)
    this.#last = { associated, digest }
    return digest
  }

  /** AES-CMAC (RFC 4493). */
  #cmac(data: Uint8Array): Buffer {
    const [whole, part] = this.#subkeys
    const isWhole = data.length !== 0 && data.length % BLOCK === 0
    const blocks = isWhole ? Buffer.from(data) : padded(data)
    return this.#chained(xored(blocks, isWhole ? whole : part, blocks.length - BLOCK))
  }

  /** The last block of CBC, which is the one that depends on all. */
  #chained(blocks: Uint8Array): Buffer {
    const cipher = createCipheriv(`aes-${this.#bits}-cbc`, this.#mac, ZERO)
    return cipher.update(blocks).subarray(-BLOCK)
  }
}

type Data = string | Uint8Array

const ZERO = new Uint8Array(BLOCK)

function isSame(some: readonly Data[], others: readonly Data[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at])
}

/** Times x in GF(2¹²⁸) (§2.3). */
function doubled(block: Uint8Array): Uint8Array {
  const twice = block.map((byte, at) => (byte << 1) | ((block[at + 1] ?? 0) >> 7))
  if ((block[0]! & 0x80) !== 0) twice[BLOCK - 1]! ^= 0x87
  return twice
}

/** Fills a partial block with a set bit and then zeros. */
function padded(data: Uint8Array): Uint8Array {
  const blocks = Buffer.alloc((Math.floor(data.length / BLOCK) + 1) * BLOCK)
  blocks.set(data)
  blocks[data.length] = 0x80
  return blocks
}

/** XORs the block into the data, in place. */
function xored(data: Uint8Array, block: Uint8Array, at: number): Uint8Array {
  for (let i = 0; i < BLOCK; i++) data[at + i]! ^= block[i]!
  return data
}

/** Two bits are cleared, so that implementations may count in 32 bits (§2.5). */
function counterOf(tag: Uint8Array): Uint8Array {
  const counter = Buffer.from(tag)
  counter[8]! &= 0x7f
  counter[12]! &= 0x7f
  return counter
}
