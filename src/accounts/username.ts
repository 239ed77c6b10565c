import { ValidationError } from '../errors/api-errors.ts'

const LONGEST_USERNAME = 150
/** As typed: hardly a character is composed of more than four. */
const LONGEST_TYPED = 4 * LONGEST_USERNAME
const LONGEST_EMAIL = 254
const CONTROL = /\p{Cc}/u

/** What an account or a token is made from. */
export type AccountField = 'username' | 'email' | 'password' | 'name' | 'scopes' | 'expires'

/** A member of an account that cannot be stored as it is. An answer of 400 where a client sent it. */
export class InvalidAccount extends ValidationError {
  constructor(field: AccountField, sentence: string) {
    super({ [field]: [sentence] })
    this.message = sentence
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
function read(username: string): { readonly name: string; readonly problem: string | null } {
  if (username.length > LONGEST_TYPED) return { name: '', problem: TOO_LONG }
  const name = username.normalize('NFKC')
  return { name, problem: problemOf(name) }
}

const TOO_LONG = `A user name has at most ${LONGEST_USERNAME} characters.`

function problemOf(name: string): string | null {
  if (name === '') return 'A user needs a name.'
  if (name.length > LONGEST_USERNAME) return TOO_LONG
  if (CONTROL.test(name) || !name.isWellFormed()) return 'A user name has no control characters.'
  // Forms trim what is typed (K26): such a user could never log in.
  if (name !== name.trim()) return 'A user name does not begin or end with white space.'
  return null
}

/** @throws InvalidAccount it is too long or has control characters */
export function checkedEmail(email: string): string {
  if (email.length > LONGEST_EMAIL) {
    throw new InvalidAccount('email', `An e-mail address has at most ${LONGEST_EMAIL} characters.`)
  }
  if (CONTROL.test(email) || !email.isWellFormed()) {
    throw new InvalidAccount('email', 'An e-mail address has no control characters.')
  }
  return email
}
