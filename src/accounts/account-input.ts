import { ValidationError } from '../core/errors/api-errors.ts'
import { ErrorDetail } from '../core/errors/detail.ts'
import { Message } from '../core/messages/message.ts'
import type { Subject, User } from '../core/ports/credentials.ts'
import { lazily } from '../core/std/once.ts'

/**
 * The most characters of account values: forms and serializers accept no more.
 *
 * @example field.text({ maxLength: ACCOUNT_LIMITS.username })
 */
export const ACCOUNT_LIMITS = { username: 150, email: 254, password: 4096, tokenName: 100 } as const

/** The most characters of a typed name: hardly a character is composed of more than four. */
const LONGEST_TYPED = 4 * ACCOUNT_LIMITS.username
export const LONGEST_SCOPES = 2000
const CONTROL = /\p{Cc}/u
/** Invisible characters, and characters that turn the direction of text: a name with one looks like another name. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]/u
/** Texts that a mail's head reads as addresses, a name, or an encoding (RFC 5322, RFC 2047), and a command as an option. */
const OTHER = /[,;<>()"]|=\?|^-/
/** RFC 6749 §3.3: visible ASCII without quotation marks and backslashes. */
const SCOPE = /^[!#-[\]-~]{1,100}$/

/** The parts of a named token. */
export interface NamedTokenInput {
  /** The user's own name for it: `backup`, `phone`. */
  readonly name: string
  /**
   * The permitted uses: `['read']`; `role:doctor` leaves it only that role of its user.
   *
   * @default null — everything that its user may do
   */
  readonly scopes?: readonly string[] | null
  /** The moment from which it is refused. @default null — never */
  readonly expires?: Date | null
}

/** A token of another service, or of DRF's table. */
export interface ImportedToken extends Partial<NamedTokenInput> {
  readonly key: string
  /** @default now */
  readonly created?: Date
}

/** A value of an account that cannot be stored. A client that sent it gets a 400. */
export class InvalidAccount extends ValidationError {
  constructor(field: string, sentence: Message) {
    super({ [field]: [new ErrorDetail(sentence, 'invalid')] })
    this.message = String(sentence)
  }
}

/** `null`: no user can have it. That is not worth a question to the database, which cannot hold some. */
export function possibleUsername(username: string): string | null {
  const name = spelled(username)
  return problemOfUsername(name) === null ? name : null
}

/** The stored form of a new user's name; older names may differ. @throws InvalidAccount */
export function checkedUsername(username: string): string {
  const name = spelled(username)
  return checked('username', name, problemOfUsername(name) ?? confusionOf(name))
}

/**
 * The address of a user as it is stored; users may have others, from before.
 *
 * @throws InvalidAccount it is too long, has characters that are not seen, or would be several addresses or an option elsewhere
 */
export function checkedEmail(email: string): string {
  const problem = confusing(email, Message.of('kind.email'), ACCOUNT_LIMITS.email)
  const isOther = problem === null && OTHER.test(email)
  return checked('email', email, isOther ? Message.of('invalid.email') : problem)
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
  const problem = unstorable(name, subject, ACCOUNT_LIMITS.username)
  if (problem !== null) return problem
  // Forms trim typed text (K26), so such a user could never log in.
  return name === name.trim() ? null : Message.of('invalid.white_space')
}

/**
 * RFC 8265 §3.4 (UsernameCasePreserved), with the IdentifierClass of RFC 8264 §4.2: visible ASCII, and otherwise letters,
 * digits and their marks. Symbols, invisible characters and those that turn the direction are refused, since such a name is
 * mistaken for another. Compatible forms have been replaced by then (NFKC).
 */
function confusionOf(name: string): Message | null {
  const { contexts, refused } = LETTERS()
  const rest = contexts.reduce((text, allowed) => text.replaceAll(allowed, ''), name)
  const [wrong] = rest.match(refused) ?? []
  if (wrong !== undefined) {
    const character = `U+${wrong.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
    return Message.of('invalid.username_character', { character })
  }
  return turnsAround(name) ? Message.of('invalid.username_directions') : null
}

const KANA_AND_HAN = String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]`

/** Made for the first name: as literals, they would be parsed at each start, at the cost of 80 KB of other code. */
const LETTERS = lazily(() => ({
  /** RFC 5892 §2.6 and RFC 8264 §9: exceptions, conjoining jamo, and invisible characters, including those of `contexts`. */
  refused: new RegExp(
    String.raw`[^ \x21-\x7e\xdf\u03c2\u06fd\u06fe\u0f0b\u3007\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc}]|[\p{Default_Ignorable_Code_Point}\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]`,
    'u',
  ),
  /** Allowed in these places alone (RFC 5892 A.3 to A.7); joiners (A.1, A.2), which are not seen, nowhere. */
  contexts: [
    /(?<=l)\xb7(?=l)/g,
    new RegExp(String.raw`\u0375(?=\p{Script=Greek})`, 'gu'),
    new RegExp(String.raw`(?<=\p{Script=Hebrew})[\u05f3\u05f4]`, 'gu'),
    new RegExp(String.raw`\u30fb(?=.*${KANA_AND_HAN})|(?<=${KANA_AND_HAN}.*)\u30fb`, 'gu'),
  ],
  letter: new RegExp(String.raw`\p{L}`, 'u'),
  begins: new RegExp(String.raw`^\p{L}`, 'u'),
  ends: new RegExp(String.raw`[\p{L}\p{Nd}\u05f3\u05f4]\p{M}*$`, 'u'),
}))

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const ARABIC_DIGITS = /[\u0660-\u0669]/u
const OTHER_DIGITS = /[0-9\u06f0-\u06f9]/u

/** The Bidi rule (RFC 5893 §2): of both directions, not begun by a letter, not ended by one or a digit, or with two kinds of digits. */
function turnsAround(name: string): boolean {
  if (!RIGHT_TO_LEFT.test(name)) return false
  const { letter, begins, ends } = LETTERS()
  const isOfOne = [...name].every((each) => !letter.test(each) || RIGHT_TO_LEFT.test(each))
  const isFramed = begins.test(name) && ends.test(name)
  return !isOfOne || !isFramed || (ARABIC_DIGITS.test(name) && OTHER_DIGITS.test(name))
}

function problemOfTokenName(name: string): Message | null {
  const isName = name !== '' && name.length <= ACCOUNT_LIMITS.tokenName && name === name.trim()
  if (!isName) return Message.of('invalid.token_name', { limit: ACCOUNT_LIMITS.tokenName })
  return confusing(name, Message.of('kind.token_name'), ACCOUNT_LIMITS.tokenName)
}

/** User names have rules of their own, and some that there are would be refused by this one. */
function confusing(text: string, subject: Message, limit: number): Message | null {
  const problem = unstorable(text, subject, limit)
  if (problem !== null || !UNSEEN.test(text)) return problem
  return Message.of('invalid.control_characters', { subject })
}

function unstorable(text: string, subject: Message, limit: number): Message | null {
  if (text.length > limit) return Message.of('invalid.long', { subject, limit })
  const isText = !CONTROL.test(text) && text.isWellFormed()
  return isText ? null : Message.of('invalid.control_characters', { subject })
}

function checked(field: string, text: string, problem: Message | null): string {
  if (problem === null) return text
  throw new InvalidAccount(field, problem)
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

/** The required parts of every user. */
export interface EveryUserInput {
  readonly username: string
  readonly email?: string
  readonly password?: string | null
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
}

/** The parts of a new user, with the columns of the application. Without a password, this user cannot log in. */
export type UserInput<U extends User = User> = EveryUserInput & Partial<Omit<U, keyof User>>

/** Changes of a user; values that are not given stay. */
export type UserChanges<U extends User = User> = Partial<
  Omit<EveryUserInput, 'password'> & Omit<U, keyof User>
> & {
  readonly lastLogin?: Date | null
}

/** Proofs of a new user: the address of the account, or an identity at a provider (by `accounts.by` alone). */
export interface Proved {
  /** @default false */
  readonly address?: boolean
  /** @default none */
  readonly identity?: Subject
}

/** The name under which wrong passwords of an unknown user count. A known user has a number, in any spelling of the name. */
export function guessedName(username: string): string {
  return `name ${possibleUsername(username) ?? username.slice(0, ACCOUNT_LIMITS.username)}`
}
