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
  const { name, problem } = read(username)
  return problem === null ? name : null
}

/**
 * The name as it is stored.
 *
 * @throws InvalidAccount it is empty, too long, has control characters, or white space around it
 */
export function checkedUsername(username: string): string {
  const { name, problem } = read(username)
  if (problem !== null) throw new InvalidAccount('username', problem)
  return name
}

/**
 * One spelling for every way to type a name: `ﬁ` and `fi` are the same user. The text is measured first:
 * the time of normalising grows with the square of its length.
 */
function read(username: string): { readonly name: string; readonly problem: Message | null } {
  if (username.length > LONGEST_TYPED) return { name: '', problem: TOO_LONG }
  const name = username.normalize('NFKC')
  return { name, problem: problemOf(name) }
}

const USERNAME = Message.of('kind.username')
const EMAIL = Message.of('kind.email')
const TOO_LONG = Message.of('invalid.long', { subject: USERNAME, limit: LONGEST_USERNAME })

function problemOf(name: string): Message | null {
  if (name === '') return Message.of('invalid.missing', { subject: USERNAME })
  if (name.length > LONGEST_USERNAME) return TOO_LONG
  if (CONTROL.test(name) || !name.isWellFormed())
    return Message.of('invalid.control_characters', { subject: USERNAME })
  // Forms trim what is typed (K26): such a user could never log in.
  if (name !== name.trim()) return Message.of('invalid.white_space')
  return null
}

/** @throws InvalidAccount it is too long or has control characters */
export function checkedEmail(email: string): string {
  if (email.length > LONGEST_EMAIL) {
    throw new InvalidAccount(
      'email',
      Message.of('invalid.long', { subject: EMAIL, limit: LONGEST_EMAIL }),
    )
  }
  if (CONTROL.test(email) || !email.isWellFormed()) {
    throw new InvalidAccount('email', Message.of('invalid.control_characters', { subject: EMAIL }))
  }
  return email
}
