import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { Message } from '../messages/message.ts'

const LONGEST_USERNAME = 150
/** As typed: hardly a character is composed of more than four. */
const LONGEST_TYPED = 4 * LONGEST_USERNAME
const LONGEST_EMAIL = 254
const CONTROL = /\p{Cc}/u

/** What an account or a token is made from. */
type AccountField = 'username' | 'email' | 'password' | 'name' | 'scopes' | 'expires'

/** A member of an account that cannot be stored as it is. An answer of 400 where a client sent it. */
export class InvalidAccount extends ValidationError {
  constructor(field: AccountField, sentence: Message) {
    super({ [field]: [new ErrorDetail(sentence, 'invalid')] })
    this.message = String(sentence)
  }
}

/**
 * The name that is meant; `null`: no user can have it. Such names are not worth a question to the
 * database, and some it cannot hold.
 */
export function possibleUsername(username: string): string | null {
  const name = spelled(username)
  return problemOf(name) === null ? name : null
}

/**
 * The name as it is stored.
 *
 * @throws InvalidAccount it is empty, too long, has control characters, or white space around it
 */
export function checkedUsername(username: string): string {
  const name = spelled(username)
  return checked('username', name, problemOf(name))
}

/** @throws InvalidAccount it is too long or has control characters */
export function checkedEmail(email: string): string {
  const subject = Message.of('kind.email')
  return checked('email', email, unstorable(email, subject, LONGEST_EMAIL))
}

/** What keeps a text from being stored, whatever it is for. */
export function unstorable(text: string, subject: Message, limit: number): Message | null {
  if (text.length > limit) return Message.of('invalid.long', { subject, limit })
  const isText = !CONTROL.test(text) && text.isWellFormed()
  return isText ? null : Message.of('invalid.control_characters', { subject })
}

/** @throws InvalidAccount there is a problem */
export function checked(field: AccountField, text: string, problem: Message | null): string {
  if (problem === null) return text
  throw new InvalidAccount(field, problem)
}

/**
 * One spelling for every way to type a name: `ﬁ` and `fi` are the same user. The text is measured first,
 * and stays too long: the time of normalising grows with the square of its length.
 */
function spelled(username: string): string {
  return username.length > LONGEST_TYPED ? username : username.normalize('NFKC')
}

function problemOf(name: string): Message | null {
  const subject = Message.of('kind.username')
  if (name === '') return Message.of('invalid.missing', { subject })
  const problem = unstorable(name, subject, LONGEST_USERNAME)
  if (problem !== null) return problem
  // Forms trim what is typed (K26): such a user could never log in.
  return name === name.trim() ? null : Message.of('invalid.white_space')
}
