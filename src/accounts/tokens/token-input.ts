import { Message } from '../../messages/message.ts'
import { InvalidAccount } from '../username.ts'

const LONGEST_KEY = 40
const LONGEST_NAME = 100
const LONGEST_SCOPES = 2000
const CONTROL = /\p{Cc}/u
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
  const { name, scopes = null, expires = null } = input
  if (name === '' || name.length > LONGEST_NAME || name !== name.trim()) {
    throw new InvalidAccount('name', Message.of('invalid.token_name', { limit: LONGEST_NAME }))
  }
  if (CONTROL.test(name) || !name.isWellFormed()) {
    throw new InvalidAccount(
      'name',
      Message.of('invalid.control_characters', { subject: Message.of('kind.token_name') }),
    )
  }
  if (expires !== null && Number.isNaN(expires.getTime())) {
    throw new InvalidAccount('expires', Message.of('invalid.expiry'))
  }
  return { name, scopes: scopes === null ? null : checkedScopes(scopes), expires }
}

function checkedScopes(scopes: readonly string[]): readonly string[] {
  const wrong = scopes.find((scope) => !SCOPE.test(scope))
  if (wrong !== undefined) {
    throw new InvalidAccount(
      'scopes',
      Message.of('invalid.scope', { scope: JSON.stringify(wrong.slice(0, 100)) }),
    )
  }
  const own = [...new Set(scopes)]
  if (own.join(' ').length <= LONGEST_SCOPES) return own
  throw new InvalidAccount('scopes', Message.of('invalid.scopes', { limit: LONGEST_SCOPES }))
}
