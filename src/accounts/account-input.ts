import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { Message } from '../messages/message.ts'
import { randomToken } from '../std/crypto/random.ts'

const LONGEST_USERNAME = 150
/** As typed: hardly a character is composed of more than four. */
const LONGEST_TYPED = 4 * LONGEST_USERNAME
const LONGEST_EMAIL = 254
const LONGEST_KEY = 40
const LONGEST_TOKEN_NAME = 100
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

type AccountField = 'username' | 'email' | 'password' | 'name' | 'scopes' | 'expires'

/** A member of an account that cannot be stored as it is. An answer of 400 where a client sent it. */
export class InvalidAccount extends ValidationError {
  constructor(field: AccountField, sentence: Message) {
    super({ [field]: [new ErrorDetail(sentence, 'invalid')] })
    this.message = String(sentence)
  }
}

/** `null`: no user can have it. That is not worth a question to the database, which cannot hold some. */
export function possibleUsername(username: string): string | null {
  const name = spelled(username)
  return problemOfUsername(name) === null ? name : null
}

/** The name as it is stored. @throws InvalidAccount */
export function checkedUsername(username: string): string {
  const name = spelled(username)
  return checked('username', name, problemOfUsername(name))
}

/** @throws InvalidAccount */
export function checkedEmail(email: string): string {
  return checked('email', email, unstorable(email, Message.of('kind.email'), LONGEST_EMAIL))
}

/** 20 random bytes (K2). */
export function newKey(): string {
  return randomToken(20, 'hex')
}

/** Could a token have this key (K3)? Others are not looked for in clear, and some no database can hold. */
export function isPossibleKey(key: string): boolean {
  return key !== '' && key.length <= LONGEST_KEY && key.isWellFormed() && !key.includes('\0')
}

/** @throws RangeError */
export function checkedKey(key: string): string {
  if (isPossibleKey(key)) return key
  throw new RangeError(
    `A token key has between 1 and ${LONGEST_KEY} characters, and none of them is null.`,
  )
}

/** Could a token have this scope? */
export function isPossibleScope(scope: string): boolean {
  return SCOPE.test(scope)
}

/** @throws InvalidAccount */
export function checkedTokenInput(input: NamedTokenInput): Required<NamedTokenInput> {
  const { scopes = null, expires = null } = input
  const name = checked('name', input.name, problemOfTokenName(input.name))
  if (expires !== null && Number.isNaN(expires.getTime()))
    throw new InvalidAccount('expires', Message.of('invalid.expiry'))
  return { name, scopes: scopes === null ? null : checkedScopes(scopes), expires }
}

/** `ﬁ` and `fi` are the same user. Measured first: normalising takes the square of the length. */
function spelled(username: string): string {
  return username.length > LONGEST_TYPED ? username : username.normalize('NFKC')
}

function problemOfUsername(name: string): Message | null {
  const subject = Message.of('kind.username')
  if (name === '') return Message.of('invalid.missing', { subject })
  const problem = unstorable(name, subject, LONGEST_USERNAME)
  if (problem !== null) return problem
  // Forms trim what is typed (K26): such a user could never log in.
  return name === name.trim() ? null : Message.of('invalid.white_space')
}

function problemOfTokenName(name: string): Message | null {
  const isName = name !== '' && name.length <= LONGEST_TOKEN_NAME && name === name.trim()
  if (!isName) return Message.of('invalid.token_name', { limit: LONGEST_TOKEN_NAME })
  return unstorable(name, Message.of('kind.token_name'), LONGEST_TOKEN_NAME)
}

function unstorable(text: string, subject: Message, limit: number): Message | null {
  if (text.length > limit) return Message.of('invalid.long', { subject, limit })
  const isText = !CONTROL.test(text) && text.isWellFormed()
  return isText ? null : Message.of('invalid.control_characters', { subject })
}

function checked(field: AccountField, text: string, problem: Message | null): string {
  if (problem === null) return text
  throw new InvalidAccount(field, problem)
}

function checkedScopes(scopes: readonly string[]): readonly string[] {
  const wrong = scopes.find((scope) => !isPossibleScope(scope))
  if (wrong !== undefined) {
    const scope = JSON.stringify(wrong.slice(0, 100))
    throw new InvalidAccount('scopes', Message.of('invalid.scope', { scope }))
  }
  const own = [...new Set(scopes)]
  if (own.join(' ').length <= LONGEST_SCOPES) return own
  throw new InvalidAccount('scopes', Message.of('invalid.scopes', { limit: LONGEST_SCOPES }))
}
