import { type Digest, digestsUnder } from '../core/secrets/digest.ts'
import { Seal } from '../core/secrets/seal.ts'
import { LONGEST_SCOPES } from './account-input.ts'
import { type AccountParts, requiredSecrets } from './account-policy.ts'
import { RANDOM_DIGITS } from './token-keys.ts'

/** Digits of a number behind the handle: seconds since 1970, or how often the family was used. */
const NUMBER_DIGITS = 8
/** Characters, in base64url, of a seal: a tag of 16 bytes and so many bytes more. */
const sealedLength = (bytes: number): number => Math.ceil(((16 + bytes) * 4) / 3)
const SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS)
const LONGEST_SEALED = sealedLength(RANDOM_DIGITS + NUMBER_DIGITS + LONGEST_SCOPES)
const VERSION = 'v1.'

/** Access tokens and refresh tokens are sealed apart, so that none is taken for the other kind. */
const CONTEXTS = { at: 'access token', rt: 'refresh token' } as const

/** What is sealed in a token of either kind. */
export interface OpenedToken {
  /** Digests by which the family is found, under the current secret and those before it. */
  readonly digests: readonly string[]
  readonly handle: string
  readonly number: number
  /** Scopes of this access token; `null`: it has those of its family. */
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
