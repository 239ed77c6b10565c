import { Message } from '../messages/message.ts'
import { randomToken } from '../std/crypto/random.ts'
import { InvalidAccount, checked, unstorable } from './username.ts'

const KEY_BYTES = 20
const LONGEST_KEY = 40
const LONGEST_NAME = 100
const LONGEST_SCOPES = 2000
/** RFC 6749 §3.3: visible ASCII without quotation marks and backslashes. */
const SCOPE = /^[!#-[\]-~]{1,100}$/

/** What a named token is made from. */
export interface NamedTokenInput {
  /** The user's own name for it: `backup`, `phone`. */
  readonly name: string
  /** What it may be used for: `['read']`. @default null — everything that its user may do */
  readonly scopes?: readonly string[] | null
  /** From then on it is refused. @default null — never */
  readonly expires?: Date | null
}

/** A token of another service, or of DRF's table. */
export interface ImportedToken extends Partial<NamedTokenInput> {
  readonly key: string
  /** @default now */
  readonly created?: Date
}

/** 20 random bytes (K2). */
export function newKey(): string {
  return randomToken(KEY_BYTES, 'hex')
}

/** Could a token have this key (K3)? Others are not looked for in clear, and some no database can hold. */
export function isPossibleKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed() && !key.includes('\0')
}

/** @throws RangeError it is empty, longer than 40 characters, or no text that a database can hold */
export function checkedKey(key: string): string {
  if (isPossibleKey(key)) return key
  throw new RangeError(
    `A token key has between 1 and ${LONGEST_KEY} characters, and none of them is null.`,
  )
}

/** @throws InvalidAccount (400) */
export function checkedTokenInput(input: NamedTokenInput): Required<NamedTokenInput> {
  const { scopes = null, expires = null } = input
  const name = checked('name', input.name, problemOf(input.name))
  if (expires !== null && Number.isNaN(expires.getTime()))
    throw new InvalidAccount('expires', Message.of('invalid.expiry'))
  return { name, scopes: scopes === null ? null : checkedScopes(scopes), expires }
}

function problemOf(name: string): Message | null {
  const isName = name !== '' && name.length <= LONGEST_NAME && name === name.trim()
  if (!isName) return Message.of('invalid.token_name', { limit: LONGEST_NAME })
  return unstorable(name, Message.of('kind.token_name'), LONGEST_NAME)
}

function checkedScopes(scopes: readonly string[]): readonly string[] {
  const wrong = scopes.find((scope) => !SCOPE.test(scope))
  if (wrong !== undefined) {
    const scope = JSON.stringify(wrong.slice(0, 100))
    throw new InvalidAccount('scopes', Message.of('invalid.scope', { scope }))
  }
  const own = [...new Set(scopes)]
  if (own.join(' ').length <= LONGEST_SCOPES) return own
  throw new InvalidAccount('scopes', Message.of('invalid.scopes', { limit: LONGEST_SCOPES }))
}
