// The keys of tokens: their length, prefix and checksum, their possible texts, and the seals of families.
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { type Digest, digestsUnder } from '../core/secrets/digest.ts'
import { randomText, randomToken } from '../core/secrets/keys.ts'
import { Seal } from '../core/secrets/seal.ts'
import { LONGEST_SCOPES } from './account-input.ts'
import { type AccountParts, requiredSecrets } from './account-policy.ts'

const LONGEST_KEY = 40

/** 20 random bytes (K2); with a prefix (`tokenPrefix`) as many in other digits, and a checksum. */
export function newKey(prefix: string | null): string {
  if (prefix === null) return randomToken(20, 'hex')
  const start = `${prefix}_${randomText(RANDOM_DIGITS, KEY_DIGITS)}`
  return `${start}${checksum(start)}`
}

export const KEY_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 160 bits, as those without a prefix have. */
export const RANDOM_DIGITS = 27
const CHECK_DIGITS = 6
const PREFIX = /^[a-z][a-z0-9]{1,5}$/

/** Scanners know CRC-32: it tells a key from a text that looks like one. It is no secret, and proves nothing. */
function checksum(text: string): string {
  // Loaded late: most services have keys without a prefix.
  let [rest, digits] = [process.getBuiltinModule('node:zlib').crc32(text), '']
  for (let at = 0; at < CHECK_DIGITS; at += 1) {
    digits = KEY_DIGITS[rest % 62]! + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Has the key the prefix, but a wrong length or checksum? Such a key was never made here. */
export function isForgedKey(key: string, prefix: string | null): boolean {
  if (prefix === null || !key.startsWith(`${prefix}_`)) return false
  if (key.length !== prefix.length + 1 + RANDOM_DIGITS + CHECK_DIGITS) return true
  return checksum(key.slice(0, -CHECK_DIGITS)) !== key.slice(-CHECK_DIGITS)
}

/** Finds keys with a prefix in a text; `null`: keys have no prefix. */
export function patternOfKeys(prefix: string | null): RegExp | null {
  if (prefix === null) return null
  return new RegExp(`\\b${prefix}_[0-9A-Za-z]{${RANDOM_DIGITS + CHECK_DIGITS}}\\b`, 'g')
}

/** @throws ConfigurationError keys cannot begin with it */
export function checkedPrefix(prefix: string | null = null): string | null {
  if (prefix === null || PREFIX.test(prefix)) return prefix
  throw new ConfigurationError(
    `defineAccounts: "tokenPrefix" is ${JSON.stringify(prefix)}. It has two to six small letters and digits, and begins with a letter.`,
  )
}

/** Whether a token can have this key (K3). Other texts are not looked up: databases refuse some of them. */
export function isPossibleKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed() && !key.includes('\0')
}

/** @throws RangeError */
export function checkedKey(key: string, prefix: string | null): string {
  if (isForgedKey(key, prefix))
    throw new RangeError(
      `Only this service makes keys that begin with "${prefix}_". Give the token another key.`,
    )
  if (isPossibleKey(key)) return key
  throw new RangeError(
    `A token key has between 1 and ${LONGEST_KEY} characters, and none of them is null.`,
  )
}

/** Digits of a number behind the handle: seconds since 1970, or how often the family was used. */
const NUMBER_DIGITS = 8
/** Characters, in base64url, of a seal: a tag of 16 bytes and so many bytes more. */
const sealedLength = (bytes: number): number => Math.ceil(((16 + bytes) * 4) / 3)
const SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS)
const LONGEST_SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS + LONGEST_SCOPES)
const VERSION = 'v1.'

/** Access tokens and refresh tokens have different seals, so that neither is taken for the other. */
const CONTEXTS = { at: 'access token', rt: 'refresh token' } as const

/** The sealed content of a token of either kind. */
export interface OpenedToken {
  /** Digests by which the family is found, under the current secret and those before it. */
  readonly digests: readonly string[]
  readonly handle: string
  readonly number: number
  /** The scopes of this access token; `null`: those of its family. */
  readonly scopes: readonly string[] | null
}

/** Makes the tokens of families, and reads them: they are sealed by the secret of the service. */
export class FamilySeal {
  readonly #prefix: string
  readonly #secrets: () => readonly string[]
  readonly #seal: Seal
  #digests: readonly Digest[] | null = null

  constructor({ secretKeys, tokenPrefix }: Pick<AccountParts, 'secretKeys' | 'tokenPrefix'>) {
    this.#prefix = tokenPrefix ?? 'colophon'
    this.#secrets = () => requiredSecrets(secretKeys(), 'Refresh tokens are sealed with it')
    this.#seal = new Seal('tokens', this.#secrets)
  }

  sealed(
    kind: keyof typeof CONTEXTS,
    handle: string,
    number: number,
    scopes: OpenedToken['scopes'] = null,
  ): string {
    const digits = number.toString(36).padStart(NUMBER_DIGITS, '0')
    const text = `${handle}${digits}${scopes?.join(' ') ?? ''}`
    return `${this.#prefix}_${kind}_${this.#seal.seal(CONTEXTS[kind], text).slice(VERSION.length)}`
  }

  /** Opens a token. `null`: this service did not make it, or made it as the other kind. */
  opened(kind: keyof typeof CONTEXTS, key: string): OpenedToken | null {
    const start = `${this.#prefix}_${kind}_`
    const length = key.length - start.length
    if (!key.startsWith(start) || length < SEALED || length > LONGEST_SEALED) return null
    const opened = this.#seal.open(CONTEXTS[kind], `${VERSION}${key.slice(start.length)}`)
    if (opened === null) return null
    const [handle, rest] = cutAt(opened.text, RANDOM_DIGITS)
    const [digits, scopes] = cutAt(rest, NUMBER_DIGITS)
    return {
      digests: this.digestsOf(handle),
      handle,
      number: Number.parseInt(digits, 36),
      scopes: scopes === '' ? null : scopes.split(' '),
    }
  }

  isAccess(key: string): boolean {
    return key.startsWith(`${this.#prefix}_at_`)
  }

  /** The source of a regular expression that finds tokens of families in a text. */
  get pattern(): string {
    return `\\b${this.#prefix}_[ar]t_[\\w-]{${SEALED},}`
  }

  digestsOf(handle: string): readonly string[] {
    this.#digests ??= digestsUnder(this.#secrets(), 'family digest')
    return this.#digests.map((digestOf) => digestOf(handle))
  }
}

function cutAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at)]
}
